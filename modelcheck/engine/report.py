"""What a search tells of itself: coverage per action and slot, warnings, memory."""

from __future__ import annotations

import resource
import sys

from ..result import ActionCoverage, Coverage
from .columns import Column
from .learner import Learner

__all__ = ["coverage", "memory_in_use", "warnings"]


def coverage(learner: Learner, expanded: int, enabled: Column, taken: Column, new: Column) -> Coverage:
    """How often each action was enabled and taken, and how many values each slot has had."""
    counts = {name: [0] * 5 for name in learner.program.action_names}  # also those with an empty domain
    for k, root in enumerate(learner.roots):
        if root.kind == "action":
            row = counts[root.bound.name]
            parts = (enabled.data[k], taken.data[k], new.data[k], learner.evaluations[k], expanded)
            for position, part in enumerate(parts):
                row[position] += int(part)
    values = {pool.name: len(pool.values) for pool in learner.pools.slots}
    return Coverage(tuple(ActionCoverage(name, *row) for name, row in counts.items()), values)


def warnings(covered: Coverage, complete: bool) -> tuple[str, ...]:
    """What a complete search without a violation should make its reader suspicious of."""
    if not complete:
        return ()
    found = []
    constant = [name for name, values in covered.values.items() if values == 1]
    if constant:
        shown = ", ".join(constant[:6]) + (", ..." if len(constant) > 6 else "")
        found.append(f"never changed in any reachable state: {shown}")
    return tuple(found)


def memory_in_use() -> int:
    """The most memory that this process has had, in bytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
