"""Which variables a function may read and write: claims about `access`."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

import pytest

from modelcheck.access import Access, access
from modelcheck.statics import Names

VARIABLES = frozenset({"leader", "epoch", "log", "votes", "net", "done"})
NAMES = Names(VARIABLES, frozenset({"servers"}), frozenset({"quorums"}))
HANDLES = {"self": "spec", "s": "now", "n": "next"}


def longest(state: Any) -> Any:
    return state.log


class Fake:
    """Stands for a spec: the methods that actions call."""

    servers = ("s1", "s2")

    def leads(self, s: Any, i: str) -> Any:
        return s.leader == i

    def commit(self, s: Any, n: Any, *, at: int = 0) -> None:
        n.epoch = s.epoch + at

    def ping(self, state: Any, depth: int) -> Any:
        return self.pong(state, depth - 1) if depth else state.leader

    def pong(self, other: Any, depth: int) -> Any:
        return self.ping(other, depth - 1) and other.votes

    def swapped(self, n: Any, s: Any) -> Any:
        return n.log == s.log

    def gathers(self, *states: Any, **more: Any) -> Any:
        return states, more

    def leaks(self, s: Any) -> Any:
        return longest(s)

    def voters(self, n: Any) -> Any:
        return n.votes

    def counts(self, i: str) -> int:
        return len(i)


HELPERS = {name: each for name, each in vars(Fake).items() if isinstance(each, FunctionType)}


def of(function: Callable[..., Any]) -> Access:
    return access(function, NAMES, HANDLES, HELPERS)


def check(function: Callable[..., Any], reads: str = "", writes: str = "") -> None:
    assert of(function) == Access(frozenset(reads.split()), frozenset(writes.split()), False)


# One function


def test_reads_of_the_current_state_are_reads() -> None:
    def action(self: Any, s: Any, n: Any, i: str) -> Any:
        return s.leader == i and s.log[i] and len(s.votes) and [m for m in s.net[i]]  # noqa: C416

    check(action, "leader log votes net")


def test_assignments_to_the_next_state_are_writes() -> None:
    def action(self: Any, s: Any, n: Any, i: str) -> None:
        n.leader, n.epoch = i, 1
        n.log[i] = ()
        n.votes = {i}

    check(action, "", "leader epoch log votes")


def test_an_augmented_assignment_reads_and_writes() -> None:
    def action(self: Any, s: Any, n: Any, i: str) -> None:
        n.epoch += 1
        n.log[i] += (1,)

    check(action, "epoch log", "epoch log")


def test_a_read_of_the_next_state_is_a_read() -> None:
    def action(self: Any, s: Any, n: Any, i: str) -> Any:
        return n.epoch >= s.leader and n.log[i] == () and not n.done and len(n.votes) > 1

    check(action, "epoch leader log done votes")


def test_elements_put_into_a_subset_are_writes() -> None:
    def action(self: Any, s: Any, n: Any, i: str) -> None:
        n.votes.add(i)
        n.done.discard(i)

    check(action, "", "votes done")


def test_sending_and_receiving_read_and_write() -> None:
    def send(self: Any, s: Any, n: Any, i: str) -> None:
        n.net.send(i, "s2", ("ping", s.epoch))

    def receive(self: Any, s: Any, n: Any, i: str) -> None:
        n.leader = n.net.receive("s2", i)

    check(send, "net epoch", "net")
    check(receive, "net", "net leader")


def test_a_method_whose_result_is_used_is_a_read_and_add_may_be_either() -> None:
    def action(self: Any, s: Any, n: Any, i: str) -> None:
        n.leader = n.log.get(i)
        n.epoch = n.done.add(i)

    check(action, "log done", "leader epoch done")


def test_an_unknown_method_whose_result_is_dropped_may_write() -> None:
    def action(self: Any, s: Any, n: Any) -> None:
        n.votes.clear()

    check(action, "votes", "votes")


def test_keys_are_read_while_what_they_index_is_written() -> None:
    def action(self: Any, s: Any, n: Any) -> None:
        n.log[s.leader, n.epoch] = 1

    check(action, "leader epoch", "log")


def test_a_value_of_the_next_state_that_is_only_looked_at_is_not_written() -> None:
    def predicate(self: Any, s: Any, n: Any) -> Any:
        if n.votes and (n.leader, 1) == (s.leader, n.epoch):
            return n.done
        return n.done or n.votes if n.net else not n.log

    check(predicate, "votes leader epoch done net log")
    check(lambda self, s, n: n.done, "done")


def test_a_view_of_the_next_state_that_is_passed_on_may_be_written() -> None:
    def named(self: Any, s: Any, n: Any, i: str) -> None:
        votes = n.votes
        votes.add(i)

    def passed(self: Any, s: Any, n: Any, i: str) -> None:
        longest(state=n.votes)

    def method(self: Any, s: Any, n: Any, i: str) -> Any:
        return n.votes.add

    def sorted_by_name(self: Any, s: Any, n: Any, sorted: Any) -> Any:
        return sorted(n.votes)

    def inner(self: Any, s: Any, n: Any, i: str) -> Any:
        (lambda: n.votes)().add(i)

    def returned(self: Any, s: Any, n: Any, i: str) -> Any:
        self.voters(n).add(i)

    for function in (named, passed, method, sorted_by_name, inner, returned):
        check(function, "votes", "votes")


def test_inner_scopes_are_covered_and_hidden_handles_left_out() -> None:
    def action(self: Any, s: Any, n: Any) -> Any:
        def inner(i: str) -> Any:
            return s.log[i]

        fine = [s.upper() for s in self.servers]
        key = lambda i, s: s.net  # noqa: E731
        return all(inner(i) == s.epoch for i in s.votes), fine, key

    check(action, "log epoch votes")


def test_a_function_that_touches_nothing_has_empty_sets() -> None:
    check(lambda self, s, n: self.servers)


# States that go elsewhere


def test_a_state_passed_to_another_function_escapes() -> None:
    def action(self: Any, s: Any, n: Any) -> None:
        n.epoch = longest(s) + s.leader

    assert of(action) == Access(frozenset({"leader"}), frozenset({"epoch"}), True)


def test_when_the_next_state_escapes_everything_may_be_written() -> None:
    assert of(lambda self, s, n: longest(n)) == Access(frozenset(), VARIABLES, True)


@pytest.mark.parametrize(
    "function",
    [
        lambda self, s: (s, 1),
        lambda self, s: getattr(s, "leader"),  # noqa: B009
        lambda self, s: s.__dict__,
        lambda self, s: s.unknown,
        lambda self, s: self.unknown(s),
        lambda self, s: self.servers.index(s),
        lambda self, s: self.gathers(s),
        lambda self, s: self.gathers(a=s),
        lambda self, s: self.leads(*[1], s),
        lambda self, s: self.leads(*s),
        lambda self, s: self.leads(**s),
        lambda self, s: self.leaks(s),
        lambda self, s: type(self).leads(self, s, 1),
        lambda self, s: [self for state in [s]],
    ],
)
def test_whatever_cannot_be_followed_escapes(function: Any) -> None:
    assert of(function).escapes


def test_a_state_under_a_name_bound_anew_escapes() -> None:
    def action(self: Any, s: Any, n: Any) -> Any:
        s = [s]
        return s[0].leader

    assert of(action).escapes


def test_the_spec_itself_may_go_anywhere() -> None:
    check(lambda self, s: longest(self) and s.leader, "leader")


def test_without_source_everything_may_be_touched() -> None:
    names: dict[str, Any] = {}
    exec("def made(self, s, n):\n    n.leader = s.epoch\n", names)
    assert of(names["made"]) == Access(frozenset(), VARIABLES, True)


# Methods of the spec


def test_methods_are_followed_by_position_and_keyword() -> None:
    def action(self: Any, s: Any, n: Any, i: str) -> None:
        if self.leads(s, i):
            self.commit(n=n, at=s.done, s=s)

    check(action, "leader epoch done", "epoch")


def test_arguments_of_a_followed_method_are_read_too() -> None:
    check(lambda self, s, n: self.leads(s, s.votes) and self.counts(n.log[0]), "leader votes log")


def test_a_method_may_call_its_states_by_other_names() -> None:
    check(lambda self, s, n: self.swapped(s, n), "log")
    check(lambda self, s: self.ping(s, 0), "leader votes")


def test_methods_that_call_each_other_are_followed_once() -> None:
    check(lambda self, s: self.pong(s, 9), "leader votes")


def test_a_method_without_the_state_reads_nothing() -> None:
    check(lambda self, s: self.counts("x"))


def test_a_method_of_something_else_of_that_name_is_not_followed() -> None:
    assert of(lambda self, s, other: other.leads(s, 1)).escapes


def test_roles_follow_the_handles_into_the_method() -> None:
    # The parameter called n gets the current state here, so writing through it is no write of n.
    assert of(lambda self, s, n: self.commit(n, s)).writes == frozenset()
