"""A value as pieces of text, with what is new and what is gone marked as deep inside as it can be told.

>>> from pyrsistent import pvector
>>> segments(pvector([1, 2]), pvector([1, 3]))
[('[1, ', ''), ('2', 'gone'), ('3', 'new'), (']', '')]
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

from pyrsistent import PClass

from modelcheck.values import ordered, show

from ..diff import ABSENT, fields_of, middle, shape
from ..lettering import shortened

__all__ = ["Segment", "segments", "text_of"]

Segment = tuple[str, str]  # the text, and: "" unchanged, "new", "gone"

LONGEST = 400  # characters of one piece
MOST = 300  # pieces of one value
_BRACKETS = {"vector": "[]", "tuple": "()", "set": "{}", "map": "{}"}


def text_of(value: object) -> str:
    """A value as one text."""
    return shortened(show(value), LONGEST)


def segments(old: Any, new: Any) -> list[Segment]:
    """The pieces of ``new``, and of ``old`` what is gone; ABSENT for a side that is not there."""
    found: list[Segment] = []
    for text, tone in _pieces(old, new):
        if found and found[-1][1] == tone == "":
            found[-1] = (found[-1][0] + text, tone)
        else:
            found.append((text, tone))
        if len(found) > MOST:  # too much to be read: both sides as they are
            return [(text_of(old), "gone"), (text_of(new), "new")]
    return found


def _pieces(old: Any, new: Any) -> Iterator[Segment]:
    if old is ABSENT or new is ABSENT:
        yield (text_of(new), "new") if old is ABSENT else (text_of(old), "gone")
    elif old == new:
        yield text_of(new), ""
    elif shape(old) != shape(new) or type(old) is not type(new) or _speaks_for_itself(new):
        yield text_of(old), "gone"
        yield text_of(new), "new"
    elif shape(new) in _BRACKETS:
        yield from _collection(old, new)
    elif shape(new) == "record":
        yield f"{type(new).__name__}(", ""
        yield from _joined([(f"{name}=", o, n) for name, o, n in _fields(old, new)])
        yield ")", ""
    else:
        yield text_of(old), "gone"
        yield text_of(new), "new"


def _speaks_for_itself(value: Any) -> bool:
    """Whether a class says itself how its values read: then they are shown whole."""
    structured = isinstance(value, tuple | PClass) or dataclasses.is_dataclass(value)
    own: object = type(value).__str__
    return structured and own is not object.__str__


def _collection(old: Any, new: Any) -> Iterator[Segment]:
    kind = shape(new)
    yield _BRACKETS[kind][0], ""
    if kind == "map":
        keys = ordered(frozenset(old) | frozenset(new))
        yield from _joined([(f"{text_of(key)}: ", old.get(key, ABSENT), new.get(key, ABSENT)) for key in keys])
    elif kind == "set":
        members = ordered(frozenset(old) | frozenset(new))
        yield from _joined([("", m if m in old else ABSENT, m if m in new else ABSENT) for m in members])
    else:
        yield from _joined(list(_sequence(old, new)))
    yield _BRACKETS[kind][1], ""


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


def _joined(parts: list[tuple[str, Any, Any]]) -> Iterator[Segment]:
    for index, (label, old, new) in enumerate(parts):
        if index:
            yield ", ", ""
        tone = "new" if old is ABSENT else "gone" if new is ABSENT else ""
        if label:
            yield label, tone
        yield from _pieces(old, new)
