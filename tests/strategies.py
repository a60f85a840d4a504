"""Hypothesis strategies: random small specs, as source text that a person can read, run and reduce.

A spec is generated as text so that a failing example prints as a program.
"""

from __future__ import annotations

import itertools
import linecache
import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeVar

from hypothesis import strategies as st

from modelcheck import Spec
from tests.sorts import SORTS, Domain, Sort, key_sort
from tests.writing import Action, Predicates, Scope, Variable

__all__ = ["Case", "case", "cases", "load"]

T = TypeVar("T")

HEADER = "from modelcheck import *\nfrom tests.words import *\n\n\nclass Generated(Spec):\n"
_NUMBER = itertools.count()


def load(source: str) -> type[Spec]:
    """The class of a generated spec; its text is known to tracebacks, explanations and the checks on names."""
    file = f"<generated spec {next(_NUMBER)}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    names: dict[str, Any] = {"__name__": "generated"}
    exec(compile(source, file, "exec"), names)
    found: type[Spec] = names["Generated"]
    return found


@dataclass(frozen=True)
class Case:
    """A generated spec and how it is to be checked."""

    source: str
    deadlock: bool = True
    keep_going: bool = False
    max_depth: int | None = None

    def __repr__(self) -> str:
        options = f"deadlock={self.deadlock}, keep_going={self.keep_going}, max_depth={self.max_depth}"
        return f"\n{self.source}\n# checked with {options}\n"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        # Hypothesis would print a dataclass as a call, with the text of the spec on one line.
        for line in repr(self).splitlines():
            printer.text(line)
            printer.break_()

    def spec(self) -> Spec:
        """An instance; all engines share it, as nothing that they do changes it."""
        return _instance(self.source)


@lru_cache(maxsize=4)
def _instance(source: str) -> Spec:
    return load(source)()


class Choices:
    """Short words for decisions.

    NOTE(one-seed): Hypothesis draws one number, and everything else follows from it. Drawn one by one, thousands of
    small decisions made Hypothesis repeat and vary a few trivial specs; and what it shrinks are draws, while
    ``tests.reducing`` takes lines out of a failing spec, which reads better.
    """

    def __init__(self, seed: int) -> None:
        self._dice = random.Random(seed)

    def one(self, options: Sequence[T]) -> T:
        return self._dice.choice(options)

    def number(self, low: int, high: int) -> int:
        return self._dice.randint(low, high)

    def chance(self, percent: int) -> bool:
        """True in so many cases of a hundred."""
        return self._dice.random() * 100 < percent


def cases(part: int = 0, *, failing: bool = False) -> st.SearchStrategy[Case]:
    """Specs with their options; ``failing`` ones raise an error, or write a mutable value, somewhere.

    The specs of one part differ from those of another.
    """
    # Two numbers, because Hypothesis prefers small ones where there are very many to choose from.
    halves = st.integers(0, (1 << 20) - 1)
    return st.builds(lambda high, low: case(part << 40 | high << 20 | low, failing=failing), halves, halves)


def case(seed: int, *, failing: bool = False) -> Case:
    """The case of one seed."""
    choices = Choices(seed)
    source = _Author(choices, failing).write()
    return Case(
        source,
        deadlock=not choices.chance(30),
        keep_going=choices.chance(40),
        max_depth=choices.number(1, 6) if choices.chance(15) else None,
    )


_DOMAINS = (
    ("d0 = const(('a', 'b'))", "self.d0", ("'a'", "'b'")),
    ("d0 = const((0, 1, 2))", "self.d0", ("0", "1", "2")),
    ("d0 = const(frozenset({Colour.RED, Colour.BLUE}))", "self.d0", ("Colour.RED", "Colour.BLUE")),
    ("d0 = property(lambda self: (('a', 1), ('b', 2)))", "self.d0", ("('a', 1)", "('b', 2)")),
    ("def d0(self):\n        return ['a', 1, '1']", "self.d0()", ("'a'", "1", "'1'")),
    ("d0 = const(('only',))", "self.d0", ("'only'",)),
)


