"""Breadth-first search, level by level and block by block: walk, generate, deduplicate, build, judge.

NOTE(whole-levels): a violation does not stop the search at once; the level in which it was found is finished. So the
counts, and which properties fail at that depth, are the same for every engine, block size and number of workers.
"""

from __future__ import annotations

import gc
import itertools
import time
from collections.abc import Iterator
from contextlib import contextmanager

from ..discover import no_initial_state
from ..errors import SpecError
from ..limits import Limits
from ..program import Program
from ..result import Progress, ProgressReport, Result, verdict_for
from .columns import Column
from .findings import Finding, Findings
from .judge import Arrivals, Judge, all_roots
from .learner import Learner
from .report import coverage, memory_in_use, warnings
from .resolver import Resolver
from .slots import Pools
from .stores import Frontier, Parents, Seen
from .tries import Knowledge

__all__ = ["Search"]

# How many (row, root) pairs a block has: small while interpreted, so that a switch or Ctrl-C comes soon;
# later about what fits into a core's own cache.
_PAIRS_INTERPRETED, _PAIRS_COMPILED = 4_000, 1 << 18
# Compiling (loading) the kernels takes about half a second: worth it for searches longer than this.
_SECONDS_INTERPRETED = 0.25
_STEPS_AT_ONCE = 1 << 14
_INITIAL_AT_ONCE = 1 << 14


@contextmanager
def _patient_collector() -> Iterator[None]:
    """What is learned stays: looking through it for garbage again and again costs a fifth of the time."""
    usual = gc.get_threshold()
    gc.set_threshold(100_000, 50, 100)
    try:
        yield
    finally:
        gc.set_threshold(*usual)


