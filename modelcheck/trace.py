"""A trace as a value: the states of a behaviour and the steps between them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .errors import call_label
from .layout import State

__all__ = ["Event", "Step", "Trace"]


@dataclass(frozen=True)
class Event:
    """A message sent or received in a step."""

    kind: str
    channel: str
    key: tuple[object, ...]
    message: object


@dataclass(frozen=True)
class Step:
    """What was done: an action with its parameters, and the messages that it sent and received."""

    action: str
    params: Mapping[str, object]
    events: tuple[Event, ...] = ()

    @property
    def label(self) -> str:
        return call_label(self.action, self.params)


@dataclass(frozen=True)
class Trace:
    """A behaviour: ``steps[k]`` leads to ``states[k]``; the first step is ``init``."""

    spec: str
    constants: Mapping[str, object]
    states: tuple[State, ...]
    steps: tuple[Step, ...]

    def __len__(self) -> int:
        return len(self.states)

    def then(self, step: Step, state: State) -> Trace:
        """The trace with one more step."""
        return Trace(self.spec, self.constants, (*self.states, state), (*self.steps, step))
