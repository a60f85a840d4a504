"""Slots that actions were seen to read and write, in the first states of a spec.

A sample, good for showing to people: what was never seen may still happen. The sets that a
reduction may rely on are those of `modelcheck.access`, by variable and from the text.
"""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass, field
from typing import Any

from .errors import SpecError
from .handles import ReadOnly
from .program import Bound, Program

__all__ = ["Observed", "Sample", "observe"]


@dataclass
class Observed:
    """Slot numbers that one bound action read and wrote."""

    bound: Bound
    reads: set[int] = field(default_factory=set)
    writes: set[int] = field(default_factory=set)
    enabled: bool = False


@dataclass(frozen=True)
class Sample:
    """What was seen, and in how many states; `complete` if those are all there are."""

    actions: tuple[Observed, ...]
    states: int
    complete: bool


class _RecordingRow(ReadOnly):
    """A row that notes which of its slots were read."""

    def __init__(self, row: tuple[Any, ...]) -> None:
        self._row = row
        self.reads: set[int] = set()

    def read(self, slot: int) -> Any:
        self.reads.add(slot)
        return self._row[slot]


def observe(program: Program, *, max_states: int = 500, max_seconds: float = 1.0) -> Sample:
    """Expand the first states breadth-first, constraints aside; note what each action touches."""
    actions = [Observed(bound) for bound in program.actions]
    deadline = time.monotonic() + max_seconds
    queue: deque[tuple[Any, ...]] = deque()
    seen: set[tuple[Any, ...]] = set()
    expanded = 0
    try:
        for _, row in program.initial_rows():
            _enter(tuple(row), seen, queue)
        while queue and expanded < max_states and time.monotonic() < deadline:
            _expand(program, actions, queue.popleft(), seen, queue)
            expanded += 1
    except SpecError:
        # Showing what a spec declares must not fail because it fails when run: `check` tells that.
        return Sample(tuple(actions), expanded, complete=False)
    return Sample(tuple(actions), expanded, complete=not queue)


def _enter(row: tuple[Any, ...], seen: set[tuple[Any, ...]], queue: deque[tuple[Any, ...]]) -> None:
    if row not in seen:
        seen.add(row)
        queue.append(row)


def _expand(
    program: Program,
    actions: list[Observed],
    row: tuple[Any, ...],
    seen: set[tuple[Any, ...]],
    queue: deque[tuple[Any, ...]],
) -> None:
    for action in actions:
        source = _RecordingRow(row)
        for params, writes, _ in program.successors(action.bound, source):
            successor = list(row)
            for slot, value in writes.items():
                successor[slot] = program.admitted(action.bound, params, slot, value)
            action.enabled = True
            action.writes |= writes.keys()
            _enter(tuple(successor), seen, queue)
        action.reads |= source.reads
