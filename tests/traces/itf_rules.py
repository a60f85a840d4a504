"""The rules of the Informal Trace Format (Apalache's ADR 15), as a checker of its own.

It knows nothing of the code that writes the format: it was written from the format's description.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

__all__ = ["itf_problems"]

_TOP = {"#meta", "params", "vars", "states", "loop"}
_INTEGER = re.compile(r"-?[0-9]+")
_LISTS = ("#tup", "#set")


def itf_problems(data: Any) -> list[str]:
    """Everything in which data breaks the rules; empty for a valid trace."""
    return list(_trace(data))


def _trace(data: Any) -> Iterator[str]:
    if not isinstance(data, dict):
        yield "a trace is an object"
        return
    yield from (f"unknown top-level field {name}" for name in data.keys() - _TOP)
    if not isinstance(data.get("#meta", {}), dict):
        yield "#meta is an object"
    names = data.get("vars")
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        yield "vars is a list of names"
        return
    if len(set(names)) != len(names) or any(name.startswith("#") for name in names):
        yield "names of variables differ and do not start with #"
    params = data.get("params", [])
    states = data.get("states")
    if not isinstance(states, list) or not states:
        yield "states is a list with at least one state"
        return
    for index, state in enumerate(states):
        yield from _state(index, state, {*names, *params})
    loop = data.get("loop", 0)
    if not isinstance(loop, int) or not 0 <= loop < len(states):
        yield "loop is the index of a state"


def _state(index: int, state: Any, names: set[str]) -> Iterator[str]:
    if not isinstance(state, dict):
        yield f"state {index} is an object"
        return
    if not isinstance(state.get("#meta", {}), dict):
        yield f"#meta of state {index} is an object"
    if state.keys() - {"#meta"} != names:
        yield f"state {index} gives a value to every variable and to nothing else"
    for name, value in state.items():
        if name != "#meta":
            yield from _value(f"state {index}, {name}", value)


def _value(place: str, value: Any) -> Iterator[str]:
    if isinstance(value, bool | str):
        return
    if isinstance(value, int):
        if abs(value) >= 2**53:
            yield f"{place}: a number that JSON readers lose digits of"
    elif isinstance(value, list):
        yield from _values(place, value)
    elif isinstance(value, dict):
        yield from _object(place, value)
    else:
        yield f"{place}: {value!r:.40} is no expression"


def _values(place: str, values: list[Any]) -> Iterator[str]:
    for item in values:
        yield from _value(place, item)


def _object(place: str, value: dict[str, Any]) -> Iterator[str]:
    reserved = [name for name in value if name.startswith("#")]
    if not reserved:
        yield from _values(place, list(value.values()))
        return
    tag = reserved[0]
    content = value[tag]
    if len(value) != 1:
        yield f"{place}: {tag} stands alone in its object"
    elif tag == "#bigint":
        if not isinstance(content, str) or not _INTEGER.fullmatch(content):
            yield f"{place}: #bigint holds a decimal number as text"
    elif tag in _LISTS:
        yield from _values(place, content) if isinstance(content, list) else [f"{place}: {tag}"]
        if tag == "#set" and _repeated(content):
            yield f"{place}: a member of a set is there twice"
    elif tag == "#map":
        if not all(isinstance(pair, list) and len(pair) == 2 for pair in content):
            yield f"{place}: #map holds pairs"
            return
        yield from _values(place, [part for pair in content for part in pair])
        if _repeated([key for key, _ in content]):
            yield f"{place}: a key of a map is there twice"
    elif tag != "#unserializable" or not isinstance(content, str):
        yield f"{place}: unknown tag {tag}"


def _repeated(items: list[Any]) -> bool:
    return len({repr(item) for item in items}) != len(items)
