"""A cluster without workers, from the start or all of a sudden: the search ends with what it knows.

Each search is a process of its own, because this one has a context already.
"""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import time
from contextlib import nullcontext
from pathlib import Path

import pytest

from spark.watch import quiet_interrupts

from .standalone import standalone

SEARCH = """
import sys
from pathlib import Path
from modelcheck import check
from specs.classics.two_phase import TwoPhase

def watch(progress):
    if progress.depth == 5:
        Path(sys.argv[2]).touch()

spec = TwoPhase(rms=4)
result = check(spec, engine="spark", master=sys.argv[1], partitions=2, wide=20, patience=8, progress=watch)
print("answer:", result.verdict.name, result.distinct, result.stopped)
"""


def start(master: str, mark: Path) -> subprocess.Popen[str]:
    environment = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1"}
    command = [sys.executable, "-c", SEARCH, master, str(mark)]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def is_told(process: subprocess.Popen[str], master: str) -> int:
    """The number of states that are known although the cluster is lost."""
    try:
        out, err = process.communicate(timeout=120)
    finally:
        process.kill()
    answer = next((line for line in out.splitlines() if line.startswith("answer:")), err)
    assert f"no executors of {master} for 8 s; a search with --checkpoint can go on" in answer, err
    assert f"spark: no executors: waiting for workers of {master}\n" in err
    assert answer.split()[1] == "INCOMPLETE"
    return int(answer.split()[2])


def test_the_traceback_of_an_interrupt_is_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    for quiet in (quiet_interrupts(), nullcontext()):
        with quiet:
            logging.exception("KeyboardInterrupt while sending command.")  # as py4j does
            logging.error("something else")
    assert [record.levelname for record in caplog.records if "Keyboard" not in record.message] == ["ERROR"] * 2
    assert sum("Keyboard" in record.message for record in caplog.records) == 1


@pytest.mark.slow
def test_a_master_without_workers_does_not_hang_the_driver(tmp_path: Path) -> None:
    with standalone(tmp_path, n_workers=0) as cluster:
        assert is_told(start(cluster.master, tmp_path / "mark"), cluster.master) >= 20


@pytest.mark.slow
def test_a_search_whose_workers_all_die_ends_with_what_it_knows(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    with standalone(tmp_path, n_workers=1) as cluster:
        process = start(cluster.master, mark)
        end = time.monotonic() + 100
        while not mark.exists() and process.poll() is None and time.monotonic() < end:
            time.sleep(0.1)
        cluster.kill_a_worker()
        assert is_told(process, cluster.master) > 20
