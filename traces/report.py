"""The whole text that is shown for a result: verdict first, then why, then the numbers."""

from __future__ import annotations

from collections.abc import Iterator

from modelcheck.result import Discovery, Result
from modelcheck.values import show
from modelcheck.verdict import Verdict

from .text import clip, render_trace

__all__ = ["headline", "render_result"]

_KIND_SENTENCES = {
    "invariant": "the invariant {label} is false in state {last}",
    "step invariant": "the step invariant {label} is false for the step to state {last}",
    "deadlock": "no action is enabled in state {last}",
    "error": "the spec failed in {label}, in state {last}",
}
_COLORS = {Verdict.HOLDS: "1;32", Verdict.INCOMPLETE: "1;33", Verdict.UNREACHED: "1;33"}


def render_result(result: Result, color: bool = False) -> str:
    """Verdict, violations with their traces, goals, counts and warnings."""
    blocks = [headline(result.verdict, color)]
    if result.stopped:
        blocks[0] += f"\n{_sentence(result.stopped)}{_completeness(result)}"
    blocks += [_violation(discovery, color) for discovery in result.violations]
    blocks += ["\n".join(_goals(result)), "\n".join(_numbers(result)), "\n".join(_warnings(result))]
    return "\n\n".join(block for block in blocks if block)


def headline(verdict: Verdict, color: bool = False) -> str:
    """The verdict with its sentence."""
    name = f"\x1b[{_COLORS.get(verdict, '1;31')}m{verdict.name}\x1b[0m" if color else verdict.name
    return f"{name}: {verdict.sentence}."


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + ("" if text.endswith(".") else ".")


def _completeness(result: Result) -> str:
    if not result.complete_depth:
        return ""
    return f"\nEvery state up to depth {result.complete_depth} was found and checked."


def _violation(discovery: Discovery, color: bool) -> str:
    last = len(discovery.trace.states)
    template = _KIND_SENTENCES.get(discovery.kind, "{label} ({kind}), state {last}")
    if not last:  # it failed in the first state, or the search kept no way to it
        template = "the spec failed in {label}; there is no trace to show"
    title = template.format(label=discovery.label, kind=discovery.kind, last=last)
    lines = [_sentence(title) if not discovery.explanation else f"{title[:1].upper()}{title[1:]}:"]
    lines += [f"  {line}".rstrip() for line in discovery.explanation.splitlines()]
    if last:
        lines += ["", render_trace(discovery.trace, color)]
    return "\n".join(lines)


def _goals(result: Result) -> Iterator[str]:
    for name, depth in result.goals.items():
        if depth is not None:
            yield f"goal {name}: reached at depth {depth}"
        elif result.verdict is Verdict.UNREACHED:
            yield f"goal {name}: NOT reachable"
        else:
            yield f"goal {name}: not reached in this search"


def _numbers(result: Result) -> Iterator[str]:
    constants = ", ".join(f"{name}={show(value)}" for name, value in result.constants.items())
    yield clip(f"{result.spec}({constants}), engine {result.engine}", 200)
    states = "state" if result.distinct == 1 else "states"
    counts = f"{result.distinct:,} distinct {states}, {result.generated:,} generated"
    counts += f", depth {result.depth}"
    if result.queue:
        counts += f", {result.queue:,} not expanded"
    yield f"{counts}, {_seconds(result.seconds)}"
    if result.collision:
        yield f"calculated chance that equal fingerprints hid a state: {result.collision:.1g}"


def _seconds(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds < 10 else f"{seconds:,.1f} s"


def _warnings(result: Result) -> Iterator[str]:
    # A search that stopped at a violation has not given every action its chance.
    never = result.coverage.never_enabled
    if never and result.verdict in (Verdict.HOLDS, Verdict.UNREACHED):
        yield f"warning: never enabled in any reachable state: {', '.join(never)}"
    elif never and result.verdict is Verdict.INCOMPLETE:
        yield f"warning: not enabled so far: {', '.join(never)}"
    for warning in result.warnings:
        yield f"warning: {warning}"
