"""What the page tells of a step, and of the steps that could not be taken: why not."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from modelcheck import plain
from modelcheck.errors import call_label
from modelcheck.picture import Row
from modelcheck.program import Bound, Program
from modelcheck.spec import Spec
from modelcheck.trace import Event, Step
from modelcheck.values import show

from ..lettering import shortened
from ..text import key_text

__all__ = ["reasons", "step_data"]

MOST_BINDINGS = 80  # bindings of actions asked about in one state
MOST_QUESTIONS = 12_000  # in all states together: a long trace gets fewer for each


def step_data(step: Step, row: Row) -> dict[str, Any]:
    """A step with what its row of the diagram tells of it."""
    return {
        "label": shortened(step.label, 300),
        "note": shortened(_note(row) if row.title != step.label else row.note, 600),
        "events": [shortened(_event(event), 300) for event in step.events],
    }


def _note(row: Row) -> str:
    return f"{row.title[:1].upper()}{row.title[1:]}. {row.note}"


def _event(event: Event) -> str:
    verb = {"send": "sends", "receive": "receives"}.get(event.kind, event.kind)
    where = " → ".join(map(key_text, event.key))
    return f"{verb} {show(event.message)} ({event.channel}{': ' if where else ''}{where})"


def reasons(
    following: Sequence[str], spec: Spec, states: Sequence[Any], texts: Callable[[str], int]
) -> Iterator[list[list[int]]]:
    """For each state: [step, reason] by number, the reason -1 where it is possible, -2 where it is what follows."""
    most = min(MOST_BINDINGS, MOST_QUESTIONS // len(states) + 1)
    for state, next_label in zip(states, following, strict=True):
        answers = []
        for label, reason in itertools.islice(_answers(spec.program, state), most):
            number = texts(shortened(reason, 200)) if reason is not None else -2 if label == next_label else -1
            answers.append([texts(shortened(label, 200)), number])
        yield answers


def _answers(program: Program, state: Any) -> Iterator[tuple[str, str | None]]:
    handle = program.handle(plain.StateSource(program, state))
    for bound in program.actions:
        yield from _answers_of(program, bound, state, handle)


def _answers_of(program: Program, bound: Bound, state: Any, handle: object) -> Iterator[tuple[str, str | None]]:
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
