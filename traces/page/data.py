"""What the page shows, as data: texts are kept once and named by number, so that long traces stay small."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from modelcheck import plain
from modelcheck.errors import ConfigError
from modelcheck.handles import plain_value
from modelcheck.picture import Scene
from modelcheck.spec import Spec
from modelcheck.trace import Trace

from ..diff import ABSENT, fields_of
from ..lettering import shortened
from ..scene import Found, General, slice_for
from ..text import key_text
from .segments import alike, segments, text_of
from .steps import reasons, step_data
from .versus import Versus, versus_data

__all__ = ["page_data"]


class _Texts:
    """Every text once."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def __call__(self, text: str) -> int:
        return self.numbers.setdefault(text, len(self.numbers))


def page_data(
    found: Found,
    spec: Spec | None,
    scene: Scene,
    expressions: Sequence[str],
    versus: Versus | None = None,
) -> dict[str, Any]:
    """Everything that the script of the page needs, with the steps under another variant if there is one."""
    trace, texts = found.trace, _Texts()
    general = General(found)
    states: list[dict[str, Any]] = [fields_of(state) for state in trace.states]
    shared = [name for name in states[0] if name not in general.own]
    matters = slice_for(found, spec) if versus is None else None
    idle = [name for name in states[0] if matters is not None and not matters.matters(name)]
    return {
        "title": shortened(scene.title, 300),
        "spec": shortened(trace.spec, 200),
        "constants": [
            [shortened(name, 100), text_of(value)]
            for name, value in trace.constants.items()
            if versus is None or name not in versus.differing
        ],
        "verdict": shortened(scene.verdict, 500),
        "good": scene.tone != "guilty",
        "story": [shortened(line, 500) for line in (*scene.story, *_explanation(found, scene))],
        "lanes": _lane_names(general, scene),
        "own": [shortened(name, 100) for name in general.own],
        "shared": [shortened(name, 100) for name in shared],
        "idle": [shortened(name, 100) for name in idle],  # variables on which the violation does not depend
        "steps": [step_data(step, row) for step, row in zip(trace.steps, scene.rows, strict=True)],
        "states": list(_states(texts, states, general)) if versus is None else [],  # both are shown with the other's
        "actions": list(reasons(_following(trace), spec, trace.states, texts)) if spec is not None else None,
        "expressions": [_expression(found, spec, text) for text in expressions],
        **({"versus": versus_data(versus, texts)} if versus is not None else {}),
        "texts": list(texts.numbers),  # the last: everything above adds to them
    }


def _states(texts: _Texts, states: Sequence[dict[str, Any]], general: General) -> Iterator[dict[str, Any]]:
    shared = [name for name in states[0] if name not in general.own]
    for k in range(len(states)):
        yield {
            "own": [[_cell(texts, states, k, name, lane) for lane in general.lanes] for name in general.own],
            "shared": [_cell(texts, states, k, name) for name in shared],
        }


def _following(trace: Trace) -> list[str]:
    return [*(step.label for step in trace.steps[1:]), ""]


def _lane_names(general: General, scene: Scene) -> list[str]:
    """The names that the spec's own picture gives to the lanes, if they are the same lanes."""
    own = [shortened(key_text(lane), 60) for lane in general.lanes]
    return [shortened(name, 60) for name in scene.lanes] if len(scene.lanes) == len(own) else own


def _explanation(found: Found, scene: Scene) -> list[str]:
    lines = found.explanation.splitlines()[:40]
    return [] if tuple(lines[: len(scene.story)]) == scene.story and scene.story else lines


def _cell(texts: _Texts, states: Sequence[dict[str, Any]], k: int, name: str, lane: Any = ABSENT) -> Any:
    """The number of a text, or where something changed a list of [number, tone]; nothing is new in the first state."""
    new = _at(states[k], name, lane)
    old = _at(states[k - 1], name, lane) if k else new
    if alike(old, new):
        return texts(text_of(new))
    return [[texts(text), tone] for text, tone in segments(old, new)]


def _at(state: dict[str, Any], name: str, lane: Any) -> Any:
    return state[name] if lane is ABSENT else state[name].get(lane, ABSENT)


# The reader's own expressions


def _expression(found: Found, spec: Spec | None, text: str) -> dict[str, Any]:
    """An expression with its value in each state; it is evaluated by Python, like the spec itself."""
    try:
        code = compile(text, "<expression>", "eval")
    except SyntaxError as error:
        raise ConfigError(f"--expr {text!r} is no Python expression: {error.msg}.") from error
    return {"text": shortened(text, 200), "values": list(_values(found.trace.states, spec, code))}


def _values(states: Iterable[Any], spec: Spec | None, code: Any) -> Iterator[str]:
    for state in states:
        s = state if spec is None else spec.program.handle(plain.StateSource(spec.program, state))
        try:
            value = eval(code, {"s": s, "self": spec})  # written by the reader of the page, on the reader's machine
            yield text_of(plain_value(value))
        except Exception as error:
            yield shortened(f"{type(error).__name__}: {error}", 200)
