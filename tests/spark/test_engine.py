"""The Spark engine gives the local engine's answers, however the states are divided."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Self

import pytest

from modelcheck import (
    Result,
    Spec,
    action,
    check,
    const,
    constraint,
    goal,
    init,
    invariant,
    per,
    require,
    terminal,
    var,
)
from modelcheck.errors import ConfigError, Refused
from spark.history import read_history
from spark.level import Cluster
from specs.classics.paxos import Paxos
from specs.classics.two_phase import TwoPhase
from specs.toys.die_hard import DieHard
from tests.comparing import answer_of

pytestmark = pytest.mark.usefixtures("context")


class Mixed(Spec):
    """Several initial states, both kinds of constraints, a goal for each key, a step invariant, places to stop."""

    keys = const(("a", "b"))
    limit = const(4)
    broken = const(False)
    count = per("keys", 0)
    last: Any = var(None)

    @init(start=range(2))
    def begin(self, n: Self, start: int) -> None:
        n.count["a"] = start

    @action(k="keys")
    def up(self, s: Self, n: Self, k: str) -> None:
        require(s.count[k] < self.limit)
        n.count[k] = s.count[k] + 1
        n.last = (k, s.count[k])

    @action
    def swap(self, s: Self, n: Self) -> None:
        require(s.count["a"] != s.count["b"])
        n.count["a"], n.count["b"] = s.count["b"], s.count["a"]

    @constraint
    def close(self, s: Self) -> bool:
        return abs(s.count["a"] - s.count["b"]) <= 2

    @constraint
    def no_turning_back(self, s: Self, n: Self) -> bool:
        return s.last is None or n.last != ("a", 2) or s.count["b"] > 0

    @invariant
    def grows(self, s: Self, n: Self) -> bool:
        return sum(n.count.values()) >= sum(s.count.values()) and not (self.broken and n.last == ("b", 2))

    @goal(k="keys")
    def full(self, s: Self, k: str) -> bool:
        return bool(s.count[k] == self.limit)

    @terminal
    def done(self, s: Self) -> bool:
        return all(s.count[k] == self.limit for k in self.keys)


class Stuck(Spec):
    """Two ways into a deadlock, and an invariant that fails at the same depth."""

    x = var(0)
    y = var(0)

    @action(by=(1, 2))
    def move(self, s: Self, n: Self, by: int) -> None:
        require(s.x + by <= 6)
        n.x = s.x + by
        n.y = (s.y + by) % 3

    @invariant
    def not_five(self, s: Self) -> bool:
        return bool(s.x != 5)


class Raises(Spec):
    """Its action fails in some state."""

    x = var(0)

    @action
    def step(self, s: Self, n: Self) -> None:
        n.x = 10 // (3 - s.x) * 0 + s.x + 1


def on_cluster(spec: Spec, partitions: int, **options: Any) -> Result:
    return check(spec, engine="spark", partitions=partitions, **{"wide": 0, **options})


def same(spec: Spec, partitions: int, **options: Any) -> Result:
    """Spark's result, after it was compared with the local engine's."""
    result = on_cluster(spec, partitions, **options)
    assert answer_of(result) == answer_of(check(spec, **options))
    return result


@pytest.mark.parametrize("partitions", [1, 2, 5])
def test_any_number_of_partitions_gives_the_local_answer(partitions: int) -> None:
    result = same(Mixed(limit=2), partitions, keep_going=True)
    assert result.goals and all(result.goals.values())
    assert result.coverage.values == check(Mixed(limit=2)).coverage.values


@pytest.mark.parametrize(
    ("spec", "options"),
    [
        (DieHard(), {"max_depth": 4}),
        (TwoPhase(impatient=True), {}),
        (Paxos(ballots=2, careless=True), {"max_depth": 4}),
        (Mixed(broken=True), {}),
        (Stuck(), {}),
        (Stuck(), {"keep_going": True}),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_specs_give_the_local_answer(spec: Spec, options: dict[str, Any]) -> None:
    same(spec, 2, **options)


def test_the_trace_does_not_depend_on_partitions() -> None:
    spec = TwoPhase(impatient=True)
    traces = {tuple(step.label for step in on_cluster(spec, n).trace().steps) for n in (1, 3)}
    assert len(traces) == 1


def divisions(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Into how many partitions searches divide from now on."""
    divided: list[int] = []
    divide = Cluster.divide

    def watched(self: Cluster, n_partitions: int, *rest: Any) -> None:
        divided.append(n_partitions)
        divide(self, n_partitions, *rest)

    monkeypatch.setattr(Cluster, "divide", watched)
    return divided


