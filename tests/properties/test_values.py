"""Frozen values: what the canonical encoding promises, on generated values."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from enum import Enum, Flag, IntEnum, StrEnum
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyrsistent import PClass, PRecord, field, l, pbag, pdeque, pmap, pset, pvector

from modelcheck.values import NotFrozen, encode, fingerprint, ordered, show


class Suit(Enum):
    HEARTS = 1
    SPADES = 2


class Rank(IntEnum):
    """Equal to numbers."""

    ACE = 1
    TWO = 2


class Word(StrEnum):
    """Equal to texts."""

    A = "a"


class Rights(Flag):
    """Members combine; the empty combination has no name."""

    READ = 1
    WRITE = 2


class Pair(NamedTuple):
    """Equal to tuples."""

    left: Any
    right: Any


@dataclass(frozen=True)
class Point:
    x: Any
    y: Any = 0


@dataclass(frozen=True)
class Place(Point):
    """Never equal to a Point."""


class Card(PRecord):
    """Equal to maps."""

    a = field()


class Box(PClass):
    a = field()
    b = field()


def _grown(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Containers of values."""
    few = st.lists(values, max_size=3)
    pairs = st.dictionaries(st.sampled_from(["a", 1, True, "1", None]), values, max_size=3)
    return st.one_of(
        few.map(tuple),
        few.map(pvector),
        few.map(frozenset),
        few.map(pset),
        pairs.map(pmap),
        values.map(Point),
        values.map(Place),
        values.map(lambda value: Card(a=value)),
        values.map(lambda value: Box(a=value)),
        st.tuples(values, values).map(lambda both: Pair(*both)),
    )


# The same examples every time: a suite that fails at random is not believed.
quietly = settings(derandomize=True, deadline=None, database=None)

# Few and small, so that equal ones are met often.
_plain = [None, True, False, 0, 1, 2, -1, -2, 2**70, "", "a", "1", "b:", "\ud800", "é", b"", b"a"]
_members = [Suit.HEARTS, Suit.SPADES, Rank.ACE, Rank.TWO, Word.A, Rights(0), Rights.READ, Rights.READ | Rights.WRITE]
_atoms = st.sampled_from([*_plain, *_members])
_nested = st.recursive(_atoms, _grown, max_leaves=6)
# A bag compares itself with bags only, so it can be in no set and no key: not even Pyrsistent's own sets cope.
_bags = st.lists(_atoms, max_size=3).map(pbag)
frozen_values = st.one_of(_nested, _nested, _bags, st.tuples(_atoms, _bags))


def _comparable(first: object, second: object) -> bool | None:
    """Whether two values are one to Python: equal, and of one hash. None where one refuses to be compared."""
    try:
        return hash(first) == hash(second) and bool(first == second)
    except TypeError:  # a bag compares itself with bags only
        return None


@settings(quietly, max_examples=1000)
@given(frozen_values, frozen_values)
def test_values_are_encoded_alike_exactly_if_they_are_one_to_python(first: object, second: object) -> None:
    """NOTE(equal-means-one): the exact search over objects and the one over fingerprints cannot disagree."""
    one = _comparable(first, second)
    if one is not None:
        assert (encode(first) == encode(second)) is one


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (True, 1),
        (Rank.ACE, 1),
        (Rank.ACE, True),
        (Word.A, "a"),
        (Pair(1, 2), (1, 2)),
        (Pair(True, Rank.TWO), (1, 2)),
        (Card(a=1), pmap({"a": True})),
        (frozenset(), pset()),
        ((frozenset(),), (pset(),)),
        (frozenset({0, 1}), frozenset({True, False})),
        (pmap({1: "x"}), pmap({True: "x"})),
        (pbag([1, 1]), pbag([True, Rank.ACE])),
        (Point(1), Point(True)),
    ],
)
def test_equal_values_of_different_types_are_one(first: object, second: object) -> None:
    assert first == second and hash(first) == hash(second)
    assert encode(first) == encode(second)
    assert fingerprint(b"slot", first) == fingerprint(b"slot", second)


def test_values_that_look_alike_are_encoded_differently() -> None:
    alike = [
        None, 0, "", b"", (), frozenset(), pvector(), pmap(), pbag([]),
        1, "1", b"1", (1,), frozenset({1}), pset([1]), pvector([1]), pbag([1]), pbag([1, 1]), pmap({1: 1}),
        Point(1), Place(1), Box(a=1), Box(b=1), Box(a=1, b=1), Suit.HEARTS, Rights.READ, Rights(0),
        (1, 1), ((1,), 1), (1, (1,)), ((1, 1),), (1, "1"), ("1", 1), "11", ("ab", "c"), ("a", "bc"), "s1:a",
        frozenset({(1, 2)}), frozenset({1, 2}), pmap({1: 2}), pmap({2: 1}), "i1;", ("i1;",), -1, -2, "None",
        "\ud83d\ude00", "\U0001f600",
    ]  # fmt: skip
    assert len({encode(value) for value in alike}) == len(alike)


@settings(quietly, max_examples=200)
@given(st.permutations([1, "a", None, (1,), Suit.HEARTS, frozenset({2}), b"x", True, "1"]))
def test_the_order_of_building_a_value_does_not_matter(items: list[Any]) -> None:
    known = sorted(map(encode, {*items}))
    for kind in (frozenset, pset, pbag):
        assert encode(kind(items)) == encode(kind(items[::-1])), kind
    assert encode(pmap(dict.fromkeys(items, 1))) == encode(pmap(dict.fromkeys(reversed(items), 1)))
    for kind in (frozenset, pset):
        assert sorted(map(encode, ordered(kind(items)))) == known
        assert list(map(encode, ordered(kind(items)))) == list(map(encode, ordered(kind(items[::-1]))))
        assert show(kind(items)).count(",") == show(kind(items[::-1])).count(",")


