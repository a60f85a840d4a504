"""Checking: predicates over states and over steps, on rows that a block has staged."""

from __future__ import annotations

from collections.abc import Callable

from ..errors import SpecError
from ..program import Bound, Program
from .columns import Column
from .findings import Finding, Findings
from .learner import Root
from .resolver import Resolver
from .tries import NO, YES

__all__ = ["Arrivals", "Judge", "all_roots"]

# How a staged row was reached: its position -> (id of the parent, edge).
Arrivals = Callable[[int], tuple[int, int]]


def all_roots(program: Program) -> list[Root]:
    """Every bound function that is learned: the actions first, then the predicates."""
    over_states = [*program.constraints, *program.invariants, *program.goals, *program.terminals]
    over_steps = [*program.step_invariants, *program.step_constraints]
    return [
        *(Root(bound, "action") for bound in program.actions),
        *(Root(bound, "state") for bound in over_states),
        *(Root(bound, "step") for bound in over_steps),
    ]


class Judge:
    """Knows which predicates are still undecided, asks the resolver, and records findings."""

    def __init__(self, program: Program, resolver: Resolver, findings: Findings) -> None:
        self.program = program
        self.resolver = resolver
        self.findings = findings
        self._index = {id(root.bound): k for k, root in enumerate(resolver.learner.roots)}
        self.found = Column("i4")
        self._first = Column("i4")
        self._terminal = self._column(program.terminals)
        self._on_states, self._on_steps = Column("i4"), Column("i4")
        self._choose_roots()

    def columns(self) -> list[Column]:
        return [self.found, self._first, self._terminal, self._on_states, self._on_steps]

    def _column(self, bounds: list[Bound]) -> Column:
        return Column("i4", [self._index[id(bound)] for bound in bounds])

    def _choose_roots(self) -> None:
        """Ask only what is still open: constraints always, properties until they are decided."""
        decided = self.findings.names()
        program = self.program
        self._invariants = [b for b in program.invariants if b.name not in decided]
        self._goals = [b for b in program.goals if f"goal {b.label}" not in decided]
        self._step_invariants = [b for b in program.step_invariants if b.name not in decided]
        compiled = not isinstance(self._on_states.data, list)
        self._on_states = self._column([*program.constraints, *self._invariants, *self._goals])
        self._on_steps = self._column([*self._step_invariants, *program.step_constraints])
        if compiled:
            self._on_states.promote()
            self._on_steps.promote()

    @property
    def n_asked(self) -> int:
        """How many roots are asked of each state: the width of ``found``."""
        return self._on_states.size

    @property
    def asks_of_steps(self) -> bool:
        return self._on_steps.size > 0

    def states(self, rows: Column, width: int, at: int, n: int, arrivals: Arrivals) -> bool:
        """Check n staged rows; whether some lie outside the constraints (``found`` says which)."""
        roots = self._on_states
        if not n or not roots.size:
            return False
        try:
            self.resolver.resolve(rows, width, at, n, roots, self.found)
        except SpecError as error:
            raise self._failed(error, arrivals) from None
        n_constraints = len(self.program.constraints)
        n_judged = n_constraints + len(self._invariants)
        self._first.reserve(roots.size)
        outside = self._firsts(n, roots, NO, 0, n_constraints)
        self._record("invariant", self._invariants, n_constraints, n, roots, NO, arrivals)
        self._record("goal", self._goals, n_judged, n, roots, YES, arrivals)
        return outside

    def steps(self, pairs: Column, width: int, n: int, arrivals: Arrivals) -> None:
        """Check n steps whose double rows are in ``pairs``; ``found`` then says which are cut."""
        roots = self._on_steps
        try:
            self.resolver.resolve(pairs, 2 * width, 0, n, roots, self.found)
        except SpecError as error:
            raise self._failed(error, arrivals) from None
        self._first.reserve(roots.size)
        self._record("step invariant", self._step_invariants, 0, n, roots, NO, arrivals)

    @property
    def step_columns(self) -> tuple[int, int]:
        """Where the action constraints stand among the roots asked of steps: (first, number of all)."""
        return len(self._step_invariants), self._on_steps.size

    def settle(self) -> None:
        """Between levels: stop asking for what has been decided (NOTE(decided-by-level) in the oracle)."""
        if len(self._invariants) + len(self._goals) + len(self._step_invariants) and self.findings.by_name:
            self._choose_roots()

    def may_stop(self, rows: Column, width: int, n: int) -> int:
        """The first of n rows without successors that is not marked as a fine place to stop, or -1."""
        if not self._terminal.size:
            return 0
        self.resolver.resolve(rows, width, 0, n, self._terminal, self.found)
        n_roots = self._terminal.size
        answers = self.found.items(0, n * n_roots)
        stuck = (k for k in range(n) if YES not in answers[k * n_roots : (k + 1) * n_roots])
        return next(stuck, -1)

    def _firsts(self, n: int, roots: Column, leaf: int, begin: int, end: int) -> bool:
        if begin == end:
            return False
        kernels = self.resolver.kernels
        return bool(kernels.first_rows(self.found.data, n, roots.size, leaf, begin, end, self._first.data))

    def _record(
        self, kind: str, bounds: list[Bound], begin: int, n: int, roots: Column, leaf: int, arrivals: Arrivals
    ) -> None:
        """Record, for each property with an answer ``leaf``, the first row that has it."""
        if not self._firsts(n, roots, leaf, begin, begin + len(bounds)):
            return
        rows = self._first.items(begin, begin + len(bounds))
        for row, bound in sorted(zip(rows, bounds, strict=True), key=lambda pair: pair[0]):
            if row >= 0:
                name = f"goal {bound.label}" if kind == "goal" else bound.name
                self.findings.add(name, Finding(kind, bound, *arrivals(row)))

    def _failed(self, error: SpecError, arrivals: Arrivals) -> SpecError:
        """Record that the spec's code failed on a staged row."""
        row = getattr(error, "row", None)
        if row is not None:
            self.findings.add("error", Finding("error", None, *arrivals(row), error))
        return error
