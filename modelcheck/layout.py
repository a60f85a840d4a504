"""Slots: how the variables of a spec become a row.

A plain variable is one slot; a ``per`` variable one slot per key; a subset one bit per element; a channel one slot per
combination of its keys. A *state* is the same information as a Pyrsistent record, for people.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from pyrsistent import PRecord, field, pbag, pmap, pset, pvector

from .declare import Channel, Per, Subset, Var, Variable
from .domains import Listing, call_with
from .errors import SpecLoadError
from .values import NotFrozen, encode, show

__all__ = ["Layout", "State", "VariableLayout"]

# A state outside the engine: a Pyrsistent record with one field for each variable.
State: TypeAlias = "PRecord[Any]"

_EMPTY = {"fifo": pvector(), "bag": pbag([]), "set": pset()}


@dataclass(frozen=True)
class VariableLayout:
    """One variable: its slots by key (``None`` for a variable of one slot)."""

    name: str
    kind: str
    slots: Mapping[Any, int]
    order: str = ""
    arity: int = 0

    @property
    def viewed(self) -> bool:
        """Whether a handle shows it through a view rather than as its bare value."""
        return self.kind != "var"

    @property
    def keyed(self) -> bool:
        return None not in self.slots or len(self.slots) != 1

    def gather(self, values: Sequence[Any]) -> Any:
        """The variable's value in a state record, from the values of all slots."""
        if self.kind == "subset":
            return pset([key for key, slot in self.slots.items() if values[slot]])
        if not self.keyed:
            return values[self.slots[None]]
        return pmap({key: values[slot] for key, slot in self.slots.items()})


class Layout:
    """All slots of a spec with given constants."""

    def __init__(self, spec: object, variables: Iterable[Variable], domains: Listing) -> None:
        self.title = type(spec).__name__
        self.variables: dict[str, VariableLayout] = {}
        self.names: list[str] = []
        self.identities: list[bytes] = []  # unlike names, never the same for two slots: fingerprints hang on them
        self.initial: list[Any] = []
        for variable in variables:
            self._add(spec, variable, domains)
        record: dict[str, Any] = {name: field() for name in self.variables}
        self.state_class: type[State] = type(f"{self.title}State", (PRecord,), record)

    def __len__(self) -> int:
        return len(self.names)

    def _add(self, spec: object, variable: Variable, domains: Listing) -> None:
        keys, values = _keys_and_values(spec, variable, domains)
        first = len(self.names)
        for key, value in zip(keys, values, strict=True):
            name = variable.name if key is None else f"{variable.name}[{_key_text(key)}]"
            self.names.append(name)
            self.identities.append(encode((variable.name, key)))
            self.initial.append(_admitted(name, value))
        self.variables[variable.name] = VariableLayout(
            name=variable.name,
            kind=variable.kind,
            slots={key: first + offset for offset, key in enumerate(keys)},
            order=variable.order if isinstance(variable, Channel) else "",
            arity=len(variable.domains) if isinstance(variable, Channel) else 0,
        )

    def state(self, values: Sequence[Any]) -> State:
        """The Pyrsistent record of a row of values."""
        return self.state_class(**{name: v.gather(values) for name, v in self.variables.items()})

    def values(self, state: State) -> list[Any]:
        """The row of values of a state record."""
        row: list[Any] = [None] * len(self.names)
        for name, variable in self.variables.items():
            whole = state[name]
            for key, slot in variable.slots.items():
                if variable.kind == "subset":
                    row[slot] = key in whole
                else:
                    row[slot] = whole[key] if variable.keyed else whole
        return row


def _key_text(key: object) -> str:
    if isinstance(key, tuple) and not hasattr(key, "_fields"):
        return ",".join(map(_key_text, key))
    return key if isinstance(key, str) else show(key)


def _admitted(name: str, value: object) -> object:
    try:
        encode(value)
    except NotFrozen as problem:
        raise SpecLoadError(f"the initial value of {name} cannot be part of a state: {problem}") from None
    return value


def _keys_and_values(spec: object, variable: Variable, domains: Listing) -> tuple[list[Any], list[Any]]:
    if isinstance(variable, Var):
        initial = variable.initial
        return [None], [call_with(initial, self=spec) if callable(initial) else initial]
    if isinstance(variable, Per):
        keys = _domain(domains, variable, variable.domain)
        initial = variable.initial
        if callable(initial):
            return keys, [call_with(initial, self=spec, key=key) for key in keys]
        return keys, [initial] * len(keys)
    if isinstance(variable, Subset):
        keys = _domain(domains, variable, variable.domain)
        chosen: Any = variable.initial
        present = set(call_with(chosen, self=spec) if callable(chosen) else chosen)
        if not present <= set(keys):
            odd = next(iter(present - set(keys)))
            raise SpecLoadError(f"the initial value of {variable.name} holds {show(odd)}, not in its universe")
        return keys, [key in present for key in keys]
    assert isinstance(variable, Channel)
    empty = _EMPTY[variable.order]
    parts = [_domain(domains, variable, domain) for domain in variable.domains]
    keys = [combo[0] if len(combo) == 1 else combo if combo else None for combo in itertools.product(*parts)]
    return keys, [empty] * len(keys)


def _domain(domains: Listing, variable: Variable, domain: object) -> list[Any]:
    keys = domains.values(domain, f"the domain of {variable.name}")
    for key in keys:
        try:
            encode(key)
        except NotFrozen as problem:
            raise SpecLoadError(f"the domain of {variable.name} holds what cannot be a key: {problem}") from None
    if None in keys:
        raise SpecLoadError(f"the domain of {variable.name} holds None, which cannot be a key")
    return keys
