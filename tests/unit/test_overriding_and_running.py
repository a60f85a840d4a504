"""The language: operators, subclasses that override, and runs step by step."""

from __future__ import annotations

from typing import Any

import pytest
from pyrsistent import pset, pvector

from modelcheck import Spec, Verdict, action, check, const, constraint, init, invariant, operator, require, var
from modelcheck.errors import NotEnabled
from tests.leader import Leader, failing

# --- operators ----------------------------------------------------------------------------------


def test_an_operator_is_evaluated_once_for_each_combination() -> None:
    calls = []

    @operator
    def double(value: int, times: int = 2) -> int:
        calls.append(value)
        return value * times

    assert [double(2), double(3), double(2), double(2, times=3), double(2, times=3)] == [4, 6, 4, 6, 6]
    assert calls == [2, 3, 2]


def test_an_operator_does_not_mix_up_equal_values_of_two_types() -> None:
    """An empty frozenset and an empty pset are equal; what had been remembered for one was answered for the other."""

    @operator
    def kind(value: Any) -> str:
        return type(value).__name__

    assert [kind(value) for value in (frozenset(), pset(), True, 1)] == ["frozenset", "PSet", "bool", "int"]


def test_an_operator_is_given_values_and_not_handles() -> None:
    @operator
    def leads(state: Any) -> bool:
        return state.leader is not None

    @operator
    def size(votes: Any) -> int:
        return len(votes)

    def with_handle(self, s, n):
        require(leads(s))

    def with_view(self, s, n):
        require(size(s.votes))

    for body, name in ((with_handle, "leads"), (with_view, "size")):
        assert f"the operator {name} was given a handle or a view" in failing(body)
    with pytest.raises(TypeError, match="not frozen"):
        size([1])


def test_an_operator_may_be_a_method_and_raise() -> None:
    class Uses(Leader):
        @operator
        def left(self, epoch):
            return self.most - epoch

        @invariant
        def some_left(self, s):
            return self.left(s.epoch) >= 0

    assert check(Uses()).verdict is Verdict.HOLDS
    assert (Uses(most=1).left(0), Uses(most=3).left(0)) == (1, 3)


# --- overriding ---------------------------------------------------------------------------------


def _actions(cls: type[Spec]) -> list[str]:
    return [bound.label for bound in cls().program.actions]


def test_an_override_keeps_the_role_the_domains_and_the_place() -> None:
    class Calm(Leader):
        def elect(self, s, n, i):
            require(i == "s1", "only s1")
            n.leader, n.epoch = i, min(s.epoch + 1, self.most)

    assert _actions(Calm) == _actions(Leader)
    assert Calm().run().why_not("elect", i="s2") == "only s1"


def test_an_override_with_a_decorator_has_domains_of_its_own() -> None:
    class Fewer(Leader):
        @action(i=("s2",))
        def elect(self, s, n, i):
            super().elect(s, n, i)

    assert _actions(Fewer)[0] == "elect(i='s2')" and len(_actions(Fewer)) == len(_actions(Leader)) - 1
    assert Fewer().run().elect("s2").state.leader == "s2"


def test_an_action_is_taken_out_by_none_and_can_come_back() -> None:
    class NoCrash(Leader):
        crash = None

    class Again(NoCrash):
        @action
        def crash(self, s, n):
            n.leader = None

    assert "crash" not in _actions(NoCrash) and "crash" in _actions(Again)
    assert "crash" in _actions(Leader)


def test_properties_and_variables_are_overridden_too() -> None:
    class Other(Leader):
        epoch = var(1)
        short = None

        def epochs_grow(self, s, n):
            return n.epoch == s.epoch

    assert Other().run().state.epoch == 1
    result = check(Other())
    assert (result.violations[0].property, len(result.trace())) == ("epochs_grow", 2)
    assert [bound.name for bound in Other().program.invariants] == []


def test_a_constant_is_overridden_by_a_subclass() -> None:
    class Larger(Leader):
        most = const(5)

    assert Larger().constants == {"servers": ("s1", "s2"), "most": 5}


# --- running ------------------------------------------------------------------------------------


def test_a_run_is_a_value() -> None:
    begin = Leader().run()
    leading = begin.elect(i="s1")
    assert begin.state.leader is None and leading.state.leader == "s1"
    assert leading.append("s1").state.log["s1"] == pvector([1])
    assert [step.label for step in leading.crash().trace.steps] == ["init", "elect(i='s1')", "crash"]


