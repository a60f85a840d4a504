"""What a space-time diagram of any spec shows: by its own function, or from variables, actions and messages.

Without help from the spec, the lanes are those keys of its variables that occur as parameters of actions or as ends
of channels; what has no lane of its own is in one called *shared*.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from modelcheck.errors import SpecLoadError
from modelcheck.picture import Arrow, Box, Chip, Line, Mark, Row, Scene
from modelcheck.result import Discovery
from modelcheck.spec import Spec
from modelcheck.trace import Event, Step, Trace
from modelcheck.values import ordered, show

from .diff import fields_of, shape
from .slice import Slice, slice_of
from .text import changes, full, key_text

__all__ = ["Found", "General", "scene_of", "slice_for"]

SHARED = "shared"  # what belongs to no lane
MOST_LANES = 8
MOST_LINES = 8
MOST_SLICED = 150  # states of a trace
_SENTENCES = {
    "invariant": "The invariant {label} is false in state {last}.",
    "step invariant": "The step invariant {label} is false for the step to state {last}.",
    "deadlock": "Deadlock: no action is enabled in state {last}.",
    "error": "The spec failed in {label}.",
    "goal": "Goal {label}, reached in state {last}.",
}
_KINDS = {
    "crash": ("crash", "fail", "lose", "drop", "die", "kill"),
    "stop": ("stop", "halt", "shut"),
    "elect": ("elect", "lead", "win"),
    "start": ("start", "recover", "join", "boot"),
    "write": ("append", "write", "propose", "commit"),
}


class Found(Protocol):
    """What is drawn: a discovery, or anything that has these parts of one."""

    @property
    def kind(self) -> str: ...

    @property
    def label(self) -> str: ...

    @property
    def params(self) -> Mapping[str, object]: ...

    @property
    def trace(self) -> Trace: ...

    @property
    def explanation(self) -> str: ...


def scene_of(found: Found, spec: Spec | None = None) -> Scene:
    """The scene by the function that the spec names in ``__picture__``, or else the general one."""
    hook = getattr(type(spec), "__picture__", None)
    if hook is None or not found.trace.states:
        return General(found, slice_for(found, spec)).scene()
    if isinstance(hook, str):
        module, _, name = hook.partition(":")
        try:
            hook = getattr(importlib.import_module(module), name)
        except (ImportError, AttributeError) as error:
            problem = f"__picture__ of {type(spec).__name__} names {hook!r}, which cannot be used: {error}"
            raise SpecLoadError(problem) from error
    made = hook(spec, found)
    if not isinstance(made, Scene):
        kind = type(made).__name__
        raise SpecLoadError(f"__picture__ of {type(spec).__name__} must return a picture.Scene, not {kind}")
    return made


def slice_for(found: Found, spec: Spec | None) -> Slice | None:
    """What matters for a violation, if that can be told: the spec is there, and the trace is not too long to walk."""
    if spec is None or not isinstance(found, Discovery) or found.kind in ("trace", "goal"):
        return None
    return slice_of(spec.program, found) if len(found.trace) <= MOST_SLICED else None


class General:
    """The scene of a trace, with nothing known but the trace, and what of it matters if that is given."""

    def __init__(self, found: Found, matters: Slice | None = None) -> None:
        self.found = found
        self.matters = matters
        self.trace = found.trace
        self.states: list[dict[str, Any]] = [fields_of(state) for state in self.trace.states]
        self.lanes = self._find_lanes()
        self.own = self._lane_variables()
        self.hidden = self._slice() if matters is not None else []
        self.quiet = {event.channel for step in self.trace.steps for event in step.events}  # arrows show them
        self.arrows = self._messages() if self.lanes else {}

    def scene(self) -> Scene:
        rows = tuple(self._row(at) for at in range(len(self.states)))
        used = {box.lane for row in rows for box in row.boxes}
        lanes = [_name(lane) for lane in self.lanes]
        lanes += [SHARED] if SHARED in used else []
        constants = ", ".join(f"{name}={show(value)}" for name, value in self.trace.constants.items())
        last = len(self.states)
        verdict = _SENTENCES.get(self.found.kind, "").format(label=self.found.label, last=last)
        subtitle = f"{constants}. Boxes show what changed." if constants else "Boxes show what changed."
        if self.hidden:
            subtitle += f" Left out, since the violation does not depend on it: {', '.join(self.hidden)}."
        return Scene(
            title=self.trace.spec,
            subtitle=subtitle,
            lanes=tuple(lanes),
            rows=rows,
            verdict=verdict,
            story=tuple(self.found.explanation.splitlines()[:8]),
            final=tuple(self._final()),
            tone="new" if self.found.kind == "goal" else "guilty",
        )

    # Lanes

    def _find_lanes(self) -> list[Any]:
        acting = {part for step in self.trace.steps for value in step.params.values() for part in _parts(value)}
        acting |= {part for step in self.trace.steps for event in step.events for part in event.key}
        keys = dict.fromkeys(key for state in self.states[:1] for value in state.values() for key in _keys(value))
        lanes = [key for key in ordered(frozenset(keys)) if key in acting]
        if len(lanes) > 1:  # those that take no part here keep their place beside the others
            kind = type(lanes[0])
            wider = [key for key in ordered(frozenset(keys)) if isinstance(key, kind)]
            lanes = wider if len(wider) <= MOST_LANES else lanes
        return lanes if 1 < len(lanes) <= MOST_LANES else []

    def _lane_variables(self) -> list[str]:
        return [
            name
            for name, value in (self.states[0] if self.states else {}).items()
            if self.lanes and _keys(value) and set(_keys(value)) <= set(self.lanes)
        ]

    def _slice(self) -> list[str]:
        """Drop the variables that do not matter, and the lanes of which none does; gives the names of what went."""
        matters = self.matters
        assert matters is not None
        gone = [name for name in (self.states[0] if self.states else {}) if not matters.matters(name)]
        channels = {event.channel for step in self.trace.steps for event in step.events}
        ends = {part for name in channels for key in matters.keys.get(name, ()) for part in _parts(key)}
        ends |= {part for value in self.found.params.values() for part in _parts(value)}
        kept = [e for e in self.lanes if e in ends or any(matters.matters(name, e) for name in self.own)]
        idle = [lane for lane in self.lanes if lane not in kept] if len(kept) > 1 else []
        self.lanes = [lane for lane in self.lanes if lane not in idle]
        self.own = [name for name in self.own if name not in gone]
        self.states = [{name: value for name, value in state.items() if name not in gone} for state in self.states]
        return [*gone, *(f"node {_name(lane)}" for lane in idle)]

    # Rows

    def _row(self, at: int) -> Row:
        step = self.trace.steps[at]
        marks = [Mark(_name(lane), step.action, _kind(step.action)) for lane in self._actors(step)] if at else []
        return Row(
            title=step.label,
            marks=tuple(marks),
            arrows=tuple(self.arrows.get(at, ())),
            boxes=tuple(self._boxes(at)),
            up=frozenset(map(_name, self.lanes)) | {SHARED},
        )

    def _actors(self, step: Step) -> list[Any]:
        """The lanes of the first parameter that names any: who acts comes first, who is acted upon later."""
        for value in step.params.values():
            found = [part for part in dict.fromkeys(_parts(value)) if part in self.lanes]
            if found:
                return found
        return []

    def _boxes(self, at: int) -> Iterator[Box]:
        now, before = self.states[at], self.states[at - 1] if at else None
        for lane in self.lanes:
            texts: list[str] = []
            for name in self.own:
                if before is None:
                    texts += full(name, now[name].get(lane))
                else:
                    texts += changes(name, before[name].get(lane), now[name].get(lane))
            yield from _boxed(_name(lane), texts, fresh=at > 0)
        rest = [name for name in now if name not in self.own and name not in self.quiet]
        shared: list[str] = []
        for name in rest:
            shared += full(name, now[name]) if before is None else changes(name, before[name], now[name])
        yield from _boxed(SHARED, shared, fresh=at > 0)

    def _final(self) -> Iterator[Box]:
        """The last state of those lanes that the violated property names, or looked at before it failed."""
        named = [part for value in self.found.params.values() for part in _parts(value)]
        if self.matters is not None and named:
            slots = self.matters.slots[-1]
            named += [lane for lane in self.lanes if any(f"{name}[{key_text(lane)}]" in slots for name in self.own)]
        for lane in dict.fromkeys(named):
            if lane in self.lanes:
                texts = [text for name in self.own for text in full(name, self.states[-1][name].get(lane))]
                for box in _boxed(_name(lane), texts, fresh=False):
                    yield Box(box.lane, box.lines, tone="guilty")

    # Messages

    def _messages(self) -> dict[int, list[Arrow]]:
        """Arrows by the row in which they begin; each receipt takes the oldest equal message that is under way."""
        under_way: list[tuple[int, Event, Any]] = []
        arrows: dict[int, list[Arrow]] = {}
        for at, step in enumerate(self.trace.steps):
            actors = self._actors(step)
            for event in step.events:
                if event.kind == "send":
                    under_way.append((at, event, actors[0] if actors else None))
                    continue
                match = next((sent for sent in under_way if _same(sent[1], event)), None)
                if match is not None:
                    under_way.remove(match)
                    arrived = at if event.kind == "receive" else -1
                    self._add(arrows, match, actors[0] if actors else None, arrived)
        for sent in under_way:
            self._add(arrows, sent, None, -1)
        return arrows

    def _add(self, arrows: dict[int, list[Arrow]], sent: tuple[int, Event, Any], receiver: Any, arrived: int) -> None:
        at, event, sender = sent
        ends = {2: event.key, 1: (sender, *event.key)}.get(len(event.key), (sender, receiver))
        if len(ends) == 2 and all(end in self.lanes for end in ends):
            arrow = Arrow(
                source=_name(ends[0]),
                target=_name(ends[1]),
                text=show(event.message),
                tone="plain" if arrived >= 0 else "faint",
                arrives=None if arrived == at else arrived,
            )
            arrows.setdefault(at, []).append(arrow)


def _same(sent: Event, event: Event) -> bool:
    return (sent.channel, sent.key, sent.message) == (event.channel, event.key, event.message)


def _keys(value: Any) -> list[Any]:
    """The keys of a map that may be lanes: words and numbers, not pairs."""
    if shape(value) != "map":
        return []
    keys = list(value)
    return keys if all(isinstance(key, str | int) for key in keys) else []


def _parts(value: Any) -> Iterator[Any]:
    if isinstance(value, tuple | frozenset):
        for item in value:
            yield from _parts(item)
    elif isinstance(value, str | int):
        yield value


def _name(lane: object) -> str:
    return key_text(lane)


def _bare(text: str) -> str:
    """A word without its quotes.

    >>> _bare("'follower'"), _bare("['a']")
    ('follower', "['a']")
    """
    word = text[1:-1]
    return word if text == f"'{word}'" and word.replace("-", "").isidentifier() else text


def _kind(action: str) -> str:
    for kind, words in _KINDS.items():
        if any(word in action.lower() for word in words):
            return kind
    return "note"


def _boxed(lane: str, texts: list[str], fresh: bool) -> Iterator[Box]:
    """A box of the lines of text, each ``name: what`` or ``name = what``; none if there are none."""
    lines = []
    for text in texts[:MOST_LINES]:
        mark = ": " if fresh else " = "
        label, found, rest = text.partition(mark)
        if not found:
            label, rest = "", text.strip()
        old, arrow, new = rest.partition(" -> ")
        if arrow and fresh:
            lines.append(Line(label, (Chip(_bare(new), "new"), Chip(f"was {_bare(old)}", "faint", True))))
        else:
            lines.append(Line(label, (Chip(_bare(rest), "new" if fresh else "plain"),)))
    if len(texts) > MOST_LINES:
        lines.append(Line("", (Chip(f"… {len(texts) - MOST_LINES} more", "faint", True),)))
    if lines:
        yield Box(lane, tuple(lines))
