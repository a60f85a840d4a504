"""What a search has found, as ids and edges; made into traces only when the search is over."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass

from .. import discover
from ..errors import SpecError
from ..program import Bound, Program
from ..result import Discovery
from ..trace import Step, Trace
from .learner import Learner
from .stores import Parents

__all__ = ["Finding", "Findings"]


@dataclass(frozen=True)
class Finding:
    """A property decided by the state behind ``edge`` from state ``parent`` (-1: the edge is an initial state)."""

    kind: str
    bound: Bound | None
    parent: int
    edge: int
    error: SpecError | None = None


class Findings:
    """The first finding for each property, in the order of discovery."""

    def __init__(self) -> None:
        self.by_name: dict[str, Finding] = {}

    def add(self, name: str, finding: Finding) -> None:
        self.by_name.setdefault(name, finding)

    @property
    def violated(self) -> bool:
        return any(finding.kind != "goal" for finding in self.by_name.values())

    def names(self) -> set[str]:
        return set(self.by_name)

    def discoveries(self, program: Program, learner: Learner, parents: Parents) -> list[Discovery]:
        """The findings with their traces, replayed and explained, shortest first."""
        made = [_replayed(f, program, learner, parents) for f in self.by_name.values()]
        return sorted(made, key=lambda discovery: len(discovery.trace))


def _replayed(finding: Finding, program: Program, learner: Learner, parents: Parents) -> Discovery:
    try:
        return _discovery(finding, program, learner, parents)
    except SpecError as error:  # an impure function that was not unmasked before
        return discover.failure(error, None, program)


def _discovery(finding: Finding, program: Program, learner: Learner, parents: Parents) -> Discovery:
    if finding.kind == "error":
        assert finding.error is not None
        trace = None if finding.edge < 0 else _trace(finding, program, learner, parents)
        return discover.failure(finding.error, trace, program)
    trace = _trace(finding, program, learner, parents)
    if finding.kind == "deadlock":
        return discover.deadlock(program, trace)
    assert finding.bound is not None
    if finding.kind == "goal":
        return discover.reached(finding.bound, trace)
    return discover.violation(program, finding.bound, trace)


def _trace(finding: Finding, program: Program, learner: Learner, parents: Parents) -> Trace:
    start, *edges = [*parents.path(finding.parent), finding.edge]
    params, values = next(itertools.islice(program.initial_rows(), start, None))
    steps = [Step("init", params)]
    rows = [values]
    for edge in edges:
        bound, params = learner.params(edge)
        steps.append(Step(bound.name, params))
        rows.append(_after(edge, rows[-1], learner))
    return discover.replayed(program, steps, map(program.layout.state, rows))


def _after(edge: int, values: Iterable[object], learner: Learner) -> list[object]:
    """The values of all slots after an edge was taken."""
    after = list(values)
    knowledge = learner.knowledge
    first = int(knowledge.write_first.data[edge])
    last = first + int(knowledge.write_count.data[edge])
    slots, written = knowledge.write_slot.items(first, last), knowledge.write_value.items(first, last)
    for slot, value in zip(slots, written, strict=True):
        after[slot] = learner.pools.slots[slot].values[value]
    return after
