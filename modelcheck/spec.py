"""``Spec``: the base class of every specification, and what is checked before anything runs."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import FunctionType
from typing import TYPE_CHECKING, Any, ClassVar

from pyrsistent import freeze

from . import statics
from .declare import MARK, MISSING, Const, Domain, Marked, Variable
from .errors import AssumptionFailed, ConfigError, SpecLoadError, suggest
from .values import show

if TYPE_CHECKING:
    from .program import Program
    from .run import Run

__all__ = ["Declarations", "Declared", "Spec"]

# The handles each role takes after self; a trailing n makes an invariant or constraint one over steps.
_HANDLES: dict[str, tuple[tuple[str, ...], ...]] = {
    "init": (("n",),),
    "action": (("s", "n"),),
    "invariant": (("s", "n"), ("s",)),
    "constraint": (("s", "n"), ("s",)),
    "goal": (("s",),),
    "terminal": (("s",),),
    "assume": ((),),
}
_ROLES_OF_HANDLES = {"self": "spec", "s": "now", "n": "next"}


@dataclass(frozen=True)
class Declared:
    """A function of the spec with its role, its handles and the domains of its parameters in order."""

    name: str
    role: str
    function: Callable[..., Any]
    handles: tuple[str, ...]
    domains: Mapping[str, Domain]

    @property
    def over_steps(self) -> bool:
        """Whether it speaks of a step (``s`` and ``n``) rather than of one state."""
        return self.role in ("invariant", "constraint") and "n" in self.handles


@dataclass
class Declarations:
    """Everything declared in a spec class and its bases."""

    constants: dict[str, Const[Any]] = field(default_factory=dict)
    variables: dict[str, Variable] = field(default_factory=dict)
    functions: list[Declared] = field(default_factory=list)
    helpers: dict[str, FunctionType] = field(default_factory=dict)
    attributes: frozenset[str] = frozenset()

    def of(self, role: str, *, over_steps: bool = False) -> list[Declared]:
        """The functions of one role."""
        return [f for f in self.functions if f.role == role and f.over_steps == over_steps]

    @cached_property
    def names(self) -> statics.Names:
        """The names that functions of this spec may use."""
        return statics.Names(frozenset(self.variables), frozenset(self.constants), self.attributes)


class Spec:
    """A specification: subclass it, declare constants, variables, actions and properties.

    >>> from modelcheck import Spec, action, check, invariant, require, var
    >>> class Counter(Spec):
    ...     count = var(0)
    ...     @action
    ...     def tick(self, s, n):
    ...         require(s.count < 3, "not yet three")
    ...         n.count = s.count + 1
    ...     @invariant
    ...     def small(self, s):
    ...         return s.count < 3
    >>> result = check(Counter())
    >>> result.verdict.name, len(result.trace().states)
    ('VIOLATED', 4)
    """

    __declarations__: ClassVar[Declarations] = Declarations()

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls.__declarations__ = _collect(cls)

    def __init__(self, **constants: object) -> None:
        declared = type(self).__declarations__
        if not declared.variables and not declared.functions:
            raise SpecLoadError(f"{type(self).__name__} declares nothing: subclass Spec and add variables and actions")
        self.__dict__.update(_constant_values(type(self), declared.constants, constants))
        for assumption in declared.of("assume"):
            if not assumption.function(self):
                given = ", ".join(f"{name}={show(value)}" for name, value in self.constants.items())
                raise AssumptionFailed(f"the assumption {assumption.name!r} is false for {given or 'these constants'}")

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(
            f"{type(self).__name__}.{name} cannot be assigned: constants are given to the constructor,"
            " and the state changes through n in an action"
        )

    @property
    def constants(self) -> dict[str, object]:
        """The constants with their values."""
        return {name: getattr(self, name) for name in type(self).__declarations__.constants}

    @cached_property
    def program(self) -> Program:
        """The spec with its constants filled in: slots and instances. Made once, on first use."""
        from .program import Program

        return Program(self)

    def run(self, **params: object) -> Run:
        """Start a run to step through in a test: ``spec.run().elect(i="s1")``.

        ``params`` choose among several initial states by the parameters of ``@init``.
        """
        from .run import Run

        return Run.start(self, params)

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={show(value)}" for name, value in self.constants.items())
        return f"{type(self).__name__}({given})"


_RESERVED = frozenset(vars(Spec)) | {"program"}
# Names of Run, where an action of that name could not be called.
_RESERVED_FOR_ACTIONS = frozenset({"enabled", "spec", "start", "state", "take", "trace", "violated", "why_not"})
# What a search discovers besides properties; an invariant of that name would hide it.
_RESERVED_FOR_PROPERTIES = frozenset({"deadlock", "error"})


def _collect(cls: type) -> Declarations:
    """The declarations of a class: bases first, an override in the place of what it overrides."""
    members: dict[str, Any] = {}
    marks: dict[str, Marked] = {}
    for base in reversed(cls.__mro__):
        if base in (object, Spec):
            continue
        for name, member in vars(base).items():
            members[name] = member
            if hasattr(member, MARK):
                marks[name] = getattr(member, MARK)
            elif name in marks and not inspect.isfunction(member):
                del marks[name]  # ``elect = None`` in a subclass takes the action out
    declared = Declarations()
    problems: list[str] = []
    for name, member in members.items():
        if isinstance(member, Const | Variable) and name in _RESERVED:
            problems.append(f"{name!r} is a name of Spec itself: choose another")
        if isinstance(member, Const):
            declared.constants[name] = member
        elif isinstance(member, Variable):
            declared.variables[name] = member
        elif name in marks:
            if marks[name].role == "action" and name in _RESERVED_FOR_ACTIONS | _RESERVED:
                problems.append(f"the action {name!r} has a name that Spec or Run needs: choose another")
            if marks[name].role in ("invariant", "goal") and name in _RESERVED_FOR_PROPERTIES:
                problems.append(f"the {marks[name].role} {name!r} has a name that results need: choose another")
            declared.functions.append(_declared(name, member, marks[name], problems))
        elif inspect.isfunction(member):
            declared.helpers[name] = member
    taken = set(declared.constants) | set(declared.variables)
    declared.attributes = frozenset(members) - taken | (frozenset(dir(Spec)) - taken)
    if problems:
        raise SpecLoadError(f"{cls.__name__} is declared wrongly:\n" + "\n".join(f"  {p}" for p in problems))
    return declared


def _declared(name: str, function: Any, mark: Marked, problems: list[str]) -> Declared:
    params = list(inspect.signature(function).parameters)
    where = f"{name} ({_place(function)})"
    expected = _HANDLES[mark.role]
    handles = next((h for h in expected if tuple(params[1 : 1 + len(h)]) == h), None)
    if handles is None or params[:1] != ["self"]:
        form = ", ".join(("self", *expected[0], "..."))
        problems.append(f"{where}: @{mark.role} needs the parameters ({form}), has ({', '.join(params)})")
        return Declared(name, mark.role, function, (), {})
    rest = params[1 + len(handles) :]
    for param in rest:
        if param not in mark.domains:
            hint = suggest(param, mark.domains)
            problems.append(f"{where}: parameter {param!r} has no domain{hint}: @{mark.role}({param}=...)")
    for param in mark.domains:
        if param not in rest:
            problems.append(f"{where}: domain given for {param!r}, which is not a parameter{suggest(param, rest)}")
    domains = {param: mark.domains[param] for param in rest if param in mark.domains}
    return Declared(name, mark.role, function, handles, domains)


def _place(function: Any) -> str:
    code = inspect.unwrap(function).__code__
    return f"{code.co_filename}:{code.co_firstlineno}"


def check_names(cls: type[Spec]) -> None:
    """Refuse a class whose functions use names that do not exist, or read clocks and dice."""
    declared = cls.__declarations__
    found: list[str] = []
    functions = [(f.function, ("self", *f.handles), False) for f in declared.functions]
    domains = [domain for f in declared.functions for domain in f.domains.values() if inspect.isfunction(domain)]
    # A helper may be a generator (a domain, say); NOTE(handle-names): its s and n are taken for states.
    for helper in (*declared.helpers.values(), *domains):
        functions.append((helper, tuple(inspect.signature(helper).parameters), True))
    for function, params, may_yield in functions:
        handles = {p: _ROLES_OF_HANDLES[p] for p in params if p in _ROLES_OF_HANDLES}
        for problem in statics.problems(function, declared.names, handles, may_yield=may_yield):
            found.append(f"  {problem.file}:{problem.line}: {problem.message}")
    if found:
        raise SpecLoadError(f"{cls.__name__} cannot be run:\n" + "\n".join(dict.fromkeys(found)))


def _constant_values(
    cls: type, declared: Mapping[str, Const[Any]], given: Mapping[str, object]
) -> dict[str, object]:
    values: dict[str, object] = {}
    for name in given:
        if name not in declared:
            known = ", ".join(declared) or "none"
            raise ConfigError(
                f"{cls.__name__} has no constant {name!r}{suggest(name, declared)}; its constants are: {known}"
            )
    for name, constant in declared.items():
        if name not in given and constant.default is MISSING:
            raise ConfigError(f"{cls.__name__} needs a value for the constant {name!r}: {cls.__name__}({name}=...)")
        value = _frozen(given.get(name, constant.default))
        if name in given:
            _check_type(cls, name, value, constant.default)
        if constant.check is not None and not constant.check(value):
            raise ConfigError(f"{show(value)} is not allowed for the constant {name!r} of {cls.__name__}")
        values[name] = value
    return values


def _frozen(value: object) -> object:
    # TOML and the command line give lists: a constant becomes its frozen counterpart once and for all.
    if isinstance(value, list):
        return tuple(_frozen(item) for item in value)
    if isinstance(value, set):
        return frozenset(value)
    return freeze(value) if isinstance(value, dict) else value


def _check_type(cls: type, name: str, value: object, default: object) -> None:
    kinds: dict[type, tuple[type, ...]] = {bool: (bool,), int: (int,), str: (str,)}
    sequence = (tuple, range, frozenset)
    wanted = kinds.get(type(default)) or (sequence if isinstance(default, sequence) else None)
    if wanted is None:
        return
    if not isinstance(value, wanted) or (wanted == (int,) and isinstance(value, bool)):
        kind = "a collection" if wanted is sequence else f"of type {wanted[0].__name__}"
        raise ConfigError(
            f"the constant {name!r} of {cls.__name__} is {kind} (default {show(default)}), but {show(value)} was given"
        )
