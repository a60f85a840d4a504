"""States on the wire: blocks of columns that mean the same in every process.

Interned ids are a worker's own. A block therefore brings its dictionary: for each slot the 64-bit numbers of the
values that occur in it and their pickles, and for each state one small code a slot. A reader looks the numbers up and
unpickles only what it has never met. NOTE(self-contained): no block depends on another one having been read before, so
that a task may run twice, elsewhere, or in a process that was born a moment ago.
"""

from __future__ import annotations

import pickle
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from modelcheck.engine.slots import Pools

from .kernels import kernels
from .recipe import Recipe

__all__ = ["ROWS_IN_A_BLOCK", "Block", "Codec", "partition_of"]

# Each block is one array of bytes to Spark, which must have room for several at a time.
ROWS_IN_A_BLOCK = 1 << 18
# Where no slot has more values than this, whole dictionaries are sent, and ids are the codes.
_SMALL_POOL = 256


@dataclass(frozen=True)
class Block:
    """Some states.

    ``parents`` and ``roots`` say from which state and by which action each was reached; ``codes[state, slot]`` is a
    position in that slot's part of the dictionary, whose ``sizes`` are given slot by slot.
    """

    fps: Any
    parents: Any
    roots: Any
    codes: Any
    sizes: Any
    numbers: Any
    values: list[bytes]

    def __len__(self) -> int:
        return len(self.fps)

    @property
    def nbytes(self) -> int:
        """About how many bytes cross the wire."""
        arrays = (self.fps, self.parents, self.roots, self.codes, self.sizes, self.numbers)
        return sum(int(array.nbytes) for array in arrays) + sum(map(len, self.values))

    def pick(self, chosen: Any) -> Block:
        """Some of the states, with the whole dictionary. A frontier has no parents and roots: its runs have them."""
        parents, roots = self.parents, self.roots
        if len(parents):
            parents, roots = parents[chosen], roots[chosen]
        return replace(self, fps=self.fps[chosen], parents=parents, roots=roots, codes=self.codes[chosen])


def partition_of(fps: Any, n_partitions: int) -> Any:
    """Which partition owns each fingerprint: by its high half, because hash tables use the low one."""
    return ((fps >> 32) & 0x7FFFFFFF) % n_partitions


class Codec:
    """Translates between blocks and rows of the ids of one process."""

    def __init__(self, pools: Pools, recipe: Recipe) -> None:
        self._pools = pools
        self._recipe = recipe
        self._ids: list[dict[int, int]] = [{} for _ in pools.slots]
        self._pickles: list[list[bytes]] = [[] for _ in pools.slots]

    def id_type(self) -> str:
        """The smallest type that holds every id met so far."""
        return _smallest_type(max((len(pool.values) for pool in self._pools.slots), default=0))

    def encode(self, rows: Any, fps: Any, parents: Any, roots: Any) -> Block:
        """The block of some rows of ids (an array of two dimensions)."""
        n_values = np.array([len(pool.values) for pool in self._pools.slots], "i8")
        if n_values.max(initial=0) <= _SMALL_POOL:
            codes, used = rows.astype("u1", copy=False), [range(n) for n in n_values.tolist()]
        else:
            codes, used = self._compact(rows, n_values)
        sizes = np.array([len(ids) for ids in used], "i4")
        numbers: list[int] = []
        values: list[bytes] = []
        for slot, ids in enumerate(used):
            known, pickled = self._pools.slots[slot].numbers, self._pickled(slot)
            numbers.extend(known[k] for k in ids)
            values.extend(pickled[k] for k in ids)
        return Block(fps, parents, roots, codes, sizes, np.array(numbers, "i8"), values)

    def _compact(self, rows: Any, n_values: Any) -> tuple[Any, list[Any]]:
        """Codes for only those values that occur in the rows, and for each slot the ids that do."""
        ends = np.cumsum(n_values)
        base = ends - n_values
        flags = np.zeros(int(ends[-1]), "u1")
        kernels().mark(rows, base, flags)
        used = [np.flatnonzero(flags[first:end]) for first, end in zip(base.tolist(), ends.tolist(), strict=True)]
        meaning = np.zeros(len(flags), "i4")
        for first, ids in zip(base.tolist(), used, strict=True):
            meaning[first + ids] = np.arange(len(ids))
        every = np.arange(len(rows))
        codes = np.empty(rows.shape, _smallest_type(max(map(len, used))))
        kernels().translate(rows, every, every, base, meaning, codes)
        return codes, [ids.tolist() for ids in used]

    def _pickled(self, slot: int) -> list[bytes]:
        pickled, values = self._pickles[slot], self._pools.slots[slot].values
        pickled.extend(self._recipe.dumps(value) for value in values[len(pickled) :])
        return pickled

    def decode(self, block: Block) -> Any:
        """The rows of a block, in the ids of this process."""
        rows = np.empty(block.codes.shape, "i4")
        every = np.arange(len(block))
        kernels().translate(block.codes, every, every, *self.meaning(block), rows)
        return rows

    def meaning(self, block: Block) -> tuple[Any, Any]:
        """What the kernels need to know of a dictionary: where each slot begins in it, and the ids of its values."""
        numbers = block.numbers.tolist()
        ends = np.cumsum(block.sizes, dtype="i8")
        base = ends - block.sizes
        meaning = np.empty(len(numbers), "i4")
        for slot, (first, end) in enumerate(zip(base.tolist(), ends.tolist(), strict=True)):
            meaning[first:end] = self._own_ids(slot, numbers[first:end], block.values[first:end])
        self._pools.publish()
        return base, meaning

    def _own_ids(self, slot: int, numbers: list[int], values: list[bytes]) -> list[int]:
        """The id of each entry of a slot's dictionary."""
        pool, ids = self._pools.slots[slot], self._ids[slot]
        for number in pool.numbers[len(ids) :]:
            ids[number] = len(ids)
        for code, number in enumerate(numbers):
            if number not in ids:
                known = ids[number] = pool.intern(pickle.loads(values[code]))
                if pool.numbers[known] != number:
                    raise ValueError(f"a value of {pool.name} has another number in this process")
        return [ids[number] for number in numbers]


def _smallest_type(n_values: int) -> str:
    return "u1" if n_values <= 1 << 8 else "u2" if n_values <= 1 << 16 else "u4"
