"""Why a predicate is false: claims about the text that `why_false` gives."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from textwrap import dedent
from types import SimpleNamespace as State
from typing import Any

from modelcheck.explain import why_false

Phase = Enum("Phase", "LOOKING LEADING")
LIMIT = 3


class Fake:
    """Stands for a spec: its constants."""

    servers = ("s1", "s2", "s3")
    most = 2


def explained(predicate: Callable[..., Any], s: Any = None, **more: Any) -> str:
    return why_false(predicate, {"self": Fake(), "s": s, **more}, repr)


def explains(s: Any, **more: Any) -> Callable[[Callable[..., Any]], Any]:
    """Turn a predicate into the test that its own docstring explains it in this state."""

    def decorate(predicate: Callable[..., Any]) -> Callable[[], None]:
        def test() -> None:
            assert explained(predicate, s, **more) == dedent(predicate.__doc__ or "").strip()

        return test

    return decorate


# Comparisons


@explains(State(big=4))
def test_a_comparison_shows_its_sides_but_not_literals(self: Any, s: Any) -> Any:
    """
    s.big != 4
      s.big = 4
    """
    return s.big != 4


@explains(State(epoch=5))
def test_both_sides_of_a_comparison_are_shown(self: Any, s: Any) -> Any:
    """
    s.epoch <= self.most
      s.epoch = 5
      self.most = 2
    """
    return s.epoch <= self.most


@explains(State(low=5, high=3))
def test_a_chained_comparison_names_the_link_that_fails(self: Any, s: Any) -> Any:
    """
    0 <= s.low <= s.high < 10
      fails at s.low <= s.high
        s.low = 5
        s.high = 3
    """
    return 0 <= s.low <= s.high < 10


@explains(State(leader="s9"))
def test_membership_shows_element_and_collection(self: Any, s: Any) -> Any:
    """
    s.leader in self.servers
      s.leader = 's9'
      self.servers = ('s1', 's2', 's3')
    """
    return s.leader in self.servers


@explains(State(votes=["s1"]))
def test_a_computed_side_shows_what_it_was_computed_from(self: Any, s: Any) -> Any:
    """
    len(s.votes) * 2 > len(self.servers)
      len(s.votes) * 2 = 2
        len(s.votes) = 1
          s.votes = ['s1']
      len(self.servers) = 3
        self.servers = ('s1', 's2', 's3')
    """
    return len(s.votes) * 2 > len(self.servers)


@explains(State(net={("s1", "s2"): ("ping",)}, leader="s2"), i="s1")
def test_a_computed_key_is_shown_with_its_value(self: Any, s: Any, i: str) -> Any:
    """
    s.net[i, s.leader] == ()
      s.net[i, s.leader] = ('ping',)
        s.leader = 's2'
    """
    return s.net[i, s.leader] == ()


@explains(State(phase=Phase.LOOKING))
def test_a_member_of_an_enum_goes_without_saying(self: Any, s: Any) -> Any:
    """
    s.phase == Phase.LEADING
      s.phase = <Phase.LOOKING: 1>
    """
    return s.phase == Phase.LEADING


@explains(State(count=9))
def test_a_global_constant_has_a_value(self: Any, s: Any) -> Any:
    """
    s.count < LIMIT + 1
      s.count = 9
      LIMIT + 1 = 4
        LIMIT = 3
    """
    return s.count < LIMIT + 1


@explains(State(epoch=2), n=State(epoch=1))
def test_a_step_invariant_shows_both_states(self: Any, s: Any, n: Any) -> Any:
    """
    n.epoch >= s.epoch
      n.epoch = 1
      s.epoch = 2
    """
    return n.epoch >= s.epoch


@explains(State(name="é"))
def test_text_outside_ascii_is_cut_at_the_right_places(self: Any, s: Any) -> Any:
    """
    s.name == "ü" + s.name
      s.name = 'é'
      "ü" + s.name = 'üé'
        s.name = 'é'
    """
    return s.name != "äö" and s.name == "ü" + s.name


# Connectives


@explains(State(a=1, b=2, c=0, d=0))
def test_only_the_first_false_conjunct_is_named(self: Any, s: Any) -> Any:
    """
    s.c == 3
      s.c = 0
    """
    return s.a == 1 and (s.b == 2 and s.c == 3) and s.d == 4


@explains(State(idle=False, a=0, ready=True))
def test_every_disjunct_is_explained(self: Any, s: Any) -> Any:
    """
    s.idle or s.a == 1 or not s.ready
      s.idle = False
      s.a == 1
        s.a = 0
      not s.ready
        s.ready = True
    """
    return s.idle or s.a == 1 or not s.ready


@explains(State(a=0, b=2))
def test_a_negated_or_names_the_disjunct_that_is_true(self: Any, s: Any) -> Any:
    """
    not (s.a == 1 or s.b == 2)
      s.b == 2
        s.b = 2
    """
    return not (s.a == 1 or s.b == 2)


@explains(State(a=True, b=2))
def test_a_negated_and_shows_all_its_conjuncts(self: Any, s: Any) -> Any:
    """
    not (s.a and s.b > 1)
      s.a = True
      s.b > 1
        s.b = 2
    """
    return not (s.a and s.b > 1)


@explains(State(leader="s1", epoch=0))
def test_a_conditional_explains_the_branch_taken_and_why(self: Any, s: Any) -> Any:
    """
    s.epoch > 0
      s.epoch = 0
      because s.leader is not None
        s.leader = 's1'
    """
    return s.epoch > 0 if s.leader is not None else s.epoch == 0


@explains(State(leader=None, epoch=3))
def test_a_conditional_says_when_its_test_was_false(self: Any, s: Any) -> Any:
    """
    s.epoch == 0
      s.epoch = 3
      because s.leader is not None is false
        s.leader = None
    """
    return s.epoch > 0 if s.leader is not None else s.epoch == 0


@explains(State(ready={"s1": False}), i="s1")
def test_a_false_value_that_is_no_comparison_is_shown(self: Any, s: Any, i: str) -> Any:
    """
    s.ready[i]
      s.ready[i] = False
    """
    return s.ready[i]


@explains(State(a={1}, b={2}))
def test_an_empty_result_is_shown_with_its_operands(self: Any, s: Any) -> Any:
    """
    s.a & s.b
      s.a & s.b = set()
        s.a = {1}
        s.b = {2}
    """
    return s.a & s.b


@explains(State(a=1))
def test_bool_is_looked_through(self: Any, s: Any) -> Any:
    """
    s.a > 1
      s.a = 1
    """
    return bool(s.a > 1)


@explains(State(a=[3, 4]))
def test_a_named_expression_keeps_its_value(self: Any, s: Any) -> Any:
    """
    top > 7
      top = 4
    """
    return (top := max(s.a)) > 1 and top > 7


# Quantifiers


@explains(State(log={"s1": [1], "s2": [1, 2], "s3": [1]}))
def test_all_gives_the_first_binding_that_fails(self: Any, s: Any) -> Any:
    """
    all(s.log[i] == s.log[j] for i in self.servers for j in self.servers)
      fails for i='s1', j='s2': s.log[i] == s.log[j]
        s.log[i] = [1]
        s.log[j] = [1, 2]
    """
    return all(s.log[i] == s.log[j] for i in self.servers for j in self.servers)


@explains(State(log={"s1": [1], "s2": [1], "s3": [2]}))
def test_quantifiers_nest(self: Any, s: Any) -> Any:
    """
    all(all(s.log[i] == s.log[j] for j in self.servers) for i in self.servers)
      fails for i='s1': all(s.log[i] == s.log[j] for j in self.servers)
        fails for j='s3': s.log[i] == s.log[j]
          s.log[i] = [1]
          s.log[j] = [2]
    """
    return all(all(s.log[i] == s.log[j] for j in self.servers) for i in self.servers)


@explains(State(ok=dict.fromkeys(Fake.servers, False), up={"s1": 1, "s2": 0, "s3": 1}))
def test_elements_that_a_condition_leaves_out_are_not_blamed(self: Any, s: Any) -> Any:
    """
    all(s.ok[i] for i in self.servers if i != "s1" if s.up[i])
      fails for i='s3': s.ok[i]
        s.ok[i] = False
    """
    return all(s.ok[i] for i in self.servers if i != "s1" if s.up[i])


@explains(State(values=(1, 5)))
def test_a_conjunction_inside_all_names_its_false_part(self: Any, s: Any) -> Any:
    """
    all([v >= 0 and v < 3 for v in s.values])
      fails for v=5: v < 3
        v = 5
    """
    return all([v >= 0 and v < 3 for v in s.values])  # noqa: C419


@explains(State(log={"x": (1, 2), "y": (3, 0, 2)}))
def test_targets_are_unpacked(self: Any, s: Any) -> Any:
    """
    all(a < b for k, (a, *_, b) in s.log.items())
      fails for k='y', a=3, b=2, _=[0]: a < b
        a = 3
        b = 2
    """
    return all(a < b for k, (a, *_, b) in s.log.items())


@explains(State(leads={"s1": True, "s2": False, "s3": True}))
def test_not_any_gives_the_first_binding_that_holds(self: Any, s: Any) -> Any:
    """
    not any(s.leads[i] and s.leads[j] for i in self.servers for j in self.servers if i < j)
      holds for i='s1', j='s3': s.leads[i] and s.leads[j]
        s.leads[i] = True
        s.leads[j] = True
    """
    return not any(s.leads[i] and s.leads[j] for i in self.servers for j in self.servers if i < j)


@explains(State(leader="s9"))
def test_any_that_finds_none_lists_what_was_tried_and_against_what(self: Any, s: Any) -> Any:
    """
    any(s.leader == i for i in self.servers)
      fails for each of i='s1'; i='s2'; i='s3'
      s.leader = 's9'
    """
    return any(s.leader == i for i in self.servers)


@explains(State(votes=()))
def test_any_over_nothing_says_so(self: Any, s: Any) -> Any:
    """
    any(v > 0 for v in s.votes)
      there is none to try
      s.votes = ()
    """
    return any(v > 0 for v in s.votes)


@explains(State(up={"s1": 1, "s2": 1, "s3": 1}))
def test_not_all_lists_what_holds(self: Any, s: Any) -> Any:
    """
    not all(s.up[i] for i in self.servers)
      holds for each of i='s1'; i='s2'; i='s3'
      s.up = {'s1': 1, 's2': 1, 's3': 1}
    """
    return not all(s.up[i] for i in self.servers)


@explains(State(log=(1, 2)))
def test_a_quantifier_sees_the_locals_of_the_predicate(self: Any, s: Any) -> Any:
    """
    all(v < top for v in s.log)
      fails for v=2: v < top
        v = 2
        top = 2
    """
    top = max(s.log)
    return all(v < top for v in s.log)


@explains(State(votes=()))
def test_a_function_that_the_user_called_all_is_no_quantifier(self: Any, s: Any) -> Any:
    """
    all(s.votes)
      all(s.votes) = []
      s.votes = ()
    """
    all = sorted
    return all(s.votes)