class Search:
    """One search; ``run()`` gives the Result."""

    def __init__(
        self,
        program: Program,
        limits: Limits,
        *,
        deadlock: bool = True,
        keep_going: bool = False,
        progress: ProgressReport | None = None,
        seconds_interpreted: float = _SECONDS_INTERPRETED,
    ) -> None:
        self.program = program
        self.limits = limits
        self.deadlock = deadlock
        self.keep_going = keep_going
        self.progress = progress
        self.seconds_interpreted = seconds_interpreted
        self.width = len(program.layout)
        roots = all_roots(program)
        self.learner = Learner(program, roots, Pools(program.layout), Knowledge(len(roots)))
        self.resolver = Resolver(self.learner)
        self.findings = Findings()
        self.judge = Judge(program, self.resolver, self.findings)
        self.seen, self.outside, self.parents = Seen(), Seen(), Parents()
        self.current, self.following = Frontier(self.width), Frontier(self.width)
        self.beyond = Frontier(self.width)
        n_actions = len(program.actions)
        self.actions = Column("i4", range(n_actions))
        self.enabled, self.taken, self.new = (Column("i8", [0] * n_actions) for _ in range(3))
        self.found, self.dead, self.fresh = Column("i4"), Column("i4"), Column("i4")
        self.fps, self.row_of, self.edge_of = Column("i8"), Column("i4"), Column("i4")
        self.cut_fps, self.cut_row, self.cut_edge = Column("i8"), Column("i4"), Column("i4")
        self.staged_parent, self.staged_edge = Column("i8"), Column("i4")
        self.pairs = Column("i4")
        self.compiled = False
        self.generated = self.depth = self.complete_depth = self.expanded = 0
        self.stopped: str | None = None

    def run(self) -> Result:
        """Search until everything is found, something is violated, or a limit is reached."""
        self.started = time.monotonic()
        with _patient_collector():
            try:
                self._start()
                while self.current.count and not self.stopped and not self._decided():
                    self._level()
            except SpecError as error:
                self.findings.add("error", Finding("error", None, -1, -1, error))
            except KeyboardInterrupt:
                self.stopped = "interrupted (Ctrl-C)"
        return self._result()

    def _decided(self) -> bool:
        return self.findings.violated and not self.keep_going

    def _start(self) -> None:
        """Level 1: the initial states."""
        rows = self.program.initial_rows()
        self.following.clear(0)
        while batch := list(itertools.islice(rows, _INITIAL_AT_ONCE)):
            interned = [self.learner.pools.intern_row(values) for _, values in batch]
            fps = self._scratch("i8", [fp for _, fp in interned])
            self.fresh.reserve(len(batch))
            n = self.seen.add(self.resolver.kernels, fps.data, len(batch), self.fresh.data)
            fresh = self.fresh.items(0, n)
            self.following.reserve(n)
            at, width = self.following.count, self.width
            flat = list(itertools.chain.from_iterable(interned[k][0] for k in fresh))
            self.following.rows.data[at * width : (at + n) * width] = flat
            self.following.fps.data[at : at + n] = [interned[k][1] for k in fresh]
            self._stage([-1] * n, [self.generated + k for k in fresh])
            self.generated += len(batch)
            self._keep(n, credited=False)
            self._consider_compiling()
        if not self.following.count and not self.findings.violated:
            raise no_initial_state(self.program)
        self._turn()

    def _scratch(self, kind: str, items: list[int]) -> Column:
        column = Column(kind, items)  # type: ignore[arg-type]
        if self.compiled:
            column.promote()
        return column

    def _stage(self, parents: list[int], edges: list[int]) -> None:
        self.staged_parent.reserve(len(parents))
        self.staged_edge.reserve(len(edges))
        self.staged_parent.data[: len(parents)] = parents
        self.staged_edge.data[: len(edges)] = edges

    def _turn(self) -> None:
        """The level is complete: its new states become the frontier."""
        self.current, self.following = self.following, self.current
        self.following.clear(len(self.parents))
        self.judge.settle()
        self.depth += self.current.count > 0
        self.complete_depth = self.depth

    def _level(self) -> None:
        self.stopped = self.limits.too_deep(self.complete_depth)
        first = 0
        while not self.stopped and first < self.current.count:
            pairs = _PAIRS_COMPILED if self.compiled else _PAIRS_INTERPRETED
            n = min(max(1, pairs // max(1, self.actions.size)), self.current.count - first)
            self._expand(first, n)
            first += n
            self._pulse(first)
        if self.stopped:
            self.depth += self.following.count > 0
        else:
            self._turn()

    def _pulse(self, done: int) -> None:
        """Between blocks: limits, progress, and the change to compiled kernels."""
        seconds = time.monotonic() - self.started
        self.stopped = self.limits.reached(len(self.parents), seconds)
        if self.progress:
            queue = self.current.count - done + self.following.count
            depth = self.depth + (self.following.count > 0)
            self.progress(Progress(depth, len(self.parents), self.generated, queue, seconds, memory_in_use()))
        self._consider_compiling()

    def _consider_compiling(self) -> None:
        if self.compiled or time.monotonic() - self.started < self.seconds_interpreted:
            return
        self.resolver.promote()
        owners = (self.resolver, self.judge, self.seen, self.outside, self.parents)
        frontiers = (self.current, self.following, self.beyond)
        for owner in (*owners, *frontiers):
            for column in owner.columns():
                column.promote()
        for column in vars(self).values():
            if isinstance(column, Column):
                column.promote()
        self.compiled = True

    def _expand(self, first: int, n: int) -> None:
        """Expand n rows of the frontier."""
        current, kernels = self.current, self.resolver.kernels
        try:
            self.resolver.resolve(current.rows, self.width, first, n, self.actions, self.found)
        except SpecError as error:
            self._failed(error, first)
            raise
        self.expanded += n
        leaves = self.learner.knowledge.leaves()
        made = kernels.tally(self.found.data, n * self.actions.size, leaves.count)
        for column in (self.fps, self.row_of, self.edge_of, self.fresh):
            column.reserve(made)
        self.dead.reserve(n + 1)
        blind = self.learner.pools
        kernels.generate(
            self.found.data, n, self.actions.size, first, current.rows.data, self.width, current.fps.data, leaves,
            blind.blind_base.data, blind.blind_number.data, self.fps.data, self.row_of.data, self.edge_of.data,
            self.enabled.data, self.taken.data, self.dead.data,
        )  # fmt: skip
        self.generated += made
        if self.deadlock and self.dead.data[0]:
            self._look_at_dead(first)
        if self.judge.asks_of_steps:
            made = self._judge_steps(first, made)
        n_fresh = self.seen.add(kernels, self.fps.data, made, self.fresh.data)
        self._build(self.following, first, (self.fps, self.row_of, self.edge_of), n_fresh)
        self._keep(n_fresh)

    def _failed(self, error: SpecError, first: int) -> None:
        row = getattr(error, "row", None)
        if row is not None:
            state = self.current.first_id + first + row
            self.findings.add("error", self._finding("error", state, error))

    def _finding(self, kind: str, state: int, error: SpecError | None = None) -> Finding:
        """A finding about a state that has an id."""
        parents = self.parents
        return Finding(kind, None, int(parents.parent.data[state]), int(parents.edge.data[state]), error)

    def _look_at_dead(self, first: int) -> None:
        """Rows without successors: deadlocks, unless the spec says that stopping is fine there."""
        n = int(self.dead.data[0])
        self.pairs.reserve(n * self.width)
        self.resolver.kernels.gather(
            self.current.rows.data, self.width, first, self.dead.data, 1, n, self.pairs.data
        )
        try:
            stuck = self.judge.may_stop(self.pairs, self.width, n)
        except SpecError as error:
            error.row = int(self.dead.data[1 + error.row])  # type: ignore[attr-defined]
            self._failed(error, first)
            raise
        if stuck >= 0:
            state = self.current.first_id + first + int(self.dead.data[1 + stuck])
            self.findings.add("deadlock", self._finding("deadlock", state))

    def _judge_steps(self, first: int, made: int) -> int:
        """Check every candidate as a step; the number of those that the action constraints keep."""
        kernels, leaves = self.resolver.kernels, self.learner.knowledge.leaves()
        for column in (self.cut_fps, self.cut_row, self.cut_edge):
            column.reserve(made)
        kept = 0
        for begin in range(0, made, _STEPS_AT_ONCE):
            end = min(begin + _STEPS_AT_ONCE, made)
            self.pairs.reserve((end - begin) * 2 * self.width)
            kernels.pair_up(
                self.current.rows.data, self.width, first, self.row_of.data, self.edge_of.data, begin, end, leaves,
                self.pairs.data,
            )  # fmt: skip
            self.judge.steps(self.pairs, self.width, end - begin, self._steps_from(first, begin))
            constraints, n_roots = self.judge.step_columns
            kept = kernels.divide(
                self.judge.found.data, n_roots, constraints, begin, end, kept,
                self.fps.data, self.row_of.data, self.edge_of.data, begin - kept,
                self.cut_fps.data, self.cut_row.data, self.cut_edge.data,
            )  # fmt: skip
        if kept < made:
            self._look_beyond(first, made - kept)
        return int(kept)

    def _steps_from(self, first: int, begin: int) -> Arrivals:
        base = self.current.first_id + first
        return lambda k: (base + int(self.row_of.data[begin + k]), int(self.edge_of.data[begin + k]))

    def _staged(self, row: int) -> tuple[int, int]:
        return int(self.staged_parent.data[row]), int(self.staged_edge.data[row])

    def _look_beyond(self, first: int, n_cut: int) -> None:
        """States behind steps that the action constraints cut: checked, but neither kept nor expanded."""
        kernels = self.resolver.kernels
        n = self.outside.add(kernels, self.cut_fps.data, n_cut, self.fresh.data)
        self.beyond.clear(0)
        self._build(self.beyond, first, (self.cut_fps, self.cut_row, self.cut_edge), n)
        self.judge.states(self.beyond.rows, self.width, 0, n, self._staged)

    def _build(self, target: Frontier, first: int, candidates: tuple[Column, Column, Column], n: int) -> None:
        """Build the rows of the fresh candidates behind those of the target, and stage their parents."""
        target.reserve(n)
        self.staged_parent.reserve(n)
        self.staged_edge.reserve(n)
        fps, row_of, edge_of = candidates
        self.resolver.kernels.build(
            self.current.rows.data, self.width, first, self.current.first_id, fps.data, row_of.data, edge_of.data,
            self.fresh.data, n, self.learner.knowledge.leaves(), target.count, target.rows.data, target.fps.data,
            self.staged_parent.data, self.staged_edge.data,
        )  # fmt: skip

    def _keep(self, n: int, credited: bool = True) -> None:
        """Check the staged rows and keep those inside the constraints."""
        target, kernels = self.following, self.resolver.kernels
        parents, edges = self.staged_parent, self.staged_edge
        if self.judge.states(target.rows, self.width, target.count, n, self._staged):
            n = kernels.compact(
                self.judge.found.data, n, self.judge.n_asked, len(self.program.constraints), target.count, self.width,
                target.rows.data, target.fps.data, parents.data, edges.data,
            )  # fmt: skip
        if credited:
            kernels.credit(edges.data, n, self.learner.knowledge.root.data, self.new.data)
        self.parents.parent.extend(parents.data[:n])
        self.parents.edge.extend(edges.data[:n])
        target.count += n

    def _result(self) -> Result:
        discoveries = self.findings.discoveries(self.program, self.learner, self.parents)
        reached = {d.label: len(d.trace) for d in discoveries if d.kind == "goal"}
        goals = {bound.label: reached.get(bound.label) for bound in self.program.goals}
        violations = [d for d in discoveries if d.kind != "goal"]
        unmet = [name for name, depth in goals.items() if depth is None]
        covered = coverage(self.learner, self.expanded, self.enabled, self.taken, self.new)
        return Result(
            spec=type(self.program.spec).__name__,
            constants=self.program.spec.constants,
            engine="local",
            verdict=verdict_for(violations, self.stopped, unmet),
            distinct=len(self.parents),
            generated=self.generated,
            depth=self.depth,
            complete_depth=self.complete_depth,
            queue=self.following.count + self.current.count if self.stopped else self.current.count,
            seconds=time.monotonic() - self.started,
            stopped=self.stopped,
            discoveries=tuple(discoveries),
            goals=goals,
            coverage=covered,
            warnings=warnings(covered, complete=not self.stopped and not violations),
        )
