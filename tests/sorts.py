"""Sorts of values for generated specs: how literals, changes and questions of each are written.

``{e}`` stands for an expression of the sort, ``{k}`` for a small number, ``{v}`` for a literal of the sort. Changes
stay within a few values, so that the generated specs have few states.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["SORTS", "Domain", "Sort", "key_sort"]


@dataclass(frozen=True)
class Sort:
    """A kind of value. All texts are Python expressions."""

    name: str
    literals: tuple[str, ...]
    changes: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()


@dataclass(frozen=True)
class Domain:
    """A finite domain of keys: how it is declared, how a spec's functions write it, and its keys."""

    name: str
    declaration: str
    expression: str
    sort: Sort


def key_sort(name: str, keys: tuple[str, ...]) -> Sort:
    """The sort of variables that hold keys of a domain."""
    return Sort(f"key of {name}", keys)


SORTS = (
    Sort(
        "int",
        ("0", "1", "2", "3"),
        ("({e} + 1) % 3", "({e} + {k}) % 4", "1 - min({e}, 1)", "max({e}, {k})", "({e} * 3 + 1) % 7 % 5"),
        ("{e} < {k}", "{e} % 2 == 0", "{e} >= {k}", "bool({e})"),
    ),
    Sort("bool", ("False", "True"), ("not {e}", "{e} ^ True"), ("{e}", "not {e}")),
    Sort("text", ("'a'", "'b'", "''"), ("{e}[::-1] if {e} else 'ab'", "({e} + 'b')[:2]"), ("len({e}) == {k}",)),
    Sort("maybe", ("None", "0", "'x'", "(None,)"), (), ("{e} is None", "{e} is not None")),
    Sort("colour", ("Colour.RED", "Colour.GREEN", "Colour.BLUE"), ("turn({e})",), ("{e} is Colour.RED",)),
    Sort(
        "tuple",
        ("(0, True)", "(1, False)", "(0, False)"),
        ("(1 - {e}[0], {e}[1])", "({e}[0], not {e}[1])", "(int({e}[1]), bool({e}[0]))"),
        ("{e}[0] == 1", "{e}[1]", "{e} > (0, True)"),
    ),
    Sort(
        "frozenset",
        ("frozenset()", "frozenset({0})", "frozenset({0, 1})"),
        ("{e} ^ {{{k}}}", "flip({e}, {k})", "{e} | {{0}}"),
        ("{k} in {e}", "len({e}) < {k}", "{e} <= {{0, 1}}"),
    ),
    Sort(
        "pvector",
        ("pvector()", "pvector([0])", "pvector([1, 0])"),
        ("grow({e}, {k})", "grow({e}, len({e}))", "{e}[1:]"),
        ("len({e}) == {k}", "{k} in {e}", "sum({e}) > {k}"),
    ),
    Sort(
        "pmap",
        ("pmap()", "pmap({'a': 1})", "pmap({'b': 1, 'a': 1})"),
        ("bump({e}, 'a')", "bump({e}, {k})", "{e}.remove('a') if 'a' in {e} else {e}"),
        ("'a' in {e}", "len({e}) < {k}", "{e}.get('b') is None"),
    ),
    Sort("pset", ("pset()", "pset([1, 2])"), ("flip({e}, {k})",), ("{k} in {e}", "len({e}) > {k}")),
    Sort("pbag", ("pbag([])", "pbag([1, 1])"), ("refill({e}, {k})",), ("{e}.count({k}) > 0", "len({e}) > 1")),
    Sort("point", ("Point(0)", "Point(1, 1)"), ("move({e}, {k})",), ("{e}.x == {k}", "{e}.y > 0")),
    Sort("card", ("Card(a=0)", "Card(a=1, b=1)"), ("{e}.set(a=1 - {e}.a)",), ("{e}.a == 1", "'b' in {e}")),
    Sort(
        # Enough values to leave the arrays beside the nodes of a trie, and to outgrow what was reserved for a slot.
        "wide",
        ("0", "11", "23"),
        ("({e} + 1) % 24", "({e} * 5 + 3) % 23", "23 - {e}"),
        ("{e} < 20", "{e} % 3 != 0", "{e} > 1"),
    ),
    Sort("mixed", ("None", "1 - 1", "False", "Level.LOW", "(False,)", "Pair(0, 1)"), ("after({e})", "after({e}, 2)")),
)
