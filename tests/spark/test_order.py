"""A domain made from a set comes in another order in another process: slots and instances must keep their numbers."""

from __future__ import annotations

import itertools
from collections.abc import Mapping

import pytest

from modelcheck import Result, Spec, action, channel, check, goal, invariant, per, subset
from modelcheck.errors import Refused
from spark.saving import Saves, identity
from tests.comparing import answer_of

NAMES = ("anna", "bert", "cleo", "dora", "emil")
_turns = itertools.count()


class Restless(Spec):
    """Its domains are listed in another order each time that they are asked for, as if they came from a set."""

    @property
    def people(self) -> tuple[str, ...]:
        turn = next(_turns) % len(NAMES)
        return NAMES[turn:] + NAMES[:turn]

    age = per("people", lambda key: len(key) - NAMES.index(key))
    awake = subset("people", lambda: NAMES[:3])
    post = channel("people", "people", kind="set")

    @action(who="people")
    def grow(self, s, n, who):  # type: ignore[no-untyped-def]
        n.age[who] = min(s.age[who] + 1, NAMES.index(who) + 2)
        n.awake.add(who)

    @action(who=lambda self: list(self.people), whom=lambda self, who: [p for p in self.people if p > who])
    def write(self, s, n, who, whom):  # type: ignore[no-untyped-def]
        if who in s.awake and s.age[who] == 2 and not s.post[who, whom]:
            n.post.send(who, whom, len(who))

    @invariant(who="people")
    def grown_men_do_not_get_letters(self, s, who):  # type: ignore[no-untyped-def]
        return who != "emil" or s.age["emil"] < 3 or not s.post["cleo", "emil"]

    @goal(who="people")
    def everyone_grows_up(self, s, who):  # type: ignore[no-untyped-def]
        return s.age[who] == NAMES.index(who) + 2 == len(s.awake)


def everything(result: Result) -> tuple[dict[str, object], list[Mapping[str, object]]]:
    return answer_of(result), [dict(found.params) for found in result.violations]


@pytest.mark.parametrize("wide", [0, 10**9])
def test_a_domain_in_another_order_on_the_worker(context: object, wide: int) -> None:
    spec = Restless()
    plain = check(spec, engine="oracle", max_depth=5)
    assert plain.distinct > 100
    assert len(plain.violations) == 1
    spread = check(spec, engine="spark", max_depth=5, partitions=3, wide=wide)
    assert everything(spread) == everything(plain)


def test_a_save_in_another_order_is_refused() -> None:
    spec = Restless()
    saved = identity(spec.program, deadlock=True)
    assert identity(spec.program, deadlock=True) == saved
    saves = Saves(None, "somewhere", identity(Restless().program, deadlock=True))  # type: ignore[arg-type]
    with pytest.raises(Refused, match=r"(?s)the order of its domains was .*made from a set.*sorted"):
        saves._refuse_another(saved)
