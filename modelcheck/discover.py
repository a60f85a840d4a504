"""From a raw finding to a discovery that may be shown: replayed through the plain functions, and explained."""

from __future__ import annotations

from collections.abc import Iterable

from .errors import ModelCheckError, SpecError
from .handles import plain_value
from .layout import State
from .plain import StateSource, initial_states, step, why_not
from .program import Bound, Program
from .result import Discovery
from .trace import Step, Trace
from .tracebacks import user_traceback
from .values import show

__all__ = ["deadlock", "failure", "no_initial_state", "reached", "replayed", "violation"]

_REASONS_SHOWN = 12


def replayed(program: Program, steps: Iterable[Step], states: Iterable[State]) -> Trace:
    """The trace, after every step was taken again by the author's own functions and led to the same state."""
    wanted = list(zip(steps, states, strict=True))
    first, start = wanted[0]
    starts = (s for s, state in initial_states(program) if dict(s.params) == dict(first.params) and state == start)
    init = next(starts, None)
    if init is None:
        raise _does_not_replay(first, 0)
    trace = Trace(type(program.spec).__name__, program.spec.constants, (start,), (init,))
    for position, (taken, state) in enumerate(wanted[1:], 1):
        move = step(program, trace.states[-1], taken.action, taken.params)
        if move is None or move.state != state:
            raise _does_not_replay(taken, position)
        trace = trace.then(move.step, move.state)
    return trace


def _does_not_replay(taken: Step, position: int) -> ModelCheckError:
    return SpecError(
        f"step {position} of the trace found does not lead to the same state when it is taken again: the action"
        " depends on something outside the state (a clock, random numbers, a global, the order of a set)",
        where=taken.action,
        params=taken.params,
    )


def violation(program: Program, bound: Bound, trace: Trace) -> Discovery:
    """An invariant that fails in the last state of a trace, or a step invariant that fails in its last step."""
    from .explain import why_false  # needed only here, and it brings ast and inspect along

    over_steps = bound in program.step_invariants
    states = trace.states[-2:] if over_steps else trace.states[-1:]
    sources = [StateSource(program, state) for state in states]
    params = program.failing(bound, *sources)
    if params is None:
        raise SpecError("failed once and holds when asked again: it is impure", where=bound.name, params=bound.fixed)
    handles = dict(zip(("s", "n"), map(program.handle, sources), strict=False))
    explanation = why_false(
        bound.function, {"self": program.spec, **handles, **params}, lambda value: show(plain_value(value))
    )
    return Discovery("step invariant" if over_steps else "invariant", bound.name, params, trace, explanation)


def no_initial_state(program: Program) -> SpecError:
    """A search without a first state would hold for lack of trying."""
    allowed = next(initial_states(program), None)
    cause = "no binding of @init is allowed" if allowed is None else "the constraints cut every initial state"
    return SpecError(f"there is no initial state: {cause}", where=program.inits[0].name if program.inits else "init")


def reached(bound: Bound, trace: Trace) -> Discovery:
    """A goal with a shortest way to it."""
    return Discovery("goal", bound.name, bound.fixed, trace)


def deadlock(program: Program, trace: Trace) -> Discovery:
    """A state that no action leaves."""
    reasons = [f"{bound.label}: {_why_not(program, bound, trace.states[-1])}" for bound in program.actions]
    if len(reasons) > _REASONS_SHOWN:
        reasons[_REASONS_SHOWN - 1 :] = [f"... and {len(reasons) - _REASONS_SHOWN + 1} more"]
    return Discovery("deadlock", "deadlock", {}, trace, "\n".join(reasons))


def _why_not(program: Program, bound: Bound, state: State) -> str:
    if bound.open:
        return "no parameter of its domain is enabled"
    return f"not so: {why_not(program, state, bound.name, bound.fixed)}"


def failure(error: SpecError, trace: Trace | None, program: Program) -> Discovery:
    """An error of the spec with the way to the state in which it happened."""
    if trace is None:
        trace = Trace(type(program.spec).__name__, program.spec.constants, (), ())
    explanation = user_traceback(error.cause) if error.cause is not None else error.problem
    return Discovery("error", error.where, error.params, trace, explanation)
