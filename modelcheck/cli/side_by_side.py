"""Work on several tasks at once, each in a process of its own: one that is killed does not take the others along.

The first Ctrl-C asks those that are under way for what they have, and starts no others; the second ends them.
Processes do not hear the terminal's Ctrl-C themselves, or half of them would be interrupted twice.
"""

from __future__ import annotations

import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing import connection, get_context
from typing import Any, Generic, TypeVar

from ..result import Progress, ProgressReport

__all__ = ["Ended", "SideBySide"]

T = TypeVar("T")
R = TypeVar("R")

_LOOK_EVERY = 0.2  # seconds
_SPAWN = get_context("spawn")  # with fork, what this process has started would be there half alive


@dataclass(frozen=True)
class Ended:
    """In the place of an answer: the process ended without one."""

    exit_code: int

    def __str__(self) -> str:
        how = f"was killed by signal {-self.exit_code}" if self.exit_code < 0 else f"ended with code {self.exit_code}"
        return (
            f"its process {how} before there was a result. Usual cause: memory ran out."
            " Run fewer models at once (--jobs), or stop in time with --max-states"
        )


@dataclass
class _Child:
    position: int
    process: Any
    progress: Progress | None = None


@dataclass
class SideBySide(Generic[T, R]):
    """``work(task, progress)`` for each task, at most ``jobs`` of them at a time."""

    work: Callable[[T, ProgressReport], R]
    tasks: Sequence[T]
    jobs: int
    stopping: bool = False
    _running: dict[connection.Connection, _Child] = field(default_factory=dict)
    _done: dict[int, R | Ended] = field(default_factory=dict)

    def answers(self, look: Callable[[dict[int, Progress]], None]) -> Iterator[tuple[T, R | Ended]]:
        """The answers in the order of the tasks, each as soon as it is there; ``look`` is shown how far others are."""
        waiting, given = deque(range(len(self.tasks))), 0
        with self._told_of_interrupts():
            try:
                while self._running or (waiting and not self.stopping):
                    while waiting and len(self._running) < self.jobs and not self.stopping:
                        self._start(waiting.popleft())
                    self._listen()
                    while given in self._done:
                        yield self.tasks[given], self._done[given]
                        given += 1
                    look({c.position: c.progress for c in self._running.values() if c.progress})
                for position in sorted(self._done):
                    if position >= given:  # one before it was interrupted before it had anything
                        yield self.tasks[position], self._done[position]
            finally:
                for child in self._running.values():
                    child.process.kill()

    @contextmanager
    def _told_of_interrupts(self) -> Iterator[None]:
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = signal.signal(signal.SIGINT, self._interrupted)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    def _interrupted(self, *_: object) -> None:
        if self.stopping:
            raise KeyboardInterrupt
        self.stopping = True
        for child in self._running.values():
            child.process.terminate()

    def _start(self, position: int) -> None:
        here, there = _SPAWN.Pipe(duplex=False)
        process = _SPAWN.Process(target=_run, args=(there, self.work, self.tasks[position]), daemon=True)
        with _deaf_to_interrupts():
            process.start()
            self._running[here] = _Child(position, process)
        there.close()

    def _listen(self) -> None:
        for ready in connection.wait(list(self._running), _LOOK_EVERY):
            assert isinstance(ready, connection.Connection)
            child = self._running[ready]
            try:
                message = ready.recv()
            except EOFError:
                child.process.join()
                if not self.stopping:
                    self._done[child.position] = Ended(child.process.exitcode)
                del self._running[ready]
                continue
            if isinstance(message, Progress):
                child.progress = message
            else:
                self._done[child.position] = message
                child.process.join()
                del self._running[ready]


@contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """A process that is started here inherits that it does not hear SIGINT."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _run(there: connection.Connection, work: Callable[[T, ProgressReport], R], task: T) -> None:
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    last = 0.0

    def report(progress: Progress) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last > _LOOK_EVERY:
            last = now
            there.send(progress)

    with suppress(KeyboardInterrupt):  # asked to end before there was anything to tell
        there.send(work(task, report))