def test_a_frontier_that_outgrows_its_partitions_is_divided(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    spec = TwoPhase(impatient=True)
    monkeypatch.setattr("spark.explorer._STATES_IN_A_PARTITION", 15)
    divided = divisions(monkeypatch)
    options = {"wide": 30, "keep_going": True, "checkpoint": str(tmp_path), "cut_every": 2}
    result = check(spec, engine="spark", **options)
    assert divided == sorted(divided) and divided[-1] > 2
    local = check(spec, keep_going=True)
    assert answer_of(result) == answer_of(local)
    resumed = check(spec, engine="spark", resume=True, **options)
    assert answer_of(resumed) == answer_of(local)
    expected = [step.label for step in on_cluster(spec, 1, wide=10**9, keep_going=True).trace().steps]
    assert [step.label for step in result.trace().steps] == expected
    assert [step.label for step in resumed.trace().steps] == expected


def test_partitions_that_are_sent_too_much_are_divided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spark.explorer._SENT_TO_A_PARTITION", 60)
    divided = divisions(monkeypatch)
    result = check(TwoPhase(), engine="spark", wide=0)
    assert answer_of(result) == answer_of(check(TwoPhase()))
    assert divided  # neither the frontier nor what was seen is too much


def test_partitions_that_have_seen_too_much_are_divided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spark.explorer._SEEN_IN_A_PARTITION", 60)
    divided = divisions(monkeypatch)
    result = check(TwoPhase(), engine="spark", wide=0)
    assert answer_of(result) == answer_of(check(TwoPhase()))
    assert divided[-1] == 8  # of 288 states, most are seen before the last level


def test_a_search_that_goes_on_begins_with_partitions_enough(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("spark.explorer._STATES_IN_A_PARTITION", 15)
    restored: list[int] = []
    restore = Cluster.restore

    def watched(self: Cluster, *rest: Any) -> None:
        restored.append(self.n_partitions)
        restore(self, *rest)

    monkeypatch.setattr(Cluster, "restore", watched)
    options = {"wide": 30, "checkpoint": str(tmp_path), "cut_every": 2}
    stopped = check(TwoPhase(), engine="spark", max_depth=6, **options)
    assert stopped.queue > 2 * 15
    resumed = check(TwoPhase(), engine="spark", resume=True, **options)
    assert answer_of(resumed) == answer_of(check(TwoPhase()))
    assert restored[0] > 2


@pytest.mark.parametrize("wide", [45, 10**9])
def test_narrow_levels_stay_on_the_driver(wide: int) -> None:
    spec = TwoPhase()
    result = check(spec, engine="spark", partitions=2, wide=wide)
    assert answer_of(result) == answer_of(check(spec))


def test_an_error_of_the_spec_comes_with_its_traceback_and_the_way_there() -> None:
    result = on_cluster(Raises(), 2)
    local = check(Raises())
    assert (result.verdict, result.discoveries[0].label) == (local.verdict, local.discoveries[0].label)
    assert len(result.trace()) == len(local.trace()) == 4
    assert "ZeroDivisionError" in result.discoveries[0].explanation


def test_limits_are_named() -> None:
    result = on_cluster(TwoPhase(), 2, max_states=50)
    assert result.stopped == "the limit of 50 states was reached (--max-states)"
    assert result.distinct >= 50


def test_unknown_options_are_refused_by_name() -> None:
    with pytest.raises(ConfigError, match=r"no option 'partition'.*did you mean 'partitions'"):
        check(TwoPhase(), engine="spark", partition=3)
    with pytest.raises(ConfigError, match="'local' has no option 'master'"):
        check(TwoPhase(), master="local[2]")


def test_a_saved_search_goes_on_in_another_number_of_partitions(tmp_path: Path) -> None:
    spec = TwoPhase(impatient=True)
    options = {"checkpoint": str(tmp_path), "cut_every": 2, "keep_going": True}
    partial = on_cluster(spec, 2, max_depth=4, **options)
    assert partial.distinct < check(spec, keep_going=True).distinct
    resumed = on_cluster(spec, 3, resume=True, **{**options, "wide": 40})
    assert answer_of(resumed) == answer_of(check(spec, keep_going=True))
    with pytest.raises(Refused, match="constants was impatient=True, rms=3, now it is impatient=False, rms=3"):
        on_cluster(TwoPhase(), 2, resume=True, **options)


def test_the_history_of_a_resumed_search_has_all_its_levels(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    file = str(tmp_path / "levels.parquet")
    options = {"checkpoint": str(tmp_path / "saves"), "cut_every": 2, "export": str(tmp_path / "export")}
    on_cluster(TwoPhase(), 2, max_depth=7, **options)
    resumed = on_cluster(TwoPhase(), 2, resume=True, history=file, **options)
    for rows in (read_history(file), read_history(str(tmp_path / "export" / "levels.parquet"))):
        assert [row.level for row in rows] == list(range(1, resumed.depth + 1))
        assert sum(row.generated for row in rows) == resumed.generated - 1  # the initial state


def test_no_lineage_is_left_behind_by_a_search_that_is_over(tmp_path: Path) -> None:
    on_cluster(TwoPhase(), 2, checkpoint=str(tmp_path), cut_every=2)
    assert [place.name[:4] for place in tmp_path.iterdir()] == ["run-"]


@pytest.mark.parametrize("wide", [40, 10**9])
def test_narrow_levels_are_saved_too(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, wide: int) -> None:
    """All on the driver, or there, on the cluster, and back again: what was found is saved wherever it is."""
    monkeypatch.setattr("spark.explorer._SECONDS_BETWEEN_SAVES", 0.0)
    spec = TwoPhase(impatient=True)
    local = check(spec, keep_going=True)
    options = {"checkpoint": str(tmp_path), "cut_every": 3, "keep_going": True, "wide": wide}
    for depth in range(2, local.depth, 3):
        on_cluster(spec, 2, max_depth=depth, resume=depth > 2, **options)
        saved = sorted(place.parent.name for place in tmp_path.glob("run-*/level-*/state"))
        if wide == 10**9:
            assert saved[-1] == f"level-{depth:06d}"
    resumed = on_cluster(spec, 3, resume=True, **options)
    assert answer_of(resumed) == answer_of(local)
    expected = [step.label for step in on_cluster(spec, 1, wide=10**9, keep_going=True).trace().steps]
    assert [step.label for step in resumed.trace().steps] == expected


@pytest.mark.parametrize(("wide", "cut_every"), [(0, 1), (40, 3)])
def test_a_single_level_can_be_put_aside(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, wide: int, cut_every: int
) -> None:
    """As on a cluster, where links are stored in another way than runs: Spark refuses to change that of a dataset."""
    monkeypatch.setattr("spark.level.is_local", lambda master: False)
    result = on_cluster(TwoPhase(), 2, checkpoint=str(tmp_path), cut_every=cut_every, wide=wide)
    assert answer_of(result) == answer_of(check(TwoPhase()))


def test_a_save_of_another_version_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    options = {"checkpoint": str(tmp_path), "cut_every": 2}
    on_cluster(TwoPhase(), 2, max_depth=5, **options)
    monkeypatch.setattr("spark.saving._FORMAT", 3)
    with pytest.raises(Refused, match=r"(?s)written by another version of modelcheck.*start anew"):
        on_cluster(TwoPhase(), 2, resume=True, **options)


def test_nothing_to_resume_is_said(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no complete checkpoint"):
        on_cluster(TwoPhase(), 2, checkpoint=str(tmp_path), resume=True)
