"""What is left of a search when parts of a cluster, or all of it, are lost."""

from __future__ import annotations

from typing import Any

import pytest

from modelcheck import check
from modelcheck.result import Verdict
from spark.failures import ClusterLost
from spark.level import Cluster
from spark.partition import Stage
from specs.classics.two_phase import TwoPhase

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
