"""The oracle: breadth-first search over whole Pyrsistent states with exact equality.

Slow and obvious on purpose: no interning, no learning, no fingerprints. Every other engine must agree with it.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from . import discover
from .errors import SpecError
from .layout import State
from .limits import Limits
from .plain import StateSource, initial_states, moves
from .program import Bound, Program
from .result import ActionCoverage, Coverage, Discovery, Progress, ProgressReport, Result, verdict_for
from .trace import Step, Trace

__all__ = ["Oracle"]


@dataclass
class _Count:
    enabled: int = 0
    taken: int = 0
    new: int = 0


@dataclass
class Oracle:
    """One search. ``run()`` gives the Result."""

    program: Program
    limits: Limits = field(default_factory=Limits)
    deadlock: bool = True
    keep_going: bool = False
    progress: ProgressReport | None = None

    def run(self) -> Result:
        self.started = time.monotonic()
        self.parents: dict[State, tuple[State | None, Step]] = {}
        self.outside: set[State] = set()
        self.found: dict[str, Discovery] = {}
        self.decided: set[str] = set()
        self.goals: dict[str, int | None] = {goal.label: None for goal in self.program.goals}
        self.counts = {name: _Count() for name in self.program.action_names}
        self.generated, self.depth, self.complete_depth = 0, 0, 0
        self.stopped: str | None = None
        self.frontier: list[State] = []
        try:
            self._search()
        except SpecError as error:
            self._record("error", discover.failure(error, None, self.program))
        except KeyboardInterrupt:
            self.stopped = "interrupted (Ctrl-C)"
        return self._result()

    def _search(self) -> None:
        for step, state in initial_states(self.program):
            self.generated += 1
            with self._blaming(None, step, state):
                self._arrive(None, step, state, self.frontier)
        self.complete_depth = self.depth = 1 if self.frontier else 0
        if not self.frontier and not self._violations():
            raise discover.no_initial_state(self.program)
        self._settle()
        while self.frontier and not self._finished():
            self.stopped = self.limits.too_deep(self.complete_depth)
            if self.stopped:
                return
            following: list[State] = []
            for state in self.frontier:
                self._expand(state, following)
                self.stopped = self.limits.reached(len(self.parents), time.monotonic() - self.started)
                if self.stopped:
                    self.depth += bool(following)
                    return
            self.frontier = following
            self.depth += bool(following)
            self.complete_depth = self.depth
            self._settle()
            self._report()

    def _settle(self) -> None:
        # NOTE(decided-by-level): what is decided is asked no more, but only from the next level on. Engines that
        # stopped asking at other moments would disagree on a property that fails once and raises an error later.
        self.decided = set(self.found)

    def _finished(self) -> bool:
        return bool(self._violations()) and not self.keep_going

    def _violations(self) -> list[Discovery]:
        return [discovery for discovery in self.found.values() if discovery.kind != "goal"]

    def _expand(self, state: State, following: list[State]) -> None:
        stuck = True
        enabled: set[int] = set()
        try:
            for bound, step, successor in moves(self.program, state):
                stuck = False
                count = self.counts[bound.name]
                count.enabled += id(bound) not in enabled
                enabled.add(id(bound))
                count.taken += 1
                self.generated += 1
                with self._blaming(state, step, successor):
                    count.new += self._take(state, step, successor, following)
            if stuck and self.deadlock and not self._may_stop(state):
                self._record("deadlock", lambda: discover.deadlock(self.program, self._trace(state)))
        except SpecError as error:
            raise self._with_trace(error, state) from None

    def _take(self, state: State, step: Step, successor: State, following: list[State]) -> bool:
        sources = StateSource(self.program, state), StateSource(self.program, successor)
        for bound in self.program.step_invariants:
            if bound.name not in self.decided and not self.program.holds(bound, *sources):
                self._violated(bound, state, step, successor)
        if all(self._answers(self.program.step_constraints, *sources)):
            return self._arrive(state, step, successor, following)
        if successor not in self.outside:
            self.outside.add(successor)
            self._inside(successor)
            self._check(state, step, successor)
        return False

    def _arrive(self, parent: State | None, step: Step, state: State, following: list[State]) -> bool:
        """Deal with a state that was generated; whether it is new and inside the constraints."""
        if state in self.parents:
            return False
        if self._inside(state):
            self.parents[state] = (parent, step)
            following.append(state)
            self._check(parent, step, state)
            return True
        if state not in self.outside:
            self.outside.add(state)
            self._check(parent, step, state)
        return False

    def _inside(self, state: State) -> bool:
        return all(self._answers(self.program.constraints, StateSource(self.program, state)))

    def _answers(self, bounds: list[Bound], *sources: StateSource) -> list[bool]:
        # All of them, even where the first decides: one that raises an error must do so in every engine.
        return [self.program.holds(bound, *sources) for bound in bounds]

    def _check(self, parent: State | None, step: Step, state: State) -> None:
        source = StateSource(self.program, state)
        for bound in self.program.invariants:
            if bound.name not in self.decided and not self.program.holds(bound, source):
                self._violated(bound, parent, step, state)
        for bound in self.program.goals:
            undecided = "goal " + bound.label not in self.decided
            if undecided and self.program.holds(bound, source) and self.goals[bound.label] is None:
                trace = self._extended(parent, step, state)
                self.goals[bound.label] = len(trace)
                self._record("goal " + bound.label, discover.reached(bound, trace))

    def _may_stop(self, state: State) -> bool:
        return any(self._answers(self.program.terminals, StateSource(self.program, state)))

    def _violated(self, bound: Bound, parent: State | None, step: Step, state: State) -> None:
        self._record(bound.name, lambda: discover.violation(self.program, bound, self._extended(parent, step, state)))

    def _record(self, name: str, discovery: object) -> None:
        if name not in self.found:
            self.found[name] = discovery() if callable(discovery) else discovery  # type: ignore[assignment]

    def _trace(self, state: State) -> Trace:
        path: list[tuple[Step, State]] = []
        cursor: State | None = state
        while cursor is not None:
            parent, step = self.parents[cursor]
            path.append((step, cursor))
            cursor = parent
        path.reverse()
        return discover.replayed(self.program, [step for step, _ in path], [state for _, state in path])

    def _extended(self, parent: State | None, step: Step, state: State) -> Trace:
        if parent is None:
            return discover.replayed(self.program, [step], [state])
        return self._trace(parent).then(step, state)

    @contextmanager
    def _blaming(self, parent: State | None, step: Step, state: State) -> Iterator[None]:
        """An error of a property is reported with the way to the state that it was asked of."""
        try:
            yield
        except SpecError as error:
            self._record("error", discover.failure(error, self._extended(parent, step, state), self.program))
            raise

    def _with_trace(self, error: SpecError, state: State) -> SpecError:
        self._record("error", discover.failure(error, self._trace(state), self.program))
        return error

    def _report(self) -> None:
        if self.progress:
            seconds = time.monotonic() - self.started
            self.progress(Progress(self.depth, len(self.parents), self.generated, len(self.frontier), seconds))

    def _result(self) -> Result:
        violations = self._violations()
        unmet = [name for name, depth in self.goals.items() if depth is None]
        coverage = tuple(ActionCoverage(n, c.enabled, c.taken, c.new) for n, c in self.counts.items())
        return Result(
            spec=type(self.program.spec).__name__,
            constants=self.program.spec.constants,
            engine="oracle",
            verdict=verdict_for(violations, self.stopped, unmet),
            distinct=len(self.parents),
            generated=self.generated,
            depth=self.depth,
            complete_depth=self.complete_depth,
            queue=len(self.frontier),
            seconds=time.monotonic() - self.started,
            stopped=self.stopped,
            discoveries=tuple(sorted(self.found.values(), key=lambda d: len(d.trace))),
            goals=self.goals,
            coverage=Coverage(coverage),
        )
