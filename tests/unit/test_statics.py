"""What the text of a spec's functions gives away: claims about `problems`."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from functools import wraps
from typing import Any

import pytest

from modelcheck.statics import Names, Problem, problems

NAMES = Names(
    variables=frozenset({"leader", "epoch", "log", "votes", "net"}),
    constants=frozenset({"servers", "max_epoch"}),
    attributes=frozenset({"quorums", "elect", "majority"}),
)
HANDLES = {"self": "spec", "s": "now", "n": "next"}


def found(function: Callable[..., Any]) -> list[str]:
    """The messages about a function, whose lines must be those that are marked as wrong."""
    lines, first = inspect.getsourcelines(function)
    marked = {first + offset for offset, line in enumerate(lines) if "# wrong" in line}
    given = problems(function, NAMES, HANDLES)
    assert {problem.line for problem in given} == marked
    assert {problem.file for problem in given} <= {__file__}
    return [problem.message for problem in given]


def one(function: Callable[..., Any]) -> str:
    (message,) = found(function)
    return message


# Names


def test_a_function_that_uses_every_name_where_it_lives_has_no_problems() -> None:
    def fine(self: Any, s: Any, n: Any, i: str) -> None:
        print(
            s.leader, self.servers, self.max_epoch, self.quorums, self.majority(i), self.__class__
        )
        n.leader, n.epoch = i, s.epoch + 1
        n.log[i] = s.log[i].append(n.epoch)
        n.votes.add(i)
        n.epoch += math.floor(1.5)

    assert found(fine) == []


def test_a_misspelt_variable_is_reported_with_the_nearest_name() -> None:
    def read(self: Any, s: Any, n: Any) -> Any:
        return s.leeder  # wrong

    def write(self: Any, s: Any, n: Any) -> None:
        n.epooch = 1  # wrong

    assert one(read) == "s.leeder: there is no variable 'leeder' (did you mean 'leader'?)"
    assert one(write) == "n.epooch: there is no variable 'epooch' (did you mean 'epoch'?)"


def test_an_unknown_variable_far_from_all_others_gets_no_suggestion() -> None:
    assert one(lambda s: s.zzz) == "s.zzz: there is no variable 'zzz'"  # wrong


def test_a_constant_on_a_state_is_sent_to_the_spec() -> None:
    def bound(self: Any, s: Any) -> Any:
        return s.epoch < s.max_epoch  # wrong

    assert one(bound) == (
        "s.max_epoch: 'max_epoch' is a constant, and constants live on self: self.max_epoch"
    )


def test_an_attribute_of_the_spec_on_a_state_is_sent_to_the_spec() -> None:
    def bound(self: Any, s: Any) -> Any:
        return s.votes in s.quorums  # wrong

    assert one(bound) == (
        "s.quorums: 'quorums' is an attribute of the spec, not a variable: self.quorums"
    )


def test_a_variable_on_the_spec_is_sent_to_the_states() -> None:
    def step(self: Any, s: Any, n: Any) -> Any:
        return self.leader  # wrong

    def state(self: Any, s: Any) -> Any:
        return self.leader  # wrong

    def neither(self: Any) -> Any:
        return self.leader  # wrong

    text = "self.leader: 'leader' is a variable, and variables live on s and n"
    assert one(step) == f"{text}: s.leader or n.leader"
    assert one(state) == f"{text}: s.leader"
    assert one(neither) == f"{text}, which this function does not take"


def test_an_unknown_name_on_the_spec_is_reported_with_the_nearest() -> None:
    def rounds(self: Any) -> Any:
        return self.serverz  # wrong

    assert one(rounds) == (
        "self.serverz: the spec has no constant or attribute 'serverz' (did you mean 'servers'?)"
    )


def test_all_problems_are_reported_in_the_order_of_lines() -> None:
    def bad(self: Any, s: Any, n: Any) -> None:
        n.epooch = s.leeder  # wrong
        n.leader = (
            s.epoch + s.epoc  # wrong
        )
        n.log = self.max_epooch  # wrong

    names = [message.split(":")[0] for message in found(bad)]
    assert names == ["n.epooch", "s.leeder", "s.epoc", "self.max_epooch"]


def test_a_problem_said_twice_on_a_line_is_reported_once() -> None:
    assert one(lambda s: s.leeder + s.leeder).startswith("s.leeder")  # wrong


# Assignments


def test_the_current_state_cannot_be_assigned() -> None:
    def assign(self: Any, s: Any, n: Any) -> None:
        s.leader = 1  # wrong

    def element(self: Any, s: Any, n: Any, i: str) -> None:
        s.log[i] = 1  # wrong

    def augment(self: Any, s: Any, n: Any) -> None:
        s.epoch += 1  # wrong

    def unpack(self: Any, s: Any, n: Any) -> None:
        n.leader, s.epoch = 1, 2  # wrong

    def loop(self: Any, s: Any, n: Any) -> None:
        for s.epoch in range(3):  # wrong
            pass

    def delete(self: Any, s: Any, n: Any, i: str) -> None:
        del s.log[i]  # wrong

    text = "s is the current state and cannot be assigned: did you mean"
    assert one(assign) == f"{text} n.leader?"
    assert one(element) == one(delete) == f"{text} n.log[i]?"
    assert one(augment) == one(unpack) == one(loop) == f"{text} n.epoch?"


def test_where_there_is_no_next_state_none_is_suggested() -> None:
    def predicate(self: Any, s: Any) -> Any:
        s.epoch = 1  # wrong
        s[0] = 1  # wrong

    assert found(predicate) == ["s is the current state and cannot be assigned"] * 2


def test_a_misspelt_variable_that_is_assigned_on_s_is_reported_for_its_name_only() -> None:
    def bad(self: Any, s: Any, n: Any, i: str) -> None:
        s.leeder = 1  # wrong
        s.logg[i] = 1  # wrong

    assert [message.split(":")[0] for message in found(bad)] == ["s.leeder", "s.logg"]


def test_a_change_on_s_whose_result_is_dropped_is_reported() -> None:
    def bad(self: Any, s: Any, n: Any, i: str) -> None:
        s.votes.add(i)  # wrong
        s.net.send(i, "ping")  # wrong
        n.votes = s.votes.add(i)

    text = "changes nothing: did you mean"
    assert found(bad) == [
        f"s.votes.add(i) {text} n.votes.add(i)?",
        f"s.net.send(i, 'ping') {text} n.net.send(i, 'ping')?",
    ]


def test_the_spec_cannot_be_assigned() -> None:
    def bad(self: Any, s: Any, n: Any) -> None:
        self.max_epoch += 1  # wrong
        self.servers = ()  # wrong
        self.quorums[0] = ()  # wrong

    text = "is assigned, but self never changes while a spec runs"
    assert found(bad) == [
        f"self.max_epoch {text}",
        f"self.servers {text}",
        f"self.quorums[0] {text}",
    ]


def test_a_variable_assigned_on_the_spec_is_sent_to_the_states() -> None:
    def bad(self: Any, s: Any, n: Any) -> None:
        self.leader = 1  # wrong

    assert one(bad).endswith("variables live on s and n: s.leader or n.leader")


def test_a_variable_cannot_be_deleted() -> None:
    def bad(self: Any, s: Any, n: Any, i: str) -> None:
        del n.log[i]  # wrong

    assert one(bad) == "n.log[i] cannot be deleted: assign it a new value"


# Scopes


def test_inner_functions_lambdas_and_comprehensions_are_covered() -> None:
    def bad(self: Any, s: Any, n: Any) -> Any:
        def inner(i: str, first: Any = s.leeder) -> Any:  # wrong
            return s.logg[i] + self.serverz  # wrong

        a = lambda i: s.epoc  # wrong # noqa: E731
        b = [s.vottes for i in self.servers if n.nett]  # wrong
        c = {i: s.lead + i for i in self.servers}  # wrong
        return inner, a, b, c, any(s.leed for i in s.loog)  # wrong

    assert len(found(bad)) == 9


def test_an_inner_parameter_hides_a_handle() -> None:
    def fine(self: Any, s: Any, n: Any) -> Any:
        def inner(s: Any, *n: Any, **self: Any) -> Any:
            return s.anything, n.count, self.items

        key = lambda s: s.whatever  # noqa: E731
        return inner, key, [s.upper() for s in self.servers], {n.real: n for n in s.log}

    assert found(fine) == []


def test_the_first_collection_of_a_comprehension_still_sees_the_handle() -> None:
    def bad(self: Any, s: Any) -> Any:
        return [s.upper() for s in s.serverz]  # wrong

    assert one(bad).startswith("s.serverz")


def test_a_handle_that_is_bound_anew_is_no_handle() -> None:
    def fine(self: Any, s: Any, n: Any) -> Any:
        for s in self.servers:
            print(s.upper())
        match s:
            case [*n]:
                return n.count

    assert found(fine) == []


def test_a_parameter_without_a_role_is_no_handle() -> None:
    def fine(self: Any, m: Any) -> Any:
        return m.whatever

    assert found(fine) == []


def test_handles_may_have_other_names() -> None:
    given = problems(
        lambda spec, now, then: now.leeder + spec.leader,
        NAMES,
        {"spec": "spec", "now": "now", "then": "next"},
    )
    assert [problem.message for problem in given] == [
        "now.leeder: there is no variable 'leeder' (did you mean 'leader'?)",
        "spec.leader: 'leader' is a variable, and variables live on s and n: now.leader or"
        " then.leader",
    ]


# Finding the source


def test_decorated_functions_and_wrapped_ones_are_read() -> None:
    def keep(function: Any) -> Any:
        return function

    def wrap(function: Any) -> Any:
        return wraps(function)(lambda *args: function(*args))

    @keep
    @wrap
    def bad(self: Any, s: Any) -> Any:
        return s.leeder  # wrong

    assert one(bad).startswith("s.leeder")


def test_lambdas_among_arguments_are_read_each_for_itself() -> None:
    first, second = (lambda s, i: s.leeder), (lambda s, i: s.epooch)
    assert [p.message.split(":")[0] for p in problems(first, NAMES, HANDLES)] == ["s.leeder"]
    assert [p.message.split(":")[0] for p in problems(second, NAMES, HANDLES)] == ["s.epooch"]


@pytest.mark.parametrize("function", [len, print, int, "text".join])
def test_a_function_without_source_has_no_known_problems(function: Any) -> None:
    assert problems(function, NAMES, HANDLES) == []


def test_a_function_made_by_exec_has_no_known_problems() -> None:
    names: dict[str, Any] = {}
    exec("def made(self, s):\n    return s.leeder\n", names)
    assert problems(names["made"], NAMES, HANDLES) == []


def test_a_problem_is_a_plain_tuple() -> None:
    assert Problem("spec.py", 3, "text") == ("spec.py", 3, "text")
