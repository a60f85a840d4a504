"""A real standalone cluster of separate processes on the loopback address: a master and its workers."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pyspark

from spark.java import require_java

__all__ = ["Standalone", "standalone"]

_SPARK = Path(pyspark.__file__).parent


@dataclass
class Standalone:
    """The processes; each worker is the leader of a process group that its executors belong to."""

    master: str
    folder: Path
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def kill_a_worker(self) -> None:
        """What a machine that loses its power looks like to the others."""
        os.killpg(self.workers.pop().pid, signal.SIGKILL)

    def kill_executors(self) -> int:
        """Kill the processes that do the work; the workers start others. How many there were."""
        killed = 0
        for worker in self.workers:
            command = ["pgrep", "--pgroup", str(worker.pid), "--full", "CoarseGrainedExecutorBackend"]
            for pid in subprocess.run(command, capture_output=True, text=True).stdout.split():
                os.kill(int(pid), signal.SIGKILL)
                killed += 1
        return killed


@contextmanager
def standalone(folder: Path, n_workers: int = 2) -> Iterator[Standalone]:
    """Start a cluster; all its processes are gone at the end."""
    require_java()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    cluster = Standalone(f"spark://127.0.0.1:{port}", folder)
    common = ["--host", "127.0.0.1", "--webui-port", "0"]
    master = _start("master.Master", [*common, "--port", str(port)], folder / "master.log")
    try:
        _wait_for(port)
        for number in range(n_workers):
            place = folder / f"worker-{number}"
            options = [*common, "--cores", "1", "--memory", "1g", "--work-dir", str(place), cluster.master]
            cluster.workers.append(_start("worker.Worker", options, folder / f"worker-{number}.log"))
        yield cluster
    finally:
        for process in (*cluster.workers, master):
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _start(name: str, options: list[str], log: Path) -> subprocess.Popen[bytes]:
    command = [str(_SPARK / "bin" / "spark-class"), f"org.apache.spark.deploy.{name}", *options]
    environment = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
    with log.open("wb") as output:
        return subprocess.Popen(
            command, stdout=output, stderr=output, env=environment, start_new_session=True
        )


def _wait_for(port: int, seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.2)
    raise TimeoutError("the master did not start")
