"""A replay as text and as data: step by step, what is as before, what differs, what is impossible."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from .replay import Replay, state_differences
from .safe import visible
from .text import clip

__all__ = ["WORDS", "StepRow", "render_replay", "replay_data", "step_rows", "summary"]

Status = Literal["same", "other outcome", "possible", "impossible", "not tried"]
WORDS: dict[Status, str] = {
    "same": "as before",
    "other outcome": "another outcome",
    "possible": "possible, in a state that differs",
    "impossible": "NOT POSSIBLE",
    "not tried": "not tried",
}


@dataclass(frozen=True)
class StepRow:
    """One step of the stored trace and what became of it; lines are differences or a reason."""

    number: int
    label: str
    status: Status
    lines: tuple[str, ...] = ()


def step_rows(replay: Replay) -> Iterator[StepRow]:
    """Every step of the stored trace, numbered from 1."""
    old, new = replay.stored.trace, replay.trace
    stopped, changed = replay.stopped, replay.changed
    for index, step in enumerate(old.steps):
        label = step.label or (new.steps[index].label if new and index < len(new) else "(unnamed)")
        if stopped is not None and index == stopped.position:
            yield StepRow(index + 1, label, "impossible", (_reason(stopped),))
        elif stopped is not None and index > stopped.position:
            yield StepRow(index + 1, label, "not tried")
        elif changed is None or index < changed.position:
            yield StepRow(index + 1, label, "same")
        else:
            assert new is not None
            status: Status = "other outcome" if index == changed.position else "possible"
            lines = tuple(state_differences(old.states[index], new.states[index]))
            yield StepRow(index + 1, label, status if lines or status != "possible" else "same", lines)


def _reason(parting: Any) -> str:
    return f"guard: {parting.guard}" if parting.reason == "guard" else str(parting.guard)


def render_replay(replay: Replay) -> str:
    """The steps with what became of each, and a last sentence that sums it up. A difference is told where it begins."""
    rows = list(step_rows(replay))
    told: tuple[str, ...] = ()
    width = min(max((len(clip(visible(row.label), 60)) for row in rows), default=0), 60)
    lines: list[str] = []
    for row in rows:
        label = clip(visible(row.label), 60)
        news = [line for line in row.lines if line not in told]
        word = WORDS[row.status] if news or not row.lines else "possible, the same differs"
        lines.append(f"{row.number:>3}: {label:<{width}}  {word}")
        lines += [f"       {clip(visible(line))}" for line in news]
        told = row.lines
    for title, names in (("the trace", replay.only_there), ("the spec", replay.only_here)):
        if names:
            lines.append(f"Only in {title}, and not compared: {', '.join(names)}.")
    return "\n".join([*lines, "", summary(replay)])


def summary(replay: Replay) -> str:
    """One sentence: whether they part, where, and what becomes of the property."""
    parting = replay.parting
    if replay.identical:
        end = f", and {_failing(replay)} as before" if _is_violation(replay) else ""
        return f"Replayed: every step leads to the same state{end}."
    if parting is None:
        return f"Every step leads to the same state, but {_missing(replay)}."
    place = f"step {parting.position + 1}, {visible(parting.step.label) or 'unnamed'}"
    if parting.reason == "outcome":
        text = f"They part at {place}: it leads to another state"
        if replay.stopped is not None:
            text += f"; step {replay.stopped.position + 1} is then not possible"
            text += f" ({visible(_reason(replay.stopped))})"
        elif replay.asked:
            text += (
                f"; at the end {_failing(replay)} still"
                if replay.found is not None
                else f"; {_missing(replay)}"
            )
        return f"{text}."
    return f"They part at {place}: it is not possible ({visible(_reason(parting))})."


def _is_violation(replay: Replay) -> bool:
    return replay.asked and replay.stored.kind != "goal"


def _failing(replay: Replay) -> str:
    stuck = replay.stored.kind == "deadlock"
    return "nothing is possible" if stuck else f"{visible(clip(replay.stored.label))} fails"


def _missing(replay: Replay) -> str:
    if replay.stored.kind == "deadlock":
        return "the last state is no deadlock any more"
    if replay.stored.kind == "error":
        return f"{visible(clip(replay.stored.label))} does not fail there any more"
    verb = "does not hold" if replay.stored.kind == "goal" else "holds"
    return f"{visible(clip(replay.stored.label))} {verb} at the end"


def replay_data(replay: Replay) -> dict[str, Any]:
    """The same as data that `json` can write."""
    parting = replay.parting
    return {
        "identical": replay.identical,
        "summary": summary(replay),
        "parts_at": None if parting is None else parting.position + 1,
        "reason": None if parting is None else parting.reason,
        "guard": None if parting is None or parting.reason != "guard" else parting.guard,
        "still_fails": replay.found is not None,
        "steps": [
            {"number": row.number, "label": row.label, "status": row.status, "lines": list(row.lines)}
            for row in step_rows(replay)
        ],
        "only_in_trace": list(replay.only_there),
        "only_in_spec": list(replay.only_here),
    }
