"""Among traces of one length the calmest is chosen, and it is still a counterexample."""

from __future__ import annotations

from typing import Self

import pytest
from hypothesis import given, settings

from modelcheck import Per, Spec, action, check, const, invariant, per, require
from modelcheck.trace import Step
from specs.classics.two_phase import TwoPhase
from specs.toys.die_hard import DieHard
from specs.toys.peterson import Peterson
from specs.toys.philosophers import Philosophers
from tests.strategies import Case, cases
from traces.calm import Actors, calm, unrest
from traces.replay import replay


class Workers(Spec):
    """Two of the workers each take two steps of their own; a crash can stand in for one of them."""

    names = const(("a", "b", "c"))
    done: Per[str, int] = per("names", 0)

    @action(i="names")
    def work(self, s: Self, n: Self, i: str) -> None:
        require(s.done[i] < 2, "something is left to do")
        n.done[i] = s.done[i] + 1

    @action(i="names")
    def crash(self, s: Self, n: Self, i: str) -> None:
        require(s.done[i] < 2, "something is left to do")
        n.done[i] = s.done[i] + 1

    @invariant
    def not_four(self, s: Self) -> bool:
        return sum(s.done[i] for i in self.names) < 4


def test_the_calmest_has_no_crash_few_nodes_and_one_switch() -> None:
    spec = Workers()
    run = spec.run().work("a").crash("b").work("c").work("a")
    found = check(spec).violations[0]
    restless = type(found)(found.kind, found.property, {}, run.trace)
    calmer = calm(spec.program, restless)
    actors = Actors.of(spec.program)
    assert unrest(actors, run.trace.steps) == (1, 3, 3, 0, 2)
    assert unrest(actors, calmer.trace.steps) == (0, 2, 1, 0, 1)
    assert len(calmer.trace) == len(run.trace)
    assert replay(spec.program, calmer).identical
    assert calmer.explanation


class Accounts(Spec):
    """A node can come to two by writing or by resting; both take a step, and only a write is a transaction."""

    names = const(("a", "b"))
    value: Per[str, int] = per("names", 0)

    @action(i="names")
    def write(self, s: Self, n: Self, i: str) -> None:
        n.value[i] = min(s.value[i] + 1, 3)

    @action(i="names")
    def rest(self, s: Self, n: Self, i: str) -> None:
        n.value[i] = min(s.value[i] + 1, 3)

    @invariant(i="names")
    def not_three(self, s: Self, i: str) -> bool:
        return s.value[i] < 3


def test_the_calmest_has_few_transactions() -> None:
    spec = Accounts()
    run = spec.run().write("a").rest("a").write("a")
    found = type(check(spec).violations[0])("invariant", "not_three", {"i": "a"}, run.trace)
    calmer = calm(spec.program, found)
    assert [step.action for step in calmer.trace.steps[1:]] == ["rest", "rest", "rest"]
    assert unrest(Actors.of(spec.program), calmer.trace.steps) == (0, 1, 0, 0, 1)


def test_reordering_alone_gathers_the_steps_of_a_node() -> None:
    spec = Workers()
    run = spec.run().work("a").work("b").work("a").work("b")
    found = type(check(spec).violations[0])("invariant", "not_four", {}, run.trace)
    calmer = calm(spec.program, found, budget=0)
    assert [step.params["i"] for step in calmer.trace.steps[1:]] == ["a", "a", "b", "b"]


def test_actors_are_what_variables_are_kept_for() -> None:
    actors = Actors.of(Workers().program)
    assert actors(Step("form", {"members": ("b", "a"), "fits": True, "x": 3})) == ("b", "a")
    assert actors(Step("tick", {})) == ()


@pytest.mark.parametrize(
    "spec",
    [DieHard(), Philosophers(), Peterson(turn_first=True), TwoPhase(impatient=True)],
    ids=lambda spec: type(spec).__name__,
)
def test_calm_traces_of_specs_replay_and_are_no_longer(spec: Spec) -> None:
    found = check(spec).violations[0]
    calmer = calm(spec.program, found)
    actors = Actors.of(spec.program)
    assert len(calmer.trace) == len(found.trace)
    assert unrest(actors, calmer.trace.steps) <= unrest(actors, found.trace.steps)
    assert replay(spec.program, calmer).identical
    assert calm(spec.program, calmer) == calmer


@settings(deadline=None, max_examples=40)
@given(cases())
def test_calming_any_spec_keeps_property_length_and_replay(case: Case) -> None:
    spec = case.spec()
    for found in check(spec, engine="oracle", max_states=300, deadlock=case.deadlock).violations:
        calmer = calm(spec.program, found, budget=60)
        assert (calmer.kind, calmer.property) == (found.kind, found.property)
        assert len(calmer.trace) == len(found.trace)
        if found.kind != "error":
            assert replay(spec.program, calmer).identical
