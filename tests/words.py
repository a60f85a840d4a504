"""The words that generated specs are made of: value classes, and pure helpers over frozen values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum, IntEnum
from typing import Any, NamedTuple

from pyrsistent import PBag, PMap, PRecord, PVector, field, pbag, pmap, pset, pvector

from modelcheck import operator

__all__ = [
    "MIXED",
    "Card",
    "Colour",
    "Level",
    "Pair",
    "Point",
    "after",
    "bump",
    "either",
    "flip",
    "grow",
    "move",
    "pbag",
    "pmap",
    "pset",
    "pvector",
    "refill",
    "turn",
]


class Colour(Enum):
    RED = 1
    GREEN = 2
    BLUE = 3


class Level(IntEnum):
    """Its members are equal to plain numbers."""

    LOW = 0
    HIGH = 1


class Pair(NamedTuple):
    """Equal to a plain tuple with the same items."""

    left: Any
    right: Any


@dataclass(frozen=True)
class Point:
    x: int
    y: int = 0


class Card(PRecord):  # type: ignore[type-arg]
    """Equal to a plain map with the same entries."""

    a = field()
    b = field()


# Equal values of different types lie next to each other here: the checker must take them for one.
_MAPS = (Card(a=1), pmap({"a": 1}))
MIXED: tuple[Any, ...] = (None, 0, False, Level.LOW, "0", (0,), (False,), Pair(0, 1), (0, True), *_MAPS)


def after(value: Any, steps: int = 1) -> Any:
    """A value some places further in MIXED, from the last place that holds an equal one."""
    last = max(k for k, each in enumerate(MIXED) if each == value)
    return MIXED[(last + steps) % len(MIXED)]


@operator
def turn(colour: Colour) -> Colour:
    return Colour(colour.value % 3 + 1)


@operator
def grow(items: PVector[Any], item: Any) -> PVector[Any]:
    """One item more at the end, and no more than two in all."""
    longer = items.append(item)
    return longer if len(longer) < 3 else longer.delete(0)


def bump(counts: PMap[Any, int], key: Any) -> PMap[Any, int]:
    """One more under a key, counted modulo two; zero is the same as nothing."""
    return counts.discard(key) if counts.get(key, 0) else counts.set(key, 1)


@operator
def flip(items: Any, item: Any) -> Any:
    """The set with one item put in or taken out."""
    if isinstance(items, frozenset):
        return items ^ {item}
    return items.discard(item) if item in items else items.add(item)


def refill(bag: PBag[Any], item: Any) -> PBag[Any]:
    """One copy more, or an empty bag where there were two."""
    return bag.add(item) if bag.count(item) < 2 else pbag([])


def move(point: Point, by: int) -> Point:
    return replace(point, x=(point.x + by) % 3, y=1 - point.y)


def either(condition: object, first: Callable[[], Any], second: Callable[[], Any]) -> Any:
    """A choice that looks at only one of its sides."""
    return first() if condition else second()
