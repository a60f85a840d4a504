"""The corridor around a trace: its states, their successors, theirs, as far as a budget goes.

Inside it, shortest ways to the violation are found exactly; outside nothing is claimed. Around a
trace that breadth-first search found, the ways of that same length give calmer traces; around a
random one, they are shortcuts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from modelcheck.layout import State
from modelcheck.plain import Move
from modelcheck.trace import Trace

from .walk import Walker

__all__ = ["Corridor"]

_MAX_STARTS = 200


@dataclass
class Corridor:
    """A part of the state graph; `starts` are traces of one initial state."""

    walker: Walker
    starts: dict[State, Trace] = field(default_factory=dict)
    edges: dict[State, list[Move]] = field(default_factory=dict)

    @classmethod
    def around(cls, walker: Walker, traces: Iterable[Trace], budget: int) -> Corridor:
        """Expand ring by ring, the traces' own states first, at most `budget` states in all."""
        traces = tuple(traces)
        starts = {trace.states[0]: trace for trace in walker.beginnings(_MAX_STARTS)}
        for trace in traces:
            first = Trace(trace.spec, trace.constants, trace.states[:1], trace.steps[:1])
            starts.setdefault(trace.states[0], first)
        corridor = cls(walker, starts)
        ring = list(dict.fromkeys(state for trace in traces for state in trace.states))
        while ring and len(corridor.edges) < budget:
            following: dict[State, None] = {}
            for state in ring[: budget - len(corridor.edges)]:
                corridor._expand(state)
                following.update(dict.fromkeys(move.state for move in corridor.edges[state]))
            ring = [state for state in following if state not in corridor.edges]
        return corridor

    def _expand(self, state: State) -> None:
        # A step out of the constraints is kept if it ends in what is looked for: it may be the last.
        self.edges[state] = [
            move
            for move in self.walker.moves(state)
            if self.walker.inside(state, move.state) or self.walker.answered(state, move.state)
        ]

    def layers(self) -> list[dict[State, None]]:
        """States by their distance from an initial state; the last layer is the one before the end.

        Empty if no way inside the corridor leads to the end, or an initial state is it already.
        """
        layer: dict[State, None] = {
            state: None for state in self.starts if self.walker.inside(None, state)
        }
        if any(self.walker.answered(None, state) for state in self.starts):
            return []
        seen = set(layer)
        found: list[dict[State, None]] = []
        while layer:
            found.append(layer)
            if any(True for state in layer for _ in self.last_moves(state)):
                return found
            following: dict[State, None] = {}
            for state in layer:
                for move in self.edges.get(state, ()):
                    if move.state not in seen and self.walker.inside(state, move.state):
                        following[move.state] = None
            seen.update(following)
            layer = following
        return []

    def last_moves(self, state: State) -> Iterator[Move]:
        """The steps from a state that end in what is looked for."""
        for move in self.edges.get(state, ()):
            if self.walker.answered(state, move.state):
                yield move

    def shortest(self) -> Trace | None:
        """A shortest trace to what is looked for; None if the corridor holds none."""
        for state, start in self.starts.items():
            if self.walker.answered(None, state):
                return start
        layers = self.layers()
        if not layers:
            return None
        last = next((s, move) for s in layers[-1] for move in self.last_moves(s))
        state, path = last[0], [last[1]]
        for layer in reversed(layers[:-1]):
            state, move = next(
                (before, move)
                for before in layer
                for move in self.edges.get(before, ())
                if move.state == state and self.walker.inside(before, move.state)
            )
            path.append(move)
        trace = self.starts[state]
        for move in reversed(path):
            trace = trace.then(move.step, move.state)
        return trace
