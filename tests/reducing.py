"""Making a failing spec smaller: lines are taken out as long as it still fails."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from tests.strategies import HEADER, Case

__all__ = ["reduced"]


def reduced(case: Case, fails: Callable[[Case], bool]) -> Case:
    """A smaller case that still fails: large parts of the text are tried first, single lines last."""
    lines = case.source.removeprefix(HEADER).splitlines()
    before: list[str] = []
    while lines != before:
        before = lines
        for size in (24, 12, 6, 5, 4, 3, 2, 1):
            lines = _without(lines, size, lambda fewer: fails(_with(case, fewer)))
    return _plainer(_with(case, lines), fails)


def _without(lines: list[str], size: int, fails: Callable[[list[str]], bool]) -> list[str]:
    """The lines without those parts of one size that can go."""
    at = 0
    while at < len(lines):
        fewer = lines[:at] + lines[at + size :]
        if fewer and fails(fewer):
            lines = fewer
        else:
            at += 1
    return lines


def _with(case: Case, lines: list[str]) -> Case:
    return replace(case, source=HEADER + "\n".join(lines) + "\n")


def _plainer(case: Case, fails: Callable[[Case], bool]) -> Case:
    """The case with the usual options, as far as it fails with them too."""
    for simple in ({"max_depth": None}, {"keep_going": False}, {"deadlock": True}):
        other = replace(case, **simple)  # type: ignore[arg-type]
        if fails(other):
            case = other
    return case
