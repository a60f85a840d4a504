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

from .recipe import Recipe

__all__ = ["Block", "Codec", "partition_of"]

# A slot with no more values than this is sent with its whole dictionary, and its ids are the codes.
_SMALL_POOL = 256


@dataclass(frozen=True)
class Block:
    """States in ascending order of their fingerprints.

    ``parents`` and ``roots`` say from which state and by which action each was reached; ``codes[slot, state]`` is a
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
        return replace(self, fps=self.fps[chosen], parents=parents, roots=roots, codes=self.codes[:, chosen])


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

    def encode(self, rows: Any, fps: Any, parents: Any, roots: Any) -> Block:
        """The block of some rows (an array of two dimensions)."""
        n, width = rows.shape
        chosen = [self._dictionary(slot, rows[:, slot]) for slot in range(width)]
        sizes = np.array([len(ids) for ids, _ in chosen], "i4")
        codes = np.empty((width, n), _smallest_type(int(sizes.max(initial=0))))
        numbers: list[int] = []
        values: list[bytes] = []
        for slot, (ids, column) in enumerate(chosen):
            codes[slot] = column
            known, pickled = self._pools.slots[slot].numbers, self._pickled(slot)
            numbers.extend(known[k] for k in ids)
            values.extend(pickled[k] for k in ids)
        return Block(fps, parents, roots, codes, sizes, np.array(numbers, "i8"), values)

    def _dictionary(self, slot: int, column: Any) -> tuple[Any, Any]:
        """The ids that go into the dictionary of a slot, and the codes of a column."""
        n_values = len(self._pools.slots[slot].values)
        if n_values <= _SMALL_POOL:
            return range(n_values), column
        ids, codes = np.unique(column, return_inverse=True)
        return ids.tolist(), codes

    def _pickled(self, slot: int) -> list[bytes]:
        pickled, values = self._pickles[slot], self._pools.slots[slot].values
        pickled.extend(self._recipe.dumps(value) for value in values[len(pickled) :])
        return pickled

    def decode(self, block: Block) -> Any:
        """The rows of a block, in the ids of this process."""
        width = len(block.sizes)
        rows = np.empty((len(block), width), "i4")
        numbers = block.numbers.tolist()
        at = 0
        for slot, size in enumerate(block.sizes.tolist()):
            part, codes = slice(at, at + size), block.codes[slot]
            rows[:, slot] = self._own_ids(slot, codes, numbers[part], block.values[part])[codes]
            at += size
        self._pools.publish()
        return rows

    def _own_ids(self, slot: int, codes: Any, numbers: list[int], values: list[bytes]) -> Any:
        """The id of each entry of a slot's dictionary; entries of a large one that no code names are left out."""
        pool, ids = self._pools.slots[slot], self._ids[slot]
        for number in pool.numbers[len(ids) :]:
            ids[number] = len(ids)
        own = np.zeros(max(len(numbers), 1), "i4")
        used = range(len(numbers)) if len(numbers) <= _SMALL_POOL else np.unique(codes).tolist()
        for code in used:
            number = numbers[code]
            known = ids.get(number)
            if known is None:
                known = ids[number] = pool.intern(pickle.loads(values[code]))
                if pool.numbers[known] != number:
                    raise ValueError(f"a value of {pool.name} has another number in this process")
            own[code] = known
        return own


def _smallest_type(n_values: int) -> str:
    return "u1" if n_values <= 1 << 8 else "u2" if n_values <= 1 << 16 else "u4"
