"""What a space-time diagram shows, as values: a spec may say how its own behaviours are drawn best.

A spec class names a function in ``__picture__``, as ``"package.module:function"`` (or gives the function itself). It is
called with the spec and what was found (kind, property, params, trace) and returns a ``Scene``. Nothing here draws:
``traces.spacetime`` does. A spec without it gets a scene made from its variables, actions and messages.

Tones: ``plain``, ``faint`` (known before), ``new``, ``gone`` (removed or missing), ``guilty`` (the one thing to follow
with the eyes from the top of the picture to the bottom) and ``missing`` (where the guilty one ought to be).
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Arrow", "Box", "Chip", "Line", "Mark", "Row", "Scene"]


@dataclass(frozen=True)
class Chip:
    """A small framed text: one record, one value. ``bare`` has no frame."""

    text: str
    tone: str = "plain"
    bare: bool = False


@dataclass(frozen=True)
class Line:
    """One line of a box: what it is, and the chips in it."""

    label: str
    chips: tuple[Chip, ...] = ()


@dataclass(frozen=True)
class Box:
    """What one lane holds after a step: drawn only where it changed."""

    lane: str
    lines: tuple[Line, ...]
    title: str = ""
    tone: str = "plain"


@dataclass(frozen=True)
class Mark:
    """Something that happens to one lane. Kinds: start, stop, crash, elect, write, note."""

    lane: str
    text: str
    kind: str = "note"


@dataclass(frozen=True)
class Arrow:
    """A message. ``arrives`` is the row in which it is received: None for its own, -1 for never."""

    source: str
    target: str
    text: str
    note: str = ""
    tone: str = "plain"
    arrives: int | None = None


@dataclass(frozen=True)
class Row:
    """One step: its name, a sentence for people, and what happens in the lanes. ``up``: who runs after it."""

    title: str
    note: str = ""
    marks: tuple[Mark, ...] = ()
    arrows: tuple[Arrow, ...] = ()
    boxes: tuple[Box, ...] = ()
    up: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Scene:
    """A whole diagram: lanes from left to right, rows downward, and at the bottom what is wrong."""

    title: str
    subtitle: str
    lanes: tuple[str, ...]
    rows: tuple[Row, ...]
    verdict: str = ""
    story: tuple[str, ...] = ()
    final: tuple[Box, ...] = ()
    legend: tuple[tuple[str, str], ...] = ()  # (tone, meaning)
    tone: str = "guilty"  # of the verdict: anything else for what is no violation
