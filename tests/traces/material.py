"""Frozen values of every kind, hostile texts, and a spec that carries them through a trace."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, IntEnum
from typing import Any, NamedTuple, Self

from hypothesis import strategies as st
from pyrsistent import PClass, PRecord, field, pbag, pmap, pset, pvector

from modelcheck import Channel, Spec, Var, action, channel, check, const, invariant, require, var
from modelcheck.result import Discovery


class Color(Enum):
    RED = 1
    GREEN = "g"


class Level(IntEnum):
    LOW = 1
    HIGH = 2


class Point(NamedTuple):
    x: object
    y: object

    def __str__(self) -> str:
        return f"<{self.x}|{self.y}>"


@dataclass(frozen=True)
class Vote:
    epoch: object
    leader: object = None

    class Inner(NamedTuple):
        deep: object


class Box(PClass):
    size = field()
    lid = field()


class Row(PRecord):
    first = field()
    second = field()


HOSTILE = (
    "<script>alert(1)</script>",
    "</pre><img src=x onerror=alert(1)>",
    "a\"b'c\\",
    "'''\"\"\"",
    "line\nbreak\r\nand\ttab",
    "\u202eright to left\u202c \u2066\u2069 \u05d0\u05d1",
    "x" * 10_000,
    "digraph { a -> b [label=\"x\"]; } \\l \\N",
    "`code` ``two`` ```\n```\n# heading\n````",
    "]] ) -- {{ }} %s {0} $HOME $(id) `id`",
    "\x00\x1b[31mred\x7f\x85\u2028\u2029",
    "\ud800 lone",
    "",
    "#map",
    "- item\n1. item\n> quote\n    code",
    "&lt;&amp;&#60;",
    "import os\nassert False",
)


def _hostile(index: int) -> str:
    return HOSTILE[index]


# By index, so that a failing test does not print the 10,000 letters with every example.
hostile_texts = st.one_of(
    st.integers(0, len(HOSTILE) - 1).map(_hostile), st.text(max_size=30)
)

_leaves = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    hostile_texts,
    st.binary(max_size=6),
    st.sampled_from([*Color, *Level]),
)


def _deeper(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    few = st.lists(inner, max_size=3)
    return st.one_of(
        few.map(tuple),
        few.map(pvector),
        few.map(frozenset),
        few.map(pset),
        st.lists(st.tuples(inner, inner), max_size=3).map(lambda pairs: pmap(dict(pairs))),
        st.builds(Point, inner, inner),
        st.builds(Vote, inner, inner),
        st.builds(Vote.Inner, inner),
        st.builds(lambda a, b: Box(size=a, lid=b), inner, inner),
        st.builds(lambda a: Box(size=a), inner),
        st.builds(lambda a, b: Row(first=a, second=b), inner, inner),
    )


_members = st.recursive(_leaves, _deeper, max_leaves=8)
# Bags cannot be compared with anything else, so they are no members of sets and no keys.
values = st.one_of(_members, _members, st.lists(_members, max_size=4).map(pbag))


class Courier(Spec):
    """Takes a value along: as a constant, a parameter, a key, a message and in the state."""

    load = const(("nothing",))
    note = const("")

    bag: Var[object] = var(None)
    route: Channel[str, object] = channel()
    steps = var(0)

    @property
    def goods(self) -> Any:
        return self.load

    @action(what="goods")
    def pick(self, s: Self, n: Self, what: object) -> None:
        require(s.steps == 0, "`nothing` was <b>picked</b>")
        n.bag = what
        n.steps = 1

    @action
    def post(self, s: Self, n: Self) -> None:
        require(s.steps == 1, "something was picked")
        n.route.send(s.bag)
        n.steps = 2

    @action
    def deliver(self, s: Self, n: Self) -> None:
        n.bag = (n.route.receive(), self.note)
        n.steps = 3

    @invariant
    def never_delivered(self, s: Self) -> bool:
        return s.steps < 3 or s.bag is self.note


def delivered(value: object, note: str = "") -> tuple[Courier, Discovery]:
    """A spec that carries a value, and its counterexample."""
    spec = Courier(load=(value,), note=note)
    return spec, check(spec, engine="oracle").violations[0]


_FOUND: dict[str, Discovery] = {}


def counterexample(spec: type[Spec], **constants: object) -> Discovery:
    """The first counterexample of a spec, searched for once."""
    made = spec(**constants)
    if repr(made) not in _FOUND:
        _FOUND[repr(made)] = check(made).violations[0]
    return _FOUND[repr(made)]
