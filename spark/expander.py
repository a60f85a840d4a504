"""The local engine's kernels over blocks: expand a frontier, judge new states.

One Expander lives in each worker process and keeps what it has learned; a ``Task`` is its work on one partition of one
level, with findings and counts of its own.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from modelcheck.engine.columns import Column
from modelcheck.engine.findings import Finding, Findings
from modelcheck.engine.judge import Judge, all_roots
from modelcheck.engine.learner import Learner
from modelcheck.engine.report import memory_in_use
from modelcheck.engine.resolver import Resolver
from modelcheck.engine.slots import Pools
from modelcheck.engine.stores import Frontier, Seen
from modelcheck.engine.tries import Knowledge
from modelcheck.errors import SpecError
from modelcheck.program import Program

from .blocks import ROWS_IN_A_BLOCK, Block, Codec, partition_of
from .export import Edges
from .recipe import Recipe
from .summary import Found, Summary, found_from

__all__ = ["Expander", "Task", "expander_for"]

_PAIRS_AT_ONCE = 1 << 18  # (row, root) pairs of a batch: about what fits into a core's own cache
_STEPS_AT_ONCE = 1 << 14
_JUDGED_AT_ONCE = 1 << 16
# Bytes of candidates that a task holds before it sends them: what bounds its memory. Those sent are forgotten, and may
# be sent again, so that less memory means more to exchange.
_CANDIDATE_BYTES = 1 << 29

_KEPT: dict[str, Expander] = {}


def expander_for(recipe: Recipe) -> Expander:
    """This process's expander for a spec; only the last spec is kept."""
    known = _KEPT.get(recipe.key)
    if known is None:
        known = Expander(recipe.cook(), recipe)
        _KEPT.clear()
        _KEPT[recipe.key] = known
    return known


class Expander:
    """A spec with all that this process has learned about it, on compiled kernels."""

    def __init__(self, program: Program, recipe: Recipe) -> None:
        self.program = program
        self.deadlock = recipe.deadlock
        self.width = len(self.program.layout)
        self.roots = all_roots(self.program)
        self.pools = Pools(self.program.layout)
        self.learner = Learner(self.program, self.roots, self.pools, Knowledge(len(self.roots)))
        self.resolver = Resolver(self.learner)
        self.resolver.promote()
        _promote(self.resolver.columns())
        self.codec = Codec(self.pools, recipe)
        self.actions = Column("i4", range(len(self.program.actions)))
        self.actions.promote()
        self.found, self.dead, self.pairs = Column("i4", [0]), Column("i4", [0]), Column("i4", [0])
        _promote([self.found, self.dead, self.pairs])
        self.candidates_at_once = _CANDIDATE_BYTES // (2 * self.width + 48)
        self.index = {id(root.bound): k for k, root in enumerate(self.roots)}
        self._marks: dict[int, list[int]] = {}

    def task(self, level: int, decided: Collection[str] = (), n_partitions: int = 1) -> Task:
        """The work on one partition of a level; properties already decided are not asked again."""
        self._marks.setdefault(level, [len(pool.values) for pool in self.pools.slots])
        return Task(self, level, decided, n_partitions)

    def recent_values(self, level: int) -> list[list[int]]:
        """For each slot the numbers met since the level before: some again, so that none is missed."""
        marks = self._marks.get(level - 1) or [0] * self.width
        self._marks = {k: mark for k, mark in self._marks.items() if k >= level - 1}
        return [pool.numbers[mark:] for pool, mark in zip(self.pools.slots, marks, strict=True)]


def _promote(columns: list[Column]) -> None:
    for column in columns:
        column.promote()


def _column(array: Any) -> Column:
    """A column over an array that exists already."""
    column = Column("i4")
    column.data, column.size = array, len(array)
    return column


class Candidates:
    """Successors without repetition; the first to reach a state is its parent.

    They are gathered batch by batch, as narrow as their ids allow: of a batch only what is new is built, in a buffer
    that stays in the processor's cache.
    """

    def __init__(self, expander: Expander) -> None:
        self._expander = expander
        self._seen = Seen()
        self._batch = Frontier(expander.width)
        self._parent_row, self._edge, self._fresh = Column("i8"), Column("i4"), Column("i4")
        _promote([self._parent_row, self._edge, self._fresh, *self._batch.columns(), *self._seen.columns()])
        self._columns: tuple[list[Any], ...] = ([], [], [], [])
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def add(self, rows: Any, fps: Any, first: int, made: tuple[Any, Any, Any], n: int) -> None:
        """Add n candidates, given as (fingerprints, rows, edges), from the rows behind ``first``."""
        made_fps, row_of, edge_of = made
        expander, batch = self._expander, self._batch
        kernels, knowledge = expander.resolver.kernels, expander.learner.knowledge
        self._fresh.reserve(n)
        fresh = self._seen.add(kernels, made_fps, n, self._fresh.data)
        if not fresh:
            return
        batch.reserve(fresh)
        self._parent_row.reserve(fresh)
        self._edge.reserve(fresh)
        kernels.build(
            rows, expander.width, first, 0, made_fps, row_of, edge_of, self._fresh.data, fresh, knowledge.leaves(),
            0, batch.rows.data, batch.fps.data, self._parent_row.data, self._edge.data,
        )  # fmt: skip
        ids = batch.rows.data[: fresh * expander.width].reshape(fresh, expander.width)
        parents = fps[self._parent_row.data[:fresh]]
        roots = knowledge.root.data[self._edge.data[:fresh]].astype("u2")
        part = ids.astype(expander.codec.id_type()), batch.fps.data[:fresh].copy(), parents, roots
        for column, array in zip(self._columns, part, strict=True):
            column.append(array)
        self._count += fresh

    def take(self) -> tuple[Any, Any, Any, Any]:
        """(rows, fingerprints, parents, roots) of all, which are handed over: nothing is held twice for long."""
        self._seen = Seen()
        rows, fps, parents, roots = map(_joined, self._columns)
        return rows, fps, parents, roots


