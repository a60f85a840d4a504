"""What the page shows, as data: texts are kept once and named by number, so that long traces stay small."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from modelcheck import plain
from modelcheck.errors import ConfigError
from modelcheck.handles import plain_value
from modelcheck.picture import Row, Scene
from modelcheck.program import Bound, Program
from modelcheck.spec import Spec
from modelcheck.trace import Event
from modelcheck.values import show

from ..diff import ABSENT, fields_of
from ..lettering import shortened
from ..scene import Found, General
from ..text import key_text
from .segments import segments, text_of

__all__ = ["page_data"]

MOST_BINDINGS = 80  # bindings of actions asked about in one state
MOST_QUESTIONS = 12_000  # in all states together: a long trace gets fewer for each


class _Texts:
    """Every text once."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def __call__(self, text: str) -> int:
        return self.numbers.setdefault(text, len(self.numbers))


def page_data(found: Found, spec: Spec | None, scene: Scene, expressions: Sequence[str]) -> dict[str, Any]:
    """Everything that the script of the page needs."""
    trace, texts = found.trace, _Texts()
    general = General(found)
    states: list[dict[str, Any]] = [fields_of(state) for state in trace.states]
    shared = [name for name in states[0] if name not in general.own]
    return {
        "title": shortened(scene.title, 300),
        "spec": shortened(trace.spec, 200),
        "constants": [[shortened(name, 100), text_of(value)] for name, value in trace.constants.items()],
        "verdict": shortened(scene.verdict, 500),
        "story": [shortened(line, 500) for line in (*scene.story, *_explanation(found, scene))],
        "lanes": _lane_names(general, scene),
        "own": [shortened(name, 100) for name in general.own],
        "shared": [shortened(name, 100) for name in shared],
        "steps": [
            {
                "label": shortened(step.label, 300),
                "note": shortened(_note(row) if row.title != step.label else row.note, 600),
                "events": [shortened(_event(event), 300) for event in step.events],
            }
            for step, row in zip(trace.steps, scene.rows, strict=True)
        ],
        "states": [
            {
                "own": [
                    [_cell(texts, _at(states, k - 1, name, lane), states[k][name][lane]) for lane in general.lanes]
                    for name in general.own
                ],
                "shared": [_cell(texts, _at(states, k - 1, name), states[k][name]) for name in shared],
            }
            for k in range(len(states))
        ],
        "actions": list(_actions(found, spec, texts)) if spec is not None else None,
        "expressions": [_expression(found, spec, text) for text in expressions],
        "texts": list(texts.numbers),
    }


def _lane_names(general: General, scene: Scene) -> list[str]:
    """The names that the spec's own picture gives to the lanes, if they are the same lanes."""
    own = [shortened(key_text(lane), 60) for lane in general.lanes]
    return [shortened(name, 60) for name in scene.lanes] if len(scene.lanes) == len(own) else own


def _note(row: Row) -> str:
    return f"{row.title[:1].upper()}{row.title[1:]}. {row.note}"


def _explanation(found: Found, scene: Scene) -> list[str]:
    lines = found.explanation.splitlines()[:40]
    return [] if tuple(lines[: len(scene.story)]) == scene.story and scene.story else lines


def _at(states: Sequence[dict[str, Any]], k: int, name: str, lane: Any = ABSENT) -> Any:
    """A value in an earlier state; in the first there is none, and nothing is marked as new."""
    if k < 0:
        return ABSENT
    return states[k][name] if lane is ABSENT else states[k][name][lane]


def _cell(texts: _Texts, old: Any, new: Any) -> Any:
    """The number of a text, or where something changed a list of [number, tone]."""
    if old is ABSENT or old == new:
        return texts(text_of(new))
    return [[texts(text), tone] for text, tone in segments(old, new)]


def _event(event: Event) -> str:
    verb = {"send": "sends", "receive": "receives"}.get(event.kind, event.kind)
    where = " → ".join(map(key_text, event.key))
    return f"{verb} {show(event.message)} ({event.channel}{': ' if where else ''}{where})"


# Why an action is not possible


def _actions(found: Found, spec: Spec | None, texts: _Texts) -> Iterator[list[list[int]]]:
    """For each state: [step, reason] by number, the reason -1 where it is possible, -2 where it is taken next."""
    assert spec is not None
    trace = found.trace
    most = min(MOST_BINDINGS, MOST_QUESTIONS // len(trace.states) + 1)
    for k, state in enumerate(trace.states):
        following = trace.steps[k + 1].label if k + 1 < len(trace.steps) else ""
        answers = []
        for label, reason in itertools.islice(_answers(spec.program, state), most):
            number = texts(shortened(reason, 200)) if reason is not None else -2 if label == following else -1
            answers.append([texts(shortened(label, 200)), number])
        yield answers


def _answers(program: Program, state: Any) -> Iterator[tuple[str, str | None]]:
    handle = program.handle(plain.StateSource(program, state))
    for bound in program.actions:
        yield from _answers_of(program, bound, state, handle)


def _answers_of(program: Program, bound: Bound, state: Any, handle: object) -> Iterator[tuple[str, str | None]]:
    from modelcheck.errors import call_label

    asked = False
    try:
        for params in program.bindings(bound, handle):
            asked = True
            yield call_label(bound.name, params), _needs(plain.why_not(program, state, bound.name, params))
        if not asked:
            names = " and ".join(name for name, _ in bound.open)
            yield bound.label, f"there is nothing to choose for {names}"
    except Exception as error:  # the spec's own code failed here: that is an answer too
        yield bound.label, f"the spec fails: {error}"


def _needs(guard: str | None) -> str | None:
    return None if guard is None else f"needs: {guard}"


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
