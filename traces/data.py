"""Results and traces as data that `json` can write.

Values are written as in the Informal Trace Format, which other tools read: vectors and records as
JSON arrays and objects, and `{"#map": [[key, value], ...]}`, `{"#set": [...]}`, `{"#tup": [...]}`
and `{"#bigint": "..."}` for what JSON lacks. Our additions: `{"#bag": [[member, count], ...]}`,
`{"#bytes": "hex"}`, null for None, and `"Color.RED"` for a member of an enum.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any

from modelcheck.result import Discovery, Result
from modelcheck.trace import Event, Step, Trace
from modelcheck.values import ordered

from .diff import fields_of, shape

__all__ = ["error_data", "result_data", "trace_data", "value_data"]

_EXACT = 2**53  # beyond this, readers that keep numbers as doubles lose digits

Data = dict[str, Any]


def result_data(result: Result) -> Data:
    """A whole result; `violations` have their full traces."""
    coverage = result.coverage
    return {
        "spec": result.spec,
        "constants": mapping_data(result.constants),
        "engine": result.engine,
        "verdict": result.verdict.name.lower(),
        "sentence": result.verdict.sentence,
        "exit_code": result.verdict.exit_code,
        "distinct": result.distinct,
        "generated": result.generated,
        "depth": result.depth,
        "complete_depth": result.complete_depth,
        "queue": result.queue,
        "seconds": round(result.seconds, 6),
        "stopped": result.stopped,
        "collision_probability": result.collision,
        "violations": [discovery_data(discovery) for discovery in result.violations],
        "goals": dict(result.goals),
        "coverage": {
            "actions": {action.name: _counts(action) for action in coverage.actions},
            "never_enabled": list(coverage.never_enabled),
            "values": dict(coverage.values),
        },
        "warnings": list(result.warnings),
    }


def error_data(verdict: str, exit_code: int, message: str) -> Data:
    """What is written instead of a result when there is none: nothing was run."""
    return {"verdict": verdict, "exit_code": exit_code, "error": message, "violations": []}


def discovery_data(discovery: Discovery) -> Data:
    """A violated property with its counterexample."""
    return {
        "kind": discovery.kind,
        "property": discovery.property,
        "params": mapping_data(discovery.params),
        "label": discovery.label,
        "explanation": discovery.explanation,
        "trace": trace_data(discovery.trace),
    }


def trace_data(trace: Trace) -> Data:
    """A trace: `steps[k]` leads to `states[k]`."""
    return {
        "spec": trace.spec,
        "constants": mapping_data(trace.constants),
        "states": [mapping_data(fields_of(state)) for state in trace.states],
        "steps": [_step_data(step) for step in trace.steps],
    }


def mapping_data(mapping: Mapping[str, object]) -> Data:
    """A mapping from names to values: a JSON object."""
    return {name: value_data(value) for name, value in mapping.items()}


def value_data(value: Any) -> Any:
    """One frozen value.

    >>> value_data((1, frozenset({"b", "a"}), 2**60))
    {'#tup': [1, {'#set': ['a', 'b']}, {'#bigint': '1152921504606846976'}]}
    """
    if isinstance(value, Enum):
        return f"{type(value).__name__}.{value.name}"
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int):
        return value if abs(value) < _EXACT else {"#bigint": str(int(value))}
    if isinstance(value, bytes):
        return {"#bytes": value.hex()}
    return _collection_data(value)


def _collection_data(value: Any) -> Any:
    kind = shape(value)
    if kind == "map":
        return {"#map": [[value_data(key), value_data(value[key])] for key in ordered(value)]}
    if kind == "record":
        return mapping_data(fields_of(value))
    if kind == "vector":
        return [value_data(item) for item in value]
    if kind == "tuple":
        return {"#tup": [value_data(item) for item in value]}
    if kind == "set":
        return {"#set": [value_data(item) for item in ordered(value)]}
    if kind == "bag":
        members = ordered(frozenset(value))
        return {"#bag": [[value_data(item), value.count(item)] for item in members]}
    return repr(value)  # a constant that never enters a state, such as a range


def _step_data(step: Step) -> Data:
    return {
        "action": step.action,
        "params": mapping_data(step.params),
        "label": step.label,
        "events": [_event_data(event) for event in step.events],
    }


def _event_data(event: Event) -> Data:
    return {
        "kind": event.kind,
        "channel": event.channel,
        "key": [value_data(part) for part in event.key],
        "message": value_data(event.message),
    }


def _counts(action: Any) -> Data:
    return {
        "enabled": action.enabled,
        "taken": action.taken,
        "new": action.new,
        "evaluations": action.evaluations,
        "lookups": action.lookups,
    }
