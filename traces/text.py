"""A trace as text for a terminal: the first state in full, then only what changed.

>>> from pyrsistent import pmap, pvector
>>> print(*changes("log", pmap({"s2": pvector([1])}), pmap({"s2": pvector([1, 2])})), sep="\\n")
log[s2]: [1] -> [1, 2]
>>> print(*changes("votes", frozenset({"s2"}), frozenset({"s1"})), sep="\\n")
votes: +s1 -s2
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from modelcheck.trace import Event, Trace
from modelcheck.values import has_own_text, ordered, show

from .diff import equal, fields_of, middle, shape

__all__ = ["changes", "clip", "full", "key_text", "render_trace"]

_SHORT = 72  # a sequence whose two sides together are no longer than this is shown whole
_WIDE = 110  # longer values are cut, or spread over several lines
_ENTRY = 30  # entries of a map up to this length may share a line
_INDENT = "     "


@dataclass(frozen=True)
class _Paint:
    """Terminal colours, or none."""

    color: bool

    def _wrap(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.color else text

    def number(self, text: str) -> str:
        return self._wrap("2", text)

    def action(self, text: str) -> str:
        return self._wrap("1;36", text)

    def message(self, text: str) -> str:
        return self._wrap("35", text)

    def name(self, text: str) -> str:
        return self._wrap("33", text)

    def faint(self, text: str) -> str:
        return self._wrap("2", text)


def render_trace(trace: Trace, color: bool = False) -> str:
    """The whole trace: numbered states, the step that led to each, its messages and changes."""
    paint = _Paint(color)
    lines: list[str] = []
    for index, (step, state) in enumerate(zip(trace.steps, trace.states, strict=True)):
        lines.append(f"{paint.number(f'{index + 1:>3}:')} {paint.action(step.label)}")
        lines += [_INDENT + paint.message(_event_text(event)) for event in step.events]
        if index:
            lines += _indented(_state_changes(trace.states[index - 1], state), paint)
        else:
            lines += _indented(_whole_state(state), paint)
    return "\n".join(lines)


def _indented(lines: Iterator[str], paint: _Paint) -> list[str]:
    texts = []
    for line in lines:
        marks = [at for at in (line.find(": "), line.find(" = ")) if at >= 0]
        mark = (
            min(marks) if marks and not line.startswith(" ") else 0
        )  # a space: the line before goes on
        texts.append(_INDENT + (paint.name(line[:mark]) if mark else "") + line[mark:])
    return texts or [_INDENT + paint.faint("(nothing changes)")]


def _whole_state(state: Any) -> Iterator[str]:
    for name, value in fields_of(state).items():
        yield from full(name, value)


def _state_changes(old: Any, new: Any) -> Iterator[str]:
    after = fields_of(new)
    for name, before in fields_of(old).items():
        yield from changes(name, before, after[name])


def _event_text(event: Event) -> str:
    verb = {"send": "sends", "receive": "receives"}.get(event.kind, event.kind)
    if len(event.key) == 2:
        where = f"{event.channel}, {key_text(event.key[0])} -> {key_text(event.key[1])}"
    elif event.key:
        where = f"{event.channel}[{key_text(event.key)}]"
    else:
        where = event.channel
    return f"{verb} {clip(show(event.message))} ({where})"


def full(name: str, value: Any) -> Iterator[str]:
    """A value in full: on one line, or wrapped, or with a line for each of its entries."""
    line = f"{name} = {_plain(value)}"
    if shape(value) == "map" and len(value) > 3 and len({show(value[key]) for key in value}) == 1:
        same = next(iter(value.values()))
        yield f"{name}[*] = {clip(show(same))}   ({len(value)} keys)"
    elif len(line) <= _WIDE or shape(value) not in ("map", "record"):
        yield clip(line)
    elif shape(value) == "map" and max(map(len, texts := _entry_texts(value))) <= _ENTRY:
        yield from _wrapped(f"{name} = {{", texts)
    else:
        for step, item in _entries(value).items():
            yield from full(name + step, item)


def _wrapped(head: str, entries: list[str]) -> Iterator[str]:
    """Short entries of a map, several on a line."""
    line = head
    for index, entry in enumerate(entries):
        text = entry + ("}" if index == len(entries) - 1 else ", ")
        if len(line) + len(text) > _WIDE and line.strip():
            yield line.rstrip()
            line = " " * len(head)
        line += text
    yield line


def _entries(value: Any) -> dict[str, object]:
    if shape(value) == "map":
        return {f"[{key_text(key)}]": value[key] for key in ordered(value)}
    return {f".{field}": item for field, item in fields_of(value).items()}


def _plain(value: Any) -> str:
    """As `show`, but with the keys of the outermost map unquoted where they are words."""
    if shape(value) != "map":
        return show(value)
    return f"{{{', '.join(_entry_texts(value))}}}"


def _entry_texts(value: Any) -> list[str]:
    return [f"{_member_text(key)}: {show(value[key])}" for key in ordered(value)]


def changes(name: str, old: Any, new: Any) -> Iterator[str]:
    """The lines that tell how a value changed; none if it did not."""
    if equal(old, new):
        return
    kind = shape(old)
    if kind != shape(new) or (kind == "record" and type(old) is not type(new)) or has_own_text(old):
        yield _arrow(name, old, new)
    elif kind in ("map", "record"):
        yield from _entry_changes(name, _entries(old), _entries(new))
    elif kind in ("set", "bag"):
        yield f"{name}: {_member_changes(old, new)}"
    elif kind == "vector" and len(show(old)) + len(show(new)) > _SHORT:
        yield from _long_vector_changes(name, old, new)
    else:
        yield _arrow(name, old, new)


def _arrow(name: str, old: object, new: object) -> str:
    return f"{name}: {clip(show(old))} -> {clip(show(new))}"


def _entry_changes(
    name: str, old: Mapping[str, object], new: Mapping[str, object]
) -> Iterator[str]:
    for step in dict.fromkeys([*old, *new]):
        if step not in old:
            yield f"{name}{step}: added {clip(show(new[step]))}"
        elif step not in new:
            yield f"{name}{step}: removed {clip(show(old[step]))}"
        else:
            yield from changes(name + step, old[step], new[step])


def _member_changes(old: Any, new: Any) -> str:
    count_old, count_new = _counts(old), _counts(new)
    texts: dict[str, list[str]] = {"+": [], "-": []}
    for member in ordered(frozenset(count_old) | frozenset(count_new)):
        more = count_new.get(member, 0) - count_old.get(member, 0)
        if more:
            sign = "+" if more > 0 else "-"
            times = f" ({abs(more)} times)" if abs(more) > 1 else ""
            texts[sign].append(f"{sign}{clip(_member_text(member))}{times}")
    return " ".join(texts["+"] + texts["-"])


def _counts(collection: Any) -> dict[object, int]:
    if shape(collection) == "bag":
        return {member: collection.count(member) for member in frozenset(collection)}
    return dict.fromkeys(collection, 1)


def _long_vector_changes(name: str, old: Any, new: Any) -> Iterator[str]:
    """For vectors too long to show twice: what was appended, taken, or replaced, and where."""
    if len(old) == len(new):
        for index, (before, after) in enumerate(zip(old, new, strict=True)):
            yield from changes(f"{name}[{index}]", before, after)
        return
    start, end_old, end_new = middle(old, new)
    for index in range(start, end_old):
        yield f"{name}[{index}]: removed {clip(show(old[index]))}   (length now {len(new)})"
    for index in range(start, end_new):
        yield f"{name}[{index}]: added {clip(show(new[index]))}   (length now {len(new)})"


def key_text(key: object) -> str:
    """A key as in the names of slots: `log[s1]`, `net[s1,s2]`.

    >>> key_text(("s1", 2))
    's1,2'
    """
    if isinstance(key, tuple) and not hasattr(key, "_fields"):
        return ",".join(map(key_text, key))
    return key if isinstance(key, str) else show(key)


def _member_text(member: object) -> str:
    return member if isinstance(member, str) and member.isidentifier() else show(member)


def clip(text: str, limit: int = _WIDE) -> str:
    """The text, or its beginning and end around a mark that says how much was left out.

    >>> clip("abcdefghijklmnopqrstuvwxyz" * 3, 60)
    'abcdefghijklmnopqrstuvwxyzabc [... 41 left out ...] stuvwxyz'
    """
    if len(text) <= limit:
        return text
    head, tail = limit // 2 - 1, limit // 6 - 2
    return f"{text[:head]} [... {len(text) - head - tail} left out ...] {text[-tail:]}"
