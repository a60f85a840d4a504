"""What arrives at a partition: states from many tasks, some of them several times, and more than memory should hold.

NOTE(shelves): of every state that arrives, its fingerprint and where it comes from are held, 18 bytes. Its codes, a
byte or more for each slot, are wanted only if the state turns out to be new. They are put on a shelf, which is in
memory up to a limit and a file behind it.
"""

from __future__ import annotations

import mmap
import os
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from .blocks import Block, Codec
from .kernels import kernels

__all__ = ["Arrivals", "Fresh", "unseen"]

_BYTES_HELD = 1 << 28
# A run so many times as long as what is looked up in it is searched; a shorter one is read through.
_MANY_TIMES = 16


class Arrivals:
    """Blocks as they come. The values in their dictionaries are learned at once, so that only numbers are kept."""

    def __init__(self, codec: Codec) -> None:
        self._codec = codec
        self._origins: list[tuple[Any, Any, Any]] = []
        self._meanings: list[tuple[Any, Any]] = []
        self._codes = _Shelf()
        self._ends: Any = None

    def __len__(self) -> int:
        """How many blocks."""
        return len(self._meanings)

    def add(self, block: Block) -> None:
        self._origins.append((block.fps, block.parents, block.roots))
        self._meanings.append(self._codec.meaning(block))
        self._codes.put(block.codes)

    def origins(self) -> tuple[Any, Any, Any]:
        """(fingerprints, parents, roots) of all, in the order in which they came; they are handed over."""
        self._ends = np.cumsum([len(fps) for fps, _, _ in self._origins])
        parts, self._origins = list(zip(*self._origins, strict=True)), []
        fps, parents, roots = (np.concatenate(part) for part in parts)
        return fps, parents, roots

    def read(self, places: Any, rows: Any) -> None:
        """Write the ids of the states at some places to ``rows``. Blocks are read from the first to the last."""
        order = np.argsort(places)
        bounds = np.searchsorted(places[order], self._ends).tolist()
        begin, first = 0, 0
        for number, (bound, end) in enumerate(zip(bounds, self._ends.tolist(), strict=True)):
            if bound > begin:
                to = order[begin:bound]
                kernels().translate(self._codes.get(number), places[to] - first, to, *self._meanings[number], rows)
            begin, first = bound, end


class _Shelf:
    """Arrays in a row. When they have become too many for memory they go into a file, which has no name: whatever
    becomes of the process, nothing is left of it."""

    def __init__(self) -> None:
        self._arrays: list[Any] = []  # of those in the file: where, of which type and shape
        self._in_file = 0
        self._bytes = 0
        self._file: Any = None
        self._map: mmap.mmap | None = None

    def put(self, array: Any) -> None:
        self._arrays.append(array)
        self._bytes += array.nbytes
        if self._bytes > _BYTES_HELD:
            self._write()

    def _write(self) -> None:
        if self._file is None:
            self._file = tempfile.TemporaryFile(dir=_scratch_folder())  # noqa: SIM115, lives as long as this
        for number in range(self._in_file, len(self._arrays)):
            array = np.ascontiguousarray(self._arrays[number])
            self._arrays[number] = self._file.tell(), array.dtype, array.shape
            self._file.write(array.data)
        self._file.flush()
        self._in_file, self._bytes, self._map = len(self._arrays), 0, None

    def get(self, number: int) -> Any:
        if number >= self._in_file:
            return self._arrays[number]
        at, kind, shape = self._arrays[number]
        if self._map is None:
            self._map = mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_READ)
        return np.frombuffer(self._map, kind, int(np.prod(shape)), at).reshape(shape)


def _scratch_folder() -> str | None:
    """Where Spark puts what it exchanges; elsewhere the system's own folder for such files."""
    folders = os.environ.get("SPARK_LOCAL_DIRS", "").split(",")
    return next((folder for folder in folders if folder and Path(folder).is_dir()), None)


class Fresh:
    """Arrivals without repetition, ascending; of several parents the one with the least fingerprint stays."""

    def __init__(self, arrivals: Arrivals) -> None:
        self._arrivals = arrivals
        fps, parents, self._roots = arrivals.origins()
        order = np.argsort(fps)
        fps, parents = fps[order], parents[order]
        starts = _starts(fps)
        group = np.cumsum(starts) - 1
        least = np.minimum.reduceat(parents, np.flatnonzero(starts))
        best = np.flatnonzero(parents == least[group])
        best = best[_starts(group[best])]
        self.fps, self.parents, self._place = fps[best], parents[best], order[best]
        self._keep = np.ones(len(best), bool)

    def __len__(self) -> int:
        return len(self.fps)

    def subtract(self, seen: Any) -> None:
        """Drop what is in a sorted run. Of a piece of one, only what lies between its ends is looked at."""
        if len(seen):
            first, end = np.searchsorted(self.fps, seen[0]), np.searchsorted(self.fps, seen[-1], side="right")
            self._keep[first:end] &= unseen(self.fps[first:end], seen)

    def settle(self) -> None:
        """All runs have been subtracted: keep what is left."""
        keep = self._keep
        self.fps, self.parents, self._place = self.fps[keep], self.parents[keep], self._place[keep]
        self._roots = self._roots[self._place]

    def rows(self, first: int, end: int, width: int) -> tuple[Any, Any]:
        """The rows and the roots of some of what is left."""
        rows = np.empty((end - first, width), "i4")
        self._arrivals.read(self._place[first:end], rows)
        return rows, self._roots[first:end]


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
