"""The language: declarations that are refused, constants, and mistakes that are explained."""

from __future__ import annotations

from typing import Any

import pytest
from pyrsistent import pmap, pvector

from modelcheck import (
    Spec,
    action,
    assume,
    channel,
    check,
    const,
    goal,
    init,
    invariant,
    per,
    require,
    subset,
    terminal,
    var,
)
from modelcheck.errors import AssumptionFailed, ConfigError, SpecLoadError
from tests.leader import Leader, failing
from tests.strategies import load


def declared_wrongly(**members: Any) -> str:
    """The message for a class with these members."""
    with pytest.raises(SpecLoadError) as refused:
        type("Wrong", (Spec,), {"v": var(0), **members})().program  # noqa: B018
    return str(refused.value)


# --- declarations -------------------------------------------------------------------------------


def test_handles_must_have_their_names() -> None:
    def go(self, state, nxt):
        pass

    def bad_self(this, s, n):
        pass

    assert "@action needs the parameters (self, s, n, ...), has (self, state, nxt)" in declared_wrongly(go=action(go))
    assert "has (this, s, n)" in declared_wrongly(go=action(bad_self))


@pytest.mark.parametrize(("marker", "form"), [(init, "self, n"), (goal, "self, s"), (terminal, "self, s")])
def test_every_role_says_which_handles_it_takes(marker: Any, form: str) -> None:
    def wrong(self):
        pass

    assert f"needs the parameters ({form}, ...)" in declared_wrongly(wrong=marker(wrong))


def test_a_parameter_needs_a_domain_and_a_domain_a_parameter() -> None:
    def go(self, s, n, who):
        pass

    message = declared_wrongly(go=action(whom=(1, 2))(go))
    assert "parameter 'who' has no domain (did you mean 'whom'?): @action(who=...)" in message
    assert "domain given for 'whom', which is not a parameter (did you mean 'who'?)" in message


def test_all_mistakes_of_a_class_are_told_at_once() -> None:
    def one(self, s):
        pass

    def two(self, s, n, i):
        pass

    message = declared_wrongly(one=action(one), two=action(two))
    assert message.count("\n") == 2 and "one (" in message and "two (" in message
    assert f"{__file__}:" in message


@pytest.mark.parametrize(
    ("domain", "problem"),
    [
        (3, "a number is not a domain: write range(n)"),
        ("servants", "has no constant, property or method of that name"),
        (lambda self: iter([1]), "an iterator may never end"),
        (lambda self: 3, "a number is not a domain"),
        (({1: 2}, {3: 4}), "not hashable"),
    ],
)
def test_a_domain_must_be_a_finite_collection(domain: Any, problem: str) -> None:
    def go(self, s, n, i):
        pass

    assert problem in declared_wrongly(go=action(i=domain)(go))


def test_a_misspelt_domain_is_suggested() -> None:
    def go(self, s, n, i):
        pass

    message = declared_wrongly(go=action(i="servrs")(go), servers=const(("a",)))
    assert "(did you mean 'servers'?)" in message


@pytest.mark.parametrize("key", [None, 1.5, ("a", 2.5)])
def test_keys_are_frozen_values_and_not_none(key: Any) -> None:
    assert "the domain of p holds" in declared_wrongly(p=per((key,), 0), a=action(lambda self, s, n: None))


def test_initial_values_are_frozen() -> None:
    message = declared_wrongly(a=action(lambda self, s, n: None), p=per(("x",), ([1],)))
    assert "the initial value of p[x] cannot be part of a state: [1] is a list at [0]" in message


def test_a_subset_starts_inside_its_universe() -> None:
    message = declared_wrongly(a=action(lambda self, s, n: None), w=subset((1, 2), (3,)))
    assert "the initial value of w holds 3, not in its universe" in message


def test_channels_have_three_kinds() -> None:
    with pytest.raises(SpecLoadError, match="choose 'fifo', 'bag' or 'set'"):
        channel(kind="lifo")  # type: ignore[arg-type]


def test_a_spec_has_variables_and_actions() -> None:
    def nothing(self, s, n):
        pass

    with pytest.raises(SpecLoadError, match="has no variables"):
        type("Bare", (Spec,), {"a": action(nothing)})().program  # noqa: B018
    assert "has no actions" in declared_wrongly()
    with pytest.raises(SpecLoadError, match="declares nothing"):
        type("Void", (Spec,), {})()


def test_there_is_one_init() -> None:
    def start(self, n):
        pass

    message = declared_wrongly(a=action(lambda self, s, n: None), one=init(start), two=init(start))
    assert "several @init functions (one, two)" in message


