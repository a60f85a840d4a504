"""`modelcheck show`: what a spec declares, and who reads and writes what."""

from __future__ import annotations

import argparse
import inspect
from collections.abc import Iterable, Iterator

from ..access import Access, access
from ..domains import asks_for
from ..observed import Observed, observe
from ..program import Bound, Program
from ..spec import Declared, Spec
from ..values import show
from .targets import chosen_spec

__all__ = ["describe_spec", "run"]

_ROLES = {"self": "spec", "s": "now", "n": "next"}
_WIDTH = 100


def run(options: argparse.Namespace) -> int:
    """Print the description; nothing is checked, so nothing but a misuse can fail."""
    spec = chosen_spec(options).spec
    print("\n".join(describe_spec(spec, every_binding=options.slots)))
    return 0


def describe_spec(spec: Spec, *, every_binding: bool = False) -> Iterator[str]:
    """The lines that describe a spec with its constants."""
    program = spec.program
    yield _title(spec)
    yield from _constants(spec)
    yield from _variables(program)
    yield from _actions(spec, every_binding)
    for title, bounds in (
        ("Invariants", program.invariants),
        ("Step invariants", program.step_invariants),
        ("Constraints", [*program.constraints, *program.step_constraints]),
        ("Goals", program.goals),
        ("Where stopping is fine", program.terminals),
    ):
        yield from _properties(spec, title, bounds)


def _title(spec: Spec) -> str:
    text = (type(spec).__doc__ or "").strip().partition("\n")[0]
    return f"{type(spec).__name__}: {text}" if text else type(spec).__name__


def _constants(spec: Spec) -> Iterator[str]:
    if spec.constants:
        yield "\nConstants"
        for name, value in spec.constants.items():
            yield f"  {name} = {_clip(show(value), _WIDTH)}"


def _variables(program: Program) -> Iterator[str]:
    layout = program.layout
    yield f"\nVariables: {len(layout.variables)}, in {_number(len(layout.names), 'slot')}"
    width = max(map(len, layout.variables))
    for name, variable in layout.variables.items():
        kind = f"{variable.kind} {variable.order}".strip()
        slots = [layout.names[slot] for slot in variable.slots.values()]
        names = f": {_listed(slots)}" if slots != [name] else ""
        yield f"  {name:<{width}}  {kind:<12}  {_number(len(slots), 'slot')}{names}"


def _actions(spec: Spec, every_binding: bool) -> Iterator[str]:
    program = spec.program
    sample = observe(program)
    states = f"all {sample.states:,}" if sample.complete else f"the first {sample.states:,}"
    yield f"\nActions (variables by their text; slots as seen in {states} states)"
    by_name: dict[str, list[Observed]] = {}
    for observed in sample.actions:
        by_name.setdefault(observed.bound.name, []).append(observed)
    for declared in type(spec).__declarations__.of("action"):
        bindings = by_name.get(declared.name, [])
        yield f"  {_signature(declared, len(bindings))}"
        may = _access_of(spec, declared)
        yield f"      reads {_names(may.reads, program)}; writes {_names(may.writes, program)}"
        if may.escapes:
            yield "      (a state goes to code that cannot be followed: it may touch any variable)"
        # One binding tells what they all do; one that was enabled shows its writes as well.
        examples = bindings if every_binding else [_most_telling(bindings)] if bindings else []
        for observed in examples:
            yield f"      {observed.bound.label}: {_slots(observed, program)}"


def _most_telling(bindings: list[Observed]) -> Observed:
    return max(bindings, key=lambda observed: (len(observed.writes), len(observed.reads)))


def _slots(observed: Observed, program: Program) -> str:
    reads = _listed(_folded(observed.reads, program))
    if not observed.enabled:
        return f"slots read {reads}; never enabled in these states"
    return f"slots read {reads}; written {_listed(_folded(observed.writes, program))}"


def _folded(slots: set[int], program: Program) -> list[str]:
    """Names of slots; a variable of many slots that is there as a whole is one name."""
    names: list[str] = []
    for name, variable in program.layout.variables.items():
        own = list(variable.slots.values())
        if len(own) > 3 and slots.issuperset(own):
            names.append(f"{name}[*]")
        else:
            names += [program.layout.names[slot] for slot in own if slot in slots]
    return names


def _properties(spec: Spec, title: str, bounds: Iterable[Bound]) -> Iterator[str]:
    counts: dict[str, int] = {}
    for bound in bounds:
        counts[bound.name] = counts.get(bound.name, 0) + 1
    if not counts:
        return
    yield f"\n{title}"
    declared = {function.name: function for function in type(spec).__declarations__.functions}
    for name, count in counts.items():
        may = _access_of(spec, declared[name])
        reads = "any variable" if may.escapes else _names(may.reads, spec.program)
        yield f"  {_signature(declared[name], count)}: reads {reads}"


def _access_of(spec: Spec, function: Declared) -> Access:
    """What a function and the domains of its parameters may touch."""
    declared = type(spec).__declarations__
    parts = [(function.function, ("self", *function.handles))]
    parts += [
        (domain, asks_for(domain)) for domain in function.domains.values() if callable(domain)
    ]
    found = []
    for part, params in parts:
        handles = {name: _ROLES[name] for name in params if name in _ROLES}
        found.append(access(part, declared.names, handles, declared.helpers))
    return Access(
        reads=frozenset().union(*(each.reads for each in found)),
        writes=frozenset().union(*(each.writes for each in found)),
        escapes=any(each.escapes for each in found),
    )


def _signature(function: Declared, bindings: int) -> str:
    params = [f"{name} in {_domain(domain)}" for name, domain in function.domains.items()]
    count = f"   ({_number(bindings, 'binding')})" if bindings != 1 else ""
    return f"{function.name}({', '.join(params)}){count}" if params else function.name


def _domain(domain: object) -> str:
    if isinstance(domain, str):
        return domain
    if inspect.isfunction(domain):
        return "a function of the state"
    return _clip(show(domain), 40)


def _names(variables: frozenset[str], program: Program) -> str:
    return _listed([name for name in program.layout.variables if name in variables])


def _listed(names: list[str]) -> str:
    if not names:
        return "nothing"
    text = ", ".join(names)
    shown = len(names)
    while len(text) > _WIDTH and shown > 1:
        shown -= 1
        text = f"{', '.join(names[:shown])} and {len(names) - shown:,} more"
    return text


def _clip(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[: limit - 4]} ..."


def _number(count: int, noun: str) -> str:
    return f"{count:,} {noun}" + ("" if count == 1 else "s")
