"""What the tests of two variants side by side share: variants that part in each of the ways there are."""

from __future__ import annotations

from typing import Any, Self

from pyrsistent import PMap, pmap, pvector

from modelcheck import Spec, Var, action, check, const, invariant, require, var
from traces.compare import Comparison, compare, comparison_page
from traces.page import Page


class Ledger(Spec):
    """Two accounts; a fix may forbid the second entry, or write it in another way."""

    fix = const("none")
    first = const("one")
    second = const("two")

    book: Var[PMap[str, Any]] = var(pmap({"left": pvector(), "right": pvector()}))
    note: Var[Any] = var(None)
    count = var(0)

    @action
    def enter(self, s: Self, n: Self) -> None:
        require(s.count < 3, "there is room")
        require(self.fix != "guard" or s.count < 1, f"not twice: {self.second}")
        entry = self.second if self.fix == "outcome" and s.count == 1 else self.first
        n.book = s.book.set("left", s.book["left"].append(entry))
        n.note = (self.first, entry)
        n.count = s.count + 1

    @invariant
    def short(self, s: Self) -> bool:
        return s.count < 3


def compared(a: Spec, b: Spec) -> Comparison:
    """The counterexample of a under b, searched by the plain engine: hostile constants are plain values there."""
    return compare(check(a, engine="oracle"), check(b, engine="oracle"), b)


def ledgers(fix: str, first: str = "one", second: str = "two") -> tuple[Comparison, Page]:
    a, b = Ledger(first=first, second=second), Ledger(fix=fix, first=first, second=second)
    comparison = compared(a, b)
    page = comparison_page(comparison, a, b)
    assert page is not None
    return comparison, page
