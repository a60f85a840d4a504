"""Ctrl-C at any moment: the answer is INCOMPLETE, says how far it is complete, and keeps what was found."""

from __future__ import annotations

from itertools import count, pairwise

import pytest

from modelcheck import Result, Spec, Verdict, action, check, constraint, invariant, require, var
from modelcheck.engine.search import Search
from modelcheck.limits import Limits
from modelcheck.oracle import Oracle
from modelcheck.result import Progress
from tests.comparing import tiny_blocks

CALLS = [0, 0]


def call() -> None:
    """Counts calls of the spec's functions, and interrupts one of them."""
    CALLS[0] += 1
    if CALLS[0] == CALLS[1]:
        raise KeyboardInterrupt


class Grid(Spec):
    """A square to walk in, with a wrong corner near the beginning and another one far away."""

    x = var(0)
    y = var(0)

    @action
    def right(self, s, n):
        require(s.x < 4)
        call()
        n.x = s.x + 1

    @action
    def up(self, s, n):
        require(s.y < 4)
        call()
        n.y = s.y + 1

    @action
    def back(self, s, n):
        n.x = n.y = 0

    @constraint
    def small(self, s):
        call()
        return s.x + s.y < 8

    @invariant
    def not_early(self, s):
        call()
        return (s.x, s.y) != (1, 1)

    @invariant
    def not_late(self, s):
        return (s.x, s.y) != (4, 3)


def interrupted(engine: str, at: int, small_blocks: bool) -> Result:
    CALLS[:] = [0, at]
    spec = Grid()
    if engine == "oracle":
        return Oracle(spec.program, Limits(), keep_going=True).run()
    seconds = 0 if engine == "compiled" else 1e9
    search = Search(spec.program, Limits(), keep_going=True, seconds_interpreted=seconds)
    if small_blocks:
        with tiny_blocks():
            return search.run()
    return search.run()


@pytest.fixture(scope="module")
def whole() -> Result:
    CALLS[:] = [0, 0]
    return check(Grid(), keep_going=True)


@pytest.mark.parametrize("small_blocks", [True, False])
@pytest.mark.parametrize("engine", ["oracle", "interpreted", "compiled"])
def test_an_interrupted_search_answers_with_what_it_has(engine: str, small_blocks: bool, whole: Result) -> None:
    for at in count(1):
        try:
            result = interrupted(engine, at, small_blocks)
        except KeyboardInterrupt:
            continue  # not in the search, but while its traces were replayed: that one is the user's
        if result.stopped is None:
            break
        assert result.stopped == "interrupted (Ctrl-C)"
        assert result.verdict is (Verdict.VIOLATED if result.violations else Verdict.INCOMPLETE)
        assert result.distinct <= whole.distinct and result.generated <= whole.generated
        assert result.complete_depth <= result.depth <= whole.depth
        for discovery in result.violations:
            assert len(discovery.trace) == len(whole.trace(discovery.property))
    assert result.distinct == whole.distinct and at > 10


def test_depth_is_complete_as_far_as_it_is_said(whole: Result) -> None:
    """Every state up to the complete depth was found: as many as a search with that limit finds."""
    for at in range(1, 60, 3):
        try:
            result = interrupted("interpreted", at, small_blocks=True)
        except KeyboardInterrupt:
            continue
        if result.stopped and result.complete_depth:
            CALLS[:] = [0, 0]
            bounded = check(Grid(), keep_going=True, max_depth=result.complete_depth)
            assert result.distinct >= bounded.distinct


def test_progress_only_ever_grows_and_may_interrupt_too() -> None:
    seen: list[Progress] = []
    CALLS[:] = [0, 0]
    with tiny_blocks():
        check(Grid(), keep_going=True, progress=seen.append)
    for earlier, later in pairwise(seen):
        assert earlier.distinct <= later.distinct and earlier.generated < later.generated
        assert earlier.depth <= later.depth and earlier.seconds <= later.seconds

    def stop(progress: Progress) -> None:
        raise KeyboardInterrupt

    for engine in ("oracle", "local"):
        assert check(Grid(), engine=engine, progress=stop).stopped == "interrupted (Ctrl-C)"
