"""What arrives at a partition, compared with a dictionary; what is too much for memory goes to a file and back."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark.arrivals import Arrivals, Fresh, _scratch_folder, _Shelf
from spark.blocks import Block
from spark.driver import Driver, initial_level
from spark.expander import Expander, expander_for
from spark.partition import Stage, apart, expanded, split
from spark.recipe import recipe_for
from specs.classics.two_phase import TwoPhase

arrays = st.lists(
    st.tuples(st.integers(1, 6), st.integers(1, 4), st.sampled_from(["u1", "u2", "u4"])).map(
        lambda shape: (np.arange(shape[0] * shape[1]) % 251).astype(shape[2]).reshape(shape[:2])
    ),
    min_size=1,
    max_size=12,
)


@given(arrays, st.integers(0, 60))
def test_a_shelf_gives_back_what_was_put_there(given_arrays: list[Any], limit: int) -> None:
    shelf = _Shelf()
    with patch("spark.arrivals._BYTES_HELD", limit):
        for number, array in enumerate(given_arrays):
            shelf.put(array)
            assert np.array_equal(shelf.get(number // 2), given_arrays[number // 2])
    for number, array in enumerate(given_arrays):
        assert shelf.get(number).dtype == array.dtype
        assert np.array_equal(shelf.get(number), array)


class Counting:
    """A spec that is wide enough, explored to some level in this process."""

    def __init__(self, levels: int) -> None:
        self.recipe = recipe_for(TwoPhase(rms=4).program, deadlock=True)
        self.expander: Expander = expander_for(self.recipe)
        self.driver = Driver()
        initial_level(self.expander, self.stage(0, 1), self.driver)
        for level in range(1, levels):
            self.driver.level(self.stage(level, 1))
        self.level = levels

    def stage(self, level: int, n_partitions: int) -> Stage:
        return Stage(self.recipe, level, frozenset(), n_partitions)

    def sent(self, tasks: int) -> list[Block]:
        """The successors of the frontier for one owner, from so many tasks: some states come from several of them."""
        parts: list[list[Block]] = [[] for _ in range(tasks)]
        for block in self.driver.frontier:
            for owner, part in split(block, tasks):
                parts[owner].append(part)
        stage = self.stage(self.level, 1)
        return [block for part in parts for _, block in apart(expanded(stage, part), lambda summary: None)]


@pytest.mark.parametrize("limit", [0, 1000, 1 << 30])
def test_what_is_left_of_arrivals_is_what_a_dictionary_holds(monkeypatch: pytest.MonkeyPatch, limit: int) -> None:
    search = Counting(levels=7)
    blocks = search.sent(tasks=5)
    codec, width = search.expander.codec, search.expander.width
    wanted: dict[int, tuple[int, tuple[int, ...]]] = {}
    for block in blocks:
        rows = codec.decode(block).tolist()
        for fp, parent, row in zip(block.fps.tolist(), block.parents.tolist(), rows, strict=True):
            known = wanted.get(fp)
            wanted[fp] = (parent, tuple(row)) if known is None else min(known, (parent, tuple(row)))
    assert sum(map(len, blocks)) > len(wanted) > 200
    monkeypatch.setattr("spark.arrivals._BYTES_HELD", limit)
    arrivals = Arrivals(codec)
    for block in blocks:
        arrivals.add(block)
    fresh = Fresh(arrivals)
    seen = np.array(sorted(wanted)[::3], "i8")
    fresh.subtract(seen)
    fresh.settle()
    for fp in seen.tolist():
        del wanted[fp]
    assert fresh.fps.tolist() == sorted(wanted)
    given_rows: list[tuple[int, ...]] = []
    for first in range(0, len(fresh), 50):
        rows, roots = fresh.rows(first, min(first + 50, len(fresh)), width)
        assert len(rows) == len(roots)
        given_rows.extend(map(tuple, rows.tolist()))
    assert list(zip(fresh.parents.tolist(), given_rows, strict=True)) == [wanted[fp] for fp in sorted(wanted)]


def test_the_file_is_where_spark_puts_its_own_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPARK_LOCAL_DIRS", f"{tmp_path}/gone,{tmp_path}")
    assert _scratch_folder() == str(tmp_path)
    monkeypatch.setattr("spark.arrivals._BYTES_HELD", 0)
    shelf = _Shelf()
    shelf.put(np.ones((3, 2), "u1"))
    assert shelf.get(0).sum() == 6
    assert not list(tmp_path.iterdir())
    monkeypatch.setenv("SPARK_LOCAL_DIRS", f"{tmp_path}/gone")
    assert _scratch_folder() is None


def test_a_task_gives_a_block_before_it_makes_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    search = Counting(levels=7)
    monkeypatch.setattr(search.expander, "candidates_at_once", 1)
    monkeypatch.setattr("spark.expander._PAIRS_AT_ONCE", 100)
    encode, made = search.expander.codec.encode, []
    monkeypatch.setattr(search.expander.codec, "encode", lambda *given: made.append(1) or encode(*given))
    given_out = 0
    stage = search.stage(search.level, 3)
    for _ in apart(expanded(stage, search.driver.frontier), lambda summary: None):
        given_out += 1
        assert len(made) == given_out
    assert given_out > 20
