"""The two halves of a level, each over one partition: expand the frontier, then settle what has arrived.

Both are pure: the same input gives the same output, in whatever process and however often. The driver runs them as
plain functions on narrow levels, and Spark runs them as tasks on wide ones. Both give what they make piece by piece, so
that nobody has to hold all of it, and tell what they have counted at the end.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from .arrivals import Arrivals, Fresh
from .blocks import ROWS_IN_A_BLOCK, Block, partition_of
from .expander import Expander, Task, expander_for
from .export import Edges, Place, States
from .recipe import Recipe
from .summary import Summary

__all__ = ["Run", "Stage", "apart", "expanded", "in_order", "merged", "settled", "split"]

_FINGERPRINTS_IN_A_RUN = 1 << 20
_NOTHING = np.zeros(0, "i8"), np.zeros(0, "u2")
# New states whose rows a task holds at a time. All that arrived is read once for each so many.
_ROWS_AT_ONCE = 1 << 20


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


def expanded(stage: Stage, frontier: Iterable[Any], index: int = 0) -> Iterator[tuple[int, Block] | Summary]:
    """All successors of a partition's frontier as (owner, block), and at the end the counts."""
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
    yield _closed(task, started)


def _counted(task: Task, sent: Iterable[tuple[int, Block]]) -> Iterator[tuple[int, Block]]:
    for owner, block in sent:
        task.summary.sent += len(block)
        task.summary.wire_bytes += block.nbytes
        yield owner, block


def _closed(task: Task, started: float) -> Summary:
    summary = task.close()
    summary.seconds = time.monotonic() - started
    return summary


def apart(made: Iterable[Any], hear: Callable[[Summary], object]) -> Iterator[Any]:
    """What a half of a level makes, piece by piece; its summary is for another ear."""
    for item in made:
        if isinstance(item, Summary):
            hear(item)
        else:
            yield item


def split(block: Block, n_partitions: int) -> Iterator[tuple[int, Block]]:
    """A block by owners; each part keeps the order of the fingerprints."""
    if n_partitions == 1:
        yield 0, block
        return
    owners = partition_of(block.fps, n_partitions)
    for owner in np.unique(owners).tolist():
        yield owner, block.pick(np.flatnonzero(owners == owner))


def settled(stage: Stage, arrived: Iterable[Any], index: int = 0) -> Iterator[Block | Run | Summary]:
    """The new states of a partition: blocks, then runs, then the counts.

    ``arrived`` gives the blocks of successors first and then the runs seen.
    """
    started = time.monotonic()
    arrivals = Arrivals(expander_for(stage.recipe).codec)
    fresh: Fresh | None = None
    for item in arrived:
        if isinstance(item, Block):
            arrivals.add(item)
        elif len(arrivals):
            if fresh is None:
                fresh = Fresh(arrivals)
            fresh.subtract(item.fps)
    task = stage.task()
    if len(arrivals):
        if fresh is None:
            fresh = Fresh(arrivals)
        fresh.settle()
        yield from _judged(stage, task, fresh, index)
    yield _closed(task, started)


def _judged(stage: Stage, task: Task, fresh: Fresh, index: int) -> Iterator[Block | Run]:
    """Check new states: those inside the constraints are the next frontier, all are seen from now on."""
    from modelcheck.errors import SpecError

    expander, summary = task.expander, task.summary
    new = np.zeros(len(expander.program.actions), "i8")
    states = States(stage.export, task.level + 1, index, expander) if stage.export else None
    for first in range(0, len(fresh), _ROWS_AT_ONCE):
        some = slice(first, min(first + _ROWS_AT_ONCE, len(fresh)))
        rows, roots = fresh.rows(some.start, some.stop, expander.width)
        fps, parents = fresh.fps[some], fresh.parents[some]
        try:
            inside = task.inside(rows, fps, parents)
        except SpecError:  # recorded by the judge: the level will not be taken
            summary.distinct = summary.cut = 0
            return
        if not inside.all():
            rows, roots, fps, parents = rows[inside], roots[inside], fps[inside], parents[inside]
        summary.distinct += len(fps)
        summary.cut += len(inside) - len(fps)
        new += np.bincount(roots, minlength=len(new))
        if states:
            states.add(rows, fps, parents, roots)
        yield from _frontier_blocks(expander, rows, fps)
    if states:
        states.close()
    if len(fresh):
        summary.new = new.tolist()
        yield from Run(task.level + 1, fresh.fps, fresh.parents).pieces()


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
