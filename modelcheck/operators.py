"""``@operator``: a pure helper over frozen values, remembered."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from .errors import call_label

__all__ = ["operator"]

F = TypeVar("F", bound=Callable[..., Any])

_MOST_REMEMBERED = 1 << 20


def operator(function: F) -> F:
    """Mark a pure helper over frozen values: it is evaluated once for each combination of arguments.

    >>> @operator
    ... def majority(members: frozenset[str], of: int) -> bool:
    ...     return 2 * len(members) > of
    >>> majority(frozenset({"a", "b"}), 3)
    True
    """
    remembered: dict[Any, Any] = {}

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        # Values of two types may be equal (an empty frozenset and an empty pset); what is made of them may not.
        key = (*map(type, args), *args)
        if kwargs:
            named = sorted(kwargs.items())
            key += tuple((name, type(value), value) for name, value in named)
        try:
            return remembered[key]
        except KeyError:
            pass
        except TypeError:
            raise TypeError(_unhashable(function, args, kwargs)) from None
        if len(remembered) >= _MOST_REMEMBERED:
            remembered.clear()
        answer = remembered[key] = function(*args, **kwargs)
        return answer

    return call  # type: ignore[return-value]


def _unhashable(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    from .handles import is_handle

    if any(is_handle(value) for value in (*args, *kwargs.values())):
        return (
            f"the operator {function.__name__} was given a handle or a view: it remembers values, so pass values"
            " (s.log[i], not s or s.log), or drop @operator"
        )
    return f"the operator {call_label(function.__name__, {})} was given a value that is not frozen"
