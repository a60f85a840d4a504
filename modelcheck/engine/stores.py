"""The three stores of a search: fingerprints seen, rows of the frontier, links to parents. Each stands alone."""

from __future__ import annotations

from typing import Any

from .columns import Column

__all__ = ["Frontier", "Parents", "Seen"]

_GLANCE = 1024


class Seen:
    """A set of 64-bit fingerprints: open addressing, at most half full."""

    def __init__(self) -> None:
        self.table = Column("i8", [0] * 256)
        self.count = 0
        self._glance = Column("i8", [0] * _GLANCE)

    def columns(self) -> list[Column]:
        return [self.table, self._glance]

    def add(self, kernels: Any, fps: Any, n: int, fresh: Any) -> int:
        """Add n fingerprints; ``fresh`` gets the positions of the new ones, whose number is returned."""
        self._make_room(kernels, n)
        n_fresh = int(kernels.insert(self.table.data, len(self.table.data) - 1, fps, n, self._glance.data, fresh))
        self.count += n_fresh
        return n_fresh

    def _make_room(self, kernels: Any, n: int) -> None:
        length = len(self.table.data)
        if 2 * (self.count + n) <= length:
            return
        while length < 2 * (self.count + n) or length < 4 * self.count:
            length *= 2
        old = self.table.data
        self.table.renew(length)
        positions = Column("i8", [0])
        if not isinstance(old, list):
            positions.promote()
        positions.renew(len(old))
        # A fingerprint is never zero, so the empty places of the old table must not be inserted as ones.
        kept = [fp for fp in old if fp] if isinstance(old, list) else old[old != 0]
        kernels.insert(self.table.data, length - 1, kept, len(kept), self._glance.data, positions.data)


class Frontier:
    """The rows of one level, with their fingerprints; state ids of a level are consecutive."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.rows = Column("i4")
        self.fps = Column("i8")
        self.count = 0
        self.first_id = 0

    def columns(self) -> list[Column]:
        return [self.rows, self.fps]

    def reserve(self, n: int) -> None:
        """Make room for n more rows behind those that count."""
        self.rows.reserve((self.count + n) * self.width)
        self.fps.reserve(self.count + n)

    def clear(self, first_id: int) -> None:
        self.count = 0
        self.first_id = first_id

    def row(self, index: int) -> list[int]:
        return self.rows.items(index * self.width, (index + 1) * self.width)


class Parents:
    """For each distinct state, by id: the id of its parent and the edge from there.

    An initial state has parent -1 and, as edge, its position among the initial states.
    """

    def __init__(self) -> None:
        self.parent = Column("i8")
        self.edge = Column("i4")

    def __len__(self) -> int:
        return self.parent.size

    def columns(self) -> list[Column]:
        return [self.parent, self.edge]

    def path(self, state: int) -> list[int]:
        """The position of the initial state, and then the edges that lead from it to the state."""
        edges = []
        while state >= 0:
            edges.append(int(self.edge.data[state]))
            state = int(self.parent.data[state])
        return edges[::-1]
