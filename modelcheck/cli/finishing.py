"""What is done with counterexamples before they are shown: calmed or shortened, and stored."""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Callable
from pathlib import Path

from ..errors import ConfigError
from ..result import Discovery, Result
from ..spec import Spec
from .output import Output

__all__ = ["calmed", "refuse_unwritable_trace", "shrunk", "write_trace"]

_BUDGET = 60  # states that may be expanded for a calmer trace: a moment, also for a heavy spec
_MOST = 3  # traces of one result that are worth it


def calmed(result: Result, spec: Spec, options: argparse.Namespace) -> Result:
    """The result with the calmest of the shortest counterexamples that were found."""
    if options.no_calm or not result.violations:
        return result
    from traces.calm import calm

    return _with(result, lambda found: calm(spec.program, found, budget=_BUDGET))


def shrunk(result: Result, spec: Spec) -> Result:
    """The result of a simulation with a counterexample as short as it could be made."""
    if not result.violations:
        return result
    from traces.calm import calm
    from traces.shrink import shrink

    def improved(found: Discovery) -> Discovery:
        return calm(spec.program, shrink(spec.program, found), budget=_BUDGET)

    return _with(result, improved)


def _with(result: Result, improve: Callable[[Discovery], Discovery]) -> Result:
    chosen = {id(found) for found in result.violations[:_MOST]}
    try:
        discoveries = tuple(
            improve(found) if id(found) in chosen else found for found in result.discoveries
        )
    except KeyboardInterrupt:
        return result  # the traces as they were found are good, too
    return dataclasses.replace(result, discoveries=discoveries)


def refuse_unwritable_trace(options: argparse.Namespace) -> None:
    """Say before the run that the file for the trace cannot be written."""
    if options.trace is None:
        return
    path = Path(options.trace)
    if path.is_dir() or not path.parent.is_dir():
        problem = "that is a folder" if path.is_dir() else f"there is no folder {path.parent}"
        raise ConfigError(f"--trace {path}: {problem}.")


def write_trace(result: Result, spec: Spec, options: argparse.Namespace, output: Output) -> None:
    """Store the first counterexample, if there is one and `--trace` asks for it."""
    if options.trace is None:
        return
    found = next((each for each in result.violations if each.trace.states), None)
    if found is None:
        output.text(f"\nThere is no counterexample: {options.trace} was not written.")
        return
    from traces.files import save_trace

    save_trace(options.trace, found, spec)
    output.text(f"\nThe counterexample is in {options.trace}: modelcheck replay {options.trace}")
