"""What tasks tell the driver about their part of a level: counts and findings, never states."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from modelcheck.engine.findings import Finding

__all__ = ["Found", "Summary", "earliest", "found_from"]


class Found(NamedTuple):
    """A finding by fingerprints: the path to ``base`` and from there one step to ``last``.

    ``base`` is None for an initial state, ``last`` is None where ``base`` itself is the end of the path.
    """

    kind: str
    name: str
    base: int | None
    last: int | None
    root: int = -1
    problem: str = ""
    where: str = ""


def found_from(name: str, finding: Finding, root: int) -> Found:
    """A finding of the judge, to whom tasks give fingerprints in the place of ids and edges."""
    error = finding.error
    base = finding.parent if finding.parent is not None else None
    problem, where = (error.problem, error.where) if error else ("", "")
    return Found(finding.kind, name, base, finding.edge, root, problem, where)


def earliest(found: list[Found]) -> dict[str, Found]:
    """One finding for each property, the same one however the states were divided among tasks."""
    chosen: dict[str, Found] = {}
    for each in sorted(found, key=_order):
        chosen.setdefault(each.name, each)
    return chosen


def _order(found: Found) -> tuple[bool, int, int]:
    # An error in an action ends one state earlier than an error in a property of the next state.
    return (found.last is not None, found.last or 0, found.base or 0)


@dataclass
class Summary:
    """The counts of one task; those of actions are by root."""

    generated: int = 0
    expanded: int = 0
    distinct: int = 0
    cut: int = 0
    sent: int = 0
    seconds: float = 0.0
    wire_bytes: int = 0
    peak_memory: int = 0
    enabled: list[int] = field(default_factory=list)
    taken: list[int] = field(default_factory=list)
    new: list[int] = field(default_factory=list)
    evaluations: list[int] = field(default_factory=list)
    found: list[Found] = field(default_factory=list)
    values: list[list[int]] = field(default_factory=list)

    def add(self, other: Summary) -> None:
        """Add the counts of another task."""
        for name in ("generated", "expanded", "distinct", "cut", "sent", "seconds", "wire_bytes"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for name in ("enabled", "taken", "new", "evaluations"):
            setattr(self, name, _sum(getattr(self, name), getattr(other, name)))
        self.peak_memory = max(self.peak_memory, other.peak_memory)
        self.found.extend(other.found)
        self.values.extend(other.values)


def _sum(first: list[int], second: list[int]) -> list[int]:
    if not first or not second:
        return first or list(second)
    return [a + b for a, b in zip(first, second, strict=True)]
