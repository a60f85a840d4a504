"""Replay: where a stored trace and a spec part, by which guard, and how the outcome differs."""

from __future__ import annotations

from typing import Self

from modelcheck import Spec, action, check, invariant, require, var
from modelcheck.result import Discovery
from modelcheck.trace import Step, Trace
from specs.toys.coffee_can import CoffeeCan
from specs.toys.die_hard import DieHard
from specs.toys.philosophers import Philosophers
from specs.zookeeper.episodes import Episodes
from tests.traces.material import counterexample
from traces.replay import replay
from traces.replay_text import render_replay, replay_data, step_rows


def test_the_guard_is_named() -> None:
    found = check(Philosophers()).violations[0]
    answer = replay(Philosophers(fix="waiter").program, found)
    assert not answer.identical
    assert answer.changed is None
    assert answer.stopped is not None
    assert (answer.stopped.position, answer.stopped.reason) == (5, "guard")
    assert answer.stopped.guard == "the waiter allows it"
    assert "step 6" in render_replay(answer)
    assert replay_data(answer)["guard"] == "the waiter allows it"


def test_another_outcome_is_shown_and_the_walk_goes_on() -> None:
    found = counterexample(Episodes)
    answer = replay(Episodes(fixes=("cut-on-snap",)).program, found)
    assert answer.changed is not None
    assert answer.changed.reason == "outcome"
    assert answer.changed.differences == ("files[1]: [[1.1], [2.1]] -> [[1.1]]",)
    assert answer.stopped is None
    assert answer.found is None
    assert [row.status for row in step_rows(answer)][:4] == ["same"] * 4
    assert "holds at the end" in render_replay(answer)


def test_a_difference_is_told_where_it_begins() -> None:
    answer = replay(Episodes(era="3.8").program, counterexample(Episodes))
    text = render_replay(answer)
    assert text.count("snapshots[0][0.0]: added empty") == 1
    assert "lone_write                        possible, the same differs" in text
    assert text.count("sync[1]: SNAP 1.1 for 2.1 -> TRUNC 1.1 for 2.1") == 1
    assert all("snapshots[0][0.0]: added empty" in row["lines"] for row in replay_data(answer)["steps"])


def test_a_property_that_holds_now_is_no_replay() -> None:
    found = check(DieHard()).violations[0]
    answer = replay(DieHard(target=3).program, found)
    assert answer.parting is None
    assert not answer.identical
    assert "holds at the end" in render_replay(answer)


class Lamp(Spec):
    """A lamp."""

    on = var(False)

    @action
    def press(self, s: Self, n: Self) -> None:
        n.on = not s.on

    @invariant
    def dark(self, s: Self) -> bool:
        return not s.on


class Dimmer(Lamp):
    """A lamp with another variable and another name for its action."""

    level = var(0)
    press = None  # type: ignore[assignment]

    @action
    def pres(self, s: Self, n: Self) -> None:
        n.on = not s.on


class Broken(Lamp):
    """A lamp whose switch fails."""

    @action
    def press(self, s: Self, n: Self) -> None:
        raise ValueError("sparks")


class Locked(Lamp):
    """A lamp without a label on its guard."""

    @action
    def press(self, s: Self, n: Self) -> None:
        require(s.on)
        n.on = False


def test_a_spec_without_the_action() -> None:
    answer = replay(Dimmer().program, check(Lamp()).violations[0])
    assert answer.stopped is not None
    assert answer.stopped.reason == "no such action"
    assert "did you mean 'pres'?" in answer.stopped.guard
    assert answer.only_here == ("level",)
    assert "Only in the spec" in render_replay(answer)


def test_a_spec_that_fails() -> None:
    answer = replay(Broken().program, check(Lamp()).violations[0])
    assert answer.stopped is not None
    assert answer.stopped.reason == "error"
    assert "sparks" in answer.stopped.guard


def test_a_guard_without_a_label_is_told_by_its_line() -> None:
    answer = replay(Locked().program, check(Lamp()).violations[0])
    assert answer.stopped is not None
    assert "require(s.on)" in answer.stopped.guard


def test_initial_states_are_found_by_their_parameters_and_values() -> None:
    spec = CoffeeCan(max_beans=4)
    run = spec.run(black=2, white=1)
    found = Discovery("trace", "", {}, run.one_of_each().trace)
    assert replay(spec.program, found).identical
    bare = Trace("CoffeeCan", {}, found.trace.states, (Step("init", {}), Step("one_of_each", {})))
    assert replay(spec.program, Discovery("trace", "", {}, bare)).identical
    gone = replay(CoffeeCan(max_beans=2).program, found)
    assert gone.trace is None
    assert gone.stopped is not None
    assert gone.stopped.reason == "no such state"
    assert "not tried" in render_replay(gone)
