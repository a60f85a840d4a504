"""From fingerprints to discoveries: follow the links to parents, then take the steps again in plain Python."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from modelcheck import discover
from modelcheck.engine.slots import Pools
from modelcheck.errors import SpecError
from modelcheck.layout import State
from modelcheck.plain import StateSource, initial_states, moves
from modelcheck.program import Bound, Program
from modelcheck.result import Discovery
from modelcheck.trace import Step, Trace

from .summary import Found

__all__ = ["Parent", "discovery"]

# The fingerprint of the parent of (level, fingerprint).
Parent = Callable[[int, int], int]


def discovery(program: Program, bound: Bound | None, found: Found, level: int, parent: Parent) -> Discovery:
    """A finding with its trace, replayed and explained; ``level`` is the depth of its base."""
    try:
        return _discovery(program, bound, found, level, parent)
    except SpecError as error:  # an impure function that was not unmasked before
        return discover.failure(error, None, program)


def _discovery(program: Program, bound: Bound | None, found: Found, level: int, parent: Parent) -> Discovery:
    trace = _trace(program, found, level, parent)
    if found.kind == "error":
        return discover.failure(_reproduced(program, trace, found), trace, program)
    assert trace is not None
    if found.kind == "deadlock":
        return discover.deadlock(program, trace)
    assert bound is not None
    if found.kind == "goal":
        return discover.reached(bound, trace)
    return discover.violation(program, bound, trace)


def _trace(program: Program, found: Found, level: int, parent: Parent) -> Trace | None:
    path = [] if found.last is None else [found.last]
    if found.base is not None:
        path.append(found.base)
        for depth in range(level, 1, -1):
            path.append(parent(depth, path[-1]))
    if not path:
        return None
    taken = list(_along(program, path[::-1]))
    return discover.replayed(program, [step for step, _ in taken], [state for _, state in taken])


def _along(program: Program, path: list[int]) -> Iterator[tuple[Step, State]]:
    """The steps along some fingerprints: at each state, the first step whose successor has the next one."""
    pools = Pools(program.layout)

    def fingerprint(state: State) -> int:
        return pools.intern_row(program.layout.values(state))[1]

    state: State | None = None
    for wanted in path:
        options: Iterator[tuple[Step, State]] = (
            initial_states(program) if state is None else ((move.step, move.state) for move in moves(program, state))
        )
        step, state = next((option for option in options if fingerprint(option[1]) == wanted), (None, None))
        if step is None or state is None:
            raise SpecError(
                "a step that was found cannot be taken again: an action depends on something outside the state"
                " (a clock, random numbers, a global, the order of a set), or two states share a fingerprint"
            )
        yield step, state


def _reproduced(program: Program, trace: Trace | None, found: Found) -> SpecError:
    """The error once more, in this process: with its traceback, which does not travel."""
    try:
        if trace is None:
            list(program.initial_rows())
        elif found.last is None:
            list(moves(program, trace.states[-1]))
            _ask(program, program.terminals, trace.states[-1:])
        else:
            _ask(program, [*program.step_invariants, *program.step_constraints], trace.states[-2:])
            _ask(program, [*program.constraints, *program.invariants, *program.goals], trace.states[-1:])
    except SpecError as error:
        return error
    return SpecError(found.problem, where=found.where)


def _ask(program: Program, bounds: list[Bound], states: tuple[State, ...]) -> None:
    needed = 2 if any(bound in (*program.step_invariants, *program.step_constraints) for bound in bounds) else 1
    if len(states) == needed:
        for bound in bounds:
            program.holds(bound, *(StateSource(program, state) for state in states))
