"""The plain meaning of a spec: whole Pyrsistent states, one call of the author's function for each question.

Nothing here interns, learns or fingerprints. The oracle, replay, ``Spec.run()`` and simulation are built on it.
"""

from __future__ import annotations

import linecache
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from .declare import Disabled
from .errors import SpecError
from .handles import Draft, ReadOnly
from .layout import State
from .program import Bound, Program
from .trace import Event, Step

__all__ = ["Move", "StateSource", "initial_states", "moves", "step", "why_not"]


class StateSource(ReadOnly):
    """Reads slots from a state record."""

    def __init__(self, program: Program, state: State) -> None:
        self._values = program.layout.values(state)

    def read(self, slot: int) -> Any:
        return self._values[slot]


class Move(NamedTuple):
    """One step that is possible from a state."""

    bound: Bound
    step: Step
    state: State


def initial_states(program: Program) -> Iterator[tuple[Step, State]]:
    """Every initial state with its step, called ``init``."""
    for params, row in program.initial_rows():
        yield Step("init", params, ()), program.layout.state(row)


def moves(program: Program, state: State) -> Iterator[Move]:
    """Every step possible from a state, in the order of declaration and binding."""
    source = StateSource(program, state)
    for bound in program.actions:
        yield from _moves_of(program, bound, source, state)


def _moves_of(program: Program, bound: Bound, source: StateSource, state: State) -> Iterator[Move]:
    try:
        found = program.successors(bound, source)
        for params, writes, events in found:
            row = program.layout.values(state)
            for slot, value in writes.items():
                row[slot] = program.admitted(bound, params, slot, value)
            taken = Step(bound.name, params, tuple(Event(*event) for event in events))
            yield Move(bound, taken, program.layout.state(row))
    except SpecError as error:
        error.state = state
        raise


def step(program: Program, state: State, action: str, params: Mapping[str, object]) -> Move | None:
    """The step of one action with these parameters, or None where it is not enabled."""
    source = StateSource(program, state)
    for bound in program.actions:
        if bound.name == action and all(params.get(k) == v for k, v in bound.fixed.items()):
            for move in _moves_of(program, bound, source, state):
                if dict(move.step.params) == dict(params):
                    return move
    return None


def why_not(program: Program, state: State, action: str, params: Mapping[str, object]) -> str | None:
    """The label of the guard that forbids a step here, or None where the step is possible."""
    source = StateSource(program, state)
    handle = program.handle(source)
    for bound in program.actions:
        if bound.name != action or any(params.get(k) != v for k, v in bound.fixed.items()):
            continue
        for binding in program.bindings(bound, handle):
            if dict(binding) == dict(params):
                draft = Draft(source.read, program.layout.names)
                try:
                    bound.function(program.spec, handle, program.handle(draft), **binding)
                except Disabled as disabled:
                    return disabled.label or _guard_text(disabled)
                return None
    return "the parameters are outside the domain of the action in this state"


def _guard_text(disabled: Disabled) -> str:
    """The source line of an unlabelled ``require``."""
    trace = disabled.__traceback__
    frames = []
    while trace is not None:
        frames.append((trace.tb_frame.f_code.co_filename, trace.tb_lineno))
        trace = trace.tb_next
    file, line = frames[-2] if len(frames) > 1 else frames[-1]
    return linecache.getline(file, line).strip() or f"{file}:{line}"
