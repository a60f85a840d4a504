"""Watching a cluster while its jobs run: Spark itself waits in silence, and for ever, for workers that do not come."""

from __future__ import annotations

import logging
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["Watch", "is_local", "quiet_interrupts"]

_SECONDS_BETWEEN_LOOKS = 1.0
_SECONDS_OF_SILENCE = 10.0


def is_local(master: str) -> bool:
    """Whether the driver's own Java process is the executor."""
    return master.split("[")[0] == "local"


class Watch:
    """A thread that cancels the jobs of a context without executors; ``gave_up`` then says why.

    What it costs is two questions a second to the Java process.
    """

    def __init__(self, context: Any, patience: float) -> None:
        self.context = context
        self.patience = patience
        self.gave_up: str | None = None
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, name="modelcheck-watch", daemon=True)

    def __enter__(self) -> Watch:
        if not is_local(str(self.context.master)):
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        if self._thread.is_alive():
            self._thread.join(timeout=5)

    def _look(self) -> None:
        from py4j.protocol import Py4JError  # type: ignore[import-untyped]

        alone_since: float | None = None
        told = False
        while not self._over.wait(min(_SECONDS_BETWEEN_LOOKS, self.patience / 4)):
            try:
                alone = self._is_waiting_alone()
                now = time.monotonic()
                alone_since = (alone_since or now) if alone else None
                waited = now - alone_since if alone_since else 0.0
                if waited >= min(_SECONDS_OF_SILENCE, self.patience / 2) and not told:
                    told = True
                    print(f"spark: no executors: waiting for workers of {self.context.master}", file=sys.stderr)
                if waited >= self.patience:
                    self.gave_up = f"no executors of {self.context.master} for {self.patience:g} s"
                    self.context.cancelAllJobs()
                    alone_since = None
                told = told and alone
            except (Py4JError, OSError, AttributeError):
                return  # the Java process has died, or the context was stopped: the search hears of it itself

    def _is_waiting_alone(self) -> bool:
        """Whether a job is under way and there is nobody to do it."""
        if not self.context.statusTracker().getActiveJobsIds():
            return False
        # The driver is counted, too.
        return int(self.context._jsc.sc().getExecutorMemoryStatus().size()) <= 1


@contextmanager
def quiet_interrupts() -> Iterator[None]:
    """Keep the traceback to itself that py4j logs when Ctrl-C comes while it waits for Java."""

    def wanted(record: logging.LogRecord) -> bool:
        return not str(record.msg).startswith("KeyboardInterrupt while sending command")

    root, py4j = logging.getLogger(), logging.getLogger("py4j")
    level = py4j.level
    root.addFilter(wanted)
    py4j.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        root.removeFilter(wanted)
        py4j.setLevel(level)
