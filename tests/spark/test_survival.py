"""What is left of a search when parts of a cluster, or all of it, are lost."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any, Self
from unittest.mock import Mock

import pytest
from pyspark import SparkContext

from modelcheck import Spec, action, check, const, require, var
from modelcheck.result import Verdict
from spark.failures import ClusterLost
from spark.level import Cluster
from spark.partition import Stage
from spark.session import _patient, _stop, require_master
from specs.classics.two_phase import TwoPhase
from tests.comparing import answer_of

pytestmark = pytest.mark.usefixtures("context")


def dead(*_: object) -> Any:
    raise ClusterLost("the cluster is gone")


def lose_the_cluster_at(monkeypatch: pytest.MonkeyPatch, depth: int) -> None:
    level = Cluster.level

    def dying(self: Cluster, stage: Stage) -> Any:
        if stage.level < depth:
            return level(self, stage)
        monkeypatch.setattr(Cluster, "parent", dead)
        return dead()

    monkeypatch.setattr(Cluster, "level", dying)


def test_a_violation_outlives_the_cluster_that_found_it(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = TwoPhase(rms=3, impatient=True)
    whole = check(spec)
    lose_the_cluster_at(monkeypatch, whole.depth + 1)
    result = check(spec, engine="spark", partitions=2, wide=0, keep_going=True)
    assert result.verdict is Verdict.VIOLATED
    assert result.stopped and result.stopped.startswith("the cluster is gone")
    assert len(result.trace()) == len(whole.trace())


def test_a_violation_whose_trace_is_lost_is_told_and_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Cluster, "parent", dead)
    result = check(TwoPhase(rms=3, impatient=True), engine="spark", partitions=2, wide=0, keep_going=True)
    assert result.verdict is Verdict.INCOMPLETE and not result.discoveries
    assert result.stopped and "the trace of a violation was lost with it (consistent)" in result.stopped


def strike(driver: int, mark: str) -> None:
    """Kill this process, if it is a worker and the first one that comes here."""
    if os.getpid() != driver and not os.path.exists(mark):
        Path(mark).touch()
        os.kill(os.getpid(), signal.SIGKILL)


class Deadly(Spec):
    """Counts, and kills the first worker that takes a step in the middle."""

    driver = const(0)
    mark = const("")
    x = var(0)
    y = var(0)

    @action
    def right(self, s: Self, n: Self) -> None:
        require(s.x < 5)
        if s.x + s.y == 4:
            strike(self.driver, self.mark)
        n.x = s.x + 1

    @action
    def up(self, s: Self, n: Self) -> None:
        require(s.y < 5)
        n.y = s.y + 1


def test_a_python_worker_that_is_killed_costs_nothing_in_local_mode(tmp_path: Path) -> None:
    spec = Deadly(driver=os.getpid(), mark=str(tmp_path / "killed"))
    result = check(spec, engine="spark", partitions=2, wide=0, deadlock=False)
    assert (tmp_path / "killed").exists()
    assert answer_of(result) == answer_of(check(spec, deadlock=False))


@pytest.mark.parametrize(
    ("given", "used"),
    [("local", "local[1,4]"), ("local[2]", "local[2,4]"), ("local[*]", "local[*,4]"), ("local[2,1]", "local[2,1]")],
)
def test_a_local_master_tries_again_unless_it_was_told_how_often(given: str, used: str) -> None:
    assert _patient(given) == used
    require_master(used)
    assert _patient("local-cluster[2,1,1024]") == "local-cluster[2,1,1024]"


def test_a_dead_java_over_which_stopping_passes_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """PySpark only warns of it, now and then; the next context would have spoken to the dead process."""
    for name in ("_active_spark_context", "_gateway", "_jvm"):
        monkeypatch.setattr(SparkContext, name, object())
    context = Mock()
    context._jvm.java.lang.System.nanoTime.side_effect = ConnectionRefusedError
    _stop(context)
    assert SparkContext._gateway is SparkContext._jvm is SparkContext._active_spark_context is None
