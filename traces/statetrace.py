"""The state trace: states as boxes with only what changed, actions on the arrows between them."""

from __future__ import annotations

from modelcheck.trace import Trace

from .canvas import FONT, quoted
from .diff import fields_of
from .lettering import shortened
from .scene import Found
from .text import changes, full

__all__ = ["statetrace"]

WIDTH = 76  # characters in a line
MOST_LINES = 24


def statetrace(found: Found) -> str:
    """The picture as dot source."""
    trace = found.trace
    last = len(trace.states) - 1
    title = f"{trace.spec}: {found.label}" if found.label else trace.spec
    lines = [
        "// Drawn by modelcheck: dot -Tsvg FILE",
        "digraph states {",
        f"  graph [rankdir=TB, nodesep=0.3, ranksep=0.35, fontname={FONT}, labelloc=t];",
        f"  graph [label={quoted(shortened(title, 120))}];",
        f'  node [shape=box, style="rounded,filled", fillcolor="#ffffff", color="#8c959f", fontname={FONT}];',
        "  node [fontsize=10];",
        f'  edge [fontname={FONT}, fontsize=10, color="#57606a", fontcolor="#0550ae", arrowsize=0.8];',
    ]
    for at in range(len(trace.states)):
        bad = at == last and found.kind not in ("trace", "goal")
        ink = ', color="#cf222e", penwidth=2' if bad else ', penwidth=1.6, color="#1a7f37"' if at == 0 else ""
        lines.append(f'  s{at} [class="step step-{at}", label={_label(trace, at)}{ink}];')
        if at:
            action = quoted(" " + shortened(trace.steps[at].label, WIDTH))
            lines.append(f'  s{at - 1} -> s{at} [class="step step-{at}", label={action}];')
    return "\n".join([*lines, "}", ""])


def _label(trace: Trace, at: int) -> str:
    now = fields_of(trace.states[at])
    texts: list[str] = []
    for name, value in now.items():
        if at == 0:
            texts += full(name, value)
        else:
            texts += changes(name, fields_of(trace.states[at - 1])[name], value)
    left_out = len(texts) - MOST_LINES
    texts = texts[:MOST_LINES] + ([f"… {left_out} more"] if left_out > 0 else [])
    rows = [str(at + 1), *(texts or ["(nothing changes)"])]
    # Each line is quoted apart: \l, which ends a line flush left, is the only escape that is ours.
    return '"' + "".join(quoted(shortened(row, WIDTH))[1:-1] + "\\l" for row in rows) + '"'