class _Author:
    """Writes one spec."""

    def __init__(self, choices: Choices, failing: bool) -> None:
        self.choices = choices
        self.failing = failing
        self.lines: list[str] = []
        self.domains: list[Domain] = []
        self.variables: list[Variable] = []

    def write(self) -> str:
        for number in range(self.choices.number(1, 2)):
            self._domain(number)
        for number in range(self.choices.number(2, 5)):
            self._variable(number)
        scope = Scope(self.choices, self.variables, self.domains)
        if self.choices.chance(35):
            self.lines += Action(scope).initial()
        freedom = self.choices.one((5, 50, 70))  # how many actions of a hundred have no guard of their own
        alive = scope.guard() if self.choices.chance(22) else ""  # where it is false nothing is enabled
        errors = self.choices.number(0, 3) if self.failing else -1
        for number in range(self.choices.number(2, 6)):
            mover = self.variables[number % len(self.variables)]
            self.lines += Action(scope, freedom, alive).text(f"a{number}", mover, broken=errors == 0 and number == 0)
        self._properties(scope, errors)
        return HEADER + "\n".join(f"    {line}" if line else "" for line in self.lines) + "\n"

    def _domain(self, number: int) -> None:
        declaration, expression, keys = self.choices.one(_DOMAINS)
        name = f"d{number}"
        declaration, expression = declaration.replace("d0", name), expression.replace("d0", name)
        self.domains.append(Domain(name, declaration, expression, key_sort(name, keys)))
        self.lines.append(declaration)

    def _variable(self, number: int) -> None:
        kind = self.choices.one(("var", "per", "subset", "channel", "var", "per"))
        domain = self.choices.one(self.domains)
        sort: Sort = self.choices.one((*SORTS, domain.sort, *SORTS[:2]))
        name = f"{kind[0]}{number}"
        initial = self.choices.one(sort.literals)
        order: str = ""
        domains: tuple[Domain, ...] = (domain,)
        if kind == "var":
            domains = ()
            text = f"var({initial})" if self.choices.chance(90) else f"var(lambda self: {initial})"
        elif kind == "per":
            text = f'per("{domain.name}", {initial})'
            if self.choices.chance(20):
                other = self.choices.one(sort.literals)
                text = f'per("{domain.name}", lambda key: {initial} if key == {domain.sort.literals[0]} else {other})'
        elif kind == "subset":
            text = f'subset("{domain.name}")'
            if self.choices.chance(60):
                text = f'subset("{domain.name}", ({self.choices.one(domain.sort.literals)},))'
        else:
            order = self.choices.one(("fifo", "bag", "set"))
            domains = tuple(self.choices.one(self.domains) for _ in range(self.choices.number(0, 2)))
            names = "".join(f'"{each.name}", ' for each in domains)
            text = f'channel({names}kind="{order}")'
            sort = self.choices.one(SORTS[:6])
        self.variables.append(Variable(name, kind, sort, domains, order))
        self.lines.append(f"{name} = {text}")

    def _properties(self, scope: Scope, errors: int) -> None:
        predicates = Predicates(scope)
        for number in range(self.choices.number(0, 3)):
            self.lines += predicates.invariant(f"i{number}", broken=errors == 1 and number == 0)
        if self.choices.chance(35):
            self.lines += predicates.over_states("constraint", "within", weak=True, broken=errors == 2)
        if self.choices.chance(10):
            self.lines += predicates.over_states("constraint", "also_within", weak=True)
        if self.choices.chance(25):
            self.lines += predicates.over_steps("constraint", "stepwise")
        for number in range(self.choices.number(0, 2)):
            self.lines += predicates.goal(f"g{number}")
        for number in range(self.choices.one((0, 0, 0, 1, 2))):
            self.lines += predicates.over_states("terminal", f"done{number}", weak=False, broken=errors == 3)
