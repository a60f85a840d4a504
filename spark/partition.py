"""The two halves of a level, each over one partition: expand the frontier, then settle what has arrived.

Both are pure: the same input gives the same output, in whatever process and however often. The driver runs them as
plain functions on narrow levels, and Spark runs them as tasks on wide ones.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from .blocks import ROWS_IN_A_BLOCK, Block, partition_of
from .expander import Expander, Task, expander_for
from .export import Edges, Place, write_states
from .kernels import kernels
from .recipe import Recipe
from .summary import Summary

__all__ = ["Run", "Stage", "expanded", "in_order", "merged", "settled", "split", "unseen"]

_FINGERPRINTS_IN_A_RUN = 1 << 20
_NOTHING = np.zeros(0, "i8"), np.zeros(0, "u2")
# A run so many times as long as what is looked up in it is searched; a shorter one is read through.
_MANY_TIMES = 16


class Run(NamedTuple):
    """Fingerprints that a partition learned at one level, ascending, with their parents where those are needed."""

    level: int
    fps: Any
    parents: Any

    def pick(self, chosen: Any) -> Run:
        """Some of them."""
        return Run(self.level, self.fps[chosen], self.parents[chosen] if len(self.parents) else self.parents)

    def pieces(self) -> Iterator[Run]:
        """The run in pieces of a size that is easy to handle: each is one array of bytes to Spark."""
        for first in range(0, len(self.fps), _FINGERPRINTS_IN_A_RUN):
            yield self.pick(slice(first, first + _FINGERPRINTS_IN_A_RUN))


@dataclass(frozen=True)
class Stage:
    """What the tasks of one level must know besides their input."""

    recipe: Recipe
    level: int  # the depth of the states that are expanded
    decided: frozenset[str]
    n_partitions: int
    export: Place | None = None

    def task(self) -> Task:
        return expander_for(self.recipe).task(self.level, self.decided, self.n_partitions)


def expanded(stage: Stage, frontier: Iterable[Any], index: int = 0) -> tuple[list[tuple[int, Block]], Summary]:
    """All successors of a partition's frontier as (owner, block), and the counts."""
    return _with_summary(_expansion(stage, frontier, index))


def _expansion(stage: Stage, frontier: Iterable[Any], index: int) -> Iterator[tuple[int, Block] | Summary]:
    started = time.monotonic()
    task = stage.task()
    if stage.export:
        task.edges = Edges(stage.export, stage.level, index, task.expander)
    for block in frontier:
        if isinstance(block, Block) and not task.failed:
            yield from _counted(task, task.expand(block))
    yield from _counted(task, task.flush())
    if task.edges:
        task.edges.close()
    summary = task.close()
    summary.seconds = time.monotonic() - started
    yield summary


def _counted(task: Task, sent: Iterable[tuple[int, Block]]) -> Iterator[tuple[int, Block]]:
    for owner, block in sent:
        task.summary.wire_bytes += block.nbytes
        yield owner, block


def split(block: Block, n_partitions: int) -> Iterator[tuple[int, Block]]:
    """A block by owners; each part keeps the order of the fingerprints."""
    if n_partitions == 1:
        yield 0, block
        return
    owners = partition_of(block.fps, n_partitions)
    for owner in np.unique(owners).tolist():
        yield owner, block.pick(np.flatnonzero(owners == owner))


def settled(stage: Stage, arrived: Iterable[Any], index: int = 0) -> tuple[list[Block | Run], Summary]:
    """The new states of a partition. ``arrived`` gives the blocks of successors first and then the runs seen."""
    started = time.monotonic()
    blocks: list[Block] = []
    fresh: _Fresh | None = None
    for item in arrived:
        if isinstance(item, Block):
            blocks.append(item)
        elif blocks:
            fresh = fresh or _Fresh(blocks)
            fresh.subtract(item.fps)
    task = stage.task()
    made = []
    if blocks:
        fresh = fresh or _Fresh(blocks)
        fresh.settle()
        made = _judged(stage, task, fresh, index)
    summary = task.close()
    summary.seconds = time.monotonic() - started
    return made, summary


