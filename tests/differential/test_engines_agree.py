"""The heart of the suite: on random specs the fast engine, at all its speeds, gives the answers of the oracle.

``MODELCHECK_EXAMPLES=5000 pytest tests/differential`` tries more specs than the suite does, and
``--hypothesis-seed=7`` other ones. A spec that fails is printed as a program, as small as it can be made.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.strategies import integers

from modelcheck import Verdict
from modelcheck.errors import ModelCheckError
from tests.comparing import SPEEDS, agree, agree_within, oracle
from tests.reducing import reduced
from tests.strategies import Case, case, cases

# The examples are cut in parts, so that several workers can share them.
PARTS = 4
EXAMPLES = int(os.environ.get("MODELCHECK_EXAMPLES", "520"))


@pytest.fixture
def many(pytestconfig: pytest.Config) -> settings:
    """How Hypothesis chooses the specs: the same ones every time, unless a seed is given.

    It draws seeds and nothing else, so there is nothing to shrink or to keep (NOTE(one-seed) in strategies).
    """
    return settings(
        max_examples=max(1, EXAMPLES // PARTS),
        derandomize=pytestconfig.getoption("hypothesis_seed", None) is None,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )


def _fails_in(check: Callable[[Case], object]) -> Callable[[Case], bool]:
    def fails(candidate: Case) -> bool:
        try:
            candidate.spec().program  # noqa: B018 - what cannot be loaded is no smaller example
        except (ModelCheckError, SyntaxError, NameError):
            return False
        try:
            check(candidate)
        except Exception:
            return True
        return False

    return fails


def _or_explain(check: Callable[[Case], object], example: Case) -> None:
    """Run a check; where it fails, say on which spec, made small."""
    try:
        check(example)
    except Exception:
        smaller = reduced(example, _fails_in(check))
        try:
            check(smaller)
        except Exception as error:
            error.add_note(f"on this spec:\n{smaller!r}")
            raise
        raise


@pytest.mark.parametrize("part", range(PARTS))
def test_the_fast_engine_agrees_with_the_oracle(part: int, many: settings) -> None:
    """Verdict, counts, depths, discoveries with the lengths of their traces, goals and coverage are the same."""

    @many
    @given(cases(part))
    def compare(example: Case) -> None:
        _or_explain(agree, example)

    compare()


def test_engines_agree_that_a_spec_fails(many: settings) -> None:
    """Where the spec's own code fails, the searches stop at different states, but for the same reason."""

    @settings(many, max_examples=max(1, EXAMPLES // 6))
    @given(cases(failing=True))
    def compare(example: Case) -> None:
        _or_explain(_agree_on_failure, example)

    compare()


def _agree_on_failure(example: Case) -> None:
    expected, limits = oracle(example)
    if expected.verdict is not Verdict.ERROR:
        agree(example)
        return
    for speed in SPEEDS:
        result = speed(example, limits)
        assert result.verdict is Verdict.ERROR, f"{speed.__name__}: {result.verdict}"
        assert result.complete_depth == expected.complete_depth, speed.__name__


def test_engines_stop_at_the_same_state_when_there_are_too_many(many: settings) -> None:
    """A limit on states is looked at between blocks, so blocks of one row stop where the oracle stops."""
    stopped = []

    @settings(many, max_examples=max(1, EXAMPLES // 8))
    @given(cases(PARTS), integers(1, 30))
    def compare(example: Case, most: int) -> None:
        _or_explain(lambda candidate: stopped.append(agree_within(candidate, most).stopped), example)

    compare()
    assert sum(sentence is not None for sentence in stopped) > len(stopped) // 5


def test_generated_specs_are_worth_checking() -> None:
    """The specs are not trivial, and every kind of answer occurs among them."""
    results = [oracle(case(seed))[0] for seed in range(160)]
    sources = [case(seed).source for seed in range(160)]
    verdicts = Counter(result.verdict for result in results)
    assert sum(result.distinct > 20 for result in results) >= 32
    assert sum(result.distinct > 100 for result in results) >= 8
    assert sum(result.depth > 4 for result in results) >= 36
    for verdict in (Verdict.HOLDS, Verdict.VIOLATED, Verdict.DEADLOCK, Verdict.UNREACHED, Verdict.INCOMPLETE):
        assert verdicts[verdict] >= 8, verdicts
    kinds = Counter(discovery.kind for result in results for discovery in result.discoveries)
    assert min(kinds[kind] for kind in ("invariant", "step invariant", "deadlock", "goal")) >= 5, kinds
    assert sum(bool(result.coverage.never_enabled) for result in results) >= 20
    assert sum(len(result.violations) > 1 for result in results) >= 3
    for word in ("subset(", "channel(kind", 'kind="fifo"', 'kind="bag"', 'kind="set"', "@init(", "lambda s: s."):
        assert sum(word in source for source in sources) >= 5, word


@pytest.mark.parametrize("name", ["within", "stepwise"])
def test_constraints_of_generated_specs_cut_something(name: str) -> None:
    """Without its constraint, over states or over steps, many a spec has more states."""
    cut = 0
    for seed in range(150):
        example = case(seed)
        if f"def {name}(" in example.source:
            free = replace(example, source=example.source + f"    {name} = None\n")
            cut += oracle(example)[0].generated < oracle(free)[0].generated
    assert cut >= 4
