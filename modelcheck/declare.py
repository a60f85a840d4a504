"""The words of the language: constants, variables, and functions marked as actions or properties.

Nothing here runs a spec. A declaration only remembers what the author wrote; ``spec.py`` collects the declarations of
a class and ``program.py`` turns them into slots and instances.

NOTE(typed-fiction): inside an action ``s`` and ``n`` are annotated ``Self``, as if they were specs. At run time they
are handles (``handles.py``); the descriptors below exist so that mypy and editors know the type of ``s.log[i]``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Generic, Literal, NoReturn, TypeVar, overload

from .errors import SpecLoadError

if TYPE_CHECKING:
    from .handles import ChannelView, PerView, SubsetView

__all__ = [
    "Channel",
    "Const",
    "Disabled",
    "Marked",
    "Per",
    "Subset",
    "Var",
    "Variable",
    "action",
    "assume",
    "channel",
    "const",
    "constraint",
    "goal",
    "init",
    "invariant",
    "per",
    "require",
    "subset",
    "terminal",
    "var",
]

T = TypeVar("T")
K = TypeVar("K")
V = TypeVar("V")
F = TypeVar("F", bound=Callable[..., object])
Domain = str | Iterable[Any] | Callable[..., Iterable[Any]]
ChannelKind = Literal["fifo", "bag", "set"]

MISSING: Any = object()
MARK = "__modelcheck__"


class Disabled(Exception):
    """Raised by ``require``: the action is not enabled here. ``label`` names the guard."""

    def __init__(self, label: str = "") -> None:
        super().__init__(label)
        self.label = label


def require(condition: object, label: str = "") -> None:
    """A guard: the action is enabled only where the condition is true.

    The label answers "why is this action not enabled here?".

    >>> require(1 < 2, "one is less than two")
    """
    if not condition:
        raise Disabled(label)


class Const(Generic[T]):
    """A constant of the spec; its value lives on ``self``."""

    def __init__(self, default: T, check: Callable[[T], object] | None) -> None:
        self.default = default
        self.check = check
        self.name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, obj: None, owner: type) -> Const[T]: ...
    @overload
    def __get__(self, obj: object, owner: type) -> T: ...
    def __get__(self, obj: object, owner: type) -> Const[T] | T:
        # On an instance the value in its __dict__ wins over this non-data descriptor.
        return self


class Variable:
    """A declared variable. Reading it on the spec itself is a mistake, and says so."""

    kind = "variable"
    keyed = False

    def __init__(self) -> None:
        self.name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def misplaced(self) -> NoReturn:
        raise AttributeError(
            f"{self.name!r} is a variable: read it as s.{self.name} and assign it as n.{self.name}"
            " (only constants live on self)"
        )


class Var(Variable, Generic[T]):
    """A variable that is one slot."""

    kind = "var"

    def __init__(self, initial: object) -> None:
        super().__init__()
        self.initial = initial

    @overload
    def __get__(self, obj: None, owner: type) -> Var[T]: ...
    @overload
    def __get__(self, obj: object, owner: type) -> T: ...
    def __get__(self, obj: object, owner: type) -> Var[T] | T:
        return self if obj is None else self.misplaced()

    def __set__(self, obj: object, value: T) -> None:
        self.misplaced()


class Per(Variable, Generic[K, V]):
    """A variable with one slot for each key of a finite domain."""

    kind = "per"
    keyed = True

    def __init__(self, domain: Domain, initial: object) -> None:
        super().__init__()
        self.domain = domain
        self.initial = initial

    @overload
    def __get__(self, obj: None, owner: type) -> Per[K, V]: ...
    @overload
    def __get__(self, obj: object, owner: type) -> PerView[K, V]: ...
    def __get__(self, obj: object, owner: type) -> Per[K, V] | PerView[K, V]:
        return self if obj is None else self.misplaced()

    def __set__(self, obj: object, value: Mapping[K, V]) -> None:
        self.misplaced()


class Subset(Variable, Generic[K]):
    """A set over a finite universe, with one bit-slot for each element."""

    kind = "subset"
    keyed = True

    def __init__(self, domain: Domain, initial: object) -> None:
        super().__init__()
        self.domain = domain
        self.initial = initial

    @overload
    def __get__(self, obj: None, owner: type) -> Subset[K]: ...
    @overload
    def __get__(self, obj: object, owner: type) -> SubsetView[K]: ...
    def __get__(self, obj: object, owner: type) -> Subset[K] | SubsetView[K]:
        return self if obj is None else self.misplaced()

    def __set__(self, obj: object, value: Iterable[K]) -> None:
        self.misplaced()


class Channel(Variable, Generic[K, V]):
    """A message channel: sends and receives are visible to the engine, so traces can be drawn from them."""

    kind = "channel"

    def __init__(self, domains: tuple[Domain, ...], order: ChannelKind) -> None:
        super().__init__()
        self.domains = domains
        self.order: ChannelKind = order

    @property
    def keyed(self) -> bool:  # type: ignore[override]
        return bool(self.domains)

    @overload
    def __get__(self, obj: None, owner: type) -> Channel[K, V]: ...
    @overload
    def __get__(self, obj: object, owner: type) -> ChannelView[K, V]: ...
    def __get__(self, obj: object, owner: type) -> Channel[K, V] | ChannelView[K, V]:
        return self if obj is None else self.misplaced()


@overload
def const() -> Const[Any]: ...
@overload
def const(default: T, *, check: Callable[[T], object] | None = None) -> Const[T]: ...
def const(default: Any = MISSING, *, check: Callable[[Any], object] | None = None) -> Const[Any]:
    """A constant, set by keyword: ``Spec(name=value)``, or ``--set name=value`` on the command line.

    Without a default it must be given. ``check`` is a condition on its value.
    """
    return Const(default, check)


def var(initial: T | Callable[..., T]) -> Var[T]:
    """A variable of one slot. ``initial`` is a value, or a function of the spec: ``var(lambda self: self.size)``."""
    return Var(initial)


def per(domain: Domain, initial: V | Callable[..., V]) -> Per[Any, V]:
    """A variable with one slot per key; ``initial`` is a value or a function of ``key`` and, if it asks, ``self``."""
    return Per(domain, initial)


def subset(universe: Domain, initial: Iterable[Any] | Callable[..., Iterable[Any]] = ()) -> Subset[Any]:
    """A set over a finite universe, one bit per element; ``initial`` is the elements present at first."""
    return Subset(universe, initial)


def channel(*domains: Domain, kind: ChannelKind = "fifo") -> Channel[Any, Any]:
    """Message channels, one for each combination of keys: ``channel("servers", "servers")`` from, to.

    ``fifo`` keeps order, ``bag`` counts copies without order, ``set`` forgets copies.
    """
    if kind not in ("fifo", "bag", "set"):
        raise SpecLoadError(f"channel kind {kind!r} is unknown: choose 'fifo', 'bag' or 'set'")
    return Channel(domains, kind)


class Marked:
    """What a decorator remembers of a function: its role and the domains of its parameters."""

    def __init__(self, role: str, domains: Mapping[str, Domain]) -> None:
        self.role = role
        self.domains = dict(domains)


def _marker(role: str, function: F | None, domains: Mapping[str, Domain]) -> Any:
    def mark(target: F) -> F:
        if not callable(target) or isinstance(target, type):
            raise SpecLoadError(f"@{role} marks a function, not {target!r}; domains go by keyword: @{role}(i=...)")
        setattr(target, MARK, Marked(role, domains))
        return target

    return mark if function is None else mark(function)


@overload
def init(function: F, /) -> F: ...
@overload
def init(**domains: Domain) -> Callable[[F], F]: ...
def init(function: Any = None, /, **domains: Domain) -> Any:
    """Marks ``f(self, n, ...)`` as the initial states: one for each binding of its parameters that it allows."""
    return _marker("init", function, domains)


@overload
def action(function: F, /) -> F: ...
@overload
def action(**domains: Domain) -> Callable[[F], F]: ...
def action(function: Any = None, /, **domains: Domain) -> Any:
    """Marks ``f(self, s, n, ...)`` as an action. A domain is the name of a constant, property or method of the spec, a
    finite collection, or a function of the state and of earlier parameters: ``m=lambda s, i: s.inbox[i]``."""
    return _marker("action", function, domains)


@overload
def invariant(function: F, /) -> F: ...
@overload
def invariant(**domains: Domain) -> Callable[[F], F]: ...
def invariant(function: Any = None, /, **domains: Domain) -> Any:
    """Marks ``f(self, s, ...)`` as true in every state, or ``f(self, s, n, ...)`` as true of every step."""
    return _marker("invariant", function, domains)


@overload
def constraint(function: F, /) -> F: ...
@overload
def constraint(**domains: Domain) -> Callable[[F], F]: ...
def constraint(function: Any = None, /, **domains: Domain) -> Any:
    """Marks ``f(self, s, ...)`` or ``f(self, s, n, ...)``: only states, or steps, where it is true are followed."""
    return _marker("constraint", function, domains)


@overload
def goal(function: F, /) -> F: ...
@overload
def goal(**domains: Domain) -> Callable[[F], F]: ...
def goal(function: Any = None, /, **domains: Domain) -> Any:
    """Marks ``f(self, s, ...)`` as something that must be possible: the run fails if no state makes it true."""
    return _marker("goal", function, domains)


def terminal(function: F, /) -> F:
    """Marks ``f(self, s)``: where it is true, having no successor is no deadlock."""
    marked: F = _marker("terminal", function, {})
    return marked


def assume(function: F, /) -> F:
    """Marks ``f(self)`` as a condition on the constants, checked before anything runs."""
    marked: F = _marker("assume", function, {})
    return marked
