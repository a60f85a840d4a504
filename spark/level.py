"""The datasets of a search on the cluster, and one level as a job over them.

NOTE(datasets): all are divided by owner of the fingerprint, in the same number of partitions, so that only successors
are shuffled. A level makes blocks of its states, the next ``_frontier``, and ``_runs[level]``, their fingerprints with
those of their parents. A task subtracts the runs and what was ``_merged`` from older ones, without parents. Every few
levels the lineage is cut: runs are merged into one, the links to parents put aside in ``_links``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np
from pyspark import SparkContext, StorageLevel
from pyspark.accumulators import AccumulatorParam
from pyspark.core.rdd import RDD

from .blocks import Block, partition_of
from .exchange import exchanged
from .expander import expander_for
from .partition import Run, Stage, apart, expanded, in_order, merged, settled, split
from .recipe import Recipe
from .summary import Summary
from .watch import is_local

__all__ = ["LEVELS_BETWEEN_CUTS", "Cluster"]

LEVELS_BETWEEN_CUTS = 8
_NO_PARENTS = np.zeros(0, "i8")
Pairs = RDD[Any]


class _ByTask(AccumulatorParam[dict[Any, Any]]):
    """Summaries by task. A task that runs twice says the same thing twice, and is heard once."""

    def zero(self, value: dict[Any, Any]) -> dict[Any, Any]:
        return {}

    def addInPlace(self, value1: dict[Any, Any], value2: dict[Any, Any]) -> dict[Any, Any]:
        value1.update(value2)
        return value1


def _expand_task(stage: Stage, heard: Any, index: int, items: Iterable[Any]) -> Iterator[tuple[int, Block]]:
    made = expanded(stage, (item for _, item in items), index)
    return apart(made, lambda summary: heard.add({("expand", stage.level, index): summary}))


def _settle_task(stage: Stage, heard: Any, index: int, items: Iterable[Any]) -> Iterator[tuple[int, Any]]:
    made = settled(stage, (item for _, item in items), index)
    return ((index, item) for item in apart(made, lambda summary: heard.add({("settle", stage.level, index): summary})))


def _runs(items: Iterable[Any]) -> Iterator[tuple[int, Run]]:
    return ((index, item) for index, item in items if isinstance(item, Run))


def _merge(index: int, items: Iterable[Any]) -> Iterator[tuple[int, Run]]:
    whole = Run(0, merged(run for _, run in items), _NO_PARENTS)
    return ((index, run) for run in whole.pieces())


def _blocks(items: Iterable[Any]) -> Iterator[tuple[int, Block]]:
    return ((index, item) for index, item in items if isinstance(item, Block))


def _in_order(recipe: Recipe, index: int, items: Iterable[Any]) -> Iterator[tuple[int, Block]]:
    """The frontier of a partition that was divided anew."""
    return ((index, block) for block in in_order(expander_for(recipe), (block for _, block in items)))


def _divided(n_partitions: int, pair: tuple[int, Any]) -> Iterator[tuple[int, Any]]:
    """An item by its owners, who were others so far."""
    _, item = pair
    if isinstance(item, Block):
        yield from split(item, n_partitions)
        return
    owners = partition_of(item.fps, n_partitions)
    for owner in np.unique(owners).tolist():
        yield owner, item.pick(owners == owner)


def _parents(level: int, fp: int, items: Iterable[Any]) -> Iterator[int]:
    """The parent of one state, if its run is among the items."""
    for _, run in items:
        if isinstance(run, Run) and run.level == level and len(run.fps):
            at = int(np.searchsorted(run.fps, fp))
            if at < len(run.fps) and run.fps[at] == fp:
                yield int(run.parents[at])


class Cluster:
    """What the executors hold."""

    def __init__(self, context: SparkContext, n_partitions: int, between_cuts: int = LEVELS_BETWEEN_CUTS) -> None:
        self.context = context
        self.n_partitions = n_partitions
        self.between_cuts = between_cuts
        # In local mode what is kept dies with the driver only, so that keeping it is as good as writing it.
        self._is_local = is_local(str(context.master))
        self.cuts_lineage = self._is_local or context.getCheckpointDir() is not None
        self._merged: list[Pairs] = []
        self._runs: dict[int, Pairs] = {}
        self._links: dict[int, Pairs] = {}
        self._frontier: Pairs | None = None
        self._unsaved: Pairs | None = None

    def take_over(self, frontier: list[Block], runs: list[Any]) -> None:
        """Receive a frontier from the driver, and the fingerprints that the cluster does not know yet.

        These come without parents: the driver knows those itself.
        """
        pieces = (piece for fps in runs for piece in Run(0, fps, _NO_PARENTS).pieces())
        self._merged.append(self._spread(pair for piece in pieces for pair in _divided(self.n_partitions, (0, piece))))
        self._frontier = self._spread(pair for block in frontier for pair in split(block, self.n_partitions))

    def _spread(self, pairs: Iterable[tuple[int, Any]]) -> Pairs:
        made = exchanged(self.context.parallelize(list(pairs), self.n_partitions), self.n_partitions)
        return made.persist(StorageLevel.MEMORY_AND_DISK)

    def level(self, stage: Stage) -> Summary:
        """Expand the frontier: one job. The new frontier is what the level made."""
        assert self._frontier is not None
        heard = self.context.accumulator({}, _ByTask())
        sent = exchanged(self._frontier.mapPartitionsWithIndex(partial(_expand_task, stage, heard)), self.n_partitions)
        arrived = self._union([sent, *self._merged, *self._runs.values()])
        made = self._over(arrived, partial(_settle_task, stage, heard), with_index=True)
        made.persist(StorageLevel.MEMORY_AND_DISK)
        level = stage.level + 1
        cut = len(self._runs) + 1 >= self.between_cuts
        if cut:
            self._cut_off(made)
        self._run(made, f"level {level}: expand, exchange, settle")
        self._runs[level] = self._over(made, _runs).persist(StorageLevel.MEMORY_AND_DISK)
        self._frontier.unpersist()
        self._frontier = made
        if cut:
            self._cut(level)
        total = Summary()
        for summary in heard.value.values():
            total.add(summary)
        return total

    def _cut(self, level: int) -> None:
        """Merge the runs and put the links aside, so that nothing depends on the levels before."""
        runs = list(self._runs.values())
        whole = self._over(self._union([*self._merged, *runs]), _merge, with_index=True)
        links = self.context.union(runs)  # a dataset of its own, also of one run: it is stored in another way
        self._keep(whole, StorageLevel.MEMORY_AND_DISK, f"level {level}: merge what was seen")
        for old in self._merged:
            old.unpersist()
        if self._is_local:
            self._links.update(self._runs)
        else:
            self._keep(links, StorageLevel.DISK_ONLY, f"level {level}: put the links aside")
            self._links.update(dict.fromkeys(self._runs, links))
            for old in runs:
                old.unpersist()
        self._merged, self._runs, self._unsaved = [whole], {}, links

    def put_aside(self, level: int) -> None:
        """Cut the lineage now, if it has grown since the last cut."""
        if self._runs:
            self._cut(level)

    def divide(self, n_partitions: int, recipe: Recipe, level: int) -> None:
        """Go on in another number of partitions. Links stay as they are: they are looked up one by one."""
        assert self._frontier is not None
        self.put_aside(level)
        old = [self._frontier, *self._merged]
        self.n_partitions = n_partitions
        frontier = self._ordered(self._redivided(self._over(self._frontier, _blocks)), recipe)
        self._keep(frontier, StorageLevel.MEMORY_AND_DISK, f"level {level}: divide into {n_partitions} partitions")
        whole = self._over(self._redivided(self._union(self._merged)), _merge, with_index=True)
        self._keep(whole, StorageLevel.MEMORY_AND_DISK, f"level {level}: divide what was seen")
        self._frontier, self._merged = frontier, [whole]
        for dataset in old:
            dataset.unpersist()

    def _redivided(self, dataset: Pairs) -> Pairs:
        return exchanged(dataset.flatMap(partial(_divided, self.n_partitions)), self.n_partitions)

    def _ordered(self, dataset: Pairs, recipe: Recipe) -> Pairs:
        return self._over(dataset, partial(_in_order, recipe), with_index=True)

    def _keep(self, dataset: Pairs, storage: StorageLevel, description: str) -> None:
        dataset.persist(storage)
        self._cut_off(dataset)
        self._run(dataset, description)

    def _cut_off(self, dataset: Pairs) -> None:
        """When this dataset is made, forget how."""
        if self._is_local:
            dataset.localCheckpoint()
        elif self.cuts_lineage:
            dataset.checkpoint()

    @property
    def may_be_saved(self) -> bool:
        """Whether the lineage has just been cut."""
        return self._unsaved is not None

    def save(self, folder: str, of_driver: list[tuple[int, Run]]) -> None:
        """Write the frontier, the links put aside by the cut, and those that the driver has found before."""
        assert self._unsaved is not None and self._frontier is not None
        self.context.setJobDescription("checkpoint")
        parts = [self._unsaved, *([self.context.parallelize(of_driver, 1)] if of_driver else [])]
        self._union(parts).saveAsPickleFile(f"{folder}/links")
        self._over(self._frontier, _blocks).saveAsPickleFile(f"{folder}/frontier")
        self._unsaved = None

    def restore(self, recipe: Recipe, folders: list[str], levels: Iterable[int]) -> None:
        """Read what was saved in some folders, of which the last has the frontier; partitions may be others now."""
        reread = self.context.pickleFile
        frontier = self._ordered(self._redivided(reread(f"{folders[-1]}/frontier")), recipe)
        self._frontier = frontier.persist(StorageLevel.MEMORY_AND_DISK)
        links = self._union([self._redivided(reread(f"{folder}/links")) for folder in folders])
        links.persist(StorageLevel.DISK_ONLY)
        self._links = dict.fromkeys(levels, links)
        self._merged.append(self._over(links, _merge, with_index=True).persist(StorageLevel.MEMORY_AND_DISK))

    def frontier(self) -> list[Block]:
        """The blocks of the frontier, on the driver."""
        assert self._frontier is not None
        self.context.setJobDescription("a narrow level: to the driver")
        return [item for _, item in self._frontier.collect() if isinstance(item, Block)]

    def seen(self) -> list[Any]:
        """All fingerprints, on the driver."""
        self.context.setJobDescription("a narrow level: what was seen, to the driver")
        return [run.fps for _, run in self._union([*self._merged, *self._runs.values()]).collect()]

    def parent(self, level: int, fp: int) -> int | None:
        """The parent of a state of a level that was explored here."""
        source = self._runs.get(level) or self._links.get(level)
        if source is None:
            return None
        self.context.setJobDescription(f"trace: the parent at level {level}")
        owner = int(partition_of(np.array([fp]), source.getNumPartitions())[0])
        found = self.context.runJob(source, partial(_parents, level, fp), [owner])
        return next(iter(found), None)

    def kept(self) -> tuple[int, int]:
        """The bytes that the executors keep, in memory and on disk."""
        context: Any = self.context._jsc
        stored = list(context.sc().getRDDStorageInfo())
        return sum(int(info.memSize()) for info in stored), sum(int(info.diskSize()) for info in stored)

    def forget(self) -> None:
        """Free what the executors hold."""
        for made in (*self._merged, *self._runs.values(), *self._links.values()):
            made.unpersist()
        if self._frontier is not None:
            self._frontier.unpersist()

    def _over(self, source: Pairs, work: Callable[..., Any], with_index: bool = False) -> Pairs:
        if with_index:
            return source.mapPartitionsWithIndex(work, preservesPartitioning=True)
        return source.mapPartitions(work, preservesPartitioning=True)

    def _union(self, parts: list[Pairs]) -> Pairs:
        return self.context.union(parts) if len(parts) > 1 else parts[0]

    def _run(self, dataset: Pairs, description: str) -> None:
        """Make a dataset without reading it back into Python."""
        self.context.setJobDescription(description)
        dataset._jrdd.rdd().count()
