"""The meeting of kernel and learner: every (row, root) pair gets its leaf, learning what is not known yet."""

from __future__ import annotations

from typing import Any

from ..errors import SpecError
from .columns import Column
from .compiled import compiled, interpreted
from .learner import Learner, impure

__all__ = ["Resolver"]


class Resolver:
    """Finds leaves. ``kernels`` are the hot loops at the speed that fits the columns."""

    def __init__(self, learner: Learner) -> None:
        self.learner = learner
        self.knowledge = learner.knowledge
        self.kernels: Any = interpreted()
        self._missed, self._stuck = Column("i4"), Column("i8")

    def columns(self) -> list[Column]:
        return [self._missed, self._stuck, *self.knowledge.columns(), *self.learner.pools.columns()]

    def promote(self) -> None:
        """Change to compiled kernels; the caller promotes the columns."""
        self.kernels = compiled()

    def resolve(self, rows: Column, width: int, first: int, n_rows: int, roots: Column, found: Column) -> None:
        """Put the leaf of row i and root j at ``found[i * len(roots) + j]``.

        A SpecError carries the position of the row, relative to ``first``, as ``error.row``.
        """
        n_roots = roots.size
        n_pairs = n_rows * n_roots
        found.reserve(n_pairs)
        self._missed.reserve(n_pairs)
        self._stuck.reserve(n_pairs)
        n_missed, dense = n_pairs, True
        while True:
            n_missed = self.kernels.walk(
                rows.data, width, first, self._missed.data, n_missed, dense, roots.data, n_roots,
                self.knowledge.tries(), self.knowledge.far_mask, found.data, self._missed.data, self._stuck.data,
            )  # fmt: skip
            if not n_missed:
                return
            dense = False
            self._teach(rows, width, first, n_missed, roots)

    def _teach(self, rows: Column, width: int, first: int, n_missed: int, roots: Column) -> None:
        """Learn one pair for each place in the tries where pairs are stuck; the others then go on from there."""
        taught: set[int] = set()
        learned: list[int] = []
        n_roots = roots.size
        wanted = roots.items(0, n_roots)
        pairs = zip(self._missed.items(0, n_missed), self._stuck.items(0, n_missed), strict=True)
        for pair, stuck in pairs:
            if stuck in taught:
                continue
            taught.add(stuck)
            row, column = divmod(pair, n_roots)
            begin = (first + row) * width
            try:
                self.learner.learn(wanted[column], rows.items(begin, begin + width))
            except SpecError as error:
                error.row = row  # type: ignore[attr-defined]
                raise
            learned.append(wanted[column])
        self.learner.pools.publish()
        refused = self.knowledge.absorb(self.kernels)
        if refused >= 0:
            bound = self.learner.roots[learned[refused]].bound
            raise impure(bound, "reads one slot next", "reads another slot next")
