"""What changed between two frozen values, as data.

Values are compared by shape: maps by key, records by field, sequences by index, sets and bags by
member. Only what differs is returned, as deep inside as it can be told.

>>> from pyrsistent import pmap, pvector
>>> for change in diff(pmap({"s1": pvector([1]), "s2": 0}), pmap({"s1": pvector([1, 2]), "s2": 0})):
...     print(change)
['s1'][1]: absent -> 2
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any, Final, Literal

from pyrsistent import PBag, PClass, PMap, PRecord, PSet, PVector, pvector

from modelcheck.values import has_own_text, ordered, show

__all__ = ["ABSENT", "Change", "Part", "diff", "equal", "fields_of", "middle", "shape"]

Shape = Literal["map", "record", "vector", "tuple", "set", "bag", "leaf"]
PartKind = Literal["key", "field", "index", "member"]

# The C extension brings its own class, which is no subclass of PVector.
_PVECTOR_TYPES: Final[tuple[type, ...]] = (PVector, type(pvector()))


class _Absent:
    """Stands for "there is no value on this side"; None is a value."""

    def __repr__(self) -> str:
        return "absent"


ABSENT: Final = _Absent()


@dataclasses.dataclass(frozen=True)
class Part:
    """One step into a value: a key of a map, a field, an index, or a member of a set or bag."""

    kind: PartKind
    key: Any

    def __str__(self) -> str:
        if self.kind == "field":
            return f".{self.key}"
        return f"{{{show(self.key)}}}" if self.kind == "member" else f"[{show(self.key)}]"


@dataclasses.dataclass(frozen=True)
class Change:
    """A place inside a value with what it held before and after; ABSENT where it did not exist.

    For a member of a set the sides are the member and ABSENT; for one of a bag, how often it is in.
    """

    path: tuple[Part, ...]
    old: object
    new: object

    def __str__(self) -> str:
        sides = [repr(side) if side is ABSENT else show(side) for side in (self.old, self.new)]
        return f"{''.join(map(str, self.path))}: {sides[0]} -> {sides[1]}"


def diff(old: object, new: object) -> list[Change]:
    """Every difference, in canonical order; empty if the values are equal."""
    return list(_changes((), old, new))


def equal(old: object, new: object) -> bool:
    """Whether two values are equal; a bag, which refuses to be compared with others, is not."""
    try:
        return bool(old == new)
    except TypeError:
        return False


def shape(value: object) -> Shape:
    """By what a value is compared."""
    if isinstance(value, PRecord | PClass) or _is_dataclass(value) or hasattr(value, "_fields"):
        return "record"
    if isinstance(value, PMap):
        return "map"
    if isinstance(value, _PVECTOR_TYPES):
        return "vector"
    if isinstance(value, tuple):
        return "tuple"
    if isinstance(value, PSet | frozenset):
        return "set"
    return "bag" if isinstance(value, PBag) else "leaf"


def fields_of(record: Any) -> dict[str, object]:
    """The fields of a record, frozen dataclass or named tuple, in the order of declaration."""
    kind: Any = type(record)
    if isinstance(record, PRecord):
        return {name: record[name] for name in kind._precord_fields if name in record}
    if isinstance(record, PClass):
        names = kind._pclass_fields
        return {name: getattr(record, name) for name in names if hasattr(record, name)}
    if _is_dataclass(record):
        return {f.name: getattr(record, f.name) for f in dataclasses.fields(record)}
    return dict(zip(record._fields, record, strict=True))


def middle(old: Any, new: Any) -> tuple[int, int, int]:
    """Where two sequences differ: (first index, end in old, end in new), equal before and after.

    >>> middle("abc", "bc")       # the head was taken
    (0, 1, 0)
    >>> middle("ab", "abc")       # something was appended
    (2, 2, 3)
    """
    start, end_old, end_new = 0, len(old), len(new)
    while start < min(end_old, end_new) and equal(old[start], new[start]):
        start += 1
    while start < min(end_old, end_new) and equal(old[end_old - 1], new[end_new - 1]):
        end_old, end_new = end_old - 1, end_new - 1
    return start, end_old, end_new


def _is_dataclass(value: object) -> bool:
    return dataclasses.is_dataclass(value) and not isinstance(value, type)


def _changes(path: tuple[Part, ...], old: Any, new: Any) -> Iterator[Change]:
    kind = shape(old)
    alike = kind == shape(new) and (kind != "record" or type(old) is type(new))
    # What has a text of its own is told as a whole, in its author's words.
    if not alike or kind == "leaf" or has_own_text(old):
        if not equal(old, new):
            yield Change(path, old, new)
    elif kind == "map":
        for key in ordered(frozenset(old) | frozenset(new)):
            yield from _entry((*path, Part("key", key)), old.get(key, ABSENT), new.get(key, ABSENT))
    elif kind == "record":
        before, after = fields_of(old), fields_of(new)
        for name in dict.fromkeys([*before, *after]):
            step = (*path, Part("field", name))
            yield from _entry(step, before.get(name, ABSENT), after.get(name, ABSENT))
    elif kind in ("vector", "tuple"):
        yield from _sequence_changes(path, old, new)
    elif kind == "set":
        for member in ordered(frozenset(old) ^ frozenset(new)):
            step = (*path, Part("member", member))
            yield Change(step, member, ABSENT) if member in old else Change(step, ABSENT, member)
    else:
        for member in ordered(frozenset(old) | frozenset(new)):
            if old.count(member) != new.count(member):
                yield Change((*path, Part("member", member)), old.count(member), new.count(member))


def _entry(path: tuple[Part, ...], old: object, new: object) -> Iterator[Change]:
    if old is ABSENT or new is ABSENT:
        yield Change(path, old, new)
    else:
        yield from _changes(path, old, new)


def _sequence_changes(path: tuple[Part, ...], old: Any, new: Any) -> Iterator[Change]:
    if len(old) == len(new):
        for index, (before, after) in enumerate(zip(old, new, strict=True)):
            yield from _changes((*path, Part("index", index)), before, after)
        return
    start, end_old, end_new = middle(old, new)
    for index in range(start, end_old):
        yield Change((*path, Part("index", index)), old[index], ABSENT)
    for index in range(start, end_new):
        yield Change((*path, Part("index", index)), ABSENT, new[index])
