"""What can go wrong, one class for each remedy.

Every message says what happened, where, the usual cause and the way out. The exit code of each class is in
``verdict.py``: a misuse never shares a code with a violated property.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping

__all__ = [
    "AssumptionFailed",
    "ConfigError",
    "ModelCheckError",
    "NotEnabled",
    "Refused",
    "SpecError",
    "SpecLoadError",
    "call_label",
    "suggest",
]


class ModelCheckError(Exception):
    """Base of everything that modelcheck raises on purpose."""


class SpecLoadError(ModelCheckError):
    """The spec cannot be loaded or is declared wrongly.

    1. The file has a syntax error or an import fails: mend the place that the message names.
    2. A name in an action or invariant does not exist: the message suggests the nearest one.
    3. A parameter has no domain: add it to the decorator, ``@action(i="servers")``.
    """


class ConfigError(ModelCheckError):
    """An option, a constant or a ``models.toml`` entry is wrong: nothing was run."""


class AssumptionFailed(ModelCheckError):
    """An ``@assume`` of the spec is false for these constants: nothing was run."""


class Refused(ModelCheckError):
    """The combination asked for would be unsound or is not supported: nothing was run."""


class NotEnabled(ModelCheckError):
    """A step of ``Spec.run()`` was not enabled; the message has the label of the guard that failed."""


class SpecError(ModelCheckError):
    """The spec's own code failed while it was run.

    1. It raised an exception: ``cause`` is the user's own, with the user's traceback.
    2. It put a mutable value into the state: use the Pyrsistent or frozen counterpart.
    3. It gave two answers for one question (it is impure): remove clocks, random numbers and global state.
    """

    def __init__(
        self,
        problem: str,
        *,
        where: str = "",
        params: Mapping[str, object] | None = None,
        cause: BaseException | None = None,
    ) -> None:
        super().__init__(problem)
        self.problem = problem
        self.where = where
        self.params = dict(params or {})
        self.cause = cause
        self.state: object = None

    def __str__(self) -> str:
        if not self.where:
            return self.problem
        return f"in {call_label(self.where, self.params)}: {self.problem}"


def call_label(name: str, params: Mapping[str, object]) -> str:
    """The text of a step or a bound property.

    >>> call_label("append", {"i": "s1"})
    "append(i='s1')"
    >>> call_label("crash", {})
    'crash'
    """
    if not params:
        return name
    from .values import show  # values needs this module for its own errors

    return f"{name}({', '.join(f'{key}={show(value)}' for key, value in params.items())})"


def suggest(name: str, known: Iterable[str]) -> str:
    """A hint at the nearest known name, or nothing.

    >>> suggest("leeder", ["leader", "epoch"])
    " (did you mean 'leader'?)"
    >>> suggest("zzz", ["leader", "epoch"])
    ''
    """
    near = difflib.get_close_matches(str(name), list(known), n=1)
    return f" (did you mean {near[0]!r}?)" if near else ""
