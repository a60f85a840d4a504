"""Why a predicate is false: claims about helpers, statements and bad luck in `why_false`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import nullcontext
from functools import wraps
from textwrap import dedent
from types import SimpleNamespace as State
from typing import Any

import pytest

from modelcheck.explain import why_false


def remembered(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def call(*args: Any) -> Any:
        return function(*args)

    return call


def shorter(a: Any, b: Any) -> bool:
    return len(a) < len(b)


def down(x: int) -> bool:
    return down(x - 1) if x else False


class Base:
    def sane(self, s: Any) -> Any:
        return s.big < 4


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

    def sane(self, s: Any) -> Any:
        return super().sane(s) and s.big > 0


def explained(predicate: Callable[..., Any], s: Any = None, **more: Any) -> str:
    return why_false(predicate, {"self": Fake(), "s": s, **more}, repr)


def explains(s: Any, **more: Any) -> Callable[[Callable[..., Any]], Any]:
    """Turn a predicate into the test that its own docstring explains it in this state."""

    def decorate(predicate: Callable[..., Any]) -> Callable[[], None]:
        def test() -> None:
            assert explained(predicate, s, **more) == dedent(predicate.__doc__ or "").strip()

        return test

    return decorate


# Helpers


@explains(State(log={"s1": (1,), "s2": (2, 3)}), i="s1", j="s2")
def test_a_helper_is_explained_with_its_arguments_and_from_inside(
    self: Any, s: Any, i: str, j: str
) -> Any:
    """
    self.is_prefix(s.log[i], s.log[j])
      s.log[i] = (1,)
      s.log[j] = (2, 3)
      in is_prefix: b[: len(a)] == a
        b[: len(a)] = (2,)
        a = (1,)
    """
    return self.is_prefix(s.log[i], s.log[j])


@explains(State(a=7, b="xy", c="z"))
def test_a_remembered_helper_and_a_plain_function_are_followed(self: Any, s: Any) -> Any:
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
    """
    return self.small(s.a) or shorter(s.b, s.c)


@explains(State(big=4))
def test_an_inherited_predicate_is_followed_through_super(self: Any, s: Any) -> Any:
    """
    self.sane(s)
      in sane: super().sane(s)
        in sane: s.big < 4
          s.big = 4
    """
    return self.sane(s)


@explains(State(name="abc", start="x"))
def test_a_method_of_a_value_shows_the_value(self: Any, s: Any) -> Any:
    """
    s.name.startswith(s.start)
      s.name = 'abc'
      s.start = 'x'
    """
    return s.name.startswith(s.start)


def test_a_helper_given_the_state_and_keywords_is_followed() -> None:
    def agree(self: Any, s: Any) -> Any:
        return self.agree(s, i="s1", j="s2")

    text = explained(agree, State(log={"s1": (1,), "s2": (2,)}))
    assert text.startswith('self.agree(s, i="s1", j="s2")\n  in agree: self.is_prefix(')
    assert text.count("in is_prefix: b[: len(a)] == a") == 2
    assert "s = " not in text


def test_helpers_are_followed_three_deep_and_no_further() -> None:
    text = explained(lambda self, s: self.level1(s.a), State(a=1))
    assert "in level3: self.level4(x)" in text
    assert "in level4" not in text


def test_a_recursive_helper_ends() -> None:
    text = explained(lambda self, s: down(s.a), State(a=9))
    assert text.startswith("down(s.a)\n  s.a = 9\n  in down: down(x - 1)")


def test_arguments_passed_with_stars_reach_the_helper() -> None:
    text = explained(lambda self, s: self.is_prefix(*s.pair), State(pair=((1,), (2,))))
    assert "in is_prefix: b[: len(a)] == a" in text
    text = explained(lambda self, s: self.is_prefix(**s.pair), State(pair={"a": (1,), "b": ()}))
    assert "in is_prefix: len(a) <= len(b)" in text


# Statements


@explains(State(log={"s1": 1, "s2": 1, "s3": 2}))
def test_a_bare_false_is_explained_by_the_loops_and_tests_around_it(self: Any, s: Any) -> Any:
    """
    return False
      for i='s1'
      for j='s3'
      because s.log[i] != s.log[j]
        s.log[i] = 1
        s.log[j] = 2
    """
    for i in self.servers:
        for j in self.servers:
            if s.log[i] != s.log[j]:
                return False
    return True


@explains(State(idle=False, count=2))
def test_a_bare_false_at_the_end_is_explained_by_the_tests_before_it(self: Any, s: Any) -> Any:
    """
    return False
      because s.idle = False
      because s.count > 3 is false
        s.count = 2
    """
    if s.idle:
        return True
    if s.count > 3:  # noqa: SIM103
        return True
    return False


@explains(State(count=2))
def test_a_false_in_an_else_branch_says_that_the_test_was_false(self: Any, s: Any) -> Any:
    """
    return False
      because s.count > 3 is false
        s.count = 2
    """
    if s.count > 3:
        answer = True
    else:
        return False
    return answer


@explains(State(count=2))
def test_a_test_whose_names_changed_since_is_not_blamed(self: Any, s: Any) -> Any:
    """
    return False
    """
    count = s.count
    if count == 2:
        count = 3
        return False
    return True


@explains(State(a=2))
def test_a_return_inside_try_is_found(self: Any, s: Any) -> Any:
    """
    s.a == 1
      s.a = 2
    """
    try:
        return s.a == 1
    finally:
        str(s)


