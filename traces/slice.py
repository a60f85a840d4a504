"""What matters for a violation: the variables and keys that it depends on, so the rest can be hidden.

Backwards through the trace: what the failing property read in the last state; where a step wrote
one of those, what that step read; and so on to the initial state. The reads are recorded while the
author's functions run, so a guard that was passed counts, and a slot that was not looked at does not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pyrsistent import pmap

from modelcheck.declare import Disabled
from modelcheck.errors import SpecError
from modelcheck.handles import Draft, ReadOnly
from modelcheck.layout import State
from modelcheck.program import Program
from modelcheck.result import Discovery
from modelcheck.trace import Step

from .diff import equal, shape

__all__ = ["Slice", "slice_of"]


@dataclass(frozen=True)
class Slice:
    """What matters: slots by name for each state, steps, and what is worth showing of the whole.

    `keys` leaves out slots that matter only as they were in the first state, unless the property
    itself read them. A variable of one slot has no keys; one that is not in `keys` can be hidden.
    """

    slots: tuple[frozenset[str], ...]
    steps: tuple[bool, ...]
    keys: Mapping[str, frozenset[object]]

    @property
    def variables(self) -> frozenset[str]:
        return frozenset(self.keys)

    def matters(self, variable: str, key: object = None) -> bool:
        """Whether a variable, or one key of it, is worth showing."""
        return variable in self.keys and (key is None or key in self.keys[variable])

    def shown(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """The variables of a state that are worth showing, each with its keys that are."""
        found: dict[str, Any] = {}
        for name, value in fields.items():
            if name in self.keys:
                kept = self.keys[name]
                if kept and shape(value) == "map":
                    value = pmap({key: value[key] for key in value if key in kept})
                elif kept and shape(value) == "set":
                    value = frozenset(item for item in value if item in kept)
                found[name] = value
        return found


class _Recording(ReadOnly):
    """A state that notes which of its slots are read."""

    def __init__(self, program: Program, state: State) -> None:
        self._values = program.layout.values(state)
        self.reads: set[int] = set()

    def read(self, slot: int) -> Any:
        self.reads.add(slot)
        return self._values[slot]


def slice_of(program: Program, found: Discovery) -> Slice:
    """What the violation at the end of a trace depends on."""
    trace = found.trace
    here, before = _asked(program, found)
    needed: list[set[int]] = [set() for _ in trace.states]
    needed[-1] |= here
    steps = [False] * len(trace)
    for index in range(len(trace) - 1, 0, -1):
        reads, writes = _touched(program, trace.states[index - 1], trace.steps[index])
        earlier = needed[index - 1]
        earlier |= needed[index] - writes
        if index == len(trace) - 1:
            earlier |= before
        if writes & needed[index]:
            steps[index] = True
            earlier |= reads
    if steps:
        steps[0] = True
    names = program.layout.names
    shown = _changed(program, trace.states, needed) | here | before
    return Slice(
        tuple(frozenset(names[slot] for slot in slots) for slots in needed),
        tuple(steps),
        _keys(program, shown),
    )


def _changed(program: Program, states: tuple[State, ...], needed: list[set[int]]) -> set[int]:
    """The slots that are needed in a state where they are not as in the first one."""
    rows = [program.layout.values(state) for state in states]
    return {
        slot
        for row, slots in zip(rows, needed, strict=True)
        for slot in slots
        if not equal(row[slot], rows[0][slot])
    }


def _asked(program: Program, found: Discovery) -> tuple[set[int], set[int]]:
    """Slots read by what failed, in the last state and in the one before it."""
    states = found.trace.states
    here = _Recording(program, states[-1])
    before = _Recording(program, states[-2]) if len(states) > 1 else None
    try:
        if found.kind in ("deadlock", "error"):
            for bound in program.actions:
                if found.kind == "deadlock" or bound.name == found.property:
                    program.successors(bound, here)
        for bound in (*program.invariants, *program.goals):
            if bound.name == found.property and _fits(bound.fixed, found.params):
                program.holds(bound, here)
        for bound in program.step_invariants if before is not None else ():
            if bound.name == found.property and _fits(bound.fixed, found.params):
                assert before is not None
                program.holds(bound, before, here)
    except SpecError:
        pass  # what was read before it failed is what counts
    return here.reads, before.reads if before is not None else set()


def _fits(fixed: Mapping[str, Any], params: Mapping[str, object]) -> bool:
    return all(params.get(name) == value for name, value in fixed.items())


def _touched(program: Program, state: State, step: Step) -> tuple[set[int], set[int]]:
    """The slots that a step read and changed, the domains of its parameters included."""
    for bound in program.actions:
        if bound.name != step.action or not _fits(bound.fixed, step.params):
            continue
        source = _Recording(program, state)
        handle = program.handle(source)
        for binding in program.bindings(bound, handle):
            if dict(binding) == dict(step.params):
                draft = Draft(source.read, program.layout.names)
                try:
                    bound.function(program.spec, handle, program.handle(draft), **binding)
                except Disabled:
                    continue
                old = program.layout.values(state)
                # What is written as it was is as it was: nothing hangs on who wrote it last.
                changed = {slot for slot, value in draft.writes.items() if not equal(value, old[slot])}
                return source.reads, changed
    return set(), set()


def _keys(program: Program, slots: set[int]) -> dict[str, frozenset[object]]:
    found = {}
    for name, variable in program.layout.variables.items():
        own = {key for key, slot in variable.slots.items() if slot in slots}
        if own:
            found[name] = frozenset(own - {None})
    return found
