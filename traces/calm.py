"""Among the traces of one length, the calmest: the one that is told with the fewest words.

Fewer crashes are calmer, then fewer nodes involved, then fewer switches from one node to another,
then fewer transactions, then fewer kinds of actions. Candidates are the same steps in another order, where they do not
depend on each other, and the other ways of the same length in the corridor around the trace.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from modelcheck.layout import State
from modelcheck.plain import Move
from modelcheck.program import Program
from modelcheck.result import Discovery
from modelcheck.trace import Step, Trace

from .corridor import Corridor
from .walk import Question, Walker, examine

__all__ = ["Actors", "Unrest", "calm", "unrest"]

BUDGET = 400  # states of the corridor
_KEPT = 6  # ways that are kept for each state and actor while others are compared
_LONGEST = 60  # traces beyond this are not reordered: the number of tries grows with its square
_CRASH = re.compile(
    r"(^|_)(crash|die|dies|fail|fails|halt|kill|lose|loses|lost|drop|stop|restart|reboot|timeout|partition)"
)
_TRANSACTION = re.compile(r"(^|_)(append|commit|propose|put|request|submit|transact|txn|update|write)")

Unrest = tuple[int, int, int, int, int]


@dataclass(frozen=True)
class Actors:
    """Who acts in a step: those of its parameters that variables are kept for."""

    names: frozenset[object]

    @classmethod
    def of(cls, program: Program) -> Actors:
        """Keys of `per` variables and the ends of channels are nodes; members of sets are not."""
        keys: set[object] = set()
        for variable in program.layout.variables.values():
            if variable.kind in ("per", "channel"):
                keys.update(part for key in variable.slots for part in _parts(key))
        return cls(frozenset(keys - {None}))

    def __call__(self, step: Step) -> tuple[object, ...]:
        """The nodes that a step names, in the order of its parameters."""
        parts = (part for value in step.params.values() for part in _parts(value))
        found = (part for part in parts if part in self.names and not isinstance(part, bool))
        return tuple(dict.fromkeys(found))


def _parts(value: object) -> Iterator[object]:
    if isinstance(value, tuple | frozenset) and not hasattr(value, "_fields"):
        for part in value:
            yield from _parts(part)
    else:
        yield value


def unrest(actors: Actors, steps: Iterable[Step]) -> Unrest:
    """How restless a trace is: crashes, nodes, switches between nodes, transactions, kinds of actions."""
    way = _Way()
    for step in steps:
        if step.action != "init":
            way = way.then(step, actors)
    return way.unrest


@dataclass(frozen=True)
class _Way:
    """A beginning of a trace with its costs so far."""

    start: State | None = None
    moves: tuple[Move, ...] = ()
    crashes: int = 0
    switches: int = 0
    transactions: int = 0
    nodes: frozenset[object] = frozenset()
    actions: frozenset[str] = frozenset()
    actor: object = None
    started: bool = False

    def then(self, step: Step, actors: Actors, move: Move | None = None) -> _Way:
        named = actors(step)
        actor = named[0] if named else ("", step.action)
        return _Way(
            self.start,
            (*self.moves, move) if move is not None else self.moves,
            self.crashes + bool(_CRASH.search(step.action)),
            self.switches + (self.started and actor != self.actor),
            self.transactions + bool(_TRANSACTION.search(step.action)),
            self.nodes | frozenset(named),
            self.actions | {step.action},
            actor,
            True,
        )

    @property
    def unrest(self) -> Unrest:
        return self.crashes, len(self.nodes), self.switches, self.transactions, len(self.actions)


def calm(program: Program, found: Discovery, *, budget: int = BUDGET) -> Discovery:
    """The discovery with the calmest trace of the same length that shows the same."""
    if len(found.trace) < 3 or found.kind in ("trace", "error"):
        return found
    walker = Walker(program, Question.of(found))
    if not walker.answers(found.trace):
        return found
    actors = Actors.of(program)
    best = _reordered(walker, actors, found.trace)
    other = None
    if budget >= len(best):
        other = _calmest_way(Corridor.around(walker, [best], budget), actors, len(best))
    if other is not None and unrest(actors, other.steps) < unrest(actors, best.steps):
        best = _reordered(walker, actors, other)
    if unrest(actors, best.steps) >= unrest(actors, found.trace.steps):
        return found
    return examine(program, walker.question, best) or found


def _reordered(walker: Walker, actors: Actors, trace: Trace) -> Trace:
    """The same steps in a calmer order: one step at a time is moved as long as that helps."""
    if len(trace) > _LONGEST:
        return trace
    start = Trace(trace.spec, trace.constants, trace.states[:1], trace.steps[:1])
    improved = True
    while improved:
        improved = False
        cost = unrest(actors, trace.steps)
        for order in _orders(trace.steps[1:]):
            if unrest(actors, order) < cost:
                other = walker.follow(start, order)
                if other is not None and walker.answers(other):
                    trace, improved = other, True
                    break
    return trace


def _orders(steps: tuple[Step, ...]) -> Iterator[list[Step]]:
    """Every order that comes from moving one step, nearest places first."""
    count = len(steps)
    for distance in range(1, count):
        for at in reversed(range(count)):  # late steps first: stories begin as they were found
            for target in (at - distance, at + distance):
                if 0 <= target < count:
                    rest = [*steps[:at], *steps[at + 1 :]]
                    yield [*rest[:target], steps[at], *rest[target:]]


def _calmest_way(corridor: Corridor, actors: Actors, length: int) -> Trace | None:
    """The calmest shortest way to the end, by comparing ways layer by layer."""
    layers = corridor.layers()
    if len(layers) + 1 != length:
        return None  # shorter ways are no business of ours: breadth-first search had none
    useful = _useful(corridor, layers)
    ways: dict[State, list[_Way]] = {state: [_Way(state)] for state in useful[0]}
    for depth in range(len(layers)):
        last = depth == len(layers) - 1
        following: dict[State, list[_Way]] = {}
        for state, kept in ways.items():
            moves = corridor.last_moves(state) if last else corridor.edges.get(state, ())
            for move in moves:
                if last or move.state in useful[depth + 1]:
                    more = (way.then(move.step, actors, move) for way in kept)
                    following.setdefault(move.state, []).extend(more)
        ways = {state: _best(found) for state, found in following.items()}
    best = min((way for found in ways.values() for way in found), key=lambda way: way.unrest)
    assert best.start is not None
    trace = corridor.starts[best.start]
    for move in best.moves:
        trace = trace.then(move.step, move.state)
    return trace


def _useful(corridor: Corridor, layers: list[dict[State, None]]) -> list[set[State]]:
    """The states of each layer from which the end can be reached in time."""
    useful = [{state for state in layers[-1] if any(True for _ in corridor.last_moves(state))}]
    for layer in reversed(layers[:-1]):
        useful.insert(
            0,
            {
                state
                for state in layer
                if any(
                    move.state in useful[0] and corridor.walker.inside(state, move.state)
                    for move in corridor.edges.get(state, ())
                )
            },
        )
    return useful


def _best(ways: list[_Way]) -> list[_Way]:
    """A few ways for each last actor: the calmest so far need not be so in the end."""
    ranked = sorted(ways, key=lambda way: way.unrest)
    kept: dict[object, list[_Way]] = {}
    for way in ranked:
        of_actor = kept.setdefault(way.actor, [])
        if len(of_actor) < _KEPT:
            of_actor.append(way)
    return [way for of_actor in kept.values() for way in of_actor]
