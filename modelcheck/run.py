"""``Spec.run()``: a behaviour built step by step, for unit tests of a spec."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import plain
from .errors import NotEnabled, call_label, suggest
from .layout import State
from .trace import Trace
from .values import show

if TYPE_CHECKING:
    from .spec import Spec

__all__ = ["Run"]


@dataclass(frozen=True)
class Run:
    """A behaviour so far. Every step gives a new Run, so a test can try two continuations of one beginning.

    >>> from modelcheck import Spec, action, require, var
    >>> class Light(Spec):
    ...     on = var(False)
    ...     @action
    ...     def press(self, s, n):
    ...         n.on = not s.on
    >>> Light().run().press().press().state.on
    False
    """

    spec: Spec
    trace: Trace

    @classmethod
    def start(cls, spec: Spec, params: Mapping[str, object]) -> Run:
        """The run of one initial state, chosen by the parameters of ``@init``."""
        fitting = [
            (step, state)
            for step, state in plain.initial_states(spec.program)
            if all(step.params.get(name) == value for name, value in params.items())
        ]
        if len(fitting) != 1:
            examples = ", ".join(f"run({_arguments(step.params)})" for step, _ in fitting[:3])
            raise NotEnabled(
                f"{len(fitting)} initial states of {spec!r} fit {_arguments(params) or 'no parameters'}: choose one"
                + (f", such as {examples}" if examples else "")
            )
        step, state = fitting[0]
        return cls(spec, Trace(type(spec).__name__, spec.constants, (state,), (step,)))

    @property
    def state(self) -> State:
        """The state reached, a Pyrsistent record."""
        return self.trace.states[-1]

    def __getattr__(self, name: str) -> Callable[..., Run]:
        if name.startswith("__"):
            raise AttributeError(name)
        actions = {bound.name: bound for bound in self.spec.program.actions}
        if name not in actions:
            raise AttributeError(f"{type(self.spec).__name__} has no action {name!r}{suggest(name, actions)}")

        def take(*args: object, **params: object) -> Run:
            order = actions[name].order
            if len(args) > len(order) or not {*order[len(args) :]} >= {*params}:
                raise TypeError(f"{name} takes ({', '.join(order)}), not {_arguments(params, *args)}")
            return self.take(name, dict(zip(order, args, strict=False)) | params)

        return take

    def take(self, action: str, params: Mapping[str, Any]) -> Run:
        """Take one step; NotEnabled with the label of the guard where it is not possible."""
        move = plain.step(self.spec.program, self.state, action, params)
        if move is None:
            reason = plain.why_not(self.spec.program, self.state, action, params)
            raise NotEnabled(
                f"{call_label(action, params)} is not enabled after {self.trace.steps[-1].label}: {reason}"
            )
        return Run(self.spec, self.trace.then(move.step, move.state))

    def enabled(self) -> list[tuple[str, dict[str, object]]]:
        """Every step possible here, as (action, parameters)."""
        found = plain.moves(self.spec.program, self.state)
        return [(move.step.action, dict(move.step.params)) for move in found]

    def why_not(self, action: str, **params: object) -> str | None:
        """The label of the guard that forbids a step here; None where it is possible."""
        if action not in (names := self.spec.program.action_names):
            raise AttributeError(f"{type(self.spec).__name__} has no action {action!r}{suggest(action, names)}")
        known = self.spec.program.action_names
        if action not in known:
            raise AttributeError(f"{type(self.spec).__name__} has no action {action!r}{suggest(action, known)}")
        return plain.why_not(self.spec.program, self.state, action, params)

    def violated(self) -> list[tuple[str, dict[str, object]]]:
        """The invariants that fail in this state, and the step invariants that fail in the last step."""
        program = self.spec.program
        here = plain.StateSource(program, self.state)
        found = [(bound, program.failing(bound, here)) for bound in program.invariants]
        if len(self.trace) > 1:
            before = plain.StateSource(program, self.trace.states[-2])
            found += [(bound, program.failing(bound, before, here)) for bound in program.step_invariants]
        return [(bound.name, dict(params)) for bound, params in found if params is not None]


def _arguments(params: Mapping[str, object], *args: object) -> str:
    return ", ".join([*map(show, args), *(f"{name}={show(value)}" for name, value in params.items())])
