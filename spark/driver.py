"""Narrow levels: the same two halves of a level, run in this process over one partition."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from modelcheck.errors import SpecError

from .blocks import Block
from .expander import Expander
from .export import States
from .partition import Run, Stage, apart, expanded, settled
from .summary import Found, Summary

__all__ = ["Driver", "initial_level"]


class Driver:
    """The frontier and the fingerprints seen, in this process."""

    def __init__(self) -> None:
        self.frontier: list[Block] = []
        self._runs: list[Any] = []
        self._unsent: list[Any] = []
        self.links: dict[int, Run] = {}

    def __len__(self) -> int:
        """How many states the frontier has."""
        return sum(map(len, self.frontier))

    def level(self, stage: Stage) -> Summary:
        """Expand the frontier."""
        total = Summary()
        sent = (block for _, block in apart(expanded(stage, self.frontier), total.add))
        seen = (Run(0, run, None) for run in self._runs)
        made = list(apart(settled(stage, itertools.chain(sent, seen)), total.add))
        self.frontier = [item for item in made if isinstance(item, Block)]
        pieces = [item for item in made if isinstance(item, Run)]
        if pieces:
            fps, parents = (np.concatenate(parts) for parts in zip(*(piece[1:] for piece in pieces), strict=True))
            self.learn(Run(pieces[0].level, fps, parents))
        return total

    def learn(self, run: Run) -> None:
        """Remember what a level found, with its parents."""
        self.links[run.level] = run
        self._unsent.append(run.fps)
        self._add(run.fps)

    def take_back(self, frontier: list[Block], seen: list[Any]) -> None:
        """Receive a narrow frontier from the cluster, and all that it has seen."""
        self.frontier = frontier
        self._runs, self._unsent = sorted(seen, key=len, reverse=True), []

    def give(self) -> tuple[list[Block], list[Any]]:
        """The frontier, and the fingerprints that the cluster does not know; it goes on from there."""
        given = self.frontier, self._unsent
        self.frontier, self._unsent, self._runs = [], [], []
        return given

    def _add(self, fps: Any) -> None:
        """Add a run; runs of like size are merged, so that there are few however deep the search goes."""
        while self._runs and len(self._runs[-1]) <= 2 * len(fps):
            fps = np.sort(np.concatenate([self._runs.pop(), fps]))
        self._runs.append(fps)


def initial_level(expander: Expander, stage: Stage, driver: Driver) -> Summary:
    """Level 1: the initial states, checked and put on the driver's frontier."""
    task = stage.task()
    rows: dict[int, list[int]] = {}
    try:
        for _, values in expander.program.initial_rows():
            task.summary.generated += 1
            row, fp = expander.pools.intern_row(values)
            rows.setdefault(fp, row)
    except SpecError as error:
        summary = task.close()
        summary.found.append(Found("error", "error", None, None, -1, error.problem, error.where))
        return summary
    expander.pools.publish()
    fps = np.array(sorted(rows), "i8")
    table = np.array([rows[fp] for fp in fps.tolist()], "i4").reshape(len(fps), expander.width)
    try:
        inside = task.inside(table, fps, None)
    except SpecError:
        return task.close()  # recorded by the judge
    driver.learn(Run(1, fps, np.zeros(0, "i8")))
    fps, table = fps[inside], table[inside]
    if len(fps):
        if stage.export:
            states = States(stage.export, 1, 0, expander)
            states.add(table, fps, None, None)
            states.close()
        driver.frontier = [expander.codec.encode(table, fps, np.zeros(0, "i8"), np.zeros(0, "u2"))]
    task.summary.distinct, task.summary.cut = len(fps), int((~inside).sum())
    return task.close()

