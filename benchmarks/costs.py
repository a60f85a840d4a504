"""What a search on Spark costs, from runs of growing size on `local[2]`: seconds, bytes exchanged, memory.

The seconds of a level on the cluster are taken to be a + b * generated + c * seen. The three are fitted on all runs but
the largest, and the largest is then foretold from its counts and compared with what it took.

With --partitions: bytes exchanged for each generated state at the widest level of two models, by the number of
partitions. Each of n tasks sends a block to each of n owners, and every block has a dictionary of its values. The tasks
of that level are run in this process, without Spark: what they send is the same, and 128 of them take no hour.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from modelcheck import Spec, check
from spark.blocks import Block
from spark.driver import Driver, initial_level
from spark.expander import expander_for
from spark.history import Row, read_history
from spark.options import Options
from spark.partition import Stage, apart, expanded, split
from spark.recipe import Recipe, recipe_for
from spark.session import spark_context
from spark.summary import Summary
from specs.classics.two_phase import TwoPhase
from specs.zookeeper.episodes import Episodes

# With their widest levels.
WIDEST: dict[str, tuple[Spec, int]] = {
    "two-phase commit, 8": (TwoPhase(rms=8), 14),
    "episodes, 6 epochs": (
        Episodes(era="3.4.11", fixes=("cut-on-snap", "exact-trunc"), max_epoch=6, max_txns=3, watch=()), 14
    ),
}  # fmt: skip


def history_of(rms: int, folder: str) -> list[Row]:
    """The levels of a run that were searched on the cluster."""
    file = str(Path(folder) / f"levels-{rms}.parquet")
    check(TwoPhase(rms=rms), engine="spark", wide=20_000, history=file)
    return [row for row in read_history(file) if row.place == "cluster"]


def terms(rows: list[Row]) -> Any:
    """One line for each level: a job, the states that it generates, the states that it reads again."""
    return np.array([(1.0, row.generated, row.distinct - row.new) for row in rows])


def fitted(rows: list[Row]) -> Any:
    """The costs of each; what the noise of the machine would make negative is nothing."""
    cost = np.zeros(3)
    used = [0, 1, 2]
    while True:
        cost[:] = 0
        cost[used] = np.linalg.lstsq(terms(rows)[:, used], np.array([row.seconds for row in rows]), rcond=None)[0]
        negative = [k for k in used if cost[k] < 0]
        if not negative:
            return cost
        used = [k for k in used if k not in negative]


def line(rms: int, rows: list[Row]) -> str:
    generated, last = sum(row.generated for row in rows), rows[-1]
    kept = max((row.in_memory + row.on_disk) / row.distinct for row in rows[-4:])
    return (
        f"{rms:>4}  {last.distinct:>12,}  {generated:>13,}  {len(rows):>6}  {sum(row.seconds for row in rows):>8.1f}"
        f"  {sum(row.exchanged for row in rows) / generated:>10.1f}  {kept:>11.1f}"
        f"  {max(row.worker for row in rows) / 1e6:>10,.0f}"
    )


def frontier_of(recipe: Recipe, level: int) -> list[Block]:
    """The states of a level, by a search in this process."""
    driver = Driver()
    initial_level(expander_for(recipe), Stage(recipe, 0, frozenset(), 1), driver)
    for depth in range(1, level):
        driver.level(Stage(recipe, depth, frozenset(), 1))
    return driver.frontier


def sent(recipe: Recipe, level: int, frontier: list[Block], n_partitions: int) -> tuple[int, int, int]:
    """What the tasks of a level send: states generated, states sent, bytes."""
    stage = Stage(recipe, level, frozenset(), n_partitions)
    parts: list[list[Block]] = [[] for _ in range(n_partitions)]
    for block in frontier:
        for owner, part in split(block, n_partitions):
            parts[owner].append(part)
    total = Summary()
    for index, blocks in enumerate(parts):
        for _ in apart(expanded(stage, blocks, index), total.add):
            pass
    return total.generated, total.sent, total.wire_bytes


def by_partitions(numbers: list[int]) -> None:
    """Print what the widest level of each model exchanges."""
    print("model                partitions  frontier  generated       sent  sent/block  bytes/sent  bytes/gen.")
    for name, (spec, level) in WIDEST.items():
        recipe = recipe_for(spec.program, deadlock=True)
        frontier = frontier_of(recipe, level)
        for n in numbers:
            generated, states, wire = sent(recipe, level, frontier, n)
            print(
                f"{name:<20} {n:>10}  {sum(map(len, frontier)):>8,}  {generated:>9,}  {states:>9,}"
                f"  {states / n**2:>10,.0f}  {wire / states:>10.1f}  {wire / generated:>10.1f}",
                flush=True,
            )


def by_size(sizes: list[int], folder: str) -> None:
    """Print what runs of growing size cost, and how well the largest is foretold by the others."""
    print(" rms        states      generated  levels   seconds  bytes/gen.  kept/state  worker, MB")
    runs = {}
    for rms in sizes:
        runs[rms] = history_of(rms, folder)
        print(line(rms, runs[rms]), flush=True)
    largest = runs.pop(sizes[-1])
    cost = fitted([row for rows in runs.values() for row in rows])
    print(f"seconds a level = {cost[0]:.2f} + {cost[1] * 1e9:.0f} ns * generated + {cost[2] * 1e9:.0f} ns * seen")
    foretold, took = float((terms(largest) @ cost).sum()), sum(row.seconds for row in largest)
    print(f"{sizes[-1]} resource managers: foretold {foretold:.1f} s, took {took:.1f} s")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("rms", type=int, nargs="*", default=[7, 8, 9], help="resource managers (default: 7 8 9)")
    parser.add_argument("--partitions", type=int, nargs="+", metavar="N", help="instead: one level, in N partitions")
    options = parser.parse_args()
    if options.partitions:
        by_partitions(options.partitions)
        return 0
    with tempfile.TemporaryDirectory() as folder, spark_context("costs", Options(master="local[2]")):
        check(TwoPhase(rms=5), engine="spark", wide=0)
        by_size(sorted(options.rms), folder)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
