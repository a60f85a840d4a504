"""Traces of random simulation become as short as breadth-first search would have found them."""

from __future__ import annotations

from functools import lru_cache
from typing import Self

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modelcheck import Spec, action, check, constraint, invariant, require, simulate, var
from modelcheck.result import Discovery
from specs.classics.raft import Ask, Raft, Vote
from specs.classics.two_phase import TwoPhase
from specs.toys.die_hard import DieHard
from specs.toys.missionaries import Missionaries
from specs.toys.peterson import Peterson
from specs.toys.philosophers import Philosophers
from traces.replay import replay
from traces.shrink import shrink

BUGS: dict[str, Spec] = {
    "die hard": DieHard(),
    "missionaries": Missionaries(),
    "philosophers": Philosophers(),
    "peterson": Peterson(turn_first=True),
    "two phase": TwoPhase(impatient=True),
}


@lru_cache
def shortest(name: str) -> int:
    return len(check(BUGS[name], engine="oracle").trace())


def simulated(spec: Spec, seed: int, depth: int = 150) -> Discovery:
    for attempt in range(1000):
        result = simulate(spec, runs=50, depth=depth, seed=1000 * seed + attempt)
        if result.violations:
            return result.violations[0]
    raise AssertionError("no violation was met")


@pytest.mark.parametrize("name", BUGS)
@settings(deadline=None, max_examples=3)
@given(seed=st.integers(0, 10_000))
def test_simulated_traces_shrink_to_the_shortest_length(name: str, seed: int) -> None:
    spec = BUGS[name]
    found = simulated(spec, seed)
    short = shrink(spec.program, found)
    assert (short.kind, short.property) == (found.kind, found.property)
    assert replay(spec.program, short).identical
    assert len(short.trace) == shortest(name)


@pytest.mark.parametrize("name", BUGS)
def test_leaving_out_steps_alone_does_most_of_it(name: str) -> None:
    spec = BUGS[name]
    lengths = [len(shrink(spec.program, simulated(spec, seed), budget=0).trace) for seed in range(3)]
    assert min(lengths) == shortest(name)


def test_messages_may_change_when_earlier_steps_are_left_out() -> None:
    spec = Raft(bug="votes_twice")
    first, again, vote = Ask(term=1, end=(0, 0)), Ask(term=2, end=(0, 0)), Vote(term=2)
    run = spec.run().campaign("s3").lose("s1", "s3", first).learn_term("s2", "s3", first)
    run = run.vote("s2", "s3", first).campaign("s3").learn_term("s1", "s3", again)
    run = run.lose("s2", "s3", again).lose("s3", "s2", Vote(term=1)).campaign("s2")
    run = run.vote("s1", "s3", again).vote("s3", "s2", again)
    run = run.count_vote("s3", "s1", vote).count_vote("s2", "s3", vote).lead("s3").lead("s2")
    found = Discovery("invariant", "election_safety", {}, run.trace)
    short = shrink(spec.program, found, budget=0)
    assert len(short.trace) == 10  # as breadth-first search finds it, with the messages of term 1
    assert replay(spec.program, short).identical


class Corridor(Spec):
    """Counts in two ways; only small numbers are allowed in between."""

    count = var(0)
    last = var(0)

    @action(by=(1, 2, 7))
    def add(self, s: Self, n: Self, by: int) -> None:
        require(s.count < 9, "below nine")
        n.count, n.last = s.count + by, by

    @action
    def back(self, s: Self, n: Self) -> None:
        require(s.count > 0, "something is there")
        n.count, n.last = s.count - 1, 0

    @constraint
    def stays_low(self, s: Self) -> bool:
        return s.count < 6

    @invariant
    def below_eight(self, s: Self) -> bool:
        return s.count < 8

    @invariant
    def no_jump(self, s: Self, n: Self) -> bool:
        return n.count - s.count < 7 or s.count < 2


@pytest.mark.parametrize("seed", range(10))
def test_shorter_traces_stay_inside_the_constraints(seed: int) -> None:
    spec = Corridor()
    found = simulated(spec, seed)
    best = check(spec, engine="oracle", keep_going=True)
    short = shrink(spec.program, found)
    assert replay(spec.program, short).identical
    assert all(state.count < 6 for state in short.trace.states[:-1])
    assert len(short.trace) == len(best.trace(found.property))


class Fails(Corridor):
    """Raises at five."""

    @action(by=(1, 2, 7))
    def add(self, s: Self, n: Self, by: int) -> None:
        n.count, n.last = s.count + by, 1 // (5 - s.count)


def test_errors_shrink_too() -> None:
    spec = Fails()
    found = next(
        found
        for seed in range(200)
        for found in simulate(spec, runs=20, depth=40, seed=seed).violations
        if found.kind == "error" and len(found.trace) > 5
    )
    short = shrink(spec.program, found)
    assert (short.kind, short.property) == ("error", "add")
    assert len(short.trace) == 4
    assert "ZeroDivisionError" in short.explanation
