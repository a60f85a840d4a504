"""Learning: run the author's function once with a recording handle, and keep what it read and what it answered.

An action is a pure function of the slots that it reads, and which slot it reads next depends only on what it has read
so far. So the record of one evaluation is a path in a decision trie, exact for every state that agrees on that path.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import SpecError
from ..handles import ReadOnly
from ..program import Bound, Program, Successor
from ..values import NotFrozen, show
from .slots import Pool, Pools
from .tries import NO, YES, Knowledge

__all__ = ["Learner", "Root"]

# Every evaluation of a root up to the first number, and then one in so many, is done twice to unmask impure functions.
_ALWAYS_TWICE, _TWICE_EVERY = 2, 64


@dataclass(frozen=True)
class Root:
    """A bound function with a trie of its own: an action, or a predicate over a state or over a step."""

    bound: Bound
    kind: str  # "action" | "state" | "step"


class Recorder(ReadOnly):
    """Reads the slots of a row and notes which, in order."""

    __slots__ = ("_offset", "_path", "_pools", "_row", "known")

    def __init__(self, pools: list[Pool], row: Sequence[int], path: list[int], offset: int = 0) -> None:
        self._pools = pools
        self._row = row
        self._path = path
        self._offset = offset
        self.known: dict[int, Any] = {}

    def read(self, slot: int) -> Any:
        known = self.known
        if slot in known:
            return known[slot]
        at = slot + self._offset
        self._path.append(at)
        value = known[slot] = self._pools[slot].values[self._row[at]]
        return value


class Learner:
    """Evaluates roots on rows and hands the lessons to the knowledge."""

    def __init__(self, program: Program, roots: list[Root], pools: Pools, knowledge: Knowledge) -> None:
        self.program = program
        self.roots = roots
        self.pools = pools
        self.knowledge = knowledge
        self.evaluations = [0] * len(roots)
        self.edge_params: list[Any] = []  # per edge: the parameters, where they are not those of the root
        self._count = 0

    def learn(self, index: int, row: Sequence[int]) -> None:
        """Evaluate one root on one row (of double width for predicates over steps) and keep the lesson."""
        root = self.roots[index]
        path, answer, known = self._evaluate(root, row)
        self.evaluations[index] += 1
        self._count += 1
        if self.evaluations[index] <= _ALWAYS_TWICE or self._count % _TWICE_EVERY == 0:
            self._admit(root.bound, answer)
            again, second, _ = self._evaluate(root, row)
            if (again, _comparable(second)) != (path, _comparable(answer)):
                raise impure(root.bound, answer, second)
        leaf = self._leaf(index, row, answer, known) if isinstance(answer, list) else YES if answer else NO
        self.knowledge.lesson(index, path, [row[slot] for slot in path], leaf)

    def _admit(self, bound: Bound, answer: Any) -> None:
        """Look at values to the bottom: interning looks only at the type of those that it knows already."""
        for successor in answer if isinstance(answer, list) else ():
            for slot, value in successor.writes.items():
                self.program.admitted(bound, successor.params, slot, value)

    def _evaluate(self, root: Root, row: Sequence[int]) -> tuple[list[int], Any, dict[int, Any]]:
        path: list[int] = []
        now = Recorder(self.pools.slots, row, path)
        if root.kind == "action":
            return path, self.program.successors(root.bound, now), now.known
        if root.kind == "state":
            return path, self.program.holds(root.bound, now), now.known
        after = Recorder(self.pools.slots, row, path, len(self.pools.slots))
        return path, self.program.holds(root.bound, now, after), now.known

    def _leaf(self, index: int, row: Sequence[int], successors: list[Successor], known: dict[int, Any]) -> int:
        if not successors:
            return NO
        edges = []
        bound = self.roots[index].bound
        for successor in successors:
            edges.append(self._edge(bound, successor, row, known))
            self.edge_params.append(successor.params if bound.open else None)
        return self.knowledge.leaf(index, edges)

    def _edge(
        self, bound: Bound, successor: Successor, row: Sequence[int], known: dict[int, Any]
    ) -> tuple[int, list[tuple[int, int]], int]:
        """The writes of a successor, the blind ones first, and what they change in the fingerprint."""
        delta = 0
        blind, seen = [], []
        for slot, value in successor.writes.items():
            pool = self.pools.slots[slot]
            new = self._interned(bound, successor, slot, value, pool)
            if slot not in known:
                self.pools.expect_blind(slot)
                blind.append((slot, new))
                delta ^= pool.numbers[new]
            elif row[slot] != new:
                seen.append((slot, new))
                delta ^= pool.numbers[new] ^ pool.numbers[row[slot]]
        return delta, blind + seen, len(blind)

    def _interned(self, bound: Bound, successor: Successor, slot: int, value: object, pool: Pool) -> int:
        try:
            return pool.intern(value)
        except NotFrozen as problem:
            raise self.program.not_frozen(bound, successor.params, slot, problem) from None
        except TypeError as error:
            self.program.admitted(bound, successor.params, slot, value)
            # Frozen, but not comparable: a bag refuses to be compared with anything but a bag.
            text = f"n.{pool.name} was given {show(value)}, which cannot be compared with its other values: {error}"
            raise SpecError(text, where=bound.name, params=successor.params) from None
        except SpecError as error:
            raise SpecError(error.problem, where=bound.name, params=successor.params) from None

    def params(self, edge: int) -> tuple[Bound, dict[str, Any]]:
        """The action of an edge and all its parameters."""
        bound = self.roots[int(self.knowledge.root.data[edge])].bound
        params = self.edge_params[edge]
        return bound, dict(bound.fixed if params is None else params)


def _comparable(answer: Any) -> Any:
    return [(dict(s.params), s.writes) for s in answer] if isinstance(answer, list) else answer


def impure(bound: Bound, first: Any, second: Any) -> SpecError:
    """The error for a function that gave two answers to one question."""
    return SpecError(
        "gave two different answers for the same state:"
        f"\n  first  {_answer_text(first)}\n  second {_answer_text(second)}\n"
        "An action or property may depend on nothing but the state and the constants. The usual causes are a clock,"
        " random numbers, a global that changes, or an object shared between calls.",
        where=bound.name,
        params=bound.fixed,
    )


def _answer_text(answer: Any) -> str:
    if isinstance(answer, list):
        return "; ".join(show(tuple(s.writes.values())) for s in answer) or "not enabled"
    return str(answer)
