"""The two worlds of the fast engine, for tests of its parts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from modelcheck.engine.columns import Column
from modelcheck.engine.compiled import compiled, interpreted

__all__ = ["Speed"]


class Speed:
    """One of the two worlds: the kernels, and columns to match."""

    def __init__(self, name: str) -> None:
        self.fast = name == "compiled"
        self.kernels = compiled() if self.fast else interpreted()

    def fit(self, *columns: Column) -> None:
        for column in columns:
            if self.fast:
                column.promote()

    def column(self, kind: Any, items: Iterable[int] = ()) -> Column:
        made = Column(kind, items)
        self.fit(made)
        return made
