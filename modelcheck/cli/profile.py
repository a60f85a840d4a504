"""`modelcheck profile`: how the engine fared on a spec, and what to change."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from pyrsistent import PBag, PMap, PSet, PVector

from ..program import Program
from ..result import ActionCoverage, Result
from .progress import ProgressLine
from .targets import chosen_spec

__all__ = ["advice", "profile_lines", "run"]

_SHOWN_SLOTS = 10
_MANY_VALUES = 1_000
_FEW_HITS = 5  # look-ups for each evaluation, below which learning hardly pays
_WORTH_A_WORD = 1_000  # evaluations below this cost nothing that anyone would notice


def run(options: argparse.Namespace) -> int:
    """Check, then print the profile instead of the trace; the exit code is that of the check."""
    from traces.report import headline

    from .. import check

    chosen = chosen_spec(options)
    with ProgressLine(quiet=options.quiet) as progress:
        result = check(
            chosen.spec,
            engine=options.engine or "local",
            max_states=options.max_states,
            max_depth=options.max_depth,
            max_seconds=options.max_seconds,
            deadlock=chosen.deadlock,
            progress=progress,
        )
    print(headline(result.verdict))
    print("\n".join(profile_lines(result, chosen.spec.program)))
    return result.verdict.exit_code


def profile_lines(result: Result, program: Program) -> Iterator[str]:
    """The profile: rates, actions, slots, advice."""
    rate = result.distinct / max(result.seconds, 1e-9)
    yield (
        f"{result.distinct:,} distinct states, {result.generated:,} generated,"
        f" depth {result.depth}, {result.seconds:.2f} s, {rate:,.0f} distinct states/s"
    )
    yield from _action_table(result.coverage.actions)
    yield from _slot_table(result)
    yield "\nAdvice"
    for line in list(advice(result, program)) or ["nothing stands out"]:
        yield f"  {line}"


def _action_table(actions: tuple[ActionCoverage, ...]) -> Iterator[str]:
    width = max([len(action.name) for action in actions] + [len("action")])
    columns = ("enabled", "taken", "new", "evaluations", "look-ups", "per evaluation")
    yield f"\n{'action':<{width}}" + "".join(f"  {column:>14}" for column in columns)
    for action in sorted(actions, key=lambda action: -action.evaluations):
        counts = (action.enabled, action.taken, action.new, action.evaluations, action.lookups)
        hits = f"{action.lookups / action.evaluations:,.1f}" if action.evaluations else "-"
        yield f"{action.name:<{width}}" + "".join(f"  {n:>14,}" for n in counts) + f"  {hits:>14}"


def _slot_table(result: Result) -> Iterator[str]:
    values = sorted(result.coverage.values.items(), key=lambda item: -item[1])
    if values:
        yield "\nslots with most values"
        width = max(len(name) for name, _ in values[:_SHOWN_SLOTS])
        for name, count in values[:_SHOWN_SLOTS]:
            yield f"  {name:<{width}}  {count:>12,}"


def advice(result: Result, program: Program) -> Iterator[str]:
    """What would make the spec faster to check, or looks like a mistake in it."""
    for action in result.coverage.actions:
        hits = action.lookups / max(action.evaluations, 1)
        if action.evaluations >= _WORTH_A_WORD and hits < _FEW_HITS:
            yield (
                f"{action.name} is evaluated once for every {hits:.1f}"
                " look-ups: it reads slots with many values; read fewer of them, or split them"
            )
    for name, count in sorted(result.coverage.values.items(), key=lambda item: -item[1]):
        if count >= _MANY_VALUES:
            yield from _slot_advice(name, count, program)
    if result.coverage.never_enabled:
        yield f"never enabled: {', '.join(result.coverage.never_enabled)}"
    for variable in _constant_variables(result, program):
        yield f"{variable} never changes: make it a constant, or look why nothing assigns it"


def _slot_advice(slot: str, count: int, program: Program) -> Iterator[str]:
    initial = dict(zip(program.layout.names, program.layout.initial, strict=True)).get(slot)
    variable = program.layout.variables.get(slot)
    text = f"{slot} has {count:,} values"
    if variable is not None and variable.kind == "channel":
        yield f'{text} and is one slot: declare it per pair, channel("senders", "receivers")'
    elif isinstance(initial, frozenset | PSet) and variable is not None:
        yield f'{text}: if its universe is finite, declare subset("universe"), a bit each'
    elif isinstance(initial, PMap) and variable is not None:
        yield f'{text}: if its keys are known, declare per("keys", ...), one slot for each key'
    elif isinstance(initial, PVector | PBag | tuple):
        yield f"{text}: does the property need the whole history? Bound it, or keep less"
    elif isinstance(initial, int):
        yield f"{text}: does this counter need to grow so far? A constraint can bound it"


def _constant_variables(result: Result, program: Program) -> Iterator[str]:
    values = result.coverage.values
    if not values or result.distinct < 2:
        return
    for name, variable in program.layout.variables.items():
        slots = [program.layout.names[slot] for slot in variable.slots.values()]
        if all(values.get(slot, 1) <= 1 for slot in slots):
            yield name