@pytest.mark.parametrize("name", ["program", "run", "constants"])
def test_names_of_spec_itself_are_taken(name: str) -> None:
    assert f"{name!r} is a name of Spec itself" in declared_wrongly(**{name: var(0)})


@pytest.mark.parametrize("name", ["state", "take", "why_not"])
def test_names_of_run_are_taken_for_actions(name: str) -> None:
    assert "choose another" in declared_wrongly(**{name: action(lambda self, s, n: None)})


@pytest.mark.parametrize("name", ["deadlock", "error"])
def test_names_of_what_results_tell_are_taken_for_properties(name: str) -> None:
    """An invariant called error hid the errors of the spec: the verdict was VIOLATED instead of ERROR."""
    assert "choose another" in declared_wrongly(**{name: invariant(lambda self, s: True)})


def test_a_decorator_marks_functions_only() -> None:
    with pytest.raises(SpecLoadError, match="domains go by keyword"):
        action("servers")  # type: ignore[call-overload]


# --- constants ----------------------------------------------------------------------------------


def test_constants_have_defaults_and_are_given_by_keyword() -> None:
    assert Leader().constants == {"servers": ("s1", "s2"), "most": 2}
    spec = Leader(most=1, servers=["a"])
    assert (spec.most, spec.servers) == (1, ("a",))
    assert repr(spec) == "Leader(servers=('a',), most=1)"
    assert check(spec).distinct == 7


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"must": 3}, "Leader has no constant 'must' (did you mean 'most'?); its constants are: servers, most"),
        ({"most": "3"}, "the constant 'most' of Leader is of type int (default 2), but '3' was given"),
        ({"most": True}, "but True was given"),
        ({"servers": 3}, "is a collection (default ('s1', 's2')), but 3 was given"),
        ({"most": 0}, "0 is not allowed for the constant 'most'"),
    ],
)
def test_wrong_constants_are_refused(given: dict[str, Any], problem: str) -> None:
    with pytest.raises(ConfigError) as refused:
        Leader(**given)
    assert problem in str(refused.value)


def test_a_constant_without_a_default_must_be_given() -> None:
    class Needs(Spec):
        size = const()
        v = var(lambda self: self.size)

        @action
        def stay(self, s, n):
            pass

    with pytest.raises(ConfigError, match=r"needs a value for the constant 'size': Needs\(size=...\)"):
        Needs()
    assert Needs(size=4).run().state.v == 4


def test_mutable_constants_become_frozen() -> None:
    class Holds(Spec):
        table = const({"a": [1]})
        members = const({1, 2})
        v = var(lambda self: self.table)
        w = var(lambda self: self.members)

        @action
        def stay(self, s, n):
            pass

    state = Holds().run().state
    assert (state.v, state.w) == (pmap({"a": pvector([1])}), frozenset({1, 2}))


def test_nothing_is_assigned_to_a_spec() -> None:
    with pytest.raises(AttributeError, match="constants are given to the constructor"):
        Leader().most = 3


def test_assumptions_are_checked_first() -> None:
    class Assumes(Leader):
        @assume
        def enough(self):
            return self.most > 1

    assert Assumes().most == 2
    with pytest.raises(AssumptionFailed, match=r"'enough' is false for servers=\('s1', 's2'\), most=1"):
        Assumes(most=1)


# --- mistakes while running ---------------------------------------------------------------------


def test_writing_a_slot_twice() -> None:
    def twice(self, s, n):
        n.epoch = 1
        n.epoch = 2

    def through_whole(self, s, n):
        n.log["s1"] = pvector()
        n.log = {"s1": pvector(), "s2": pvector()}

    assert "epoch is assigned twice in one step (first 1, then 2)" in failing(twice)
    assert "log[s1] is assigned twice in one step" in failing(through_whole)


def test_elements_of_a_subset_and_messages_may_change_several_times() -> None:
    class Often(Leader):
        @action
        def often(self, s, n):
            n.votes.add("s1")
            n.votes.discard("s1")
            n.votes.add("s2")
            n.wire.send("a")
            n.wire.send("b")
            assert n.wire.receive("a") == "a"

    state = Often().run().often().state
    assert (set(state.votes), set(state.wire)) == ({"s2"}, {"b"})


