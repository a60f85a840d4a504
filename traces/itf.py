"""The Informal Trace Format that Apalache and Quint write and their viewers read, out and in.

Every integer is a `#bigint`, None is Quint's variant `None`, a bag is a map from member to count,
members of enums are their names. Where the format has no room (which class a record has), nothing
is lost for us: the steps are kept in `#meta`, and replaying them on the spec gives the values back.
Files of other tools have no steps of ours: replay then looks for steps that lead to the states.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import make_dataclass
from enum import Enum
from functools import cache
from keyword import iskeyword
from pathlib import Path
from typing import Any

from pyrsistent import PRecord, field, pmap, pvector

import modelcheck
from modelcheck.errors import ConfigError
from modelcheck.result import Discovery
from modelcheck.trace import Step, Trace

from .codec import BrokenValue, Unwritable, dump_mapping, load_mapping
from .diff import fields_of, shape
from .files import Stored, checked_loop, load_classes

__all__ = ["UNKNOWN_STEP", "itf_data", "itf_value", "stored_from_itf", "value_from_itf"]

DESCRIPTION = "https://apalache-mc.org/docs/adr/015adr-trace.html"
UNKNOWN_STEP = ""  # the action of a step in a file that does not name it
_NONE = {"tag": "None", "value": {"#tup": []}}
_OURS = "modelcheck"


def itf_data(stored: Stored) -> dict[str, Any]:
    """A trace as the data of an ITF file."""
    found, trace = stored.found, stored.trace
    ours = {
        "spec": trace.spec,
        "target": stored.target,
        "module": stored.module,
        "constants": dump_mapping(trace.constants),
        "kind": found.kind,
        "property": found.property,
        "params": dump_mapping(found.params),
        "explanation": found.explanation,
    }
    names = list(fields_of(trace.states[0])) if trace.states else []
    data: dict[str, Any] = {
        "#meta": {
            "format": "ITF",
            "format-description": DESCRIPTION,
            "source": stored.target or trace.spec,
            "status": "ok" if found.kind in ("trace", "goal") else "violation",
            "description": f"Created by modelcheck {modelcheck.__version__}",
            _OURS: ours,
        },
        "vars": names,
        "states": [
            _state_data(index, step, state)
            for index, (step, state) in enumerate(zip(trace.steps, trace.states, strict=True))
        ],
    }
    return data if stored.loop is None else {**data, "loop": stored.loop}


def _state_data(index: int, step: Step, state: Any) -> dict[str, Any]:
    meta = {
        "index": index,
        "action": step.action,
        "params": dump_mapping(step.params),
        "label": step.label,
    }
    return {"#meta": meta, **{name: itf_value(item) for name, item in fields_of(state).items()}}


def itf_value(value: Any) -> Any:
    """One value in the format's notation; two values that look alike in it give equal data.

    >>> itf_value((1, frozenset({"b", "a"})))
    {'#tup': [{'#bigint': '1'}, {'#set': ['a', 'b']}]}
    """
    if isinstance(value, Enum):
        return value.name
    if value is None:
        return _NONE
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        return {"#bigint": str(int(value))}
    if isinstance(value, str):
        return str(value)
    if isinstance(value, Unwritable):
        return {"#unserializable": value.text}
    kind = shape(value)
    if kind == "record":
        return {name: itf_value(item) for name, item in fields_of(value).items()}
    if kind == "map":
        return {"#map": _sorted([itf_value(key), itf_value(value[key])] for key in value)}
    if kind == "bag":
        counted = frozenset(value)
        return {"#map": _sorted([itf_value(i), itf_value(value.count(i))] for i in counted)}
    if kind == "vector":
        return [itf_value(item) for item in value]
    if kind == "tuple":
        return {"#tup": [itf_value(item) for item in value]}
    if kind == "set":
        return {"#set": _sorted(itf_value(item) for item in value)}
    return {"#unserializable": repr(value)}


def _sorted(items: Any) -> list[Any]:
    # By the data, not by the value: a record and what was read back for it come in one order.
    return sorted(items, key=lambda item: json.dumps(item, sort_keys=True))


# --- reading -----------------------------------------------------------------------------------


def stored_from_itf(data: Mapping[str, Any], path: Path) -> Stored:
    """The trace of an ITF file; ConfigError where it breaks the rules of the format."""
    try:
        return _stored(data, path)
    except (KeyError, TypeError, AttributeError, ValueError, RecursionError) as error:
        text = f"the entry {error} is missing" if isinstance(error, KeyError) else str(error)
        raise ConfigError(f"{path} is a broken ITF trace: {text}.") from error


def _stored(data: Mapping[str, Any], path: Path) -> Stored:
    meta = data.get("#meta") or {}
    ours = meta.get(_OURS) or {}
    load_classes(ours.get("target"), ours.get("module"), path)
    names = list(dict.fromkeys(data["vars"]))
    if not all(isinstance(name, str) for name in names):
        raise BrokenValue("a name in its vars is no text")
    spec = str(ours.get("spec") or meta.get("source") or "trace")
    record: Any = type("ItfState", (PRecord,), {name: field() for name in names})
    states = tuple(
        record(**{name: value_from_itf(state[name]) for name in names}) for state in data["states"]
    )
    if not states:
        raise BrokenValue("it has no states")
    steps = tuple(_step(index, state) for index, state in enumerate(data["states"]))
    trace = Trace(spec, load_mapping(ours.get("constants") or {}), states, steps)
    found = Discovery(
        str(ours.get("kind") or "trace"),
        str(ours.get("property") or ""),
        load_mapping(ours.get("params") or {}),
        trace,
        str(ours.get("explanation") or ""),
    )
    loop = checked_loop(data, len(states))
    return Stored(found, ours.get("target"), ours.get("module"), path, loop)


def _step(index: int, state: Mapping[str, Any]) -> Step:
    meta = state.get("#meta") or {}
    if isinstance(meta.get("action"), str) and "params" in meta:
        return Step(meta["action"], load_mapping(meta["params"]))
    return Step(UNKNOWN_STEP if index else "init", {})


def value_from_itf(data: Any) -> Any:
    """The value that data stands for: generic records, frozensets for sets, vectors for lists."""
    if isinstance(data, bool | int | str):
        return data
    if isinstance(data, list):
        return pvector([value_from_itf(item) for item in data])
    if not isinstance(data, dict):
        raise BrokenValue(f"{data!r:.80} stands for no value")
    if data == _NONE:
        return None
    tag = next((name for name in data if name.startswith("#")), None)
    if tag is None:
        return _record(tuple(data))(*(value_from_itf(item) for item in data.values()))
    content = data[tag]
    if len(data) == 1 and tag == "#bigint":
        return int(content)
    if len(data) == 1 and tag == "#tup":
        return tuple(value_from_itf(item) for item in content)
    if len(data) == 1 and tag == "#set":
        return frozenset(value_from_itf(item) for item in content)
    if len(data) == 1 and tag == "#map":
        return pmap({value_from_itf(key): value_from_itf(item) for key, item in content})
    if len(data) == 1 and tag == "#unserializable":
        return Unwritable(str(content))
    raise BrokenValue(f"an object with the keys {', '.join(map(repr, data)):.80} is no value")


@cache
def _record(names: tuple[str, ...]) -> Any:
    # No named tuple: that would equal a plain tuple, and one of the two would vanish from a set.
    if all(name.isidentifier() and not iskeyword(name) for name in names):
        return make_dataclass("Record", names, frozen=True)
    return lambda *values: pmap(dict(zip(names, values, strict=True)))