@explains(State(a=2))
def test_a_return_inside_with_is_found(self: Any, s: Any) -> Any:
    """
    s.a == 1
      s.a = 2
    """
    with nullcontext():
        return s.a == 1


@explains(State(a=2))
def test_text_at_the_margin_is_no_obstacle(self: Any, s: Any) -> Any:
    """
    s.a == len(margin)
      s.a = 2
      len(margin) = 19
        margin = 'Text\\nat the margin.'
    """
    margin = """Text
at the margin."""
    return s.a == len(margin)


def test_the_return_that_was_executed_is_explained() -> None:
    # fmt: off
    def fine(self: Any, s: Any) -> Any:
        if s.a: return s.b == 1  # noqa: E701
        return s.c == 1
    # fmt: on

    assert explained(fine, State(a=True, b=0, c=0)) == "s.b == 1\n  s.b = 0"
    assert explained(fine, State(a=False, b=0, c=0)) == "s.c == 1\n  s.c = 0"


def test_lambdas_on_one_line_are_told_apart() -> None:
    first, second = (lambda self, s: s.a == 1), (lambda self, s: s.b == 1)
    assert explained(first, State(a=2, b=2)) == "s.a == 1\n  s.a = 2"
    assert explained(second, State(a=2, b=2)) == "s.b == 1\n  s.b = 2"


def test_a_captured_name_has_a_value() -> None:
    most = 3
    assert explained(lambda self, s: s.a < most, State(a=4)).endswith("most = 3")
    assert "most = 3" in explained(lambda self, s: all(v < most for v in s.a), State(a=[4]))


def test_an_expression_over_several_lines_is_shown_on_one() -> None:
    def fine(self: Any, s: Any) -> Any:
        return (
            s.a
            # a comment in between
            == s.b
        )

    assert explained(fine, State(a=1, b=2)).splitlines()[0] == "s.a == s.b"


# Whatever happens


def equals_one(self: Any, s: Any) -> Any:
    return s.a == 1


def test_long_values_are_cut_at_200_characters() -> None:
    value = explained(equals_one, State(a="x" * 500)).splitlines()[1].removeprefix("  s.a = ")
    assert len(value) == 200
    assert value.endswith("x...")
    assert explained(equals_one, State(a="x" * 198)).endswith("x'")


def test_values_are_printed_by_the_given_function() -> None:
    def fine(self: Any, s: Any, i: int) -> Any:
        return all(v == i for v in s.a)

    text = why_false(fine, {"self": None, "s": State(a=[1, 2]), "i": 1}, lambda v: f"<<{v}>>")
    assert "fails for v=<<2>>: v == i" in text
    assert "i = <<1>>" in text


def test_a_value_that_cannot_be_shown_hides_no_other() -> None:
    def show(value: object) -> str:
        if isinstance(value, str):
            raise ValueError("not this one")
        return repr(value)

    text = why_false(lambda s: s.a == s.b, {"s": State(a="x", b=2)}, show)
    assert text == "s.a == s.b\n  s.a = <str>\n  s.b = 2"


@pytest.mark.parametrize("falsy", [0, "", (), None, False])
def test_any_falsy_value_is_explained(falsy: object) -> None:
    assert explained(lambda self, s: s.a, State(a=falsy)) == f"s.a\n  s.a = {falsy!r}"


def test_a_function_that_raises_gives_nothing() -> None:
    assert explained(equals_one, State()) == ""


def test_a_function_that_returns_nothing_gives_nothing() -> None:
    def nothing(self: Any, s: Any) -> None:
        str(s)

    def bare(self: Any, s: Any) -> None:
        return

    assert explained(nothing, State()) == ""
    assert explained(bare, State()) == ""


def test_a_function_without_source_gives_nothing() -> None:
    names: dict[str, Any] = {}
    exec("def made(self, s):\n    return s.a == 1\n", names)
    assert explained(names["made"], State(a=2)) == ""
    assert explained(len, State()) == ""


def test_a_missing_argument_gives_nothing() -> None:
    assert explained(lambda self, s, i: s.a == i, State(a=1)) == ""


def test_arguments_that_the_function_does_not_take_are_left_out() -> None:
    assert explained(equals_one, State(a=2), n=State(a=3), i=1) == "s.a == 1\n  s.a = 2"


def test_a_predicate_that_holds_when_asked_again_gives_its_text_only() -> None:
    assert explained(equals_one, State(a=1)) == "s.a == 1"


def test_parts_that_do_not_add_up_give_the_text_only() -> None:
    def exhausted(self: Any, s: Any) -> Any:
        left = iter(s.a)
        return all(v > 1 for v in left)

    assert explained(exhausted, State(a=(1,))) == "all(v > 1 for v in left)"


def test_a_generator_function_is_not_explained() -> None:
    def odd(self: Any, s: Any) -> Any:
        yield s.a == 1

    assert explained(odd, State(a=2)) == ""


def test_the_trace_function_that_was_set_is_set_again() -> None:
    def mine(frame: Any, event: str, argument: Any) -> Any:
        return None

    before = sys.gettrace()
    sys.settrace(mine)
    try:
        explained(equals_one, State(a=2))
        explained(equals_one, State())
        after = sys.gettrace()
    finally:
        sys.settrace(before)
    assert after is mine


def test_a_quantifier_over_many_elements_is_explained() -> None:
    text = explained(
        lambda self, s: all(a + b < 398 for a in s.a for b in s.a), State(a=range(200))
    )
    assert "fails for a=199, b=199: a + b < 398" in text