def _joined(column: list[Any]) -> Any:
    whole = np.concatenate(column)
    column.clear()
    return whole


class Task:
    """One task's findings and counts."""

    def __init__(self, expander: Expander, level: int, decided: Collection[str], n_partitions: int) -> None:
        self.expander = expander
        self.level = level
        self.n_partitions = n_partitions
        self.decided = frozenset(decided)
        self.summary = Summary()
        self.failed = False
        self.edges: Edges | None = None
        self._findings = Findings()
        self._own: list[Found] = []
        for name in self.decided:
            self._findings.add(name, Finding("decided", None, 0, 0))
        self.judge = Judge(expander.program, expander.resolver, self._findings)
        _promote(self.judge.columns())
        self.judge.settle()
        n_actions = expander.actions.size
        self._enabled, self._taken = np.zeros(n_actions, "i8"), np.zeros(n_actions, "i8")
        self._before = list(expander.learner.evaluations)
        self._fps, self._row_of, self._edge_of = Column("i8"), Column("i4"), Column("i4")
        self._cut_fps, self._cut_row, self._cut_edge = Column("i8"), Column("i4"), Column("i4")
        made = [self._fps, self._row_of, self._edge_of, self._cut_fps, self._cut_row, self._cut_edge]
        _promote(made)
        self.candidates, self._beyond = Candidates(expander), Candidates(expander)

    def close(self) -> Summary:
        """The summary, when all is done."""
        expander, summary = self.expander, self.summary
        summary.enabled, summary.taken = self._enabled.tolist(), self._taken.tolist()
        summary.evaluations = [a - b for a, b in zip(expander.learner.evaluations, self._before, strict=True)]
        summary.values = expander.recent_values(self.level)
        summary.peak_memory = memory_in_use()
        for name, finding in self._findings.by_name.items():
            if finding.kind != "decided":
                root = expander.index.get(id(finding.bound), -1)
                self._own.append(found_from(name, finding, root))
        summary.found = self._own
        return summary

    def expand(self, block: Block) -> Iterator[tuple[int, Block]]:
        """Take every step from the states of a block; gives successors by owner now and then, the rest in flush."""
        expander = self.expander
        rows = expander.codec.decode(block).reshape(-1)
        at_once = max(1, _PAIRS_AT_ONCE // max(1, expander.actions.size))
        for first in range(0, len(block), at_once):
            try:
                self._expand(rows, block, first, min(at_once, len(block) - first))
            except SpecError as error:
                self._fail(error, block, first)
                return
            if len(self.candidates) >= expander.candidates_at_once:
                yield from self.flush()

    def flush(self) -> Iterator[tuple[int, Block]]:
        """The successors that have not been given yet."""
        try:
            self._look_beyond()
        except SpecError:
            self.failed = True  # the judge has recorded it
        if len(self.candidates):
            taken = self.candidates.take()
            self.candidates = Candidates(self.expander)
            yield from self._by_owner(*taken)

    def _by_owner(self, rows: Any, fps: Any, parents: Any, roots: Any) -> Iterator[tuple[int, Block]]:
        """Divide states among the partitions, each with a dictionary of its own values."""
        encode, n_partitions = self.expander.codec.encode, self.n_partitions
        owners = partition_of(fps, n_partitions).astype("u4")
        order = np.argsort(owners, kind="stable")
        ends = np.cumsum(np.bincount(owners, minlength=n_partitions)).tolist()
        for owner, (begin, end) in enumerate(pairwise([0, *ends])):
            for first in range(begin, end, ROWS_IN_A_BLOCK):
                mine = order[first : min(first + ROWS_IN_A_BLOCK, end)]
                yield owner, encode(rows[mine], fps[mine], parents[mine], roots[mine])

    def _expand(self, rows: Any, block: Block, first: int, n: int) -> None:
        expander = self.expander
        kernels, pools, knowledge = expander.resolver.kernels, expander.pools, expander.learner.knowledge
        expander.resolver.resolve(_column(rows), expander.width, first, n, expander.actions, expander.found)
        self.summary.expanded += n
        leaves = knowledge.leaves()
        made = kernels.tally(expander.found.data, n * expander.actions.size, leaves.count)
        for column in (self._fps, self._row_of, self._edge_of):
            column.reserve(made)
        expander.dead.reserve(n + 1)
        kernels.generate(
            expander.found.data, n, expander.actions.size, first, rows, expander.width, block.fps, leaves,
            pools.blind_base.data, pools.blind_number.data, self._fps.data, self._row_of.data, self._edge_of.data,
            self._enabled, self._taken, expander.dead.data,
        )  # fmt: skip
        self.summary.generated += int(made)
        if expander.deadlock and expander.dead.data[0]:
            self._look_at_dead(rows, block, first)
        if self.judge.asks_of_steps:
            made = self._judge_steps(rows, block, first, made)
        if self.edges:
            sources = block.fps[first + self._row_of.data[:made]]
            self.edges.add(sources, self._fps.data[:made].copy(), knowledge.root.data[self._edge_of.data[:made]])
        self.candidates.add(rows, block.fps, first, (self._fps.data, self._row_of.data, self._edge_of.data), made)

    def _fail(self, error: SpecError, block: Block, first: int) -> None:
        """The spec's own code failed: the level will not be taken, and the driver asks it again for the traceback."""
        self.failed = True
        row = getattr(error, "row", None)
        if "error" not in self._findings.by_name:
            base = int(block.fps[first + row]) if row is not None else None
            self._own.append(Found("error", "error", base, None, -1, error.problem, error.where))

    def _look_at_dead(self, rows: Any, block: Block, first: int) -> None:
        """States without successors: deadlocks, unless the spec says that stopping is fine there."""
        expander = self.expander
        if "deadlock" in self.decided or any(found.name == "deadlock" for found in self._own):
            return
        n = int(expander.dead.data[0])
        expander.pairs.reserve(n * expander.width)
        expander.resolver.kernels.gather(
            rows, expander.width, first, expander.dead.data, 1, n, expander.pairs.data
        )
        try:
            stuck = self.judge.may_stop(expander.pairs, expander.width, n)
        except SpecError as error:
            error.row = int(expander.dead.data[1 + error.row])  # type: ignore[attr-defined]
            raise
        if stuck >= 0:
            base = int(block.fps[first + int(expander.dead.data[1 + stuck])])
            self._own.append(Found("deadlock", "deadlock", base, None))

    def _judge_steps(self, rows: Any, block: Block, first: int, made: int) -> int:
        """Check every candidate as a step; the number of those that the action constraints keep."""
        expander = self.expander
        kernels, leaves = expander.resolver.kernels, expander.learner.knowledge.leaves()
        for column in (self._cut_fps, self._cut_row, self._cut_edge):
            column.reserve(made)
        kept = 0
        for begin in range(0, made, _STEPS_AT_ONCE):
            end = min(begin + _STEPS_AT_ONCE, made)
            expander.pairs.reserve((end - begin) * 2 * expander.width)
            kernels.pair_up(
                rows, expander.width, first, self._row_of.data, self._edge_of.data, begin, end, leaves,
                expander.pairs.data,
            )  # fmt: skip

            def arrival(k: int, begin: int = begin) -> tuple[int, int]:
                return int(block.fps[first + self._row_of.data[begin + k]]), int(self._fps.data[begin + k])

            self.judge.steps(expander.pairs, expander.width, end - begin, arrival)
            constraints, n_roots = self.judge.step_columns
            kept = kernels.divide(
                self.judge.found.data, n_roots, constraints, begin, end, kept,
                self._fps.data, self._row_of.data, self._edge_of.data, begin - kept,
                self._cut_fps.data, self._cut_row.data, self._cut_edge.data,
            )  # fmt: skip
        if kept < made:
            cut = (self._cut_fps.data, self._cut_row.data, self._cut_edge.data)
            self._beyond.add(rows, block.fps, first, cut, made - kept)
            if len(self._beyond) >= expander.candidates_at_once:
                self._look_beyond()
        return int(kept)

    def _look_beyond(self) -> None:
        """States behind steps that the action constraints cut: checked, but neither kept nor expanded."""
        if len(self._beyond):
            rows, fps, parents, _ = self._beyond.take()
            self._beyond = Candidates(self.expander)
            self.inside(rows.astype("i4"), fps, parents)

    def inside(self, rows: Any, fps: Any, parents: Any) -> Any:
        """Check states; which of them lie inside the constraints. ``parents`` is None for initial states."""
        n_constraints = len(self.expander.program.constraints)
        inside = np.ones(len(fps), bool)
        for first in range(0, len(fps), _JUDGED_AT_ONCE):
            n = min(_JUDGED_AT_ONCE, len(fps) - first)

            def arrival(k: int, first: int = first) -> Any:
                return (None if parents is None else int(parents[first + k])), int(fps[first + k])

            flat = _column(rows[first : first + n].reshape(-1))
            if self.judge.states(flat, self.expander.width, 0, n, arrival):
                answers = self.judge.found.data[: n * self.judge.n_asked].reshape(n, -1)
                inside[first : first + n] = answers[:, :n_constraints].all(axis=1)
        return inside
