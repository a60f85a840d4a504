"""What a check answers: verdict, counts, discoveries, coverage."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from .errors import call_label
from .trace import Trace
from .verdict import Verdict

__all__ = ["ActionCoverage", "Coverage", "Discovery", "Progress", "ProgressReport", "Result"]


@dataclass(frozen=True)
class Discovery:
    """A property with the behaviour that decides it: a counterexample, a deadlock, or the way to a goal."""

    kind: str
    property: str
    params: Mapping[str, object]
    trace: Trace
    explanation: str = ""

    # ``property`` is a field of this class: the decorator of that name is out of reach below it.
    @builtins.property
    def label(self) -> str:
        return call_label(self.property, self.params)


@dataclass(frozen=True)
class ActionCoverage:
    """How often an action was enabled (per binding), its successors, new states, and what learning it cost."""

    name: str
    enabled: int
    taken: int
    new: int
    evaluations: int = 0
    lookups: int = 0


@dataclass(frozen=True)
class Coverage:
    """What the search exercised."""

    actions: tuple[ActionCoverage, ...] = ()
    values: Mapping[str, int] = field(default_factory=dict)

    @property
    def never_enabled(self) -> tuple[str, ...]:
        return tuple(action.name for action in self.actions if not action.enabled)


@dataclass(frozen=True)
class Progress:
    """A glimpse of a running search."""

    depth: int
    distinct: int
    generated: int
    queue: int
    seconds: float
    memory: int = 0


ProgressReport = Callable[[Progress], None]


@dataclass(frozen=True)
class Result:
    """The answer of a search.

    Counts follow TLC: an initial state is generated and has depth 1; a state outside a constraint is generated and
    checked, but neither distinct nor expanded. A search that finds a violation finishes the level it is in, so counts
    do not depend on the engine or on the number of workers.
    """

    spec: str
    constants: Mapping[str, object]
    engine: str
    verdict: Verdict
    distinct: int
    generated: int
    depth: int
    complete_depth: int
    queue: int
    seconds: float
    stopped: str | None = None
    discoveries: tuple[Discovery, ...] = ()
    goals: Mapping[str, int | None] = field(default_factory=dict)
    coverage: Coverage = field(default_factory=Coverage)
    warnings: tuple[str, ...] = ()

    @property
    def collision(self) -> float:
        """The calculated chance that two distinct states had one 64-bit fingerprint (TLC's optimistic formula)."""
        if self.engine in ("oracle", "simulation"):
            return 0.0
        return self.distinct * max(self.generated - self.distinct, 0) / 2.0**64

    @property
    def violations(self) -> tuple[Discovery, ...]:
        """The discoveries that make a run fail, shortest first."""
        return tuple(d for d in self.discoveries if d.kind != "goal")

    def trace(self, property: str | None = None) -> Trace:
        """The trace of a property (its name or label), or of the first violation."""
        for discovery in self.discoveries if property else self.violations:
            if property in (None, discovery.property, discovery.label):
                return discovery.trace
        raise LookupError(f"nothing was discovered for {property}" if property else "nothing was violated")

    def assert_ok(self) -> Result:
        """Itself if everything holds, AssertionError with the first violation otherwise."""
        if self.verdict is not Verdict.HOLDS:
            first = f": {self.violations[0].label}" if self.violations else ""
            steps = "".join(f"\n  {step.label}" for step in self.violations[0].trace.steps) if self.violations else ""
            raise AssertionError(f"{self.spec}: {self.verdict.sentence}{first}{steps}")
        return self


def verdict_for(violations: list[Discovery], stopped: str | None, unmet: list[str]) -> Verdict:
    """The verdict of a search from what it found. The shortest violation decides.

    An error stops a search in the middle of a level, and which violations of that level came before it depends on the
    engine. So it decides whatever else was found.
    """
    if any(violation.kind == "error" for violation in violations):
        return Verdict.ERROR
    if violations:
        shortest = min(violations, key=lambda d: len(d.trace))
        return Verdict.DEADLOCK if shortest.kind == "deadlock" else Verdict.VIOLATED
    if stopped:
        return Verdict.INCOMPLETE
    return Verdict.UNREACHED if unmet else Verdict.HOLDS
