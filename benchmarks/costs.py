"""What a search on Spark costs, from runs of growing size on `local[2]`: seconds, bytes exchanged, memory.

The seconds of a level on the cluster are taken to be a + b * generated + c * seen. The three are fitted on all runs but
the largest, and the largest is then foretold from its counts and compared with what it took.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from modelcheck import check
from spark.history import Row, read_history
from spark.options import Options
from spark.recipe import recipe_for
from spark.session import spark_context
from specs.classics.two_phase import TwoPhase


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


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("rms", type=int, nargs="*", default=[7, 8, 9], help="resource managers (default: 7 8 9)")
    sizes = sorted(parser.parse_args().rms)
    recipe = recipe_for(TwoPhase(rms=5).program, deadlock=True)
    runs = {}
    with tempfile.TemporaryDirectory() as folder, spark_context("costs", Options(master="local[2]"), recipe):
        check(TwoPhase(rms=5), engine="spark", wide=0)
        print(" rms        states      generated  levels   seconds  bytes/gen.  kept/state  worker, MB")
        for rms in sizes:
            runs[rms] = history_of(rms, folder)
            print(line(rms, runs[rms]), flush=True)
    largest = runs.pop(sizes[-1])
    cost = fitted([row for rows in runs.values() for row in rows])
    print(f"seconds a level = {cost[0]:.2f} + {cost[1] * 1e9:.0f} ns * generated + {cost[2] * 1e9:.0f} ns * seen")
    foretold, took = float((terms(largest) @ cost).sum()), sum(row.seconds for row in largest)
    print(f"{sizes[-1]} resource managers: foretold {foretold:.1f} s, took {took:.1f} s")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
