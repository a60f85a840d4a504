"""Random simulation: many random behaviours instead of all of them."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass, field

from . import discover
from .errors import ConfigError, SpecError
from .layout import State
from .plain import Move, StateSource, initial_states, moves
from .program import Program
from .result import ActionCoverage, Coverage, Discovery, Progress, ProgressReport, Result, verdict_for
from .spec import Spec
from .trace import Step, Trace

__all__ = ["simulate"]


def simulate(
    spec: Spec | type[Spec],
    *,
    runs: int = 100,
    depth: int = 100,
    seed: int = 0,
    max_seconds: float | None = None,
    deadlock: bool = True,
    progress: ProgressReport | None = None,
) -> Result:
    """Take random steps: up to ``runs`` behaviours of up to ``depth`` states, the same ones for the same seed.

    It stops at the first violation. Without one the verdict is INCOMPLETE: simulation proves nothing.
    """
    if runs < 1 or depth < 1:
        raise ConfigError(f"runs and depth must be positive, not {runs} and {depth}")
    program = (spec() if isinstance(spec, type) else spec).program
    return _Simulation(program, random.Random(seed), deadlock, progress).run(runs, depth, max_seconds)


@dataclass
class _Simulation:
    program: Program
    dice: random.Random
    deadlock: bool
    progress: ProgressReport | None
    visited: set[State] = field(default_factory=set)
    found: list[Discovery] = field(default_factory=list)
    generated: int = 0
    deepest: int = 0

    def run(self, runs: int, depth: int, max_seconds: float | None) -> Result:
        started = time.monotonic()
        self.taken = {bound.name: 0 for bound in self.program.actions}
        self.enabled = dict.fromkeys(self.taken, 0)
        self.goals: dict[str, int | None] = {goal.label: None for goal in self.program.goals}
        done = 0
        stopped = f"simulation is not exhaustive: {runs:,} behaviours of up to {depth:,} states were tried"
        try:
            starts = list(initial_states(self.program))
            for done in range(1, runs + 1):
                seconds = time.monotonic() - started
                self._behave(starts, depth)
                if self.found:
                    break
                if self.progress:
                    self.progress(Progress(self.deepest, len(self.visited), self.generated, runs - done, seconds))
                if max_seconds is not None and seconds >= max_seconds:
                    stopped = f"the limit of {max_seconds:g} seconds was reached after {done:,} behaviours"
                    break
        except KeyboardInterrupt:
            stopped = f"interrupted (Ctrl-C) in behaviour {done:,}"
        except SpecError as error:
            self.found.append(discover.failure(error, None, self.program))
        return self._result(stopped, time.monotonic() - started)

    def _behave(self, starts: list[tuple[Step, State]], depth: int) -> None:
        """One random behaviour."""
        if not starts:
            return
        step, state = self.dice.choice(starts)
        spec = self.program.spec
        trace = Trace(type(spec).__name__, spec.constants, (state,), (step,))
        self._arrive(trace)
        while not self.found and len(trace) < depth and self._inside(trace):
            options = self._options(trace)
            if not options:
                self._stuck(trace)
                return
            move = self.dice.choice(options)
            self.taken[move.step.action] += 1
            trace = trace.then(move.step, move.state)
            self._arrive(trace)

    def _options(self, trace: Trace) -> list[Move]:
        try:
            options = list(moves(self.program, trace.states[-1]))
        except SpecError as error:
            self.found.append(discover.failure(error, trace, self.program))
            return []
        for name in {move.step.action for move in options}:
            self.enabled[name] += 1
        return options

    def _stuck(self, trace: Trace) -> None:
        if self.found or not self.deadlock:
            return
        source = StateSource(self.program, trace.states[-1])
        if not any(self.program.holds(bound, source) for bound in self.program.terminals):
            self.found.append(discover.deadlock(self.program, trace))

    def _inside(self, trace: Trace) -> bool:
        """Whether the behaviour may go on: its last state and step are within the constraints."""
        sources = [StateSource(self.program, state) for state in trace.states[-2:]]
        if not all(self.program.holds(bound, sources[-1]) for bound in self.program.constraints):
            return False
        return len(sources) < 2 or all(self.program.holds(b, *sources) for b in self.program.step_constraints)

    def _arrive(self, trace: Trace) -> None:
        """Check the state that a behaviour has reached, and the step that led there."""
        self.generated += 1
        self.deepest = max(self.deepest, len(trace))
        self.visited.add(trace.states[-1])
        try:
            self._judge(trace)
        except SpecError as error:
            self.found.append(discover.failure(error, trace, self.program))

    def _judge(self, trace: Trace) -> None:
        sources = [StateSource(self.program, state) for state in trace.states[-2:]]
        checks = [(bound, sources[-1:]) for bound in self.program.invariants]
        if len(sources) == 2:
            checks += [(bound, sources) for bound in self.program.step_invariants]
        for bound, seen in checks:
            if not self.program.holds(bound, *seen):
                self.found.append(discover.violation(self.program, bound, trace))
                return
        for bound in self.program.goals:
            if self.goals[bound.label] is None and self.program.holds(bound, sources[-1]):
                self.goals[bound.label] = len(trace)

    def _result(self, stopped: str, seconds: float) -> Result:
        actions = tuple(ActionCoverage(n, self.enabled[n], self.taken[n], 0) for n in self.taken)
        return Result(
            spec=type(self.program.spec).__name__,
            constants=self.program.spec.constants,
            engine="simulation",
            verdict=verdict_for(self.found, stopped, []),
            distinct=len(self.visited),
            generated=self.generated,
            depth=self.deepest,
            complete_depth=0,
            queue=0,
            seconds=seconds,
            stopped=None if self.found else stopped,
            discoveries=tuple(self.found),
            goals=self.goals,
            coverage=Coverage(actions),
        )
