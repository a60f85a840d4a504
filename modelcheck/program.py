"""A spec with its constants filled in: slots, handle class, and one *bound* function per binding of its parameters.

This is the only face of a spec that searches know: other front ends may produce it too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from .declare import Disabled
from .domains import Listing, asks_for, call_with, finite, is_function
from .errors import SpecError, SpecLoadError, call_label
from .handles import Draft, Source, handle_class
from .layout import Layout
from .spec import Declared, check_names
from .values import NotFrozen, encode

if TYPE_CHECKING:
    from .spec import Spec

__all__ = ["Bound", "Program", "Successor"]


@dataclass(frozen=True)
class Bound:
    """A function of the spec with those parameters fixed whose domains do not depend on the state.

    ``open`` are the others, in order, each with its domain function.
    """

    name: str
    role: str
    function: Callable[..., Any]
    fixed: Mapping[str, Any]
    open: tuple[tuple[str, Callable[..., Any]], ...]
    order: tuple[str, ...]

    @property
    def label(self) -> str:
        return call_label(self.name, self.fixed)

    def ordered(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """The parameters in the order of the signature."""
        return {name: params[name] for name in self.order}


class Successor(NamedTuple):
    """One way an action can be taken: the binding, the slots written, the messages sent and received."""

    params: Mapping[str, Any]
    writes: dict[int, Any]
    events: list[tuple[str, str, tuple[object, ...], object]]


class Program:
    """Slots and bound functions of one spec instance; ``lists`` are the domains of its program in another process."""

    def __init__(self, spec: Spec, lists: Iterable[list[Any]] | None = None) -> None:
        declared = type(spec).__declarations__
        check_names(type(spec))
        if not declared.variables:
            raise SpecLoadError(f"{type(spec).__name__} has no variables: declare at least one, count = var(0)")
        if not declared.of("action"):
            raise SpecLoadError(f"{type(spec).__name__} has no actions: mark at least one method with @action")
        self.spec = spec
        self.domains = Listing(spec, lists)
        self.layout = Layout(spec, declared.variables.values(), self.domains)
        self.handle = handle_class(self.layout, declared.constants)
        self.inits = self._bind(declared.of("init"))
        self.action_names = [action.name for action in declared.of("action")]
        self.actions = self._bind(declared.of("action"))
        self.invariants = self._bind(declared.of("invariant"))
        self.constraints = self._bind(declared.of("constraint"))
        self.goals = self._bind(declared.of("goal"))
        self.terminals = self._bind(declared.of("terminal"))
        self.step_invariants = self._bind(declared.of("invariant", over_steps=True))
        self.step_constraints = self._bind(declared.of("constraint", over_steps=True))
        if len(declared.of("init")) > 1:
            names = ", ".join(f.name for f in declared.of("init"))
            raise SpecLoadError(f"{type(spec).__name__} has several @init functions ({names}): join them in one")

    def _bind(self, functions: list[Declared]) -> list[Bound]:
        return [bound for declared in functions for bound in self._instances(declared)]

    def _instances(self, declared: Declared, chosen: Mapping[str, Any] | None = None) -> Iterator[Bound]:
        """One bound function for each choice of the parameters whose domains do not depend on the state."""
        chosen = chosen or {}
        names = list(declared.domains)
        for name in names:
            domain = declared.domains[name]
            if name in chosen or not self._is_static(domain, chosen):
                continue
            what = f"the domain of {name!r} in {declared.name}"
            for value in self.domains.values(domain, what, chosen):
                yield from self._instances(declared, {**chosen, name: value})
            return
        fixed = {name: chosen[name] for name in names if name in chosen}
        left = ((name, declared.domains[name]) for name in names if name not in chosen)
        open_ = tuple((name, domain) for name, domain in left if callable(domain))
        yield Bound(declared.name, declared.role, declared.function, fixed, open_, tuple(names))

    def _is_static(self, domain: object, chosen: Mapping[str, Any]) -> bool:
        """Whether a domain can be listed now: it asks for nothing but the spec and parameters already chosen."""
        if not is_function(domain):
            return True
        assert callable(domain)
        return set(asks_for(domain)) <= {"self", *chosen}

    def bindings(self, bound: Bound, state: object) -> Iterable[Mapping[str, Any]]:
        """All parameters of a bound function in a state, in order; ``state`` is the handle s (None for init)."""
        if not bound.open:
            return (bound.fixed,)
        return self._extend(bound, dict(bound.fixed), 0, state)

    def _extend(self, bound: Bound, chosen: dict[str, Any], index: int, state: object) -> Iterator[dict[str, Any]]:
        if index == len(bound.open):
            yield bound.ordered(chosen)
            return
        name, domain = bound.open[index]
        available = {"self": self.spec, **chosen}
        if state is not None:
            available["s"] = state
        try:
            values = finite(call_with(domain, **available), f"the domain of {name!r}")
        except Exception as error:
            raise _spec_error(bound, chosen, error) from error
        for value in values:
            yield from self._extend(bound, {**chosen, name: value}, index + 1, state)

    def initial_rows(self) -> Iterator[tuple[Mapping[str, Any], list[Any]]]:
        """Every initial state as (parameters of @init, values of all slots)."""
        defaults = self.layout.initial
        if not self.inits:
            yield {}, list(defaults)
        for bound in self.inits:
            for params in self.bindings(bound, None):
                draft = Draft(defaults.__getitem__, self.layout.names)
                if self._call(bound, params, (self.handle(draft),)):
                    row = list(defaults)
                    for slot, value in draft.writes.items():
                        row[slot] = self.admitted(bound, params, slot, value)
                    yield params, row

    def successors(self, bound: Bound, source: Source) -> list[Successor]:
        """Every way to take a bound action from the state behind ``source``. Values are not yet admitted."""
        state = self.handle(source)
        found = []
        for params in self.bindings(bound, state):
            draft = Draft(source.read, self.layout.names)
            if self._call(bound, params, (state, self.handle(draft))):
                found.append(Successor(params, draft.writes, draft.events))
        return found

    def _call(self, bound: Bound, params: Mapping[str, Any], handles: tuple[object, ...]) -> bool:
        """Run an init or action function; False where a guard says no."""
        try:
            returned = bound.function(self.spec, *handles, **params)
        except Disabled:
            return False
        except Exception as error:
            raise _spec_error(bound, params, error) from error
        if returned is not None:
            problem = f"returned {returned!r}: an action assigns to n and returns nothing; guards are require(...)"
            raise SpecError(problem, where=bound.name, params=params)
        return True

    def failing(self, bound: Bound, *sources: Source) -> Mapping[str, Any] | None:
        """The first binding for which a predicate is false (over a state, or over both states of a step)."""
        return self._first(bound, sources, truth=False)

    def holds(self, bound: Bound, *sources: Source) -> bool:
        """Whether a predicate is true: for every binding, or for a goal for some binding."""
        if bound.role == "goal":
            return self._first(bound, sources, truth=True) is not None
        return self._first(bound, sources, truth=False) is None

    def _first(self, bound: Bound, sources: tuple[Source, ...], truth: bool) -> Mapping[str, Any] | None:
        handles = tuple(self.handle(source) for source in sources)
        for params in self.bindings(bound, handles[0]):
            try:
                answer = bound.function(self.spec, *handles, **params)
            except Disabled:
                problem = "require(...) guards actions; a property returns True or False"
                raise SpecError(problem, where=bound.name, params=params) from None
            except Exception as error:
                raise _spec_error(bound, params, error) from error
            if answer is None:
                raise SpecError("returned None: is a return missing?", where=bound.name, params=params)
            if bool(answer) is truth:
                return params
        return None

    def admitted(self, bound: Bound, params: Mapping[str, Any], slot: int, value: object) -> object:
        """The value, if it may be part of a state."""
        try:
            encode(value)
        except NotFrozen as problem:
            raise self.not_frozen(bound, params, slot, problem) from None
        return value

    def not_frozen(self, bound: Bound, params: Mapping[str, Any], slot: int, problem: NotFrozen) -> SpecError:
        """The error for a mutable value assigned to a slot."""
        text = f"n.{self.layout.names[slot]} was given a value that is not frozen: {problem}"
        return SpecError(text, where=bound.name, params=params)


def _spec_error(bound: Bound, params: Mapping[str, Any], error: Exception) -> SpecError:
    if isinstance(error, SpecError):
        return error
    return SpecError(f"{type(error).__name__}: {error}", where=bound.name, params=params, cause=error)
