"""Disagreements between the engines that were found once; each test is named after its bug and holds its spec."""

from __future__ import annotations

from dataclasses import make_dataclass
from typing import Any

import pytest
from pyrsistent import pbag, pset

from modelcheck import Spec, Verdict, action, check, const, constraint, goal, init, invariant, require, terminal, var
from modelcheck.limits import Limits
from modelcheck.result import Result
from tests.comparing import SPEEDS, agree
from tests.strategies import HEADER, Case

ENGINES = ("oracle", "local")


def both(spec: Spec, **options: Any) -> list[Result]:
    return [check(spec, engine=engine, **options) for engine in ENGINES]


def verdicts(source: str, **options: Any) -> set[Verdict]:
    """What the engines say, all speeds of the fast one included."""
    example = Case(HEADER + source, **options)
    found = {speed(example, Limits()).verdict for speed in SPEEDS}
    return found | {check(example.spec(), engine="oracle", deadlock=example.deadlock, **_going(example)).verdict}


def _going(example: Case) -> dict[str, bool]:
    return {"keep_going": example.keep_going}


def test_an_error_and_a_deadlock_at_one_depth() -> None:
    """Which came first depended on the size of blocks, and so did the verdict."""
    source = """
    v = var(0)

    @action(k=(1, 2))
    def choose(self, s, n, k):
        require(s.v == 0)
        n.v = k

    @action
    def fail(self, s, n):
        require(s.v == 2)
        n.v = 1 // 0
"""
    assert verdicts(source) == {Verdict.ERROR}


def test_an_error_and_a_violation_at_one_depth() -> None:
    source = """
    v = var(0)

    @action(k=(1, 2))
    def choose(self, s, n, k):
        n.v = k

    @invariant
    def not_one(self, s):
        return s.v != 1

    @invariant
    def fails_at_two(self, s):
        return 1 // (s.v - 2) < 5
"""
    assert verdicts(source) == {Verdict.ERROR}


def test_an_invariant_that_fails_and_raises_an_error_later() -> None:
    """A decided invariant was asked on until the end of a block, or for ever, or not at all."""
    source = """
    v = var(0)

    @action
    def up(self, s, n):
        n.v = s.v + 1

    @constraint
    def small(self, s):
        return s.v < 6

    @invariant
    def below_two(self, s):
        return s.v < 2 or 1 // (5 - s.v) == 7
"""
    assert verdicts(source, keep_going=True) == {Verdict.VIOLATED}


def test_a_constraint_that_raises_an_error_where_another_one_says_no() -> None:
    source = """
    v = var(0)

    @action
    def up(self, s, n):
        n.v = s.v + 1

    @constraint
    def small(self, s):
        return s.v < 3

    @constraint
    def fails_at_three(self, s):
        return 1 // (3 - s.v) >= 0
"""
    assert verdicts(source) == {Verdict.ERROR}


def test_a_constraint_that_raises_an_error_behind_a_step_that_is_cut() -> None:
    source = """
    v = var(0)

    @action
    def up(self, s, n):
        n.v = (s.v + 1) % 4

    @constraint
    def no_further_than_two(self, s, n):
        return n.v != 3

    @constraint
    def fails_at_three(self, s):
        return 1 // (3 - s.v) >= 0
"""
    assert verdicts(source) == {Verdict.ERROR}


def test_a_terminal_predicate_that_raises_an_error_after_a_deadlock_was_found() -> None:
    source = """
    v = var(0)

    @action(k=(1, 2))
    def choose(self, s, n, k):
        require(s.v == 0)
        n.v = k

    @terminal
    def fails_at_two(self, s):
        return 1 // (2 - s.v) == 7
"""
    assert verdicts(source, keep_going=True) == {Verdict.ERROR}


def test_no_initial_state_is_kept_but_one_violates_an_invariant() -> None:
    """With keep_going the oracle took the violation for no reason to be silent about the missing initial state."""
    source = """
    v = var(0)

    @action
    def stay(self, s, n):
        pass

    @constraint
    def nothing(self, s):
        return False

    @invariant
    def never(self, s):
        return False
"""
    assert verdicts(source) == verdicts(source, keep_going=True) == {Verdict.VIOLATED}


