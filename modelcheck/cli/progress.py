"""Progress of a search on standard error: one line rewritten on a terminal, else plain lines."""

from __future__ import annotations

import sys
import time
from typing import Self, TextIO

from ..result import Progress

__all__ = ["ProgressLine", "describe"]

_TERMINAL_PAUSE = 0.1
_PLAIN_PAUSE = 5.0


class ProgressLine:
    """Call it with each `Progress`; leave the `with` block to wipe the line.

    Nothing is written in the first moments, so that small specs show their result and nothing else.
    """

    def __init__(self, *, quiet: bool = False, stream: TextIO | None = None) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._quiet = quiet
        self._terminal = self._stream.isatty()
        self._pause = _TERMINAL_PAUSE if self._terminal else _PLAIN_PAUSE
        self._last_time = time.monotonic()
        self._last = Progress(0, 0, 0, 0, 0.0)
        self._written = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.clear()

    def __call__(self, progress: Progress) -> None:
        if not self._due():
            return
        rate = (progress.distinct - self._last.distinct) / max(time.monotonic() - self._last_time, 1e-9)
        self._last = progress
        self._show(describe(progress, max(rate, 0.0)))

    def show(self, text: str) -> None:
        """A line of another text, if there is one and it is time."""
        if text and self._due():
            self._show(text)

    def _due(self) -> bool:
        return not self._quiet and time.monotonic() - self._last_time >= self._pause

    def _show(self, text: str) -> None:
        self._last_time = time.monotonic()
        if self._terminal:
            self._stream.write(f"\r{text:<{self._written}}")
            self._written = len(text)
        else:
            self._stream.write(f"{text}\n")
        self._stream.flush()

    def clear(self) -> None:
        """Wipe the line of a terminal, so that what follows starts on a clean one."""
        if self._written:
            self._stream.write(f"\r{'':<{self._written}}\r")
            self._stream.flush()
            self._written = 0


def describe(progress: Progress, rate: float) -> str:
    """One line.

    >>> describe(Progress(4, 1200, 5400, 300, 2.0, 52_428_800), 600.0)
    'depth 4 | 1,200 distinct | 5,400 generated | queue 300 | 600 states/s | 50 MB'
    """
    memory = progress.memory or _peak_memory()
    return (
        f"depth {progress.depth} | {progress.distinct:,} distinct"
        f" | {progress.generated:,} generated | queue {progress.queue:,}"
        f" | {rate:,.0f} states/s | {memory / 2**20:,.0f} MB"
    )


def _peak_memory() -> int:
    """Bytes, where the engine does not count its own."""
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