@settings(quietly, max_examples=300)
@given(frozen_values)
def test_every_frozen_value_can_be_shown_and_numbered(value: object) -> None:
    assert show(value) == show(value) != ""
    number = fingerprint(b"slot", value)
    assert -(2**63) <= number < 2**63
    assert number != fingerprint(b"other slot", value)


def test_ordered_leaves_sequences_as_they_are_and_drops_repetitions() -> None:
    assert ordered((3, 1, 3, 2)) == [3, 1, 2]
    assert ordered(pvector(["b", "a", "b"])) == ["b", "a"]
    assert ordered({"b": 1, "a": 2}) == ["b", "a"]
    assert ordered({10, 9, 2}) == [2, 9, 10]
    assert ordered(pbag(["b", "a", "b"])) == ["a", "b"]
    assert ordered(frozenset({"b", 2, "a", None, 1})) == [1, 2, "a", "b", None]
    assert ordered({2.5, 1.5}) == [1.5, 2.5]


_STABLE = """
from pyrsistent import pbag, pmap, pset
from tests.words import MIXED, Colour, Point
from modelcheck.values import fingerprint, ordered, show
names = frozenset("alpha beta gamma delta".split()) | {Colour.RED, None, (1, "x"), Point(1), b"raw"}
values = [names, pset(names), pbag(list(names) * 2), pmap(dict.fromkeys(names, names)), *MIXED, (names, "x")]
print([fingerprint(b"slot", value) for value in values])
print([show(value) for value in values])
print([show(item) for item in ordered(names)])
"""


def test_nothing_depends_on_the_seed_of_pythons_hashes() -> None:
    outputs = set()
    for seed in ("0", "1", "4242"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run(
            [sys.executable, "-c", _STABLE], env=environment, capture_output=True, text=True, check=True
        )
        outputs.add(done.stdout)
    assert len(outputs) == 1


@dataclass
class Loose:
    x: int = 0


@dataclass(frozen=True, eq=False)
class Identical:
    x: int = 0


class Thing:
    """An object like any other: equal to itself only."""


_REFUSED: list[tuple[Any, str]] = [
    ([], "use a tuple or pyrsistent.pvector"),
    ({}, "use pyrsistent.pmap"),
    (set(), "use a frozenset, pyrsistent.pset or a subset variable"),
    (bytearray(b"x"), "use bytes"),
    (1.5, "floats are not exact"),
    (float("nan"), "floats are not exact"),
    (1j, "states hold None, bool, int"),
    (Loose(), "declare the dataclass with frozen=True"),
    (Identical(), "declare the dataclass with frozen=True (and leave eq on)"),
    (Thing(), "states hold None, bool, int"),
    (print, "states hold None, bool, int"),
    (int, "states hold None, bool, int"),
    (iter(()), "states hold None, bool, int"),
    (range(3), "states hold None, bool, int"),
    (pvector([1]).evolver(), "states hold None, bool, int"),
    (pdeque([1]), "states hold None, bool, int"),
    (l(1), "states hold None, bool, int"),
    (memoryview(b"x"), "states hold None, bool, int"),
]


@pytest.mark.parametrize(("value", "remedy"), _REFUSED, ids=lambda part: type(part).__name__)
def test_what_is_not_frozen_is_refused_with_a_remedy(value: Any, remedy: str) -> None:
    with pytest.raises(NotFrozen) as refused:
        encode(value)
    assert remedy in str(refused.value)
    assert type(value).__name__ in str(refused.value)
    assert refused.value.place == ""


# How a place inside a value is written, and how the value around it is made. Hashed containers need hashable culprits.
_AROUND: list[tuple[str, Any]] = [
    ("[1]", lambda value: (0, value)),
    ("[2]", lambda value: pvector([0, 1, value])),
    ("['k']", lambda value: pmap({"a": 1, "k": value})),
    (".x", lambda value: Point(value)),
    (".y", lambda value: Place(0, value)),
    (".b", lambda value: Box(a=1, b=value)),
    ("['a']", lambda value: Card(a=value)),
    ("[1]", lambda value: Pair(0, value)),
]


@settings(quietly, max_examples=200)
@given(
    st.sampled_from([value for value, _ in _REFUSED]),
    st.lists(st.sampled_from(_AROUND), min_size=1, max_size=4),
)
def test_the_place_of_what_is_not_frozen_is_told_at_any_depth(value: Any, around: list[tuple[str, Any]]) -> None:
    whole = value
    for _, wrap in around:
        whole = wrap(whole)
    with pytest.raises(NotFrozen) as refused:
        encode(whole)
    assert refused.value.value is value
    assert refused.value.place == "".join(place for place, _ in reversed(around))


@pytest.mark.parametrize("wrap", [lambda value: frozenset({value}), lambda value: pset([value]), lambda v: pbag([v])])
def test_what_is_not_frozen_is_found_in_sets(wrap: Any) -> None:
    culprit = Thing()
    with pytest.raises(NotFrozen) as refused:
        encode((1, wrap(culprit)))
    assert (refused.value.value, refused.value.place) == (culprit, "[1]{...}")


def test_what_is_not_frozen_is_found_in_the_keys_of_a_map() -> None:
    culprit = Thing()
    with pytest.raises(NotFrozen) as refused:
        encode(pmap({culprit: 1}))
    assert refused.value.value is culprit
