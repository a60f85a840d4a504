"""Why a predicate is false: claims about the text that `why_false` gives."""

from __future__ import annotations

import sys
from collections.abc import Callable
from enum import Enum
from functools import wraps
from textwrap import dedent
from types import SimpleNamespace
from typing import Any

import pytest

from modelcheck.explain import why_false

Phase = Enum("Phase", "LOOKING LEADING")
LIMIT = 3


def remembered(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def call(*args: Any) -> Any:
        return function(*args)

    return call


def shorter(a: Any, b: Any) -> bool:
    return len(a) < len(b)


class Base:
    def sane(self, s: Any) -> bool:
        return bool(s.big < 4)


class Fake(Base):
    """Stands for a spec: constants and helpers."""

    servers = ("s1", "s2", "s3")
    most = 2

    def is_prefix(self, a: Any, b: Any) -> bool:
        return bool(len(a) <= len(b) and b[: len(a)] == a)

    def agree(self, s: Any, *, i: str, j: str) -> bool:
        return self.is_prefix(s.log[i], s.log[j]) or self.is_prefix(s.log[j], s.log[i])

    @remembered
    def small(self, x: int) -> bool:
        return x < self.most

    def level1(self, x: int) -> bool:
        return self.level2(x)

    def level2(self, x: int) -> bool:
        return self.level3(x)

    def level3(self, x: int) -> bool:
        return self.level4(x)

    def level4(self, x: int) -> bool:
        return x > 100


def state(**variables: Any) -> SimpleNamespace:
    return SimpleNamespace(**variables)


def explained(function: Callable[..., Any], s: Any = None, **more: Any) -> str:
    arguments = {"self": Fake(), "s": s, **more}
    return why_false(function, arguments, repr)


def says(text: str, expected: str) -> None:
    assert text == dedent(expected).strip("\n")


# Comparisons


def test_a_comparison_shows_the_value_of_its_sides_but_not_of_literals() -> None:
    def never_four(self: Any, s: Any) -> bool:
        return s.big != 4

    says(
        explained(never_four, state(big=4)),
        """
        s.big != 4
          s.big = 4
        """,
    )


def test_both_sides_of_a_comparison_are_shown() -> None:
    def bounded(self: Any, s: Any) -> bool:
        return s.epoch <= self.most

    says(
        explained(bounded, state(epoch=5)),
        """
        s.epoch <= self.most
          s.epoch = 5
          self.most = 2
        """,
    )


def test_a_chained_comparison_names_the_link_that_fails() -> None:
    def between(self: Any, s: Any) -> bool:
        return 0 <= s.low <= s.high < 10

    says(
        explained(between, state(low=5, high=3)),
        """
        0 <= s.low <= s.high < 10
          fails at s.low <= s.high
            s.low = 5
            s.high = 3
        """,
    )


def test_membership_shows_element_and_collection() -> None:
    def known(self: Any, s: Any) -> bool:
        return s.leader in self.servers

    says(
        explained(known, state(leader="s9")),
        """
        s.leader in self.servers
          s.leader = 's9'
          self.servers = ('s1', 's2', 's3')
        """,
    )


def test_a_computed_side_shows_what_it_was_computed_from() -> None:
    def enough(self: Any, s: Any) -> bool:
        return len(s.votes) * 2 > len(self.servers)

    says(
        explained(enough, state(votes=["s1"])),
        """
        len(s.votes) * 2 > len(self.servers)
          len(s.votes) * 2 = 2
            len(s.votes) = 1
              s.votes = ['s1']
          len(self.servers) = 3
            self.servers = ('s1', 's2', 's3')
        """,
    )


def test_a_computed_key_is_shown_with_its_value() -> None:
    def empty(self: Any, s: Any, i: str) -> bool:
        return s.net[i, s.leader] == ()

    says(
        explained(empty, state(net={("s1", "s2"): ("ping",)}, leader="s2"), i="s1"),
        """
        s.net[i, s.leader] == ()
          s.net[i, s.leader] = ('ping',)
            s.leader = 's2'
        """,
    )


def test_a_member_of_an_enum_goes_without_saying() -> None:
    def leads(self: Any, s: Any) -> bool:
        return s.phase == Phase.LEADING

    says(
        explained(leads, state(phase=Phase.LOOKING)),
        """
        s.phase == Phase.LEADING
          s.phase = <Phase.LOOKING: 1>
        """,
    )


def test_a_global_constant_and_a_captured_name_have_values() -> None:
    bonus = 1

    def few(self: Any, s: Any) -> bool:
        return s.count < LIMIT + bonus

    says(
        explained(few, state(count=9)),
        """
        s.count < LIMIT + bonus
          s.count = 9
          LIMIT + bonus = 4
            LIMIT = 3
            bonus = 1
        """,
    )


def test_a_step_invariant_shows_both_states() -> None:
    def grows(self: Any, s: Any, n: Any) -> bool:
        return n.epoch >= s.epoch

    says(
        explained(grows, state(epoch=2), n=state(epoch=1)),
        """
        n.epoch >= s.epoch
          n.epoch = 1
          s.epoch = 2
        """,
    )


# Connectives


def test_only_the_first_false_conjunct_is_named() -> None:
    def fine(self: Any, s: Any) -> bool:
        return s.a == 1 and (s.b == 2 and s.c == 3) and s.d == 4

    says(
        explained(fine, state(a=1, b=2, c=0, d=0)),
        """
        s.c == 3
          s.c = 0
        """,
    )


def test_every_disjunct_is_explained() -> None:
    def either(self: Any, s: Any) -> bool:
        return s.idle or s.a == 1 or not s.ready

    says(
        explained(either, state(idle=False, a=0, ready=True)),
        """
        s.idle or s.a == 1 or not s.ready
          s.idle = False
          s.a == 1
            s.a = 0
          not s.ready
            s.ready = True
        """,
    )


def test_a_negated_or_names_the_disjunct_that_is_true() -> None:
    def neither(self: Any, s: Any) -> bool:
        return not (s.a == 1 or s.b == 2)

    says(
        explained(neither, state(a=0, b=2)),
        """
        not (s.a == 1 or s.b == 2)
          s.b == 2
            s.b = 2
        """,
    )


def test_a_negated_and_shows_all_its_conjuncts() -> None:
    def not_both(self: Any, s: Any) -> bool:
        return not (s.a and s.b > 1)

    says(
        explained(not_both, state(a=True, b=2)),
        """
        not (s.a and s.b > 1)
          s.a = True
          s.b > 1
            s.b = 2
        """,
    )


def test_a_conditional_explains_the_branch_that_was_taken_and_why() -> None:
    def led(self: Any, s: Any) -> bool:
        return s.epoch > 0 if s.leader is not None else s.epoch == 0

    says(
        explained(led, state(leader=None, epoch=3)),
        """
        s.epoch == 0
          s.epoch = 3
          because s.leader is not None is false
            s.leader = None
        """,
    )
    says(
        explained(led, state(leader="s1", epoch=0)),
        """
        s.epoch > 0
          s.epoch = 0
          because s.leader is not None
            s.leader = 's1'
        """,
    )


def test_a_false_value_that_is_no_comparison_is_shown() -> None:
    def ready(self: Any, s: Any, i: str) -> bool:
        return s.ready[i]

    says(
        explained(ready, state(ready={"s1": False}), i="s1"),
        """
        s.ready[i]
          s.ready[i] = False
        """,
    )


def test_an_empty_result_is_shown_with_its_operands() -> None:
    def common(self: Any, s: Any) -> Any:
        return s.a & s.b

    says(
        explained(common, state(a={1}, b={2})),
        """
        s.a & s.b
          s.a & s.b = set()
            s.a = {1}
            s.b = {2}
        """,
    )


def test_bool_is_looked_through() -> None:
    def fine(self: Any, s: Any) -> bool:
        return bool(s.a > 1)

    says(
        explained(fine, state(a=1)),
        """
        s.a > 1
          s.a = 1
        """,
    )


def test_a_named_expression_is_looked_through() -> None:
    def fine(self: Any, s: Any) -> bool:
        return (top := max(s.a)) > 1 and top > 7

    says(
        explained(fine, state(a=[3, 4])),
        """
        top > 7
          top = 4
        """,
    )


# Quantifiers


def test_all_gives_the_first_binding_that_fails() -> None:
    def agree(self: Any, s: Any) -> bool:
        return all(s.log[i] == s.log[j] for i in self.servers for j in self.servers)

    says(
        explained(agree, state(log={"s1": [1], "s2": [1, 2], "s3": [1]})),
        """
        all(s.log[i] == s.log[j] for i in self.servers for j in self.servers)
          fails for i='s1', j='s2': s.log[i] == s.log[j]
            s.log[i] = [1]
            s.log[j] = [1, 2]
        """,
    )


def test_quantifiers_nest() -> None:
    def agree(self: Any, s: Any) -> bool:
        return all(all(s.log[i] == s.log[j] for j in self.servers) for i in self.servers)

    says(
        explained(agree, state(log={"s1": [1], "s2": [1], "s3": [2]})),
        """
        all(all(s.log[i] == s.log[j] for j in self.servers) for i in self.servers)
          fails for i='s1': all(s.log[i] == s.log[j] for j in self.servers)
            fails for j='s3': s.log[i] == s.log[j]
              s.log[i] = [1]
              s.log[j] = [2]
        """,
    )


def test_elements_that_a_condition_leaves_out_are_not_blamed() -> None:
    def agree(self: Any, s: Any) -> bool:
        return all(s.ok[i] for i in self.servers if i != "s1" if s.up[i])

    ok = dict.fromkeys(Fake.servers, False)
    says(
        explained(agree, state(ok=ok, up={"s1": True, "s2": False, "s3": True})),
        """
        all(s.ok[i] for i in self.servers if i != "s1" if s.up[i])
          fails for i='s3': s.ok[i]
            s.ok[i] = False
        """,
    )


def test_a_conjunction_inside_all_names_its_false_part() -> None:
    def fine(self: Any, s: Any) -> bool:
        return all([v >= 0 and v < 3 for v in s.values])

    says(
        explained(fine, state(values=(1, 5))),
        """
        all([v >= 0 and v < 3 for v in s.values])
          fails for v=5: v < 3
            v = 5
        """,
    )


def test_targets_are_unpacked() -> None:
    def sorted_log(self: Any, s: Any) -> bool:
        return all(a < b for k, (a, *_, b) in s.log.items())

    says(
        explained(sorted_log, state(log={"x": (1, 2), "y": (3, 0, 2)})),
        """
        all(a < b for k, (a, *_, b) in s.log.items())
          fails for k='y', a=3, b=2, _=[0]: a < b
            a = 3
            b = 2
        """,
    )


def test_not_any_gives_the_first_binding_that_holds() -> None:
    def one_leader(self: Any, s: Any) -> bool:
        return not any(
            s.leads[i] and s.leads[j] for i in self.servers for j in self.servers if i < j
        )

    says(
        explained(one_leader, state(leads={"s1": True, "s2": False, "s3": True})),
        """
        not any((s.leads[i] and s.leads[j] for i in self.servers for j in self.servers if i < j))
          holds for i='s1', j='s3': s.leads[i] and s.leads[j]
            s.leads[i] = True
            s.leads[j] = True
        """,
    )


def test_any_that_finds_none_lists_what_was_tried_and_what_it_was_tried_against() -> None:
    def someone(self: Any, s: Any) -> bool:
        return any(s.leader == i for i in self.servers)

    says(
        explained(someone, state(leader="s9")),
        """
        any(s.leader == i for i in self.servers)
          fails for each of i='s1'; i='s2'; i='s3'
          s.leader = 's9'
        """,
    )


def test_any_over_nothing_says_so() -> None:
    def someone(self: Any, s: Any) -> bool:
        return any(v > 0 for v in s.votes)

    says(
        explained(someone, state(votes=())),
        """
        any(v > 0 for v in s.votes)
          there is none to try
          s.votes = ()
        """,
    )


def test_not_all_lists_what_holds() -> None:
    def some_down(self: Any, s: Any) -> bool:
        return not all(s.up[i] for i in self.servers)

    says(
        explained(some_down, state(up=dict.fromkeys(Fake.servers, True))),
        """
        not all(s.up[i] for i in self.servers)
          holds for each of i='s1'; i='s2'; i='s3'
          s.up = {'s1': True, 's2': True, 's3': True}
        """,
    )


def test_a_function_of_the_users_called_all_is_no_quantifier() -> None:
    def all(values: Any) -> Any:
        return list(values)

    def none_left(self: Any, s: Any) -> Any:
        return all(v for v in s.votes)

    text = explained(none_left, state(votes=()))
    assert text.splitlines()[:2] == ["all(v for v in s.votes)", "  all(v for v in s.votes) = []"]


def test_a_quantifier_sees_the_locals_of_the_predicate() -> None:
    def fine(self: Any, s: Any) -> bool:
        top = max(s.log)
        return all(v < top for v in s.log)

    says(
        explained(fine, state(log=(1, 2))),
        """
        all(v < top for v in s.log)
          fails for v=2: v < top
            v = 2
            top = 2
        """,
    )


# Helpers


def test_a_helper_is_explained_with_its_arguments_and_from_inside() -> None:
    def prefix(self: Any, s: Any, i: str, j: str) -> bool:
        return self.is_prefix(s.log[i], s.log[j])

    says(
        explained(prefix, state(log={"s1": (1,), "s2": (2, 3)}), i="s1", j="s2"),
        """
        self.is_prefix(s.log[i], s.log[j])
          s.log[i] = (1,)
          s.log[j] = (2, 3)
          in is_prefix: b[: len(a)] == a
            b[: len(a)] = (2,)
            a = (1,)
        """,
    )


def test_a_helper_given_the_state_and_keywords_is_followed() -> None:
    def agree(self: Any, s: Any) -> bool:
        return self.agree(s, i="s1", j="s2")

    text = explained(agree, state(log={"s1": (1,), "s2": (2,)}))
    assert text.startswith('self.agree(s, i="s1", j="s2")\n  in agree: self.is_prefix(')
    assert text.count("in is_prefix: b[: len(a)] == a") == 2
    assert "s = " not in text


def test_a_remembered_helper_and_a_plain_function_are_followed() -> None:
    def fine(self: Any, s: Any) -> bool:
        return self.small(s.a) or shorter(s.b, s.c)

    says(
        explained(fine, state(a=7, b="xy", c="z")),
        """
        self.small(s.a) or shorter(s.b, s.c)
          self.small(s.a)
            s.a = 7
            in small: x < self.most
              x = 7
              self.most = 2
          shorter(s.b, s.c)
            s.b = 'xy'
            s.c = 'z'
            in shorter: len(a) < len(b)
              len(a) = 2
                a = 'xy'
              len(b) = 1
                b = 'z'
        """,
    )


def test_helpers_are_followed_three_deep_and_no_further() -> None:
    def fine(self: Any, s: Any) -> bool:
        return self.level1(s.a)

    text = explained(fine, state(a=1))
    assert "in level3: self.level4(x)" in text
    assert "in level4" not in text


def test_a_recursive_helper_ends() -> None:
    def down(x: int) -> bool:
        return down(x - 1) if x else False

    def fine(self: Any, s: Any) -> bool:
        return down(s.a)

    assert explained(fine, state(a=9)).startswith("down(s.a)\n  s.a = 9\n  in down: down(x - 1)")


def test_super_is_followed() -> None:
    class Fix(Fake):
        def sane(self, s: Any) -> bool:
            return super().sane(s) and s.big > 0

    fix = Fix()
    says(
        why_false(Fix.sane, {"self": fix, "s": state(big=4)}, repr),
        """
        super().sane(s)
          in sane: s.big < 4
            s.big = 4
        """,
    )


def test_a_method_of_a_value_shows_the_value() -> None:
    def fine(self: Any, s: Any) -> bool:
        return s.name.startswith(s.start)

    says(
        explained(fine, state(name="abc", start="x")),
        """
        s.name.startswith(s.start)
          s.name = 'abc'
          s.start = 'x'
        """,
    )


# Statements


def test_the_return_that_was_executed_is_explained() -> None:
    def fine(self: Any, s: Any) -> bool:
        if s.a:
            return s.b == 1
        return s.c == 1

    assert explained(fine, state(a=True, b=0, c=0)) == "s.b == 1\n  s.b = 0"
    assert explained(fine, state(a=False, b=0, c=0)) == "s.c == 1\n  s.c = 0"


def test_a_bare_false_is_explained_by_the_loop_and_the_test_around_it() -> None:
    def agree(self: Any, s: Any) -> bool:
        for i in self.servers:
            for j in self.servers:
                if s.log[i] != s.log[j] and i != j:
                    return False
        return True

    says(
        explained(agree, state(log={"s1": 1, "s2": 1, "s3": 2})),
        """
        return False
          for i='s1'
          for j='s3'
          because s.log[i] != s.log[j] and i != j
            s.log[i] != s.log[j]
              s.log[i] = 1
              s.log[j] = 2
            i != j
              i = 's1'
              j = 's3'
        """,
    )


def test_a_bare_false_at_the_end_is_explained_by_the_tests_that_did_not_return_before() -> None:
    def fine(self: Any, s: Any) -> bool:
        if s.idle:
            return True
        if s.count > 3:
            return True
        return False

    says(
        explained(fine, state(idle=False, count=2)),
        """
        return False
          because s.idle = False
          because s.count > 3 is false
            s.count = 2
        """,
    )


def test_a_false_in_an_else_branch_says_that_the_test_was_false() -> None:
    def fine(self: Any, s: Any) -> bool:
        if s.count > 3:
            answer = True
        else:
            return False
        return answer

    says(
        explained(fine, state(count=2)),
        """
        return False
          because s.count > 3 is false
            s.count = 2
        """,
    )


def test_returns_inside_try_and_with_are_found() -> None:
    from contextlib import nullcontext

    def tried(self: Any, s: Any) -> bool:
        try:
            return s.a == 1
        finally:
            str(s)

    def within(self: Any, s: Any) -> bool:
        with nullcontext():
            return s.a == 1

    for function in (tried, within):
        assert explained(function, state(a=2)) == "s.a == 1\n  s.a = 2"


def test_two_returns_on_one_line_are_told_apart() -> None:
    def fine(self: Any, s: Any) -> bool:
        if s.a:
            return s.b == 1  # noqa: E701
        else:
            return s.c == 1  # noqa: E701

    assert explained(fine, state(a=False, b=0, c=0)) == "s.c == 1\n  s.c = 0"


def test_a_lambda_is_explained() -> None:
    function = lambda self, s: s.a == 1  # noqa: E731
    assert explained(function, state(a=2)) == "s.a == 1\n  s.a = 2"


def test_lambdas_on_one_line_are_told_apart() -> None:
    first, second = (lambda self, s: s.a == 1), (lambda self, s: s.b == 1)
    assert explained(first, state(a=2, b=2)) == "s.a == 1\n  s.a = 2"
    assert explained(second, state(a=2, b=2)) == "s.b == 1\n  s.b = 2"


def test_an_expression_over_several_lines_is_shown_on_one() -> None:
    def fine(self: Any, s: Any) -> bool:
        return (
            s.a
            # a comment in between
            == s.b
        )

    assert explained(fine, state(a=1, b=2)).splitlines()[0] == "s.a == s.b"


def test_text_at_the_margin_of_a_nested_function_is_no_obstacle() -> None:
    def fine(self: Any, s: Any) -> bool:
        """Documentation
        at the margin."""
        return s.a == 1

    assert explained(fine, state(a=2)) == "s.a == 1\n  s.a = 2"


# Robustness


def test_long_values_are_cut_at_200_characters() -> None:
    def fine(self: Any, s: Any) -> bool:
        return s.a == ""

    value = explained(fine, state(a="x" * 500)).splitlines()[1].removeprefix("  s.a = ")
    assert len(value) == 200
    assert value.endswith("x...")


def test_a_value_of_exactly_200_characters_is_not_cut() -> None:
    def fine(self: Any, s: Any) -> bool:
        return s.a == ""

    assert explained(fine, state(a="x" * 198)).endswith("x'")


def test_values_are_printed_by_the_given_function() -> None:
    def fine(self: Any, s: Any, i: int) -> bool:
        return all(v == i for v in s.a)

    text = why_false(
        fine, {"self": None, "s": state(a=[1, 2]), "i": 1}, lambda value: f"<<{value}>>"
    )
    assert "fails for v=<<2>>: v == i" in text
    assert "i = <<1>>" in text


def test_a_value_that_cannot_be_shown_hides_no_other() -> None:
    def fine(self: Any, s: Any) -> bool:
        return s.a == s.b

    def show(value: object) -> str:
        if isinstance(value, str):
            raise ValueError("not this one")
        return repr(value)

    assert why_false(fine, {"self": 0, "s": state(a="x", b=2)}, show).splitlines() == [
        "s.a == s.b",
        "  s.a = <str>",
        "  s.b = 2",
    ]


def test_a_function_that_raises_gives_nothing() -> None:
    def broken(self: Any, s: Any) -> bool:
        return s.missing == 1

    assert explained(broken, state()) == ""


def test_a_function_that_returns_nothing_gives_nothing() -> None:
    def nothing(self: Any, s: Any) -> None:
        str(s)

    def bare(self: Any, s: Any) -> None:
        return

    assert explained(nothing, state()) == ""
    assert explained(bare, state()) == ""


def test_a_function_without_source_gives_nothing() -> None:
    names: dict[str, Any] = {}
    exec("def made(self, s):\n    return s.a == 1\n", names)
    assert explained(names["made"], state(a=2)) == ""
    assert explained(len, state()) == ""


def test_a_missing_argument_gives_nothing() -> None:
    def fine(self: Any, s: Any, i: str) -> bool:
        return s.a == i

    assert explained(fine, state(a=1)) == ""


def test_arguments_that_the_function_does_not_take_are_left_out() -> None:
    def fine(self: Any, s: Any) -> bool:
        return s.a == 1

    assert explained(fine, state(a=2), n=state(a=3), i=1) == "s.a == 1\n  s.a = 2"


def test_a_predicate_that_holds_when_asked_again_gives_its_text_only() -> None:
    def fine(self: Any, s: Any) -> bool:
        return s.a == 1

    assert explained(fine, state(a=1)) == "s.a == 1"


def test_parts_that_do_not_add_up_give_the_text_only() -> None:
    def exhausted(self: Any, s: Any) -> bool:
        left = iter(s.a)
        return all(v > 1 for v in left)

    assert explained(exhausted, state(a=(1,))) == "all(v > 1 for v in left)"


def test_a_generator_function_is_not_explained() -> None:
    def odd(self: Any, s: Any) -> Any:
        yield s.a == 1

    assert explained(odd, state(a=2)) == ""


def test_the_trace_function_that_was_set_is_set_again() -> None:
    def fine(self: Any, s: Any) -> bool:
        return s.a == 1

    def broken(self: Any, s: Any) -> bool:
        raise ValueError

    def mine(frame: Any, event: str, argument: Any) -> Any:
        return None

    before = sys.gettrace()
    sys.settrace(mine)
    try:
        explained(fine, state(a=2))
        explained(broken, state())
        after = sys.gettrace()
    finally:
        sys.settrace(before)
    assert after is mine


def test_a_large_quantifier_is_explained_within_a_second() -> None:
    import time

    def fine(self: Any, s: Any) -> bool:
        return all(a + b < 398 for a in s.a for b in s.a)

    start = time.perf_counter()
    text = explained(fine, state(a=range(200)))
    assert "fails for a=199, b=199: a + b < 398" in text
    assert time.perf_counter() - start < 5


@pytest.mark.parametrize("falsy", [0, "", (), None, False])
def test_any_falsy_value_is_explained(falsy: object) -> None:
    def fine(self: Any, s: Any) -> object:
        return s.a

    assert explained(fine, state(a=falsy)) == f"s.a\n  s.a = {falsy!r}"
