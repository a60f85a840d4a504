"""Survival on a standalone cluster: `python tests/spark/survival.py [two-phase|zookeeper] [first step]`, some minutes.

A master and two workers, each a process of its own on the loopback address. Each search runs whole; then with a worker
killed in the middle of a level; then with its driver killed and resumed by another; then as the second one of a context
whose executors have been replaced. All must give the local engine's counts, and the same shortest counterexample. Exit
code 0 if they do.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from modelcheck import Result, Spec, check  # noqa: E402
from modelcheck.result import Progress  # noqa: E402
from spark.options import Options  # noqa: E402
from spark.session import spark_context  # noqa: E402
from specs.classics.two_phase import TwoPhase  # noqa: E402
from specs.zookeeper.episodes import Episodes  # noqa: E402
from tests.comparing import answer_of  # noqa: E402
from tests.spark.standalone import Standalone, standalone  # noqa: E402

_SPREAD = {"partitions": 4, "wide": 2_000}


@dataclass(frozen=True)
class Search:
    """A spec, where the command line finds it, and the depth at which a worker is killed."""

    spec: Spec
    target: str
    kill_at: int

    def on(self, master: str, **options: Any) -> Result:
        return check(self.spec, engine="spark", master=master, keep_going=True, **_SPREAD, **options)

    def command(self, master: str, folder: str) -> list[str]:
        constants = [part for name, value in self.spec.constants.items() for part in ("--set", f"{name}={value!r}")]
        spread = [part for name, value in _SPREAD.items() for part in (f"--{name}", str(value))]
        return [
            sys.executable, "-m", "modelcheck", "check", self.target, *constants, "--engine", "spark", "--keep-going",
            "--master", master, *spread, "--checkpoint", folder, "--cut-every", "2", "--quiet",
        ]  # fmt: skip


SEARCHES = {
    "two-phase": Search(TwoPhase(rms=8), "specs/classics/two_phase.py", kill_at=12),
    # Violated, and searched to its end all the same: counts of the whole model, and a counterexample.
    "zookeeper": Search(
        Episodes(era="3.4.11", fixes=("exact-trunc",), max_epoch=6, max_txns=3),
        "specs/zookeeper/episodes.py:Episodes",
        kill_at=13,
    ),
}


def whole(search: Search, cluster: Standalone, folder: Path) -> Result:
    return search.on(cluster.master)


def worker_killed(search: Search, cluster: Standalone, folder: Path) -> Result:
    """Kill a worker a moment after a level was reached: the next one is under way then."""
    def watch(progress: Progress) -> None:
        if progress.depth == search.kill_at:
            threading.Timer(0.5, cluster.kill_a_worker).start()

    result = search.on(cluster.master, progress=watch)
    if len(cluster.workers) != 1:
        sys.exit("no worker was killed: the search was over too soon")
    return result


def driver_killed(search: Search, cluster: Standalone, folder: Path) -> Result:
    """Start a driver as a process of its own, kill it after its first save, and resume here."""
    saved = f"{folder}/saved"
    process = subprocess.Popen(search.command(cluster.master, saved), cwd=ROOT, start_new_session=True)
    while not list(Path(saved).glob("run-*/level-*/state/_SUCCESS")):
        if process.poll() is not None:
            sys.exit("the driver ended before it saved")
        time.sleep(0.2)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    print("driver killed after a save", flush=True)
    return search.on(cluster.master, checkpoint=saved, cut_every=2, resume=True)


def executors_replaced(search: Search, cluster: Standalone, folder: Path) -> Result:
    """Search in a context that has searched before, with executors that have died since."""
    with spark_context("survival", Options(master=cluster.master)):
        search.on(cluster.master, max_depth=search.kill_at)
        if cluster.kill_executors() != 2:
            sys.exit("there are not two executors to kill")
        return search.on(cluster.master)


STEPS: dict[str, Callable[[Search, Standalone, Path], Result]] = {
    "two workers": whole,
    "a worker killed": worker_killed,
    "the driver killed": driver_killed,
    "executors replaced": executors_replaced,
}


def counterexample(result: Result) -> tuple[str, ...]:
    """The steps of the shortest one, if there is any."""
    found = [each for each in result.discoveries if each.kind != "goal"]
    return tuple(step.label for step in found[0].trace.steps) if found else ()


def main() -> None:
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"  # the driver, too, speaks to nobody but this machine
    names = [name for name in SEARCHES if name in sys.argv[1:]] or list(SEARCHES)
    first = next((int(word) for word in sys.argv[1:] if word.isdigit()), 1)
    for name in names:
        search = SEARCHES[name]
        local = check(search.spec, keep_going=True)
        traces = set()
        for title, step in list(STEPS.items())[first - 1 :]:
            with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, standalone(Path(folder)) as cluster:
                started = time.monotonic()
                result = step(search, cluster, Path(folder))
                seconds = time.monotonic() - started
            same = answer_of(result) == answer_of(local)
            traces.add(counterexample(result))
            counts = f"{result.distinct:,} distinct, {result.generated:,} generated, depth {result.depth}"
            verdict = "as the local engine" if same else "DIFFERENT"
            print(f"{name}, {title}: {counts}, {seconds:.1f} s: {verdict}", flush=True)
            if not same:
                sys.exit(f"{result.verdict.name}: {result.stopped}")
        if len(traces) > 1:
            sys.exit(f"{name}: {len(traces)} different counterexamples")
        states = len(min(traces))
        print(f"{name}: {f'one counterexample, of {states} states' if states else 'no counterexample'} in all of them")


if __name__ == "__main__":
    main()
