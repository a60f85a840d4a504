"""Random specs: the Spark engine against the oracle. Few on the cluster, more through the same code on the driver."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from modelcheck import Result, check
from modelcheck.limits import Limits
from tests.comparing import answer_of, oracle
from tests.strategies import Case, case

pytestmark = pytest.mark.usefixtures("context")


def _search(case: Case, limits: Limits, wide: int) -> Result:
    return check(
        case.spec(),
        engine="spark",
        max_depth=limits.max_depth,
        deadlock=case.deadlock,
        keep_going=case.keep_going,
        partitions=3,
        wide=wide,
    )


def on_cluster(case: Case, limits: Limits) -> Result:
    return _search(case, limits, wide=0)


def on_driver(case: Case, limits: Limits) -> Result:
    return _search(case, limits, wide=10**9)


def there_and_back(case: Case, limits: Limits) -> Result:
    return _search(case, limits, wide=20)


def agree(case: Case, search: Callable[[Case, Limits], Result]) -> None:
    """The oracle's answer is Spark's. Traces have been replayed by the engine itself."""
    expected, limits = oracle(case)
    assert answer_of(search(case, limits)) == answer_of(expected), case


@pytest.mark.parametrize("seed", range(30))
def test_the_halves_of_a_level_agree_with_the_oracle(seed: int) -> None:
    agree(case(seed), on_driver)


@pytest.mark.parametrize("seed", range(30, 45))
def test_states_may_come_in_pieces_of_any_size(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spark.partition._FINGERPRINTS_IN_A_RUN", 2)
    monkeypatch.setattr("spark.partition._ROWS_AT_ONCE", 5)
    monkeypatch.setattr("spark.arrivals._BYTES_HELD", 100)
    for module in ("partition", "expander"):
        monkeypatch.setattr(f"spark.{module}.ROWS_IN_A_BLOCK", 3)
    agree(case(seed), on_driver)


@pytest.mark.parametrize("seed", [5, 23])
def test_the_cluster_agrees_with_the_oracle(seed: int) -> None:
    agree(case(seed), on_cluster)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 130))
def test_many_specs_agree(seed: int) -> None:
    agree(case(seed), on_cluster)
    agree(case(seed), there_and_back)
