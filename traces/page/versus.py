"""Two variants side by side: the trace of one, and what becomes of its steps under the other, as data for the page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from modelcheck.picture import Scene
from modelcheck.result import Discovery
from modelcheck.spec import Spec
from modelcheck.trace import Trace
from modelcheck.values import ordered

from ..diff import ABSENT, fields_of, shape
from ..lettering import shortened
from ..replay import Replay
from ..replay_text import WORDS, StepRow, step_rows, summary
from ..scene import scene_of
from ..text import key_text
from .segments import Segment, alike, sides, text_of
from .steps import reasons, step_data

__all__ = ["Versus", "versus_data"]

Texts = Callable[[str], int]  # the number of a text
Slot = tuple[str, Any]  # a variable and one of its keys; ABSENT: the variable as a whole
MOST_KEYS = 12  # a map with more keys is one row: beside that many, nobody sees what differs


@dataclass(frozen=True)
class Versus:
    """The variant b that a trace of a is walked under, and for each of the two a headline and what was found."""

    walk: Replay
    spec: Spec
    a: tuple[str, ...]
    b: tuple[str, ...]
    differing: tuple[str, ...] = ()  # the constants that are not the same

    @cached_property
    def scene(self) -> Scene | None:
        """The picture of b's part of the walk, with the violation if it still is one; None if there is no such part."""
        trace = self.walk.trace
        return None if trace is None else scene_of(self.walk.found or Discovery("trace", "", {}, trace), self.spec)


def versus_data(versus: Versus, texts: Texts) -> dict[str, Any]:
    """Everything that the script of the page needs to show the two beside each other."""
    walk = versus.walk
    old, new = walk.stored.trace, walk.trace
    slots = list(_slots(walk))
    parting = walk.parting
    return {
        "a": _lines(versus.a),
        "b": _lines(versus.b),
        "summary": shortened(summary(walk), 600),
        "parts": parting.position if parting is not None else None,
        "steps": [_step(row, new, versus.scene) for row in step_rows(walk)],
        "slots": [shortened(_name(slot), 100) for slot in slots],
        "states": [list(_rows(walk, k, slots, texts)) for k in range(len(old))],
        "actions": list(reasons(_next_steps(old, new), versus.spec, new.states, texts)) if new else [],
    }


def _lines(texts: tuple[str, ...]) -> list[str]:
    return [shortened(text, 300) for text in texts]


def _step(row: StepRow, new: Trace | None, scene: Scene | None) -> dict[str, Any]:
    """What became of a step, and where it could be taken also what b tells of it."""
    k = row.number - 1
    taken = new is not None and scene is not None and k < len(new)
    told = step_data(new.steps[k], scene.rows[k]) if new and scene and taken else {"note": "", "events": []}
    return {
        **told,
        "status": row.status,
        "word": WORDS[row.status],
        "lines": [shortened(line, 300) for line in row.lines],
    }


def _next_steps(old: Trace, new: Trace) -> list[str]:
    """For every state of b the step that the trace of a takes there."""
    labels = [step.label for step in old.steps[1 : len(new) + 1]]
    return [*labels, ""][: len(new)]


# The states: a row for each variable, or for each key of it, with a cell for each side


def _slots(walk: Replay) -> Iterator[Slot]:
    states: list[dict[str, Any]] = [fields_of(state) for state in walk.stored.trace.states]
    states += [fields_of(state) for state in walk.trace.states] if walk.trace else []
    for name in dict.fromkeys(name for state in states for name in state):
        values = [state[name] for state in states if name in state]
        keys = frozenset(key for value in values if shape(value) == "map" for key in value)
        if keys and len(keys) <= MOST_KEYS and all(shape(value) == "map" for value in values):
            yield from ((name, key) for key in ordered(keys))
        else:
            yield name, ABSENT


def _name(slot: Slot) -> str:
    name, key = slot
    return name if key is ABSENT else f"{name}[{key_text(key)}]"


def _rows(walk: Replay, k: int, slots: list[Slot], texts: Texts) -> Iterator[list[Any]]:
    """For each slot: [cell of a, cell of b, whether they differ, whether a's or b's step changed it].

    Under b there is a state for as long as the steps are possible. At the step that is not, it is the state in which
    it is not; later there is none, and the cell is None.
    """
    old, new = walk.stored.trace, walk.trace
    stopped = walk.stopped.position if walk.stopped is not None else len(old)
    shown = new is not None and k <= stopped
    for slot in slots:
        a = _value(old, k, slot)
        b = _value(new, min(k, stopped - 1), slot) if new is not None and shown else ABSENT
        moved = k > 0 and not alike(a, _value(old, k - 1, slot))
        if new is not None and shown and 0 < k < stopped:
            moved = moved or not alike(b, _value(new, k - 1, slot))
        if not shown:
            yield [texts(text_of(a)), None, False, moved]
        elif alike(a, b):
            yield [texts(text_of(a)), texts(text_of(b)), False, moved]
        else:
            yield [*(_marked(side, texts) for side in sides(a, b)), True, moved]


def _value(trace: Trace, k: int, slot: Slot) -> Any:
    name, key = slot
    value: Any = fields_of(trace.states[k]).get(name, ABSENT)
    return value if key is ABSENT or value is ABSENT else value.get(key, ABSENT)


def _marked(pieces: list[Segment], texts: Texts) -> list[list[Any]]:
    return [[texts(text), tone] for text, tone in pieces or [("absent", "")]]
