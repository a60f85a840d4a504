"""A trace as a Markdown report for an issue tracker: what fails, why, by which steps, how to see it."""

from __future__ import annotations

import ast
import shlex
from collections.abc import Iterator, Mapping

from modelcheck.result import Discovery
from modelcheck.trace import Event
from modelcheck.values import show

from .diff import fields_of
from .files import Stored
from .safe import code_block, code_span
from .slice import Slice
from .text import changes, clip, full, key_text

__all__ = ["markdown_report"]

_TITLES = {
    "invariant": "the invariant {label} is violated",
    "step invariant": "the step invariant {label} is violated",
    "deadlock": "a state without successors is reached",
    "error": "the spec fails in {label}",
    "goal": "the goal {label} is reached",
    "trace": "a behaviour",
}


def markdown_report(
    stored: Stored,
    file: str | None = None,
    *,
    note: str = "",
    defaults: Mapping[str, object] | None = None,
    matters: Slice | None = None,
) -> str:
    """The whole report. `file` is the name of the trace's file, for the command that replays it.

    `defaults` are the spec's own values of constants, which a command need not set; `matters`
    says which variables to show.
    """
    found, trace = stored.found, stored.trace
    steps = len(trace) - 1
    label = code_span(clip(found.label)) if found.property else ""
    title = _TITLES.get(found.kind, "{label}").format(label=label)
    count = f"{steps} step" + ("" if steps == 1 else "s")
    blocks = [f"# {code_span(trace.spec)}: {title} after {count}", *_about(stored)]
    if note:
        blocks.append(f"Note: {code_span(clip(note, 300))}")
    if found.explanation:
        blocks += ["## Why", code_block(found.explanation)]
    blocks += ["## Steps", *_steps(found, matters), "## How to reproduce", *_commands(stored, file, defaults or {})]
    return "\n\n".join(blocks) + "\n"


def _about(stored: Stored) -> Iterator[str]:
    trace = stored.trace
    if stored.target:
        yield f"Spec: {code_span(stored.target)}"
    if trace.constants:
        lines = (f"- {code_span(f'{n} = {clip(show(v), 200)}')}" for n, v in trace.constants.items())
        yield "Constants:\n\n" + "\n".join(lines)


def _steps(found: Discovery, matters: Slice | None) -> Iterator[str]:
    trace = found.trace
    states = [fields_of(state) for state in trace.states]
    if matters is not None:
        hidden = [name for name in states[0] if not matters.matters(name)]
        states = [matters.shown(state) for state in states]
        if hidden:
            names = ", ".join(map(code_span, hidden))
            yield f"Left out, because nothing here depends on what becomes of them: {names}."
    for index, (step, state) in enumerate(zip(trace.steps, states, strict=True)):
        label = code_span(clip(step.label) or "(unnamed)")
        lines = [_event(event) for event in step.events]
        for name, value in state.items():
            lines += changes(name, states[index - 1][name], value) if index else full(name, value)
        text = "\n".join(lines) or "(nothing changes)"
        # No list: the numbers of a list are the reader's, and a fence inside one is fragile.
        yield f"**{index + 1}.** {label}\n\n{code_block(text)}"


def _event(event: Event) -> str:
    verb = {"send": "sends", "receive": "receives", "drop": "loses"}.get(event.kind, event.kind)
    where = f"{event.channel}[{key_text(event.key)}]" if event.key else event.channel
    return f"{verb} {clip(show(event.message))} ({where})"


def _commands(stored: Stored, file: str | None, defaults: Mapping[str, object]) -> Iterator[str]:
    lines = []
    if file is not None:
        lines.append(f"modelcheck replay {_quoted(file)}")
    if stored.target:
        settings = [
            f"--set {_quoted(f'{name}={text}')}"
            for name, value in stored.trace.constants.items()
            if (name not in defaults or defaults[name] != value)
            and (text := _literal(value)) is not None
        ]
        lines.append(" ".join(["modelcheck check", _quoted(stored.target), *settings]))
    yield code_block("\n".join(lines) or "# The trace does not say which spec it came from.", "sh")


def _quoted(text: str) -> str:
    """A word for the shell; double quotes read better around the quotes of Python."""
    if "'" in text and not set(text) & set('"$`!\\\n'):
        return f'"{text}"'
    return shlex.quote(text)


def _literal(value: object) -> str | None:
    """A value as `--set` reads it, if it can."""
    text = ascii(value)
    try:
        return text if ast.literal_eval(text) == value else None
    except (ValueError, SyntaxError, RecursionError):
        return None