def test_a_step_that_is_not_enabled_names_its_guard() -> None:
    run = Leader().run()
    with pytest.raises(NotEnabled, match="crash is not enabled after init: somebody leads"):
        run.crash()
    with pytest.raises(NotEnabled, match="nobody leads"):
        run.elect("s1").elect("s2")
    assert run.why_not("elect", i="s1") is None
    assert run.why_not("append", i="s1") == "i leads"
    assert "outside the domain" in (run.why_not("append", i="s9") or "")


def test_an_unlabelled_guard_is_told_by_its_text() -> None:
    run = Leader().run().elect("s1").append("s1").append("s1")
    assert run.why_not("append", i="s1") == "require(len(s.log[i]) < 2)"


def test_an_empty_channel_is_a_guard() -> None:
    class Reads(Leader):
        @action(i="servers", j="servers")
        def read(self, s, n, i, j):
            n.net.receive(i, j)

    assert Reads().run().why_not("read", i="s1", j="s2") == "net['s1', 's2'] has a message"


@pytest.mark.parametrize("call", [lambda run: run.elect("s1", "s2"), lambda run: run.elect(j="s1")])
def test_arguments_that_an_action_does_not_take(call: Any) -> None:
    with pytest.raises(TypeError, match=r"elect takes \(i\)"):
        call(Leader().run())


def test_unknown_actions_are_suggested() -> None:
    run = Leader().run()
    with pytest.raises(AttributeError, match="no action 'elct' \\(did you mean 'elect'"):
        run.elct(i="s1")
    with pytest.raises(AttributeError, match="no action 'elct' \\(did you mean 'elect'"):
        run.why_not("elct", i="s1")


def test_what_is_possible_and_what_is_violated() -> None:
    class Bad(Leader):
        @invariant(i="servers")
        def nothing_logged(self, s, i):
            return not s.log[i]

    run = Bad().run().elect("s2")
    assert run.enabled() == [("append", {"i": "s2"}), ("crash", {})]
    assert run.violated() == []
    assert run.append("s2").violated() == [("nothing_logged", {"i": "s2"})]


def test_one_of_several_initial_states_is_chosen_by_parameters() -> None:
    class Starts(Leader):
        @init(a=range(3), b=("s1", "s2"))
        def start(self, n, a, b):
            require(a != 1)
            n.epoch, n.leader = a, b

    assert Starts().run(a=2, b="s1").state.leader == "s1"
    with pytest.raises(NotEnabled, match="4 initial states"):
        Starts().run()
    with pytest.raises(NotEnabled, match="0 initial states"):
        Starts().run(a=1)


def test_messages_sent_and_received_are_told_in_the_trace() -> None:
    class Talks(Leader):
        @action
        def say(self, s, n):
            n.net.send("s1", "s2", "hello")
            n.bag.send("s1", "x")

        @action
        def hear(self, s, n):
            n.net.receive("s1", "s2")
            n.bag.drop("s1", "x")

    steps = Talks().run().say().hear().trace.steps
    events = [(event.kind, event.channel, event.key, event.message) for step in steps for event in step.events]
    assert events == [
        ("send", "net", ("s1", "s2"), "hello"),
        ("send", "bag", ("s1",), "x"),
        ("receive", "net", ("s1", "s2"), "hello"),
        ("drop", "bag", ("s1",), "x"),
    ]


def test_domains_of_all_kinds() -> None:
    class Domains(Spec):
        names = const(("a", "b"))
        v = var(0)

        @property
        def pairs(self):
            return [(x, y) for x in self.names for y in self.names if x < y]

        def numbers(self):
            return range(2)

        @action(p="pairs", k="numbers", m={3, 1}, d=lambda s, k, step=2: range(s.v, s.v + k * step))
        def go(self, s, n, p, k, m, d):
            require(s.v < 2)
            n.v = min(d + 1, 2)

        @constraint(x="names")
        def always(self, s, x):
            return x in self.names

    run = Domains().run()
    assert [params for _, params in run.enabled()] == [
        {"p": ("a", "b"), "k": 1, "m": m, "d": d} for m in (1, 3) for d in (0, 1)
    ]
    assert check(Domains(), deadlock=False).distinct == 3
