"""Traces in files: `save_trace` and `load_trace`. `docs/trace-format.md` describes the format."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyrsistent import PRecord, field

import modelcheck
from modelcheck.errors import ConfigError, ModelCheckError, SpecLoadError
from modelcheck.loading import load as load_spec
from modelcheck.loading import split_target
from modelcheck.result import Discovery
from modelcheck.spec import Spec
from modelcheck.trace import Event, Step, Trace

from .codec import BrokenValue, Unwritable, dump, dump_mapping, load_mapping
from .codec import load as load_value
from .diff import fields_of

__all__ = ["FORMAT", "VERSION", "Stored", "load_trace", "save_trace", "stored_data", "stored_of"]

FORMAT = "modelcheck-trace"
VERSION = 1
ITF_ENDING = ".itf.json"


@dataclass(frozen=True)
class Stored:
    """A trace that came from a file, or goes to one.

    `found` is what the trace shows (its kind is "trace" where nothing was violated), `target` names
    the spec as on the command line, `loop` is the index of the state that a lasso returns to.
    """

    found: Discovery
    target: str | None = None
    module: str | None = None
    place: Path | None = None
    loop: int | None = None

    @property
    def trace(self) -> Trace:
        return self.found.trace

    def spec_class(self, target: str | None = None) -> type[Spec]:
        """The spec that the trace came from, or the one named instead."""
        if target is not None:
            return load_spec(target)
        if self.target is None:
            raise ConfigError(
                f"{self.place or 'the trace'} does not say which spec it came from: name it with --spec."
            )
        for candidate in _candidates(self.target, self.module, self.place):
            return load_spec(candidate)
        raise SpecLoadError(
            f"{self.place or 'the trace'} came from {self.target}, which is not there"
            f" (looked in {Path.cwd()} and in the folders above the trace).\n"
            "Run this in the project of the spec, or name the spec with --spec."
        )

    def constants(self, spec: type[Spec], settings: Mapping[str, object]) -> dict[str, object]:
        """The constants of the trace that a spec has, with settings that win over them."""
        known = spec.__declarations__.constants
        kept = {name: value for name, value in self.trace.constants.items() if name in known}
        for name, value in list(kept.items()):
            if isinstance(value, Unwritable):
                del kept[name]  # it stood in no literal: the default has to do, if it is the same
                if name not in settings and repr(known[name].default) != value.text:
                    raise ConfigError(f"the constant {name!r} was {value.text}: give it with --set.")
        return {**kept, **settings}


def _candidates(target: str | None, module: str | None, place: Path | None) -> Iterator[str]:
    """Targets that exist: relative to the current folder, to the folders above the file, by module."""
    if target is not None:
        file, name = split_target(target)
        colon = f":{name}" if name else ""
        bases = [Path(), *(place.resolve().parents if place is not None else ())]
        yield from (f"{base / file}{colon}" for base in bases if (base / file).is_file())
        if module is not None and not file.endswith(".py"):
            yield target
        elif module is not None and _importable(module):
            yield f"{module}{colon}"


def _importable(module: str) -> bool:
    from importlib.util import find_spec

    try:
        return find_spec(module) is not None
    except (ImportError, ValueError):
        return False


# --- writing -----------------------------------------------------------------------------------


def save_trace(
    path: str | Path, found: Discovery | Trace | Stored, spec: Spec | type[Spec] | None = None
) -> None:
    """Write a trace as JSON, or in the Informal Trace Format if the name ends in `.itf.json`.

    The spec is found by its name where it is not given.
    """
    path = Path(path)
    stored = found if isinstance(found, Stored) else stored_of(found, spec, path)
    if path.name.endswith(ITF_ENDING):
        from .itf import itf_data

        data = itf_data(stored)
    else:
        data = stored_data(stored)
    try:
        path.write_text(_text(data), encoding="ascii")
    except OSError as error:
        raise ConfigError(f"{path} cannot be written: {error.strerror}.") from error


def _text(data: Mapping[str, Any]) -> str:
    """JSON with a line for each entry, step and state: short, and still fit for `diff`."""
    entries = []
    for name, item in data.items():
        if isinstance(item, list):
            lines = ",\n".join(f"  {json.dumps(part)}" for part in item)
            entries.append(f"{json.dumps(name)}: [\n{lines}\n ]" if item else f"{json.dumps(name)}: []")
        else:
            entries.append(f"{json.dumps(name)}: {json.dumps(item)}")
    return "{\n " + ",\n ".join(entries) + "\n}\n"


def stored_of(
    found: Discovery | Trace, spec: Spec | type[Spec] | None = None, path: Path | None = None
) -> Stored:
    """A discovery or trace with the place of its spec."""
    if isinstance(found, Trace):
        found = Discovery("trace", "", {}, found)
    cls = spec if isinstance(spec, type) or spec is None else type(spec)
    cls = cls or _class_named(found.trace.spec)
    if cls is None:
        return Stored(found, place=path)
    return Stored(found, _target_of(cls, path), cls.__module__, path)


def stored_data(stored: Stored) -> dict[str, Any]:
    """The JSON data of a trace, with everything that is needed to read it back."""
    found, trace = stored.found, stored.found.trace
    data: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "writer": f"modelcheck {modelcheck.__version__}",
        "spec": {"name": trace.spec, "target": stored.target, "module": stored.module},
        "constants": dump_mapping(trace.constants),
        "found": None
        if found.kind == "trace"
        else {
            "kind": found.kind,
            "property": found.property,
            "params": dump_mapping(found.params),
            "label": found.label,
            "explanation": found.explanation,
        },
        "steps": [_step_data(step) for step in trace.steps],
        "states": [dump_mapping(fields_of(state)) for state in trace.states],
    }
    return data if stored.loop is None else {**data, "loop": stored.loop}


def _step_data(step: Step) -> dict[str, Any]:
    events = [
        {
            "kind": event.kind,
            "channel": event.channel,
            "key": [dump(part) for part in event.key],
            "message": dump(event.message),
        }
        for event in step.events
    ]
    params = dump_mapping(step.params)
    return {"action": step.action, "params": params, "label": step.label, "events": events}


def _class_named(name: str) -> type[Spec] | None:
    def below(cls: type[Spec]) -> Iterator[type[Spec]]:
        for child in cls.__subclasses__():
            yield child
            yield from below(child)

    named = {cls for cls in below(Spec) if cls.__name__ == name}
    return named.pop() if len(named) == 1 else None


def _target_of(cls: type[Spec], path: Path | None) -> str | None:
    """The spec as on the command line, relative to the current folder or to one above the trace."""
    if "<locals>" in cls.__qualname__:
        return None
    try:
        source = inspect.getsourcefile(cls)
    except TypeError:
        source = None
    if source is None or not Path(source).is_file():
        return f"{cls.__module__}:{cls.__qualname__}"
    file = Path(source).resolve()
    for base in [Path.cwd(), *(path.resolve().parents if path is not None else ())]:
        if file.is_relative_to(base) and base != Path(base.anchor):
            return f"{file.relative_to(base).as_posix()}:{cls.__qualname__}"
    return f"{file}:{cls.__qualname__}"


# --- reading -----------------------------------------------------------------------------------


def load_trace(path: str | Path) -> Stored:
    """Read a trace that `save_trace` wrote, in either format.

    The spec that the file names is loaded for its classes; without it, records are stand-ins with
    the same names and fields. ConfigError says what is wrong with a file that cannot be read.
    """
    path = Path(path)
    data = _read(path)
    if "format" not in data and "states" in data and "vars" in data:
        from .itf import stored_from_itf

        return stored_from_itf(data, path)
    if data.get("format") != FORMAT:
        raise ConfigError(f"{path} is no trace: its format is {data.get('format')!r}, not {FORMAT!r}.")
    if data.get("version") != VERSION:
        raise ConfigError(
            f"{path} is a trace of version {data.get('version')!r}, and this modelcheck reads version"
            f" {VERSION}.\nWrite it again with `modelcheck check SPEC --trace FILE`."
        )
    try:
        return _stored(data, path)
    except (KeyError, TypeError, AttributeError, BrokenValue, RecursionError) as error:
        text = f"the entry {error} is missing" if isinstance(error, KeyError) else str(error)
        raise ConfigError(f"{path} is a broken trace: {text}.") from error


def _read(path: Path) -> dict[str, Any]:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigError(f"there is no file {path}.") from None
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}.") from error
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path} is no JSON: {error}.") from error
    if not isinstance(data, dict):
        raise ConfigError(f"{path} is no trace: it holds {type(data).__name__}, not an object.")
    return data


def _stored(data: Mapping[str, Any], path: Path) -> Stored:
    place = data["spec"]
    for name in ("target", "module"):
        if place[name] is not None and not isinstance(place[name], str):
            raise BrokenValue(f"the spec's {name} is {place[name]!r:.80}, not a text")
    load_classes(place["target"], place["module"], path)
    names = dict.fromkeys(name for state in data["states"] for name in state)
    record: Any = type(f"{place['name']}State", (PRecord,), {name: field() for name in names})
    trace = Trace(
        str(place["name"]),
        load_mapping(data["constants"]),
        tuple(record(**load_mapping(state)) for state in data["states"]),
        tuple(_step(step) for step in data["steps"]),
    )
    if not trace.states or len(trace.states) != len(trace.steps):
        raise BrokenValue(f"it has {len(trace.states)} states and {len(trace.steps)} steps")
    if any(state.keys() != names.keys() for state in data["states"]):
        raise BrokenValue("its states do not all have the same variables")
    found = data["found"] or {"kind": "trace", "property": "", "params": {}, "explanation": ""}
    params, explanation = load_mapping(found["params"]), str(found["explanation"])
    discovery = Discovery(str(found["kind"]), str(found["property"]), params, trace, explanation)
    return Stored(discovery, place["target"], place["module"], path, checked_loop(data, len(trace)))


def load_classes(target: str | None, module: str | None, path: Path) -> None:
    """Load the spec of a trace, so that its classes are there; without it stand-ins will do."""
    try:
        for candidate in _candidates(target, module, path):
            load_spec(candidate)
            return
    except ModelCheckError:
        pass  # whoever needs the spec itself asks for it, and gets this error then


def _step(data: Mapping[str, Any]) -> Step:
    events = tuple(
        Event(
            str(event["kind"]),
            str(event["channel"]),
            tuple(load_value(part) for part in event["key"]),
            load_value(event["message"]),
        )
        for event in data["events"]
    )
    return Step(str(data["action"]), load_mapping(data["params"]), events)


def checked_loop(data: Mapping[str, Any], states: int) -> int | None:
    """The index that a lasso returns to."""
    loop = data.get("loop")
    if loop is not None and not (type(loop) is int and 0 <= loop < states):
        raise BrokenValue(f"its loop returns to state {loop!r} of {states}")
    return loop
