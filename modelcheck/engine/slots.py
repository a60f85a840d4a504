"""Interning: each slot gives its values small integers, in the order in which they are met.

Every (slot, value) has a 64-bit number, the same in every process; a state's fingerprint is the XOR of the numbers
of its slots, so a step changes it by the numbers of the slots that it writes (Zobrist hashing).
"""

from __future__ import annotations

from typing import Any

from ..layout import Layout
from ..values import fingerprint
from .columns import Column

__all__ = ["Pool", "Pools"]


class Pool:
    """The values of one slot."""

    __slots__ = ("_identity", "ids", "name", "numbers", "values")

    def __init__(self, name: str, identity: bytes) -> None:
        self.name = name
        self._identity = identity
        self.values: list[Any] = []
        self.numbers: list[int] = []
        self.ids: dict[Any, int] = {}

    def intern(self, value: Any) -> int:
        """The small integer of a value. NotFrozen, or TypeError where it has no hash, if no state may hold it."""
        known = self.ids.get(value)
        if known is not None:
            return known
        self.numbers.append(fingerprint(self._identity, value))
        self.values.append(value)
        self.ids[value] = len(self.values) - 1
        return len(self.values) - 1


class Pools:
    """The pools of all slots, and the numbers that kernels need for writes of slots that were not read."""

    def __init__(self, layout: Layout) -> None:
        self.slots = [Pool(*slot) for slot in zip(layout.names, layout.identities, strict=True)]
        self.blind_base = Column("i8", [-1] * len(self.slots))
        self.blind_number = Column("i8")
        self._blind: dict[int, tuple[int, int]] = {}  # slot -> (numbers copied, room in its segment)

    def columns(self) -> list[Column]:
        return [self.blind_base, self.blind_number]

    def intern_row(self, values: list[Any]) -> tuple[list[int], int]:
        """The row of a state and its fingerprint."""
        row = [pool.intern(value) for pool, value in zip(self.slots, values, strict=True)]
        fp = 0
        for pool, index in zip(self.slots, row, strict=True):
            fp ^= pool.numbers[index]
        return row, fp

    def values(self, row: list[int]) -> list[Any]:
        """The values of a row."""
        return [pool.values[index] for pool, index in zip(self.slots, row, strict=True)]

    def expect_blind(self, slot: int) -> None:
        """From now on kernels need the numbers of this slot."""
        if slot not in self._blind:
            self._blind[slot] = (0, 0)

    def publish(self) -> None:
        """Copy numbers that are new to where kernels read them."""
        for slot, (copied, room) in self._blind.items():
            numbers = self.slots[slot].numbers
            if copied == len(numbers):
                continue
            if len(numbers) > room:
                room = max(8, 2 * len(numbers))
                self.blind_base.data[slot] = self.blind_number.size
                self.blind_number.reserve(self.blind_number.size + room)
                self.blind_number.size += room
                copied = 0
            base = int(self.blind_base.data[slot])
            self.blind_number.data[base + copied : base + len(numbers)] = numbers[copied:]
            self._blind[slot] = (len(numbers), room)
