"""Shortening a trace of random simulation until nothing more comes off.

Three ways, each through the author's own functions: cut out what lies between two visits of one
state; leave out runs of steps and take what is still enabled of the rest (delta debugging), first
exactly, then the same actions with parameters that differ where they must; look
for shortcuts in the corridor around what is left. Repeated until none of them helps.
"""

from __future__ import annotations

from modelcheck.layout import State
from modelcheck.program import Program
from modelcheck.result import Discovery
from modelcheck.trace import Trace

from .corridor import Corridor
from .walk import Question, Walker, examine

__all__ = ["shrink"]

BUDGET = 500  # states of the corridor


def shrink(program: Program, found: Discovery, *, budget: int = BUDGET) -> Discovery:
    """The discovery with a shorter trace that shows the same; itself where none is found."""
    if len(found.trace) < 2 or found.kind == "trace":
        return found
    walker = Walker(program, Question.of(found))
    trace = found.trace
    if not walker.answers(trace):
        return found  # it failed in a way that cannot be asked for again
    while True:
        shorter = _without_steps(walker, _without_loops(walker, trace))
        shorter = _without_steps(walker, shorter, alike=True)
        shorter = _with_shortcuts(walker, shorter, budget)
        if len(shorter) >= len(trace):
            break
        trace = shorter
    if len(trace) >= len(found.trace):
        return found
    return examine(program, walker.question, trace) or found


def _without_loops(walker: Walker, trace: Trace) -> Trace:
    """The trace without what lies between two visits of one state, and without what comes after."""
    last: dict[State, int] = {state: index for index, state in enumerate(trace.states)}
    steps = []
    index = last[trace.states[0]]
    while index + 1 < len(trace):
        steps.append(trace.steps[index + 1])
        index = last[trace.states[index + 1]]
    return _accepted(walker, trace, walker.follow_what_is_enabled(_start(trace), steps))


def _without_steps(walker: Walker, trace: Trace, *, alike: bool = False) -> Trace:
    """Delta debugging: leave out ever smaller runs of steps as long as the rest still shows it."""
    size = max(1, len(trace) // 2)
    while size:
        at = 1
        while at < len(trace):
            rest = [*trace.steps[1:at], *trace.steps[at + size :]]
            shorter = walker.follow_what_is_enabled(_start(trace), rest, alike=alike)
            kept = _accepted(walker, trace, shorter)
            at = at if kept is not trace else at + 1
            trace = kept
        size //= 2
    return trace


def _with_shortcuts(walker: Walker, trace: Trace, budget: int) -> Trace:
    return _accepted(walker, trace, Corridor.around(walker, [trace], budget).shortest())


def _accepted(walker: Walker, old: Trace, new: Trace | None) -> Trace:
    return new if new is not None and len(new) < len(old) and walker.answers(new) else old


def _start(trace: Trace) -> Trace:
    return Trace(trace.spec, trace.constants, trace.states[:1], trace.steps[:1])
