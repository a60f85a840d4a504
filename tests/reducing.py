"""Making a failing spec smaller: lines are taken out as long as it still fails."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from tests.strategies import HEADER, Case

__all__ = ["reduced"]


def reduced(case: Case, fails: Callable[[Case], bool]) -> Case:
    """A smaller case that still fails: first halves of the text are tried, then quarters, down to single lines."""
    lines = case.source.removeprefix(HEADER).splitlines()
    size = len(lines) // 2
    while size:
        at = 0
        while at < len(lines):
            fewer = lines[:at] + lines[at + size :]
            if fewer and fails(_with(case, fewer)):
                lines = fewer
            else:
                at += size
        size //= 2
    return _plainer(_with(case, lines), fails)


def _with(case: Case, lines: list[str]) -> Case:
    return replace(case, source=HEADER + "\n".join(lines) + "\n")


def _plainer(case: Case, fails: Callable[[Case], bool]) -> Case:
    """The case with the usual options, as far as it fails with them too."""
    for simple in ({"max_depth": None}, {"keep_going": False}, {"deadlock": True}):
        other = replace(case, **simple)  # type: ignore[arg-type]
        if fails(other):
            case = other
    return case