class _Fresh:
    """Candidates of one partition without repetition; of several parents the one with the least fingerprint stays."""

    def __init__(self, blocks: list[Block]) -> None:
        self.blocks = blocks
        fps = np.concatenate([block.fps for block in blocks])
        parents = np.concatenate([block.parents for block in blocks])
        order = np.argsort(fps)
        fps, parents = fps[order], parents[order]
        starts = _starts(fps)
        group = np.cumsum(starts) - 1
        least = np.minimum.reduceat(parents, np.flatnonzero(starts))
        best = np.flatnonzero(parents == least[group])
        best = best[_starts(group[best])]
        self.fps, self.parents, self._place = fps[best], parents[best], order[best]
        self._keep = np.ones(len(best), bool)

    def subtract(self, seen: Any) -> None:
        """Drop what is in a sorted run. Of a piece of one, only what lies between its ends is looked at."""
        if len(seen):
            first, end = np.searchsorted(self.fps, seen[0]), np.searchsorted(self.fps, seen[-1], side="right")
            self._keep[first:end] &= unseen(self.fps[first:end], seen)

    def settle(self) -> None:
        """All runs have been subtracted: keep what is left."""
        keep = self._keep
        self.fps, self.parents, self._place = self.fps[keep], self.parents[keep], self._place[keep]

    def rows(self, task: Task) -> tuple[Any, Any]:
        """The rows and the roots of what is left."""
        ends = np.cumsum([len(block) for block in self.blocks])
        of = np.searchsorted(ends, self._place, side="right")
        rows = np.empty((len(self.fps), task.expander.width), "i4")
        roots = np.empty(len(self.fps), "u2")
        for number, block in enumerate(self.blocks):
            mine = np.flatnonzero(of == number)
            if len(mine):
                chosen = self._place[mine] - (ends[number] - len(block))
                task.expander.codec.decode_into(rows, mine, block, chosen)
                roots[mine] = block.roots[chosen]
        return rows, roots


def _starts(ordered: Any) -> Any:
    """Where a new value begins in a sorted array."""
    starts = np.ones(len(ordered), bool)
    np.not_equal(ordered[1:], ordered[:-1], out=starts[1:])
    return starts


def unseen(fps: Any, run: Any) -> Any:
    """Which of some sorted fingerprints are not in a sorted run."""
    if not len(run) or not len(fps):
        return np.ones(len(fps), bool)
    if len(run) > _MANY_TIMES * len(fps):
        at = np.searchsorted(run, fps)
        at[at == len(run)] = 0
        return run[at] != fps
    keep = np.empty(len(fps), bool)
    kernels().missing(fps, run, keep)
    return keep


def _judged(stage: Stage, task: Task, fresh: _Fresh, index: int) -> list[Block | Run]:
    """Check new states: those inside the constraints are the next frontier, all are seen from now on."""
    from modelcheck.errors import SpecError

    if not len(fresh.fps):
        return []
    rows, roots = fresh.rows(task)
    fresh.blocks = []
    try:
        inside = task.inside(rows, fresh.fps, fresh.parents)
    except SpecError:
        return []  # recorded by the judge: the level will not be taken
    run = Run(task.level + 1, fresh.fps, fresh.parents)
    kept = len(fresh.fps)
    fps, parents = fresh.fps, fresh.parents
    if not inside.all():
        rows, roots, fps, parents = rows[inside], roots[inside], fps[inside], parents[inside]
        kept = len(fps)
    task.summary.distinct, task.summary.cut = kept, len(fresh.fps) - kept
    task.summary.new = np.bincount(roots, minlength=len(task.expander.program.actions)).tolist()
    if stage.export:
        write_states(stage.export, run.level, index, task.expander, (rows, fps, parents, roots))
    return [*_frontier_blocks(task.expander, rows, fps), *run.pieces()]


def _frontier_blocks(expander: Expander, rows: Any, fps: Any) -> list[Block]:
    """States without their origin."""
    return [
        expander.codec.encode(rows[at : at + ROWS_IN_A_BLOCK], fps[at : at + ROWS_IN_A_BLOCK], *_NOTHING)
        for at in range(0, len(fps), ROWS_IN_A_BLOCK)
    ]


def in_order(expander: Expander, blocks: Iterable[Block]) -> list[Block]:
    """The frontier of a partition by ascending fingerprint, from blocks that were put together anew.

    Of several parents the first that is expanded counts, and that must be the least one.
    """
    parts = list(blocks)
    if not parts:
        return []
    rows = np.concatenate([expander.codec.decode(block) for block in parts])
    fps = np.concatenate([block.fps for block in parts])
    order = np.argsort(fps)
    return _frontier_blocks(expander, rows[order], fps[order])


def merged(runs: Iterable[Run]) -> Any:
    """One sorted array of the fingerprints of several runs."""
    parts = [run.fps for run in runs]
    whole = np.concatenate(parts) if parts else np.zeros(0, "i8")
    whole.sort()
    return whole


def _with_summary(items: Iterator[Any]) -> tuple[list[Any], Summary]:
    *made, summary = items
    return made, summary
