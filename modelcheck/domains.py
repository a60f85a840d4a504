"""Domains: from what an author wrote behind ``i=`` to a finite list of values."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Collection, Iterable, Mapping
from enum import EnumType
from typing import Any

from .errors import SpecLoadError, suggest
from .values import ordered

__all__ = ["Listing", "asks_for", "call_with", "finite", "is_function"]


@functools.cache
def asks_for(function: Callable[..., Any]) -> tuple[str, ...]:
    """The names of the parameters that a function must be given: ``lambda s, k=k: ...`` brings its k along."""
    parameters = inspect.signature(function).parameters.values()
    return tuple(each.name for each in parameters if each.default is each.empty)


def is_function(domain: object) -> bool:
    """Whether a domain is to be called; an enumeration class is a collection of its members."""
    return callable(domain) and not isinstance(domain, type)


def call_with(function: Callable[..., Any], **available: object) -> Any:
    """Call a function with those of the available arguments that it asks for by name.

    A function of one parameter with another name gets the last argument on offer, so ``lambda key: ...`` and
    ``lambda server: ...`` both work.

    >>> call_with(lambda self, key: (self, key), self=1, key=2)
    (1, 2)
    >>> call_with(lambda server: server, self=1, key=2)
    2
    """
    names = asks_for(function)
    if len(names) == 1 and names[0] not in available:
        return function(next(reversed(available.values())))
    unknown = [name for name in names if name not in available]
    if unknown:
        raise SpecLoadError(
            f"{_describe(function)} asks for {unknown[0]!r}{suggest(unknown[0], available)};"
            f" it may ask for {', '.join(available)}"
        )
    return function(**{name: available[name] for name in names})


class Listing:
    """The domains of a spec that do not depend on the state, each listed once, in the order in which they are asked.

    What an author makes from a set, ``i=lambda self: [k for k in self.nodes]``, comes in another order in another
    process. There the ``lists`` made here are given, so that slots and instances have the same numbers everywhere.
    """

    def __init__(self, spec: object, lists: Iterable[list[Any]] | None = None) -> None:
        self.lists: list[list[Any]] = []
        self._spec = spec
        self._given = None if lists is None else iter(lists)

    def values(self, domain: object, what: str, chosen: Mapping[str, Any] | None = None) -> list[Any]:
        """The values of a domain, which may depend on parameters already chosen."""
        found = self._listed(domain, what, chosen or {}) if self._given is None else next(self._given)
        self.lists.append(found)
        return found

    def _listed(self, domain: object, what: str, chosen: Mapping[str, Any]) -> list[Any]:
        if isinstance(domain, str):
            domain = _named(self._spec, domain, what)
        elif is_function(domain):
            assert callable(domain)
            domain = call_with(domain, self=self._spec, **chosen)
        return finite(domain, what)


def finite(values: object, what: str) -> list[Any]:
    """The values as a list without repetition, sets in canonical order; refuses what has no length."""
    if isinstance(values, EnumType):
        return list(values)
    if isinstance(values, str) or not isinstance(values, Collection | Mapping):
        hint = "a number is not a domain: write range(n)" if isinstance(values, int) else "give a tuple, range or set"
        if hasattr(values, "__next__"):
            hint = "an iterator may never end and can be read only once: make it a tuple"
        raise SpecLoadError(f"{what} is {values!r}, which is not a finite collection: {hint}")
    try:
        return ordered(values)
    except TypeError as problem:
        raise SpecLoadError(f"{what} holds a value that is not hashable: {problem}") from None


def _named(spec: object, name: str, what: str) -> object:
    known = [key for key in dir(type(spec)) if not key.startswith("_")]
    if name not in known:
        raise SpecLoadError(
            f"{what} is {name!r}, but the spec has no constant, property or method of that name{suggest(name, known)}"
        )
    value = getattr(spec, name)
    return value() if callable(value) else value


def _describe(function: Callable[..., Any]) -> str:
    code = getattr(function, "__code__", None)
    name = getattr(function, "__name__", repr(function))
    return f"{name} at {code.co_filename}:{code.co_firstlineno}" if code else name
