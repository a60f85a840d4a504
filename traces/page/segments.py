"""A value as pieces of text, with what is new and what is gone marked as deep inside as it can be told.

>>> from pyrsistent import pvector
>>> segments(pvector([1, 2]), pvector([1, 3]))
[('[1, ', ''), ('2', 'gone'), ('3', 'new'), (']', '')]
>>> sides(pvector([1, 2]), pvector([1]))
([('[1, ', ''), ('2', 'gone'), (']', '')], [('[1]', '')])
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from operator import itemgetter
from typing import Any

from pyrsistent import PRecord

from modelcheck.values import has_own_text, ordered, show

from ..diff import ABSENT, equal, fields_of, middle, shape
from ..lettering import shortened

__all__ = ["Segment", "alike", "segments", "sides", "text_of"]

Segment = tuple[str, str]  # the text, and: "" unchanged, "new", "gone"
Entry = tuple[str, Any, Any]  # a part of a value: what stands before it, and the two sides

LONGEST = 400  # characters of one piece
MOST = 300  # pieces of one value
_BRACKETS = {"vector": "[]", "tuple": "()", "set": "{}", "map": "{}"}


def text_of(value: object) -> str:
    """A value as one text, also one that is not there."""
    return shortened("absent" if value is ABSENT else show(value), LONGEST)


def alike(one: Any, other: Any) -> bool:
    """Whether two values are equal, or neither is there."""
    return one is other or (one is not ABSENT and other is not ABSENT and equal(one, other))


def segments(old: Any, new: Any) -> list[Segment]:
    """The pieces of ``new``, and of ``old`` what is gone; ABSENT for a side that is not there."""
    return _Writer("gone", "new").written(old, new)


def sides(one: Any, other: Any) -> tuple[list[Segment], list[Segment]]:
    """Each of two values by itself, with what only ``one`` has marked as gone and what only ``other`` has as new."""
    return _Writer("gone").written(one, other), _Writer("new").written(one, other)


class _Writer:
    """Writes two values into one text, with what only one of them has if it has one of these tones."""

    def __init__(self, *tones: str) -> None:
        self.tones = tones

    def written(self, old: Any, new: Any) -> list[Segment]:
        found: list[Segment] = []
        for text, tone in self._pieces(old, new):
            if found and found[-1][1] == tone == "":
                found[-1] = (found[-1][0] + text, tone)
            else:
                found.append((text, tone))
            if len(found) > MOST:  # too much to be read: both sides as they are
                return list(self._both(old, new))
        return found

    def _both(self, old: Any, new: Any) -> Iterator[Segment]:
        for value, tone in ((old, "gone"), (new, "new")):
            if value is not ABSENT and tone in self.tones:
                yield text_of(value), tone

    def _pieces(self, old: Any, new: Any) -> Iterator[Segment]:
        if old is ABSENT or new is ABSENT:
            yield from self._both(old, new)
        elif equal(old, new):
            yield text_of(new), ""
        elif shape(old) != shape(new) or type(old) is not type(new) or has_own_text(new):
            yield from self._both(old, new)
        elif isinstance(new, PRecord):  # a map for `show`, and so it is here, with changes or without
            yield "{", ""
            fields = sorted(_fields(old, new), key=itemgetter(0))
            yield from self._joined((f"{text_of(name)}: ", o, n) for name, o, n in fields)
            yield "}", ""
        elif shape(new) in _BRACKETS:
            yield _BRACKETS[shape(new)][0], ""
            yield from self._joined(_entries(old, new))
            yield _BRACKETS[shape(new)][1], ""
        elif shape(new) == "record":
            yield f"{type(new).__name__}(", ""
            yield from self._joined([(f"{name}=", o, n) for name, o, n in _fields(old, new)])
            yield ")", ""
        else:
            yield from self._both(old, new)

    def _joined(self, entries: Iterable[Entry]) -> Iterator[Segment]:
        begun = False
        for label, old, new in entries:
            tone = "new" if old is ABSENT else "gone" if new is ABSENT else ""
            if tone and tone not in self.tones:
                continue
            if begun:
                yield ", ", ""
            begun = True
            if label:
                yield label, tone
            yield from self._pieces(old, new)


def _entries(old: Any, new: Any) -> Iterator[Entry]:
    """The parts of two collections of the same shape, each with its counterpart."""
    kind = shape(new)
    if kind == "map":
        for key in ordered(frozenset(old) | frozenset(new)):
            yield f"{text_of(key)}: ", old.get(key, ABSENT), new.get(key, ABSENT)
    elif kind == "set":
        for member in ordered(frozenset(old) | frozenset(new)):
            yield "", member if member in old else ABSENT, member if member in new else ABSENT
    else:
        yield from _sequence(old, new)


def _sequence(old: Any, new: Any) -> Iterator[tuple[str, Any, Any]]:
    if len(old) == len(new):
        yield from (("", before, after) for before, after in zip(old, new, strict=True))
        return
    start, end_old, end_new = middle(old, new)
    yield from (("", item, item) for item in new[:start])
    yield from (("", item, ABSENT) for item in old[start:end_old])
    yield from (("", ABSENT, item) for item in new[start:end_new])
    yield from (("", item, item) for item in new[end_new:])


def _fields(old: Any, new: Any) -> Iterator[tuple[str, Any, Any]]:
    before, after = fields_of(old), fields_of(new)
    for name in dict.fromkeys([*before, *after]):
        yield name, before.get(name, ABSENT), after.get(name, ABSENT)
