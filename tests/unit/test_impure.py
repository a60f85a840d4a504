"""Functions that depend on more than the state are unmasked while a spec runs, with a clear error."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from modelcheck import Result, Spec, Verdict, action, check, constraint, init, invariant, require, terminal, var
from modelcheck.engine.search import Search
from modelcheck.limits import Limits

ENGINE_SPEEDS = {"interpreted": 1e9, "compiled": 0.0}
CALLS: dict[str, int] = {}


@pytest.fixture(autouse=True)
def fresh_counts() -> Iterator[None]:
    CALLS.clear()
    yield


def tick(name: str = "calls") -> int:
    """How often it has been called, which no state knows."""
    CALLS[name] = CALLS.get(name, 0) + 1
    return CALLS[name]


DICE = random.Random(5)


def roll(sides: int) -> int:
    """Dice behind a function of the author's own, where the text of the spec does not show them."""
    return DICE.randrange(sides)


def run(spec: Spec, speed: str) -> Result:
    return Search(spec.program, Limits(), seconds_interpreted=ENGINE_SPEEDS[speed]).run()


@pytest.fixture(params=ENGINE_SPEEDS)
def unmasked(request: pytest.FixtureRequest) -> Callable[[type[Spec], str], str]:
    """Run an impure spec; the explanation of the error that must come of it."""

    def unmask(cls: type[Spec], where: str) -> str:
        result = run(cls(), request.param)
        assert result.verdict is Verdict.ERROR
        (failed,) = [d for d in result.violations if d.kind == "error"]
        assert failed.property == where
        return failed.explanation

    return unmask


def test_random_numbers(unmasked: Any) -> None:
    class Dice(Spec):
        v = var(0)

        @action
        def throw(self, s, n):
            n.v = roll(1_000_000)

    text = unmasked(Dice, "throw")
    assert "gave two different answers for the same state" in text
    assert "random numbers" in text


def test_a_counter_in_a_global(unmasked: Any) -> None:
    class Counts(Spec):
        v = var(0)

        @action
        def count(self, s, n):
            n.v = tick()

    text = unmasked(Counts, "count")
    assert "first  (1,)" in text and "second (2,)" in text


def test_a_closure_that_changes(unmasked: Any) -> None:
    tickets = list(range(100))

    def next_ticket() -> int:
        return tickets.pop()

    class Takes(Spec):
        v = var(0)

        @action
        def draw(self, s, n):
            require(s.v == 0)
            n.v = next_ticket()

    assert "two different answers" in unmasked(Takes, "draw")


def test_a_guard_that_is_true_now_and_then(unmasked: Any) -> None:
    class Moody(Spec):
        v = var(0)

        @action
        def maybe(self, s, n):
            require(tick() % 2 == 0)
            n.v = 1 - s.v

    text = unmasked(Moody, "maybe")
    assert "first  not enabled" in text


def test_other_slots_are_read_the_second_time(unmasked: Any) -> None:
    class Wanders(Spec):
        a = var(0)
        b = var(0)

        @action
        def look(self, s, n):
            require((s.a if tick() % 2 else s.b) == 0)

    unmasked(Wanders, "look")


def test_a_domain_that_changes(unmasked: Any) -> None:
    class Moving(Spec):
        v = var(0)

        @action(k=lambda s: range(s.v + tick()))
        def go(self, s, n, k):
            n.v = 0

    unmasked(Moving, "go")


def test_an_invariant_that_changes_its_mind(unmasked: Any) -> None:
    class Fickle(Spec):
        v = var(0)

        @action
        def stay(self, s, n):
            pass

        @invariant
        def sometimes(self, s):
            return tick() % 2 == 1

    assert "first  True" in unmasked(Fickle, "sometimes")


def test_a_step_invariant_a_constraint_and_a_terminal_state(unmasked: Any) -> None:
    class Step(Spec):
        v = var(0)

        @action
        def stay(self, s, n):
            pass

        @invariant
        def stepwise(self, s, n):
            return tick() % 2 == 1

    class Bound(Spec):
        v = var(0)

        @action
        def stay(self, s, n):
            pass

        @constraint
        def within(self, s):
            return tick("within") % 2 == 1

    class Stop(Spec):
        v = var(0)

        @action
        def never(self, s, n):
            require(False)

        @terminal
        def done(self, s):
            return tick("done") % 2 == 1

    for cls, where in ((Step, "stepwise"), (Bound, "within"), (Stop, "done")):
        unmasked(cls, where)


def test_it_is_unmasked_later_if_it_begins_well(unmasked: Any) -> None:
    """The first evaluations are honest; one in so many of the later ones is done twice."""

    class Late(Spec):
        v = var(0)

        @action
        def up(self, s, n):
            calls = tick()
            n.v = (s.v + 1) % 2000 if calls < 50 else calls + 10_000

    unmasked(Late, "up")


def test_lessons_that_contradict_each_other(unmasked: Any) -> None:
    """It answers the same when asked twice in a row, but over many states its reads fit no decision tree."""

    class Drifts(Spec):
        a = var(0)
        b = var(0)

        @action
        def up(self, s, n):
            n.a = (s.a + 1) % 50

        @action
        def look(self, s, n):
            require(drifting(s) < 100)

    def drifting(s: Any) -> int:
        return int(s.a if tick() < 8 else s.b)

    text = unmasked(Drifts, "look")
    assert "reads another slot next" in text


@pytest.mark.parametrize("speed", ENGINE_SPEEDS)
def test_what_slips_through_is_caught_when_the_trace_is_replayed(speed: str) -> None:
    """No trace is shown before it was replayed: an error takes its place, and the verdict is ERROR."""

    class Slips(Spec):
        v = var(0)

        @action
        def up(self, s, n):
            n.v = s.v + (1 if tick() < 12 else 2)

        @constraint
        def small(self, s):
            return s.v < 20

        @invariant
        def below_seven(self, s):
            return s.v < 7

    result = run(Slips(), speed)
    assert result.verdict is Verdict.ERROR
    assert "does not lead to the same state" in result.violations[0].explanation


@pytest.mark.parametrize("speed", ENGINE_SPEEDS)
def test_a_violation_that_cannot_be_seen_again_is_an_error(speed: str) -> None:
    class Once(Spec):
        v = var(0)

        @action
        def up(self, s, n):
            require(s.v < 9)
            n.v = s.v + 1

        @invariant
        def honest_at_first(self, s):
            # Asked twice of the first two states and once of the others: the tenth answer is that for v == 7.
            return s.v >= 0 and tick() != 10

        @terminal
        def end(self, s):
            return s.v == 9

    result = run(Once(), speed)
    assert result.verdict is Verdict.ERROR
    assert "holds when asked again" in result.violations[0].explanation


def test_initial_states_that_change() -> None:
    class Starts(Spec):
        v = var(0)

        @init
        def start(self, n):
            n.v = tick()

        @action
        def stay(self, s, n):
            pass

        @invariant
        def wrong(self, s):
            return False

    for engine in ("oracle", "local"):
        assert check(Starts(), engine=engine).verdict is Verdict.ERROR


def test_pure_functions_with_state_of_their_own_inside_a_call_are_fine() -> None:
    class Local(Spec):
        v = var(0)

        @action
        def count(self, s, n):
            seen = []
            for item in range(s.v):
                seen.append(item)
            n.v = (len(seen) + 1) % 100

    assert check(Local()).distinct == 100
