"""Survival on a standalone cluster: `python tests/spark/survival.py [rms] [first step]`, a few minutes.

Two-phase commit on a master and two workers, whole; then with a worker killed in the middle of a level; then with a
driver killed and the search resumed. All must give the local engine's counts. Exit code 0 if they do.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from modelcheck import Result, check  # noqa: E402
from modelcheck.result import Progress  # noqa: E402
from specs.classics.two_phase import TwoPhase  # noqa: E402
from tests.comparing import answer_of  # noqa: E402
from tests.spark.standalone import Standalone, standalone  # noqa: E402

WIDE = 2_000


def compare(title: str, result: Result, local: Result, seconds: float) -> None:
    same = answer_of(result) == answer_of(local)
    print(f"{title}: {result.distinct:,} distinct, {result.generated:,} generated, depth {result.depth},"
          f" {seconds:.1f} s: {'as the local engine' if same else 'DIFFERENT'}", flush=True)  # fmt: skip
    if not same:
        sys.exit(1)


def on(cluster: Standalone, spec: TwoPhase, kill_at: int | None = None) -> Result:
    """Search on a cluster, and kill a worker a moment after a level was reached."""
    def watch(progress: Progress) -> None:
        if kill_at is not None and progress.depth == kill_at:
            threading.Timer(0.5, cluster.kill_a_worker).start()

    return check(spec, engine="spark", master=cluster.master, partitions=4, wide=WIDE, progress=watch)


def driver_killed(cluster: Standalone, spec: TwoPhase, folder: Path) -> Result:
    """Start a driver as a process of its own, kill it after its first save, and resume here."""
    saved = f"{folder}/saved"
    command = [
        sys.executable, "-m", "modelcheck", "check", "specs/classics/two_phase.py", "--set", f"rms={spec.rms}",
        "--engine", "spark", "--master", cluster.master, "--partitions", "4", "--wide", str(WIDE),
        "--checkpoint", saved, "--cut-every", "2", "--quiet",
    ]  # fmt: skip
    process = subprocess.Popen(command, cwd=ROOT, start_new_session=True)
    while not list(Path(saved).glob("run-*/level-*/state/_SUCCESS")):
        if process.poll() is not None:
            sys.exit("the driver ended before it saved")
        time.sleep(0.2)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    print("driver killed after a save", flush=True)
    return check(
        spec, engine="spark", master=cluster.master, partitions=4, wide=WIDE, checkpoint=saved, cut_every=2, resume=True
    )


def main() -> None:
    spec = TwoPhase(rms=int(sys.argv[1]) if len(sys.argv) > 1 else 8)
    local = check(spec)
    steps = {
        "two workers": lambda cluster, folder: on(cluster, spec),
        "a worker killed": lambda cluster, folder: on(cluster, spec, kill_at=12),
        "the driver killed": lambda cluster, folder: driver_killed(cluster, spec, folder),
    }
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    for title, step in list(steps.items())[first - 1 :]:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, standalone(Path(folder)) as cluster:
            started = time.monotonic()
            compare(title, step(cluster, Path(folder)), local, time.monotonic() - started)


if __name__ == "__main__":
    main()
