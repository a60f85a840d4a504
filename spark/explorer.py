"""The search: level after level, narrow ones in this process and wide ones on the cluster, with one result."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from modelcheck.discover import no_initial_state
from modelcheck.engine.judge import all_roots
from modelcheck.engine.report import memory_in_use, warnings
from modelcheck.limits import Limits
from modelcheck.program import Program
from modelcheck.result import (
    ActionCoverage,
    Coverage,
    Discovery,
    Progress,
    ProgressReport,
    Result,
    verdict_for,
)

from .driver import Driver, initial_level
from .expander import expander_for
from .export import Export
from .failures import ClusterLost, spark_errors
from .history import History, Row
from .level import Cluster
from .options import Options
from .partition import Run, Stage, in_order
from .paths import discovery
from .recipe import Recipe
from .saving import Saves
from .summary import Found, Summary, earliest
from .watch import Watch

__all__ = ["Explorer"]

# What a save remembers of a search.
_SAVED = ("total", "found", "values", "distinct", "depth", "complete_depth", "queue", "seen", "sent")
# A search whose levels are narrow is saved so often, where there is a folder for it.
_SECONDS_BETWEEN_SAVES = 60.0
# A level that would keep the driver busy for longer than this is worth a job.
_SECONDS_WORTH_A_JOB = 1.5
# A partition with more states than this in the frontier is divided: it bounds the memory of a task.
_STATES_IN_A_PARTITION = 1 << 21
# So is one that has seen more than this: what it has seen is one array in a task when it is merged.
_SEEN_IN_A_PARTITION = 1 << 25
# So is one to which more than this are sent in a level, repetitions included: a task sorts what it gets at once.
_SENT_TO_A_PARTITION = 1 << 24


class Explorer:
    """One search; ``run()`` gives the Result. ``cluster`` is made when the first wide level comes."""

    def __init__(
        self,
        program: Program,
        recipe: Recipe,
        options: Options,
        limits: Limits,
        cluster: Callable[[], Cluster],
        *,
        keep_going: bool = False,
        progress: ProgressReport | None = None,
        history: History,
        saves: Saves | None = None,
        export: Export | None = None,
        watch: Watch | None = None,
    ) -> None:
        self.program = program
        self.recipe = recipe
        self.options = options
        self.limits = limits
        self.keep_going = keep_going
        self.progress = progress
        self.saves = saves
        self.export = export
        self.watch = watch
        self._new_cluster = cluster
        self.cluster: Cluster | None = None
        self.history = history
        self.driver = Driver()
        self.expander = expander_for(recipe)
        self.total = Summary()
        self.found: dict[str, tuple[int, Found]] = {}
        self.values: list[set[int]] = [set() for _ in program.layout.names]
        self.distinct = self.depth = self.complete_depth = self.queue = self.seen = self.sent = 0
        self.stopped: str | None = None
        self.on_cluster = False
        self._pace = 0.0
        self._lost = False
        self._rebuilt: dict[str, Discovery] = {}
        self._resumed_rows = 0
        self._saved_depth = 0

    def run(self) -> Result:
        """Search until everything is found, something is violated, or a limit is reached."""
        self.started = self._saved_at = time.monotonic()
        try:
            with spark_errors():
                self._start()
                self._rebuild()
            while self.queue and not self.stopped and not self._decided():
                with spark_errors():
                    self._level()
        except KeyboardInterrupt:
            self.stopped = "interrupted (Ctrl-C)"
        except ClusterLost as lost:
            self._lose(lost)
        try:
            return self._result()
        finally:
            self.history.write()
            if self.export:
                self.export.finish(self._own_rows())
            if self.cluster and not self._lost:
                self.cluster.forget()

    def _lose(self, lost: ClusterLost) -> None:
        self._lost = True
        reason = (self.watch and self.watch.gave_up) or str(lost)
        self.stopped = f"{reason}; a search with --checkpoint can go on with --resume"

    def _start(self) -> None:
        if self.options.resume:
            self._resume()
            return
        self._take(initial_level(self.expander, self._stage(1), self.driver), level=0)
        if self.export:
            self.export.commit(0, [])
        if not self.queue and not self._decided():
            error = no_initial_state(self.program)
            self.found["error"] = (0, Found("error", "error", None, None, -1, error.problem, error.where))

    def _decided(self) -> bool:
        kinds = {found.kind for _, found in self.found.values()}
        return "error" in kinds or (bool(kinds - {"goal"}) and not self.keep_going)

    def _stage(self, n_partitions: int) -> Stage:
        place = self.export.place if self.export else None
        return Stage(self.recipe, self.depth, frozenset(self.found), n_partitions, place)

    def _level(self) -> None:
        self.stopped = self.limits.too_deep(self.complete_depth)
        if self.stopped:
            return
        self._choose_place()
        began = time.monotonic()
        if self.on_cluster:
            assert self.cluster is not None
            summary = self.cluster.level(self._stage(self.cluster.n_partitions))
        else:
            summary = self.driver.level(self._stage(1))
            self._pace = (time.monotonic() - began) / self.queue
        self._note(summary, time.monotonic() - began)
        if self.export:  # before a save, which must not be ahead of it
            self.export.commit(self.depth, self._own_rows())
        self._take(summary, self.depth)
        self._rebuild()
        if self.queue:
            if self.on_cluster:
                self._divide()
            self._save()
        seconds = time.monotonic() - self.started
        self.stopped = self.limits.reached(self.distinct, seconds)
        if self.progress:
            self.progress(
                Progress(self.depth, self.distinct, self.total.generated, self.queue, seconds, memory_in_use())
            )

    def _own_rows(self) -> list[Row]:
        """Those since the search was resumed: an export has the rows of the levels before in its own table."""
        return self.history.rows[self._resumed_rows :]

    def _note(self, summary: Summary, seconds: float) -> None:
        """A row of the history."""
        distinct = self.distinct + summary.distinct
        counts = (self.queue, summary.generated, summary.distinct, distinct)
        place, moved = "driver", (0, 0, 0)
        if self.on_cluster and self.cluster:
            place, moved = "cluster", (summary.wire_bytes, *self.cluster.kept())
        self.history.rows.append(Row(self.depth, place, *counts, seconds, summary.seconds, summary.peak_memory, *moved))

    def _partitions(self, now: int) -> int:
        """How many partitions, now so many: more, if the user has not chosen and the search has outgrown them."""
        if self.options.partitions is not None:
            return now
        of_states, of_seen = self.queue / _STATES_IN_A_PARTITION, self.seen / _SEEN_IN_A_PARTITION
        while now < max(of_states, of_seen, self.sent / _SENT_TO_A_PARTITION):
            now *= 2
        return now

    def _divide(self) -> None:
        assert self.cluster is not None
        wanted = self._partitions(self.cluster.n_partitions)
        if wanted > self.cluster.n_partitions:
            self.cluster.divide(wanted, self.recipe, self.depth)

    def _save(self) -> None:
        """Save if it is time for it: what was found since the last time is written, and the frontier as it is now."""
        saves, cluster, driver = self.saves, self.cluster, self.driver
        if saves is None or self.depth == self._saved_depth:
            return
        if self.on_cluster and cluster:
            if not cluster.may_be_saved:
                return
            cluster.save(saves.begin(self.depth), self._unsaved_links())
        else:
            if time.monotonic() - self._saved_at < _SECONDS_BETWEEN_SAVES:
                return
            place = saves.begin(self.depth)
            saves.write(place, "links", self._unsaved_links())
            saves.write(place, "frontier", [(0, block) for block in driver.frontier])
        state = {name: getattr(self, name) for name in _SAVED}
        saves.commit(self.depth, {**state, "rows": self.history.rows})
        self._saved_depth, self._saved_at = self.depth, time.monotonic()

    def _unsaved_links(self) -> list[tuple[int, Run]]:
        """What the driver has found since the last save."""
        runs = (run for level, run in self.driver.links.items() if level > self._saved_depth)
        return [(0, piece) for run in runs for piece in run.pieces()]

    def _resume(self) -> None:
        """Go on where the last complete save was made."""
        assert self.saves is not None
        self.cluster = self._new_cluster()  # before anything is read, because executors need our packages for it
        state, folders = self.saves.latest()
        for name in _SAVED:
            setattr(self, name, state[name])
        self.history.rows[:] = state["rows"]
        self._resumed_rows = len(self.history.rows)
        self._saved_depth = self.depth
        if self.export:
            self.export.go_on(self.depth)
        self.cluster.n_partitions = self._partitions(self.cluster.n_partitions)
        self.cluster.restore(self.recipe, folders, range(1, self.depth + 1))
        self.on_cluster = True

    def _choose_place(self) -> None:
        """Wide levels go to the cluster; narrow ones come back, if what was seen fits into this process."""
        options = self.options
        work = self._pace * self.queue / _SECONDS_WORTH_A_JOB
        if not self.on_cluster and (self.queue >= options.wide or work > 1):
            self.cluster = self.cluster or self._new_cluster()
            self.cluster.take_over(*self.driver.give())
            self.on_cluster = True
        elif self.on_cluster and 4 * self.queue < options.wide and 4 * work < 1 and self.seen <= options.collect:
            assert self.cluster is not None
            if self.saves:
                self.cluster.put_aside(self.depth)
                self._save()
            self.driver.take_back(in_order(self.expander, self.cluster.frontier()), self.cluster.seen())
            self.on_cluster = False

    def _take(self, summary: Summary, level: int) -> None:
        """Commit a level: its counts and findings."""
        for k, numbers in enumerate(summary.values):
            self.values[k % len(self.values)].update(numbers)
        for name, found in earliest(summary.found).items():
            self.found.setdefault(name, (level, found))
        self.distinct += summary.distinct
        self.seen += summary.distinct + summary.cut
        self.queue, self.sent = summary.distinct, summary.sent
        summary.found, summary.values = [], []
        self.total.add(summary)
        self.depth += summary.distinct > 0
        self.complete_depth = self.depth

    def _parent(self, level: int, fp: int) -> int:
        run = self.driver.links.get(level)
        if run is not None:
            at = int(run.fps.searchsorted(fp))
            if at < len(run.fps) and run.fps[at] == fp:
                return int(run.parents[at])
        parent = self.cluster.parent(level, fp) if self.cluster else None
        if parent is None:
            raise LookupError(f"the parent of a state at level {level} is not known")
        return parent

    def _rebuild(self) -> None:
        """Make the traces of violations while the cluster that has the links is there: it may be lost later."""
        for name, (_, found) in self.found.items():
            if found.kind != "goal" and name not in self._rebuilt:
                self._rebuilt[name] = self._discovery(name)

    def _discovery(self, name: str) -> Discovery:
        level, found = self.found[name]
        roots = all_roots(self.program)  # not the expander's, which are those of another instance
        bound = roots[found.root].bound if found.root >= 0 else None
        return discovery(self.program, bound, found, level, self._parent)

    def _discoveries(self) -> list[Discovery]:
        made = dict(self._rebuilt)
        for name in [name for name in self.found if name not in made and not self._lost]:
            try:
                with spark_errors():
                    made[name] = self._discovery(name)
            except ClusterLost as lost:
                self._lose(lost)
                break
        # Of a goal it is enough that it is reached. A violation has to be shown.
        unshown = sorted(name for name, (_, found) in self.found.items() if found.kind != "goal" and name not in made)
        if unshown:
            self.stopped = f"{self.stopped}; the trace of a violation was lost with it ({', '.join(unshown)})"
        return sorted((made[name] for name in self.found if name in made), key=lambda each: len(each.trace))

    def _coverage(self) -> Coverage:
        total = self.total
        counts = {name: [0] * 5 for name in self.program.action_names}
        columns: list[Any] = [total.enabled, total.taken, total.new, total.evaluations]
        for k, bound in enumerate(self.program.actions):
            row = counts[bound.name]
            parts = [*(column[k] if k < len(column) else 0 for column in columns), total.expanded]
            for position, part in enumerate(parts):
                row[position] += part
        names = self.program.layout.names
        values = {name: len(numbers) for name, numbers in zip(names, self.values, strict=True)}
        return Coverage(tuple(ActionCoverage(name, *row) for name, row in counts.items()), values)

    def _result(self) -> Result:
        discoveries = self._discoveries()
        roots = all_roots(self.program)
        reached = {roots[f.root].bound.label: level + 1 for level, f in self.found.values() if f.kind == "goal"}
        goals = {bound.label: reached.get(bound.label) for bound in self.program.goals}
        violations = [d for d in discoveries if d.kind != "goal"]
        unmet = [name for name, depth in goals.items() if depth is None]
        covered = self._coverage()
        return Result(
            spec=type(self.program.spec).__name__,
            constants=self.program.spec.constants,
            engine="spark",
            verdict=verdict_for(violations, self.stopped, unmet),
            distinct=self.distinct,
            generated=self.total.generated,
            depth=self.depth,
            complete_depth=self.complete_depth,
            queue=self.queue,
            seconds=time.monotonic() - self.started,
            stopped=self.stopped,
            discoveries=tuple(discoveries),
            goals=goals,
            coverage=covered,
            warnings=warnings(covered, complete=not self.stopped and not violations),
        )
