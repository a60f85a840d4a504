"""Hypothesis strategies: random small specs, as source text that a person can read, run and reduce.

A spec is generated as text so that a failing example prints as a program. What is drawn decides everything, so the
same draws give the same spec, and shrinking works on the text as on any other value.
"""

from __future__ import annotations

import itertools
import linecache
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from hypothesis import strategies as st

from modelcheck import Spec
from tests.sorts import SORTS, Domain, Sort, key_sort
from tests.writing import Action, Predicates, Scope, Variable

__all__ = ["Case", "cases", "load"]

T = TypeVar("T")
Draw = Callable[[st.SearchStrategy[Any]], Any]

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

    def spec(self) -> Spec:
        """An instance, with a program of its own."""
        return load(self.source)()


class Choices:
    """Short words for drawing."""

    def __init__(self, draw: Draw) -> None:
        self._draw = draw

    def one(self, options: Sequence[T]) -> T:
        """One of the options; shrinks to the first."""
        return options[0] if len(options) == 1 else options[self.number(0, len(options) - 1)]

    def number(self, low: int, high: int) -> int:
        drawn: int = self._draw(st.integers(low, high))
        return drawn

    def chance(self, percent: int) -> bool:
        """True in so many cases of a hundred; shrinks to False."""
        return self.number(0, 99) >= 100 - percent


@st.composite
def cases(draw: Draw, *, failing: bool = False) -> Case:
    """A spec with its options; ``failing`` ones raise an error, or write a mutable value, somewhere."""
    choices = Choices(draw)
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
        for number in range(self.choices.number(1, 5)):
            self._variable(number)
        scope = Scope(self.choices, self.variables, self.domains)
        if self.choices.chance(35):
            self.lines += Action(scope).initial()
        errors = self.choices.number(0, 3) if self.failing else -1
        for number in range(self.choices.number(1, 5)):
            self.lines += Action(scope).text(f"a{number}", broken=errors == 0 and number == 0)
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
        order, domains = "", (domain,)
        if kind == "var":
            text = f"var({initial})" if self.choices.chance(90) else f"var(lambda self: {initial})"
        elif kind == "per":
            text = f'per("{domain.name}", {initial})'
            if self.choices.chance(20):
                other = self.choices.one(sort.literals)
                text = f'per("{domain.name}", lambda key: {initial} if key == {domain.sort.literals[0]} else {other})'
        elif kind == "subset":
            text = f'subset("{domain.name}")'
            if self.choices.chance(40):
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
        if self.choices.chance(30):
            self.lines += predicates.over_states("constraint", "c0", weak=True, broken=errors == 2)
        if self.choices.chance(25):
            self.lines += predicates.over_steps("constraint", "c1")
        for number in range(self.choices.number(0, 2)):
            self.lines += predicates.goal(f"g{number}")
        if self.choices.chance(30):
            self.lines += predicates.over_states("terminal", "t0", weak=False, broken=errors == 3)
