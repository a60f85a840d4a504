"""A deep, narrow model on Spark: does the time of a level grow with the number of levels before it?

Every level is made a job on the cluster (`wide=0`), which is the worst case: by default such levels stay on the driver.
The median time of the last hundred levels is compared with that of the second hundred (the first one warms up).
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from pathlib import Path
from typing import Self

from modelcheck import Spec, action, check, const, require, terminal, var
from spark.history import Row, read_history
from spark.options import Options
from spark.session import spark_context


class Corridor(Spec):
    """Walkers go down a corridor of some lanes: about as many levels as it is long, about as wide as it has lanes."""

    length = const(400)
    lanes = const(50)
    place = var(0)
    lane = var(0)

    @action
    def forward(self, s: Self, n: Self) -> None:
        require(s.place < self.length, "the corridor goes on")
        n.place = s.place + 1

    @action
    def change(self, s: Self, n: Self) -> None:
        n.lane = (s.lane + 1) % self.lanes

    @terminal
    def at_the_end(self, s: Self) -> bool:
        return s.place == self.length


def median(rows: list[Row]) -> float:
    return statistics.median(row.seconds for row in rows)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--levels", type=int, default=400, help="length of the corridor (default 400)")
    given = parser.parse_args()
    spec = Corridor(length=given.levels)
    local = check(spec)
    with tempfile.TemporaryDirectory() as folder:
        with spark_context("deep", Options(master="local[2]")):
            for wide in (None, 0):
                history = str(Path(folder) / f"levels-{wide}.parquet")
                started = time.monotonic()
                result = check(spec, engine="spark", wide=wide, history=history)
                seconds = time.monotonic() - started
                rows = read_history(history)
                same = (result.distinct, result.generated, result.depth) == (
                    local.distinct, local.generated, local.depth
                )  # fmt: skip
                print(f"{'every level a job' if wide == 0 else 'by default':>18}  {seconds:6.1f} s, {len(rows)} levels,"
                      f" {result.distinct:,} states: {'as the local engine' if same else 'DIFFERENT'}")  # fmt: skip
        early, late = median(rows[100:200]), median(rows[-100:])
        exchanged = sum(row.exchanged for row in rows) / sum(row.generated for row in rows)
        print(f"median second a level: {early:.3f} in levels 101 to 200, {late:.3f} in the last 100:"
              f" {late / early:.2f} times; {exchanged:.0f} bytes exchanged for each generated state")  # fmt: skip
    return 0 if same else 1


if __name__ == "__main__":
    raise SystemExit(main())
