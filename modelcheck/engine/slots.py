"""Interning: each slot gives its values small integers, in the order in which they are met.

Every (slot, value) has a 64-bit number, the same in every process; a state's fingerprint is the XOR of the numbers
of its slots, so a step changes it by the numbers of the slots that it writes (Zobrist hashing).
"""

from __future__ import annotations

from typing import Any

from ..errors import SpecError
from ..layout import Layout
from ..values import encode, fingerprint, show
from .columns import Column

__all__ = ["Pool", "Pools"]


class Pool:
    """The values of one slot."""

    __slots__ = ("_identity", "_owner", "ids", "name", "numbers", "values")

    def __init__(self, name: str, identity: bytes) -> None:
        self.name = name
        self._identity = identity
        self.values: list[Any] = []
        self.numbers: list[int] = []
        self.ids: dict[Any, int] = {}
        self._owner: dict[int, int] = {}  # number -> value

    def intern(self, value: Any) -> int:
        """The small integer of a value. NotFrozen, or TypeError where it has no hash, if no state may hold it."""
        known = self.ids.get(value)
        if known is not None:
            if type(value) is not type(self.values[known]):
                encode(value)  # 1.0 equals 1, and is refused all the same
            return known
        number, index = fingerprint(self._identity, value), len(self.values)
        owner = self._owner.setdefault(number, index)
        if owner != index:
            raise SpecError(_one_number(self.name, self.values[owner], value))
        self.numbers.append(number)
        self.values.append(value)
        self.ids[value] = index
        return index


def _one_number(slot: str, first: object, second: object) -> str:
    classes = [f"{type(value).__module__}.{type(value).__qualname__}" for value in (first, second)]
    return (
        f"{slot} has held {show(first)} and {show(second)} ({', '.join(classes)}), which differ but are encoded alike."
        " The usual cause is two classes of one name, or a class with an __eq__ of its own: rename one, or leave"
        " equality to the dataclass"
    )


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
