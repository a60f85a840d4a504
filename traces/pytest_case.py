"""A trace as a pytest function that replays it: a regression test for the author of a spec."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping

from modelcheck.errors import ConfigError
from modelcheck.result import Discovery

from .files import Stored
from .itf import UNKNOWN_STEP
from .source_text import Writer

__all__ = ["pytest_case"]

_WIDTH = 96


def pytest_case(stored: Stored) -> str:
    """The source of a test that passes as long as the spec still has this behaviour."""
    found, trace = stored.found, stored.trace
    if stored.target is None:
        raise ConfigError("the trace does not say which spec it came from: name it with --spec.")
    if any(step.action == UNKNOWN_STEP for step in trace.steps):
        raise ConfigError("the trace does not name its steps: replay it, and write the result.")
    writer = Writer()
    calls = [_call("run = spec.run", writer, trace.steps[0].params)]
    calls += [_call(f"run = run.{s.action}", writer, s.params) for s in trace.steps[1:]]
    calls = [_call("spec = Spec", writer, trace.constants), *calls, *_ending(writer, found)]
    # The classes of a spec can be imported once it has been loaded, so that comes first.
    outer = {each for each in writer.imports if each[0] == "pyrsistent"}
    body = [f"Spec = load({stored.target!a})", *_imports(writer.imports - outer), *calls]
    lines = [*_head(found, outer), "", "", f"def {_name(found)}() -> None:", *_comment(found)]
    return "\n".join([*lines, *(textwrap.indent(line, "    ") for line in body)]) + "\n"


def _head(found: Discovery, outer: set[tuple[str, str]]) -> list[str]:
    third = ["import pytest"] if found.kind == "error" else []
    third += _imports(outer)
    own = ["from modelcheck.errors import SpecError"] if found.kind == "error" else []
    return [*third, *([""] if third else []), *own, "from modelcheck.loading import load"]


def _imports(names: set[tuple[str, str]]) -> list[str]:
    by_module: dict[str, list[str]] = {}
    for module, name in sorted(names):
        by_module.setdefault(module, []).append(name)
    return [f"from {module} import {', '.join(names)}" for module, names in by_module.items()]


def _call(function: str, writer: Writer, params: Mapping[str, object]) -> str:
    """A call with its arguments, on lines of their own where one line is too long."""
    arguments = [f"{name}={writer.write(value)}" for name, value in params.items()]
    line = f"{function}({', '.join(arguments)})"
    if len(line) <= _WIDTH:
        return line
    return "\n".join([f"{function}(", *(f"    {text}," for text in arguments), ")"])


def _ending(writer: Writer, found: Discovery) -> Iterator[str]:
    if found.kind in ("invariant", "step invariant"):
        entries = (f"{k!a}: {writer.write(v)}" for k, v in found.params.items())
        params = ", ".join(entries)
        yield f"assert ({found.property!a}, {{{params}}}) in run.violated()"
    elif found.kind == "deadlock":
        yield "assert run.enabled() == []"
    elif found.kind == "error":
        yield "with pytest.raises(SpecError):"
        yield "    run.enabled()"
        yield "    run.violated()"
    else:
        yield f"assert len(run.trace) == {len(found.trace)}"


def _name(found: Discovery) -> str:
    text = f"{found.trace.spec}_{found.property or found.kind}"
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", text).lower()
    return "test_" + (re.sub(r"[^a-z0-9_]+", "_", words).strip("_") or "trace")[:80]


def _comment(found: Discovery) -> Iterator[str]:
    steps = len(found.trace) - 1
    what = {"deadlock": "Nothing is possible", "trace": "A behaviour", "goal": "A way to a goal"}
    title = what.get(found.kind, f"{ascii(found.property)[1:-1]} fails")
    yield f"    # {title} after {steps} steps."
    for line in found.explanation.splitlines()[:12]:
        # ASCII and one line each: a comment cannot end early, and nothing in it is invisible.
        text = ascii(line)[1:-1].rstrip()
        yield f"    #   {textwrap.shorten(text, _WIDTH) if len(text) > _WIDTH else text}".rstrip()
