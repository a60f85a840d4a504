"""Walking a spec along steps: the plain functions with a memory, and whether a property fails.

Everything that changes a trace (shrinking, calming) goes through here, so a changed trace is one
that the author's own functions took, inside the constraints, from an initial state.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from modelcheck import discover
from modelcheck.errors import SpecError
from modelcheck.layout import State
from modelcheck.plain import Move, StateSource, initial_states, moves
from modelcheck.plain import step as plain_step
from modelcheck.program import Bound, Program
from modelcheck.result import Discovery
from modelcheck.trace import Step, Trace

__all__ = ["Question", "Walker", "examine"]


@dataclass(frozen=True)
class Question:
    """What a trace must still show at its end: a property by name, a deadlock, an error, a goal."""

    kind: str
    property: str

    @classmethod
    def of(cls, found: Discovery) -> Question:
        return cls(found.kind, found.property)


@dataclass
class Walker:
    """Steps of one spec, each computed once."""

    program: Program
    question: Question
    expanded: dict[State, list[Move] | None] = field(default_factory=dict)
    _taken: dict[tuple[Any, ...], Move | None] = field(default_factory=dict)
    _answers: dict[tuple[State | None, State], bool] = field(default_factory=dict)
    _inside: dict[tuple[State | None, State], bool] = field(default_factory=dict)

    def moves(self, state: State) -> list[Move]:
        """Every step possible from a state; none where the spec fails there."""
        if state not in self.expanded:
            try:
                self.expanded[state] = list(moves(self.program, state))
            except SpecError:
                self.expanded[state] = None
        return self.expanded[state] or []

    def take(self, state: State, step: Step) -> Move | None:
        """The move of one step, or None where it is not enabled."""
        key = (state, step.action, *step.params.items())
        if key not in self._taken:
            try:
                self._taken[key] = plain_step(self.program, state, step.action, step.params)
            except SpecError:
                self._taken[key] = None
        return self._taken[key]

    def take_alike(self, state: State, step: Step) -> Move | None:
        """The step itself or else the same action with the parameters that differ least, one at least the same.

        Without an earlier step a message may carry another term, say: it is still the same idea.
        """
        exact = self.take(state, step)
        if exact is not None or not step.params:
            return exact
        wanted = step.params.items()
        best, most = None, 0
        for move in self.moves(state):
            if move.step.action == step.action:
                same = sum(move.step.params.get(name) == value for name, value in wanted)
                if same > most:
                    best, most = move, same
        return best

    def follow(self, start: Trace, steps: Iterable[Step]) -> Trace | None:
        """The trace that goes on with these steps, as long as it stays inside the constraints."""
        trace = start
        for step in steps:
            before = trace.states[-2] if len(trace) > 1 else None
            if not self.inside(before, trace.states[-1]):
                return None
            move = self.take(trace.states[-1], step)
            if move is None:
                return None
            trace = trace.then(move.step, move.state)
        return trace

    def follow_what_is_enabled(
        self, start: Trace, steps: Sequence[Step], *, alike: bool = False
    ) -> Trace | None:
        """As `follow`, but steps that are not enabled are left out; ends where the question is met."""
        trace = start
        take = self.take_alike if alike else self.take
        for step in steps:
            if self.answers(trace):
                return trace
            move = take(trace.states[-1], step)
            if move is not None and self.inside(trace.states[-1], move.state):
                trace = trace.then(move.step, move.state)
            elif move is not None and self.answered(trace.states[-1], move.state):
                return trace.then(move.step, move.state)
        return trace if self.answers(trace) else None

    def inside(self, before: State | None, state: State) -> bool:
        """Whether a search would go on from a state that it reached by this step."""
        key = (before, state)
        if key not in self._inside:
            sources = [StateSource(self.program, each) for each in (before, state) if each is not None]
            try:
                within = all(self.program.holds(b, sources[-1]) for b in self.program.constraints)
                if before is not None and within:
                    within = all(self.program.holds(b, *sources) for b in self.program.step_constraints)
            except SpecError:
                within = False
            self._inside[key] = within
        return self._inside[key]

    def answers(self, trace: Trace) -> bool:
        """Whether the end of a trace shows what is asked."""
        return self.answered(trace.states[-2] if len(trace) > 1 else None, trace.states[-1])

    def answered(self, before: State | None, state: State) -> bool:
        """Whether a state, or the step to it, shows what is asked."""
        key = (before, state)
        if key not in self._answers:
            self._answers[key] = _shows(self.program, self.question, before, state, self) is not None
        return self._answers[key]

    def beginnings(self, limit: int) -> list[Trace]:
        """Traces of one state: the initial ones, up to a limit."""
        spec = self.program.spec
        found = []
        for step, state in initial_states(self.program):
            found.append(Trace(type(spec).__name__, spec.constants, (state,), (step,)))
            if len(found) == limit:
                break
        return found


def examine(program: Program, question: Question, trace: Trace) -> Discovery | None:
    """The discovery that the end of a trace is, explained anew; None where it shows nothing."""
    before = trace.states[-2] if len(trace) > 1 else None
    shown = _shows(program, question, before, trace.states[-1], Walker(program, question))
    if shown is None:
        return None
    if isinstance(shown, SpecError):
        return discover.failure(shown, trace, program)
    if question.kind == "deadlock":
        return discover.deadlock(program, trace)
    if question.kind == "goal":
        return discover.reached(shown, trace)
    return discover.violation(program, shown, trace)


def _shows(
    program: Program, question: Question, before: State | None, state: State, walker: Walker
) -> Any:
    """The bound property or the error that answers the question here; None if nothing does."""
    here = StateSource(program, state)
    try:
        if question.kind == "deadlock":
            stuck = walker.inside(before, state) and not walker.moves(state)
            stuck = stuck and walker.expanded[state] is not None
            return question if stuck and not _may_stop(program, here) else None
        if question.kind == "error":
            return _error(program, question, before, state)
        if question.kind == "goal":
            return _first(program, question, program.goals, here, truth=True)
        if question.kind == "step invariant" and before is not None:
            sources = StateSource(program, before), here
            return _first(program, question, program.step_invariants, *sources)
        if question.kind == "invariant":
            return _first(program, question, program.invariants, here)
    except SpecError:
        return None
    return None


def _first(
    program: Program, question: Question, bounds: list[Bound], *sources: Any, truth: bool = False
) -> Bound | None:
    named = (bound for bound in bounds if bound.name == question.property)
    return next((bound for bound in named if program.holds(bound, *sources) is truth), None)


def _may_stop(program: Program, source: StateSource) -> bool:
    return any(program.holds(bound, source) for bound in program.terminals)


def _error(
    program: Program, question: Question, before: State | None, state: State
) -> SpecError | None:
    """The error that the named function raises in a state or for the step to it."""
    here = StateSource(program, state)
    try:
        for bound in (*program.invariants, *program.goals, *program.constraints, *program.terminals):
            if bound.name == question.property:
                program.holds(bound, here)
        for bound in (*program.step_invariants, *program.step_constraints):
            if bound.name == question.property and before is not None:
                program.holds(bound, StateSource(program, before), here)
        if any(bound.name == question.property for bound in program.actions):
            list(moves(program, state))
    except SpecError as error:
        return error if error.where == question.property else None
    return None
