"""The largest model of the ZooKeeper study's default table: states a second, and against the plain oracle.

Both run the same model in one run. The oracle is stopped after a number of states: the whole model would take it an
hour, and its rate only falls as states grow, so the ratio printed is on the low side.
"""

from __future__ import annotations

import argparse

from modelcheck import Result, check
from specs.zookeeper.episodes import Episodes

REQUIRED = 10.0


def largest() -> Episodes:
    return Episodes(era="3.4.9", fixes=("cut-on-snap",), max_epoch=5, max_txns=2)


def rate(result: Result) -> float:
    return result.distinct / result.seconds


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--oracle-states", type=int, default=20_000, help="where the oracle stops (default 20,000)")
    given = parser.parse_args()
    local = check(largest())
    oracle = check(largest(), engine="oracle", max_states=given.oracle_states)
    for result in (local, oracle):
        counts = f"{result.distinct:>9,} states  {result.seconds:6.1f} s  {rate(result):>9,.0f} states/s"
        print(f"{result.engine:>7}  {counts}")
    evaluations = sum(action.evaluations for action in local.coverage.actions)
    print(f"         {evaluations:,} evaluations of Python for {local.generated:,} generated states")
    ratio = rate(local) / rate(oracle)
    print(f"  ratio  {ratio:.1f} (required {REQUIRED:g}){'' if ratio >= REQUIRED else '  MISSED'}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
