"""Frozen values: the canonical encoding that decides identity, and the text that people read.

NOTE(equal-means-one): values that Python calls equal *and* that hash alike are one value to the checker
(``True`` and ``1``; a record and a map with the same entries). The encoding follows that rule, so the exact search
over Python objects and the search over fingerprints cannot disagree. A vector and a tuple are never equal.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Callable, Iterable
from enum import Enum
from typing import Any

from pyrsistent import PBag, PClass, PMap, PSet, PVector

__all__ = ["NotFrozen", "encode", "fingerprint", "has_own_text", "ordered", "show"]



_REMEDY = {
    list: "use a tuple or pyrsistent.pvector",
    dict: "use pyrsistent.pmap",
    set: "use a frozenset, pyrsistent.pset or a subset variable",
    bytearray: "use bytes",
    float: "floats are not exact: count in whole units, or use a pair of ints",
}


class NotFrozen(TypeError):
    """A value that may not be part of a state; ``place`` is its path inside the value offered."""

    def __init__(self, value: object, place: str = "") -> None:
        self.value = value
        self.place = place
        remedy = next((text for kind, text in _REMEDY.items() if isinstance(value, kind)), None)
        remedy = remedy or _remedy_for_object(value)
        at = f" at {place}" if place else ""
        super().__init__(f"{_cut(repr(value))} is a {type(value).__name__}{at}: {remedy}")


def _remedy_for_object(value: object) -> str:
    if hasattr(value, "_source"):
        return "it is a view of a variable, not a value: pmap(s.x) of a per variable, pset(s.x) of a subset"
    if dataclasses.is_dataclass(value):
        return "declare the dataclass with frozen=True (and leave eq on)"
    return (
        "states hold None, bool, int, str, bytes, enums, tuples, frozensets, frozen dataclasses"
        " and Pyrsistent values"
    )


def encode(value: object) -> bytes:
    """The canonical bytes of a frozen value, the same in every process; NotFrozen for any other value.

    >>> encode((1, "a")) == encode((True, "a"))
    True
    >>> encode(frozenset({"a", "b"})) == encode(frozenset({"b", "a"}))
    True
    """
    try:
        return _encode(value)
    except NotFrozen as problem:
        raise NotFrozen(problem.value, _place_of(value, problem.value)) from None


def _encode(value: object) -> bytes:
    encoder = _ENCODERS.get(type(value))
    if encoder is None:
        encoder = _ENCODERS[type(value)] = _encoder_for(value)
    return encoder(value)


def _sized(tag: bytes, parts: list[bytes]) -> bytes:
    return b"%s%d:%s" % (tag, len(parts), b"".join(parts))


def _text(text: str) -> bytes:
    raw = text.encode("utf-8", "surrogatepass")
    return b"%d:%s" % (len(raw), raw)


def _encode_dataclass(value: Any) -> bytes:
    names = [field.name for field in dataclasses.fields(value) if field.compare]
    return b"d" + _class_name(value) + _sized(b"", [_encode(getattr(value, name)) for name in names])


def _encode_pclass(value: Any) -> bytes:
    fields = sorted(_pclass_fields(value))
    return b"c" + _class_name(value) + _sized(b"", [_text(k) + _encode(v) for k, v in fields])


def _pclass_fields(value: Any) -> list[tuple[str, object]]:
    return [(name, getattr(value, name)) for name in value._pclass_fields if hasattr(value, name)]


def _class_name(value: object) -> bytes:
    return _text(type(value).__qualname__)


def _member(item: Enum) -> str:
    # The empty combination of flags has no name.
    return item.name or str(item.value)


def _encode_sets(tag: bytes, items: Iterable[object]) -> bytes:
    # An empty frozenset and an empty pset are equal and hash alike; others do not.
    parts = sorted(_encode(item) for item in items)
    return _sized(tag if parts else b"{", parts)


def _encode_pairs(tag: bytes, pairs: Iterable[tuple[object, object]]) -> bytes:
    return _sized(tag, sorted(_encode(key) + _encode(item) for key, item in pairs))


_ENCODERS: dict[type, Callable[[Any], bytes]] = {
    type(None): lambda value: b"N",
    bool: lambda value: b"i%d;" % value,
    int: lambda value: b"i%d;" % value,
    str: lambda value: b"s" + _text(value),
    bytes: lambda value: b"b%d:%s" % (len(value), value),
    tuple: lambda value: _sized(b"(", [_encode(item) for item in value]),
    frozenset: lambda value: _encode_sets(b"{", value),
}


def _encoder_for(value: object) -> Callable[[Any], bytes]:
    """The encoder of a type met for the first time, by the most specific rule that fits."""
    if isinstance(value, (int, str, bytes, tuple, frozenset)):  # IntEnum, StrEnum, named tuples
        base = next(kind for kind in (int, str, bytes, tuple, frozenset) if isinstance(value, kind))
        return _ENCODERS[base]
    if isinstance(value, Enum):
        return lambda item: b"e" + _class_name(item) + _text(_member(item))
    if isinstance(value, PVector):
        return lambda item: _sized(b"[", [_encode(part) for part in item])
    if isinstance(value, PMap):
        return lambda item: _encode_pairs(b"m", item.items())
    if isinstance(value, PSet):
        return lambda item: _encode_sets(b"<", item)
    if isinstance(value, PBag):
        return lambda item: _encode_pairs(b"g", item._counts.items())
    if isinstance(value, PClass):
        return _encode_pclass
    if _is_frozen_dataclass(value):
        return _encode_dataclass
    raise NotFrozen(value)


def _is_frozen_dataclass(value: object) -> bool:
    parameters = getattr(type(value), "__dataclass_params__", None)
    return parameters is not None and parameters.frozen and parameters.eq


def _place_of(value: object, culprit: object) -> str:
    """Where inside ``value`` the object ``culprit`` sits, as Python would index it."""
    if value is culprit:
        return ""
    for step, part in _children(value):
        if part is culprit:
            return step
        deeper = _place_of(part, culprit)
        if deeper:
            return step + deeper
    return ""


def _children(value: Any) -> list[tuple[str, object]]:
    if isinstance(value, (tuple, PVector)):
        return [(f"[{index}]", item) for index, item in enumerate(value)]
    if isinstance(value, PMap):
        return [(f"[{key!r}]", item) for key, item in value.items()]
    if isinstance(value, (frozenset, PSet, PBag)):
        return [("{...}", item) for item in value]
    if isinstance(value, PClass):
        return [(f".{name}", item) for name, item in _pclass_fields(value)]
    if dataclasses.is_dataclass(value):
        return [(f".{f.name}", getattr(value, f.name)) for f in dataclasses.fields(value)]
    return []


def fingerprint(slot: bytes, value: object) -> int:
    """The 64-bit number (signed) of a value in the slot with this identity: equal in every process.

    >>> fingerprint(b"epoch", 1) == fingerprint(b"epoch", 1) != fingerprint(b"epoch", 2)
    True
    """
    digest = hashlib.blake2b(encode(value), digest_size=8, key=hashlib.sha256(slot).digest())
    return int.from_bytes(digest.digest(), "little", signed=True)


def ordered(items: Iterable[Any]) -> list[Any]:
    """The items without repetition: sets in canonical order, anything else in its own.

    >>> ordered(frozenset({"b", "a", "c"}))
    ['a', 'b', 'c']
    >>> ordered([3, 1, 3])
    [3, 1]
    """
    if isinstance(items, (frozenset, set, PSet, PBag, PMap)):
        return sorted(dict.fromkeys(items), key=_sort_key)
    return list(dict.fromkeys(items))


def _sort_key(value: object) -> tuple[object, ...]:
    # Numbers by size and text by letters, as people expect; the encoding settles everything else.
    if isinstance(value, int):
        return (0, int(value))
    if isinstance(value, str):
        return (1, str(value))
    try:
        return (2, _encode(value))
    except NotFrozen:  # in a message, or among parameters
        return (3, repr(value))


def has_own_text(value: object) -> bool:
    """Whether the author of a record or tuple has said, with a __str__, how it reads best."""
    of_author = isinstance(value, (tuple, PClass)) or dataclasses.is_dataclass(value)
    return of_author and type(value).__str__ is not object.__str__


def show(value: object) -> str:
    """A short text of a value, stable across processes; a class with a __str__ of its own is shown by it.

    >>> from pyrsistent import pmap, pvector
    >>> show(pmap({"b": pvector([1, 2]), "a": frozenset({2, 1})}))
    "{'a': {1, 2}, 'b': [1, 2]}"
    """
    if isinstance(value, Enum):
        return _member(value)
    if has_own_text(value):
        return str(value)
    if isinstance(value, (PVector, list)):
        return f"[{', '.join(map(show, value))}]"
    if isinstance(value, (PMap, dict)):
        return f"{{{', '.join(f'{show(k)}: {show(value[k])}' for k in ordered(value))}}}"
    if isinstance(value, PBag):
        return f"bag({', '.join(map(show, sorted(value, key=_sort_key)))})"
    if isinstance(value, (frozenset, set, PSet)):
        return f"{{{', '.join(map(show, ordered(value)))}}}" if value else "{}"
    if isinstance(value, tuple):
        return _show_tuple(value)
    if isinstance(value, PClass) or _is_frozen_dataclass(value):
        return f"{type(value).__name__}({', '.join(f'{k[1:]}={show(v)}' for k, v in _children(value))})"
    return repr(value)


def _show_tuple(value: tuple[object, ...]) -> str:
    names = getattr(value, "_fields", None)
    if names:
        return f"{type(value).__name__}({', '.join(f'{k}={show(v)}' for k, v in zip(names, value, strict=True))})"
    return f"({', '.join(map(show, value))}{',' if len(value) == 1 else ''})"


def _cut(text: str, limit: int = 80) -> str:
    return text if len(text) <= limit else text[: limit - 3] + "..."
