"""What has been learned: one decision trie per root, and the leaves behind them. Everything grows in place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .columns import Column
from .kernels import NEAR, Leaves, Tries

__all__ = ["NO", "YES", "Knowledge"]

NO, YES = 0, 1


class Knowledge:
    """Tries and leaves as columns, and a buffer of lessons not yet absorbed."""

    def __init__(self, n_roots: int) -> None:
        self.entry = Column("i4", [0] * n_roots)
        self.node_slot = Column("i4", [0])
        self.near = Column("i4", [0] * NEAR)
        self.far_key = Column("i8", [0] * 64)
        self.far_code = Column("i4", [0] * 64)
        self.counters = Column("i8", [1, 0])
        self.leaf_first, self.leaf_count = Column("i4", [0, 0]), Column("i4", [0, 0])
        self.delta, self.root = Column("i8"), Column("i4")
        self.write_first, self.write_count = Column("i4"), Column("i4")
        self.blind_count = Column("i4")
        self.write_slot, self.write_value = Column("i4"), Column("i4")
        self._forget_lessons()

    def columns(self) -> list[Column]:
        return [column for column in vars(self).values() if isinstance(column, Column)]

    def _forget_lessons(self) -> None:
        self.lesson_root: list[int] = []
        self.lesson_leaf: list[int] = []
        self.lesson_first: list[int] = [0]
        self.path_slot: list[int] = []
        self.path_value: list[int] = []
        self._leaf_first: list[int] = []
        self._leaf_count: list[int] = []
        self._edges: tuple[list[int], ...] = ([], [], [], [], [])
        self._writes: tuple[list[int], list[int]] = ([], [])

    @property
    def n_edges(self) -> int:
        """How many successors have been learned, those in the buffer included."""
        return self.delta.size + len(self._edges[0])

    @property
    def far_mask(self) -> int:
        return len(self.far_key.data) - 1

    def tries(self) -> Tries:
        return Tries(
            self.entry.data, self.node_slot.data, self.near.data, self.far_key.data, self.far_code.data
        )

    def leaves(self) -> Leaves:
        return Leaves(
            self.leaf_first.data, self.leaf_count.data, self.delta.data, self.root.data,
            self.write_first.data, self.write_count.data, self.blind_count.data,
            self.write_slot.data, self.write_value.data,
        )  # fmt: skip

    def lesson(self, root: int, slots: Sequence[int], values: Sequence[int], leaf: int) -> None:
        """Remember: reading these values from these slots, in this order, the root answers with this leaf."""
        self.lesson_root.append(root)
        self.lesson_leaf.append(leaf)
        self.path_slot.extend(slots)
        self.path_value.extend(values)
        self.lesson_first.append(len(self.path_slot))

    def leaf(self, root: int, successors: Sequence[tuple[int, Sequence[tuple[int, int]], int]]) -> int:
        """A new leaf; a successor is (change of the fingerprint, writes with the blind ones first, how many are)."""
        number = self.leaf_first.size + len(self._leaf_first)
        self._leaf_first.append(self.n_edges)
        self._leaf_count.append(len(successors))
        deltas, roots, firsts, counts, blinds = self._edges
        slots, values = self._writes
        for delta, writes, blind in successors:
            deltas.append(delta)
            roots.append(root)
            firsts.append(self.write_slot.size + len(slots))
            counts.append(len(writes))
            blinds.append(blind)
            for slot, value in writes:
                slots.append(slot)
                values.append(value)
        return number

    def absorb(self, kernels: Any) -> int:
        """Add the buffered lessons to the tries; -1, or the position of one that contradicts what is known."""
        steps = len(self.path_slot)
        self.node_slot.reserve(int(self.counters.data[0]) + steps + 1)
        self.near.reserve(NEAR * (int(self.counters.data[0]) + steps + 1))
        self._make_room_for_far(kernels, steps)
        self.leaf_first.extend(self._leaf_first)
        self.leaf_count.extend(self._leaf_count)
        columns = (self.delta, self.root, self.write_first, self.write_count, self.blind_count)
        for column, items in zip(columns, self._edges, strict=True):
            column.extend(items)
        self.write_slot.extend(self._writes[0])
        self.write_value.extend(self._writes[1])
        lessons = [
            self._like_columns(part)
            for part in (self.lesson_root, self.lesson_first, self.lesson_leaf, self.path_slot, self.path_value)
        ]
        refused = kernels.absorb(
            self.tries(), self.far_mask, len(self.lesson_root), *lessons, self.counters.data
        )
        if refused < 0:
            self._forget_lessons()
        return int(refused)

    def _like_columns(self, items: list[int]) -> Any:
        column = Column("i8", items)
        if not isinstance(self.entry.data, list):
            column.promote()
        return column.data

    def _make_room_for_far(self, kernels: Any, steps: int) -> None:
        length = len(self.far_key.data)
        needed = 2 * (int(self.counters.data[1]) + steps)
        if needed <= length:
            return
        while length < 2 * needed:
            length *= 2
        old_key, old_code = self.far_key.data, self.far_code.data
        self.far_key.renew(length)
        self.far_code.renew(length)
        kernels.rehash(old_key, old_code, len(old_key), self.far_key.data, self.far_code.data, length - 1)
