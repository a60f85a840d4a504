"""Replaying a stored trace on a spec, and saying where the two part.

The walk takes the steps of the trace as long as they are possible, also after their outcome differs
from the stored one: the first difference and the first impossible step are both worth knowing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from modelcheck import plain
from modelcheck.errors import SpecError, suggest
from modelcheck.layout import State
from modelcheck.program import Program
from modelcheck.result import Discovery
from modelcheck.trace import Step, Trace

from .diff import equal, fields_of
from .itf import UNKNOWN_STEP, itf_value
from .text import changes
from .walk import Question, examine

__all__ = ["Parting", "Replay", "replay", "state_differences"]

Reason = Literal["guard", "outcome", "no such action", "no such state", "error"]


@dataclass(frozen=True)
class Parting:
    """Where a replay leaves its trace. `position` counts states from 0; `step` was to lead there."""

    position: int
    step: Step
    reason: Reason
    guard: str = ""  # for "guard": its label; for the others what happened, in a sentence
    differences: tuple[str, ...] = ()  # for "outcome": what differs, stored -> now


@dataclass(frozen=True)
class Replay:
    """A trace walked on a spec.

    `trace` is how far it got there, `changed` the first step with another outcome, `stopped` the
    first step that is not possible, `found` what the end of the walk shows of the stored property,
    `asked` whether there was a property to ask for. `only_there` and `only_here` are variables
    that just one of the two has; they are not compared.
    """

    stored: Discovery
    trace: Trace | None
    changed: Parting | None
    stopped: Parting | None
    found: Discovery | None
    asked: bool
    only_there: tuple[str, ...] = ()
    only_here: tuple[str, ...] = ()

    @property
    def identical(self) -> bool:
        """Whether every step led to the same state, and the same property fails at the end."""
        return self.parting is None and (self.found is not None or not self.asked)

    @property
    def parting(self) -> Parting | None:
        """The first place where they part."""
        both = [each for each in (self.changed, self.stopped) if each is not None]
        return min(both, key=lambda each: each.position, default=None)


def replay(program: Program, stored: Discovery) -> Replay:
    """Take the steps of a stored trace on a spec."""
    old = stored.trace
    here, there = set(program.layout.variables), set(fields_of(old.states[0]))
    common = frozenset(here & there)
    trace, changed, stopped = _begin(program, old, common)
    for position in range(1, len(old)):
        if trace is None or stopped is not None:
            break
        wanted = old.states[position], common
        move = _next(program, trace.states[-1], old.steps[position], position, wanted)
        if isinstance(move, Parting):
            stopped = move
            break
        trace = trace.then(move.step, move.state)
        if changed is None:
            changed = _difference(position, move.step, *wanted, move.state)
    asked = stored.kind != "trace"
    ended = trace is not None and stopped is None and asked
    found = examine(program, Question.of(stored), trace) if ended and trace is not None else None
    return Replay(
        stored, trace, changed, stopped, found, asked,
        tuple(sorted(there - here)), tuple(sorted(here - there)),
    )  # fmt: skip


def _begin(
    program: Program, old: Trace, common: frozenset[str]
) -> tuple[Trace | None, Parting | None, Parting | None]:
    """The initial state with the same parameters, or else the one with the same values."""
    first, wanted = old.steps[0], old.states[0]
    candidates: list[tuple[Step, State]] = []
    try:
        for step, state in plain.initial_states(program):
            candidates.append((step, state))
            if _same_params(step, first) and not _differs(wanted, common, state):
                break
        else:
            by_params = [each for each in candidates if _same_params(each[0], first)]
            by_values = [each for each in candidates if not _differs(wanted, common, each[1])]
            candidates = candidates[:1] if len(candidates) == 1 else (by_values or by_params)
    except SpecError as error:
        return None, None, Parting(0, first, "error", str(error))
    if not candidates:
        text = "there is no such initial state"
        return None, None, Parting(0, first, "no such state", text)
    step, state = candidates[-1]
    spec = program.spec
    trace = Trace(type(spec).__name__, spec.constants, (state,), (step,))
    return trace, _difference(0, step, wanted, common, state), None


def _next(
    program: Program,
    state: State,
    step: Step,
    position: int,
    wanted: tuple[State, frozenset[str]],
) -> plain.Move | Parting:
    try:
        if step.action == UNKNOWN_STEP:
            return _leading_to(program, state, step, position, wanted)
        names = {bound.name for bound in program.actions}
        if step.action not in names:
            text = f"the spec has no action {step.action!r}{suggest(step.action, names)}"
            return Parting(position, step, "no such action", text)
        fitting = _same_step(program, state, step)
        if fitting is not None:
            return fitting
        params = _live_params(program, state, step)
        label = plain.why_not(program, state, step.action, params)
        return Parting(position, step, "guard", label or "")
    except SpecError as error:
        return Parting(position, step, "error", str(error))


def _same_step(program: Program, state: State, step: Step) -> plain.Move | None:
    move = plain.step(program, state, step.action, step.params)
    if move is not None:
        return move
    # Values of a class that has moved or is not there are compared by what they look like.
    for each in plain.moves(program, state):
        if each.step.action == step.action and _same_params(each.step, step):
            return each
    return None


def _live_params(program: Program, state: State, step: Step) -> dict[str, Any]:
    """The stored parameters as the spec's own values, so that the guards can be asked."""
    handle = program.handle(plain.StateSource(program, state))
    for bound in program.actions:
        if bound.name == step.action:
            for binding in program.bindings(bound, handle):
                if _same_params(Step(step.action, binding), step):
                    return dict(binding)
    return dict(step.params)


def _leading_to(
    program: Program,
    state: State,
    step: Step,
    position: int,
    wanted: tuple[State, frozenset[str]],
) -> plain.Move | Parting:
    """The step that leads to the stored state, for files that do not name their steps."""
    for move in plain.moves(program, state):
        if not _differs(*wanted, move.state):
            return move
    if not _differs(*wanted, state):
        return plain.Move(program.actions[0], Step("stutter", {}), state)
    return Parting(position, step, "no such state", "no step leads to the stored state from here")


def _same_params(one: Step, other: Step) -> bool:
    return one.params.keys() == other.params.keys() and all(
        _same(one.params[name], other.params[name]) for name in one.params
    )


def _same(one: object, other: object) -> bool:
    # What a file has lost (classes, or which kind of set it was) does not count as a difference.
    return equal(one, other) or itf_value(one) == itf_value(other)


def _differs(old: Any, common: frozenset[str], new: Any) -> bool:
    return any(not _same(old[name], new[name]) for name in common)


def _difference(
    position: int, step: Step, old: State, common: frozenset[str], new: State
) -> Parting | None:
    if not _differs(old, common, new):
        return None
    return Parting(position, step, "outcome", "", tuple(state_differences(old, new, common)))


def state_differences(old: Any, new: Any, names: frozenset[str] | None = None) -> Iterator[str]:
    """Lines that tell how one state differs from another in the variables that both have."""
    after = fields_of(new)
    for name, before in fields_of(old).items():
        if name in after and (names is None or name in names) and not _same(before, after[name]):
            yield from changes(name, before, after[name])