def test_mutable_values_are_told_with_their_place() -> None:
    def put_list(self, s, n):
        n.log["s2"] = pvector([(1, [2])])

    def send_dict(self, s, n):
        n.net.send("s1", "s2", ("m", {"a": 1}))

    text = failing(put_list)
    assert "n.log[s2] was given a value that is not frozen: [2] is a list at [0][1]" in text
    assert "is a dict at [0][1]: use pyrsistent.pmap" in failing(send_dict)


def test_unknown_keys_and_elements() -> None:
    def wrong_key(self, s, n):
        n.log["s3"] = pvector()

    def wrong_element(self, s, n):
        n.votes.add("s11")

    def wrong_question(self, s, n):
        require("s3" in s.votes)

    assert "log has no key 's3'; it has 's1', 's2'" in failing(wrong_key)
    assert "votes has no element 's11'" in failing(wrong_element)
    assert "votes has no element 's3'" in failing(wrong_question)


def test_keyed_variables_are_assigned_whole_with_exactly_their_keys() -> None:
    def too_few(self, s, n):
        n.log = {"s1": pvector()}

    def no_mapping(self, s, n):
        n.log = pvector()

    def odd_element(self, s, n):
        n.votes = {"s1", "s9"}

    assert "needs a mapping with exactly its 2 keys" in failing(too_few)
    assert "needs a mapping" in failing(no_mapping)
    assert "votes has no element 's9'" in failing(odd_element)


def test_channels_are_used_by_sending_and_receiving() -> None:
    def assigned(self, s, n):
        n.net = pmap()

    def too_few_keys(self, s, n):
        n.net.send("s1", "hello")

    assert "net is a channel: use n.net.send(...) and .receive(...)" in failing(assigned)
    assert "net has 2 key(s), 1 given" in failing(too_few_keys)


def test_only_the_next_state_is_written() -> None:
    def through_a_name(self, s, n):
        current = s
        current.epoch = 1

    def by_a_helper(self, s, n):
        put(s.votes, "s1")

    def put(votes, item):
        votes.add(item)

    assert "only n, the next state of an action, can be assigned" in failing(through_a_name)
    assert "only n, the next state of an action, can be assigned" in failing(by_a_helper)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("n.epock = 1", "there is no variable 'epock' (did you mean 'epoch'?)"),
        ("n.epoch = s.most", "'most' is a constant, and constants live on self: self.most"),
        ("n.epoch = self.epoch", "'epoch' is a variable, and variables live on s and n"),
        ("n.epoch = self.mast", "no constant or attribute 'mast' (did you mean 'most'?)"),
        ("s.epoch = 1", "s is the current state and cannot be assigned: did you mean n.epoch?"),
        ("s.votes.add('s1')", "s.votes.add('s1') changes nothing"),
        ("self.most = 3", "self never changes while a spec runs"),
    ],
)
def test_wrong_names_are_found_before_anything_runs(text: str, problem: str) -> None:
    members = "most = const(2)\n    epoch = var(0)\n    votes = subset(('s1',))\n"
    source = f"class Generated(Spec):\n    {members}\n    @action\n    def a(self, s, n):\n        {text}\n"
    spec = load("from modelcheck import *\n" + source)()
    with pytest.raises(SpecLoadError) as refused:
        spec.program  # noqa: B018
    assert problem in str(refused.value)


def test_wrong_names_that_the_text_hides_are_found_while_running() -> None:
    def reads(self, s, n):
        getattr(s, "epock")  # noqa: B009

    def constant(self, s, n):
        getattr(n, "most")  # noqa: B009

    assert "there is no variable 'epock' (did you mean 'epoch'?)" in failing(reads)
    assert "'most' is a constant: write self.most" in failing(constant)


def test_a_variable_cannot_be_read_on_the_spec() -> None:
    with pytest.raises(AttributeError, match=r"read it as s.epoch and assign it as n.epoch"):
        Leader().epoch  # noqa: B018


def test_an_action_returns_nothing_and_a_property_something() -> None:
    def returns(self, s, n):
        return s.epoch == 0

    assert "an action assigns to n and returns nothing" in failing(returns)

    class Silent(Leader):
        @invariant
        def silent(self, s):
            s.epoch == 0  # noqa: B015

    for engine in ("oracle", "local"):
        (failed,) = check(Silent(), engine=engine).violations
        assert failed.property == "silent" and "is a return missing?" in failed.explanation


def test_require_belongs_in_actions() -> None:
    class Guards(Leader):
        @invariant
        def guarded(self, s):
            require(s.epoch > 0)
            return True

    for engine in ("oracle", "local"):
        (failed,) = check(Guards(), engine=engine).violations
        assert "require(...) guards actions; a property returns True or False" in failed.explanation
