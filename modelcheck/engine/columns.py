"""Columns: growable arrays of integers, as Python lists at first and as numpy arrays once a search is worth it.

NOTE(two-speeds): the kernels index columns and never ask what they are. On lists they run as ordinary Python, at
once and without importing anything; on numpy arrays the same functions run compiled. ``promote`` is the change.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal

__all__ = ["Column"]

Kind = Literal["i4", "i8"]


class Column:
    """A growable array. ``data`` is what kernels see; ``size`` is how much of it is in use."""

    __slots__ = ("_kind", "data", "size")

    def __init__(self, kind: Kind, items: Iterable[int] = ()) -> None:
        self._kind = kind
        self.data: Any = list(items)
        self.size = len(self.data)

    def reserve(self, length: int) -> None:
        """Make sure that kernels may write up to ``length``; what is new is zero."""
        have = len(self.data)
        if length <= have:
            return
        if isinstance(self.data, list):
            self.data.extend([0] * (max(length, 2 * have) - have))
            return
        import numpy

        grown = numpy.zeros(max(length, 2 * have), self._kind)
        grown[:have] = self.data
        self.data = grown

    def extend(self, items: Sequence[int]) -> None:
        """Append items."""
        end = self.size + len(items)
        self.reserve(end)
        self.data[self.size : end] = items
        self.size = end

    def renew(self, length: int) -> None:
        """Forget everything and hold ``length`` zeros."""
        if isinstance(self.data, list):
            self.data = [0] * length
        else:
            import numpy

            self.data = numpy.zeros(length, self._kind)
        self.size = 0

    def promote(self) -> None:
        """Become a numpy array."""
        if isinstance(self.data, list):
            import numpy

            self.data = numpy.array(self.data or [0], self._kind)

    def items(self, first: int, last: int) -> list[int]:
        """A part as ordinary Python integers."""
        part = self.data[first:last]
        return part if isinstance(part, list) else list(part.tolist())
