"""Frozen values to JSON and back, exactly: what comes back equals what went in and has its classes.

The notation is that of `traces.data`, with tags where that one forgets something: a record carries
its class in `#class`, a member of an enum is `{"#class": ..., "#enum": name}`, a frozenset is told
from a Pyrsistent set. Classes are looked up in modules that are loaded already: reading a file
never imports what it names. A class that is not there is replaced by a stand-in with its name and
fields, so that a trace can be read and shown without its spec.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable, Mapping
from enum import Enum
from functools import cache
from typing import Any

from pyrsistent import PBag, PClass, PRecord, PSet, pbag, pmap, pset, pvector

from modelcheck.values import ordered

from .diff import fields_of, shape

__all__ = ["BrokenValue", "Unwritable", "dump", "dump_mapping", "load", "load_mapping"]

_EXACT = 2**53  # beyond this, readers that keep numbers as doubles lose digits
_MOST_IN_BAG = 100_000  # of one member: a file cannot make us run out of memory
_STAND_IN = "__stand_in_for__"


class BrokenValue(ValueError):
    """Data that is no value of the format."""


@dataclasses.dataclass(frozen=True)
class Unwritable:
    """A constant that the format cannot hold, such as a function: only its text is known."""

    text: str

    def __repr__(self) -> str:
        return self.text


def dump_mapping(mapping: Mapping[str, object]) -> dict[str, Any]:
    """A mapping from names to values."""
    return {name: dump(value) for name, value in mapping.items()}


def dump(value: Any) -> Any:
    """A frozen value as JSON data.

    >>> dump((1, frozenset({"b", "a"})))
    {'#tup': [1, {'#frozenset': ['a', 'b']}]}
    """
    if isinstance(value, Enum):
        return {"#class": _tag(type(value)), "#enum": value.name}
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return int(value) if abs(value) < _EXACT else {"#bigint": str(int(value))}
    if isinstance(value, str):
        return str(value)
    if isinstance(value, bytes):
        return {"#bytes": value.hex()}
    if isinstance(value, range):
        return {"#range": [value.start, value.stop, value.step]}
    if isinstance(value, Unwritable):
        return {"#unwritable": value.text}
    return _dump_collection(value)


def _dump_collection(value: Any) -> Any:
    kind = shape(value)
    if kind == "record":
        return {"#class": _tag(type(value)), **dump_mapping(fields_of(value))}
    if kind == "map":
        return {"#map": [[dump(key), dump(value[key])] for key in ordered(value)]}
    if kind == "vector":
        return [dump(item) for item in value]
    if kind == "tuple":
        return {"#tup": [dump(item) for item in value]}
    if kind == "set":
        tag = "#set" if isinstance(value, PSet) else "#frozenset"
        return {tag: [dump(item) for item in ordered(value)]}
    if isinstance(value, PBag):
        members = ordered(frozenset(value))
        return {"#bag": [[dump(item), value.count(item)] for item in members]}
    return {"#unwritable": repr(value)}


def _tag(cls: type) -> str:
    return getattr(cls, _STAND_IN, None) or f"{cls.__module__}:{cls.__qualname__}"


def load_mapping(data: object) -> dict[str, Any]:
    """The values of a JSON object."""
    if not isinstance(data, dict):
        raise BrokenValue(f"an object was expected, not {data!r:.80}")
    return {name: load(item) for name, item in data.items()}


def load(data: object) -> Any:
    """The value that data stands for; BrokenValue for anything that `dump` does not write."""
    if data is None or isinstance(data, bool | int | str):
        return data
    if isinstance(data, list):
        return pvector([load(item) for item in data])
    if isinstance(data, dict):
        try:
            return _load_object(data)
        except (TypeError, ValueError, ArithmeticError) as error:
            if isinstance(error, BrokenValue):
                raise
            raise BrokenValue(f"{data!r:.80}: {error}") from error
    raise BrokenValue(f"{data!r:.80} stands for no value")


def _load_object(data: dict[str, Any]) -> Any:
    if "#class" in data:
        rest = {name: item for name, item in data.items() if name != "#class"}
        return _load_record(str(data["#class"]), rest)
    if len(data) != 1 or (tag := next(iter(data))) not in _LOADERS:
        raise BrokenValue(f"an object with the keys {', '.join(map(repr, data)):.80} is no value")
    return _LOADERS[tag](data[tag])


def _load_record(tag: str, data: dict[str, Any]) -> Any:
    cls = _class_of(tag)
    if "#enum" in data:
        name = str(data["#enum"])
        if cls is not None and issubclass(cls, Enum) and name in cls.__members__:
            return cls[name]
        return _enum_stand_in(tag, name)[name]
    fields = load_mapping(data)
    if cls is None or _field_names(cls) is None or not set(fields) <= set(_field_names(cls) or ()):
        return _record_stand_in(tag, tuple(fields))(*fields.values())
    if issubclass(cls, PRecord | PClass):
        return cls(**fields)
    if set(fields) != set(_field_names(cls) or ()):
        return _record_stand_in(tag, tuple(fields))(*fields.values())
    if issubclass(cls, tuple):
        return tuple.__new__(cls, [fields[name] for name in _field_names(cls) or ()])
    made: Any = object.__new__(cls)
    for name, value in fields.items():
        object.__setattr__(made, name, value)  # frozen, and __post_init__ has had its say already
    return made


def _class_of(tag: str) -> Any:
    module, _, path = tag.partition(":")
    found: Any = sys.modules.get(module)
    for name in path.split("."):
        found = getattr(found, name, None)
    return found if isinstance(found, type) else None


def _field_names(cls: Any) -> tuple[str, ...] | None:
    """The fields of a class of records; None for any other class, which is never instantiated."""
    if issubclass(cls, PRecord):
        return tuple(cls._precord_fields)
    if issubclass(cls, PClass):
        return tuple(cls._pclass_fields)
    if issubclass(cls, tuple) and hasattr(cls, "_fields"):
        return tuple(cls._fields)
    parameters = getattr(cls, "__dataclass_params__", None)
    if parameters is not None and parameters.frozen:
        return tuple(field.name for field in dataclasses.fields(cls))
    return None


@cache
def _record_stand_in(tag: str, fields: tuple[str, ...]) -> Any:
    name = tag.rpartition(":")[2].rpartition(".")[2]
    try:
        made = dataclasses.make_dataclass(name, fields, frozen=True)
    except (TypeError, ValueError) as error:
        raise BrokenValue(f"{tag}: {error}") from error
    setattr(made, _STAND_IN, tag)
    return made


@cache
def _enum_stand_in(tag: str, member: str) -> Any:
    name = tag.rpartition(":")[2].rpartition(".")[2]
    made = Enum(name, [member])  # type: ignore[misc]
    setattr(made, _STAND_IN, tag)
    return made


def _pairs(data: Any) -> list[tuple[Any, Any]]:
    return [(load(key), load(item)) for key, item in data]


def _bag(data: Any) -> Any:
    counted = [(load(member), int(count)) for member, count in data]
    if not all(0 < count <= _MOST_IN_BAG for _, count in counted):
        raise BrokenValue("a bag holds each of its members once or more")
    return pbag([item for member, count in counted for item in [member] * count])


_LOADERS: dict[str, Callable[[Any], Any]] = {
    "#bigint": int,
    "#bytes": bytes.fromhex,
    "#range": lambda data: range(*data),
    "#tup": lambda data: tuple(load(item) for item in data),
    "#set": lambda data: pset([load(item) for item in data]),
    "#frozenset": lambda data: frozenset(load(item) for item in data),
    "#map": lambda data: pmap(dict(_pairs(data))),
    "#bag": _bag,
    "#unwritable": lambda data: Unwritable(str(data)),
}
