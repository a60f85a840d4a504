"""The Spark engine on `local[2]` against the local engine, on the same model in one run; with TLC_JAR also against TLC.

Spark's own start-up is left out: a first small search on the cluster has started the Java and the Python processes.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
import time
from pathlib import Path

from compare import TLC_JAR, Tlc, two_phase

from modelcheck import Result, check
from spark.history import read_history, render_history
from spark.options import Options
from spark.session import spark_context
from specs.classics.two_phase import TwoPhase

MOST_TIMES_LOCAL = 4.0
LEAST_TIMES_TLC = 2.0


def timed(spec: TwoPhase, **options: object) -> tuple[float, Result]:
    started = time.monotonic()
    result = check(spec, **options)  # type: ignore[arg-type]
    return time.monotonic() - started, result


def counts(result: Result) -> str:
    return f"{result.distinct:,} distinct, {result.generated:,} generated, depth {result.depth}"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--rms", type=int, default=9, help="resource managers of two-phase commit (default 9)")
    given = parser.parse_args()
    spec = TwoPhase(rms=given.rms)
    check(TwoPhase(rms=6))  # compiles the kernels
    with tempfile.TemporaryDirectory() as folder:
        history = Path(folder) / "levels.parquet"
        with spark_context("benchmark", Options(master="local[2]")):
            timed(TwoPhase(rms=5), engine="spark", wide=0)
            seconds, result = timed(spec, engine="spark", history=str(history))
        print(render_history(read_history(str(history))))
    local_seconds, local = timed(spec)
    print(f"{'local':>18}  {local_seconds:7.1f} s  {counts(local)}")
    print(f"{'spark, local[2]':>18}  {seconds:7.1f} s  {counts(result)}")
    if counts(local) != counts(result):
        print("counts differ")
        return 1
    times = seconds / local_seconds
    print(f"{times:.2f} times the local engine's time (at most {MOST_TIMES_LOCAL:g})"
          f"{'' if times <= MOST_TIMES_LOCAL else '  MISSED'}")  # fmt: skip
    jar, java = os.environ.get(TLC_JAR), shutil.which("java")
    if jar and java:
        with tempfile.TemporaryDirectory() as scratch:
            outcome = Tlc(java, Path(jar).resolve(), Path(scratch), workers=2).run(two_phase(given.rms))
        print(f"{'TLC, 2 workers':>18}  {outcome.seconds:7.1f} s  {outcome.counts}")
        ratio = outcome.seconds / seconds
        print(f"{ratio:.2f} times as fast as TLC (at least {LEAST_TIMES_TLC:g})"
              f"{'' if ratio >= LEAST_TIMES_TLC else '  MISSED'}")  # fmt: skip
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