@pytest.mark.parametrize("engine", ENGINES)
def test_an_error_in_a_property_has_the_trace_to_the_state_that_it_was_asked_of(engine: str) -> None:
    class Late(Spec):
        v = var(0)

        @action
        def up(self, s, n):
            require(s.v < 3)
            n.v = s.v + 1

        @terminal
        def fails(self, s):
            return 1 // (3 - s.v) == 1

    (failed,) = check(Late(), engine=engine).violations
    assert [state.v for state in failed.trace.states] == [0, 1, 2, 3]


@pytest.mark.parametrize("engine", ENGINES)
def test_actions_without_any_binding(engine: str) -> None:
    """The fast engine divided by the number of bound actions."""

    class Empty(Spec):
        nobody: tuple[str, ...] = ()
        v = var(0)

        @action(i="nobody")
        def act(self, s, n, i):
            n.v = 1

    result = check(Empty(), engine=engine)
    assert (result.verdict, result.distinct) == (Verdict.DEADLOCK, 1)
    assert result.coverage.never_enabled == ("act",)


@pytest.mark.parametrize("value", [1.0, (1.0,)])
@pytest.mark.parametrize("engine", ENGINES)
def test_a_float_that_equals_a_known_number_is_refused(engine: str, value: object) -> None:
    """1.0 equals 1 and hashes alike, so the pool of a slot took it for the frozen value that it knew."""

    class Halves(Spec):
        v = var(1 if value == 1.0 else (1,))

        @action
        def put(self, s, n):
            n.v = value

    result = check(Halves(), engine=engine)
    assert result.verdict is Verdict.ERROR
    assert "1.0 is a float" in result.violations[0].explanation


def test_two_classes_of_one_name_are_not_taken_for_one() -> None:
    """Their values had one encoding, so one fingerprint, and states vanished silently."""
    first, second = (make_dataclass("Message", ["x"], frozen=True) for _ in range(2))

    class Mixed(Spec):
        v = var(None)

        @action(kind=(0, 1))
        def put(self, s, n, kind):
            n.v = (first, second)[kind](1)

    assert check(Mixed(), engine="oracle").distinct == 3
    result = check(Mixed())
    assert result.verdict is Verdict.ERROR
    assert "encoded alike" in result.violations[0].explanation


def test_a_bag_where_another_empty_value_was() -> None:
    """A bag refuses comparison with other values, but it may hash like them: a bare TypeError ended the search."""

    class Mixed(Spec):
        v = var(pset())

        @action
        def put(self, s, n):
            n.v = pbag([])

    result = check(Mixed())
    assert result.verdict is Verdict.ERROR
    assert "cannot be compared with its other values" in result.violations[0].explanation


def test_goals_with_parameters_are_goals_of_their_own() -> None:
    class Walk(Spec):
        v = var(0)

        @action
        def up(self, s, n):
            n.v = (s.v + 1) % 3

        @goal(k=(1, 2, 5))
        def at(self, s, k):
            return s.v == k

    for result in both(Walk()):
        assert result.verdict is Verdict.UNREACHED
        assert result.goals == {"at(k=1)": 2, "at(k=2)": 3, "at(k=5)": None}


def test_initial_states_that_are_equal_are_counted_once() -> None:
    class Twice(Spec):
        size = const(4)
        v = var(0)

        @init(k=range(8))
        def start(self, n, k):
            require(k != 3, "not three")
            n.v = k % self.size

        @action
        def stay(self, s, n):
            pass

        @constraint
        def not_two(self, s):
            return s.v != 2

        @invariant
        def fine(self, s):
            return True

    for result in both(Twice()):
        assert (result.generated, result.distinct, result.depth) == (7 + 3, 3, 1)


def test_a_spec_without_slots() -> None:
    """All keyed variables over empty domains: a row has no slots, and there is one state."""
    source = """
    nobody = const(())
    p = per("nobody", 0)
    s0 = subset("nobody")

    @init(k=range(3))
    def start(self, n, k):
        pass

    @action
    def stay(self, s, n):
        require(not s.s0)

    @invariant
    def wrong(self, s):
        return len(s.p) > 0
"""
    result = agree(Case(HEADER + source, keep_going=True))
    assert (result.distinct, result.generated, result.verdict) == (1, 4, Verdict.VIOLATED)
