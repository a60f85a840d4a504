"""Side by side: the counterexample of one variant of a spec, walked under another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from modelcheck.result import Discovery, Result
from modelcheck.spec import Spec
from modelcheck.values import show

from .data import discovery_data, mapping_data, trace_data
from .replay import Replay, replay
from .replay_text import render_replay, replay_data
from .safe import visible
from .text import clip

if TYPE_CHECKING:
    from .page import Page

__all__ = ["Comparison", "compare", "comparison_data", "comparison_page", "render_comparison"]


@dataclass(frozen=True)
class Comparison:
    """Two results, and the first counterexample of `a` walked under `b` (None if `a` has none)."""

    a: Result
    b: Result
    found: Discovery | None
    walk: Replay | None


def compare(a: Result, b: Result, spec_b: Spec, found: Discovery | None = None) -> Comparison:
    """Walk a counterexample of `a`, the shortest unless one is given, under the other spec."""
    found = found or next((each for each in a.violations if each.trace.states), None)
    walk = replay(spec_b.program, found) if found is not None else None
    return Comparison(a, b, found, walk)


def render_comparison(comparison: Comparison) -> str:
    """Both verdicts, then the walk."""
    a, b = comparison.a, comparison.b
    names = _differing(a, b)
    lines = [*_result_lines("a", a, names), *_result_lines("b", b, names)]
    if comparison.walk is None:
        return "\n".join([*lines, "", "a has no counterexample: there is nothing to walk under b."])
    lines += ["", "The counterexample of a, step by step under b (differences: a -> b):"]
    return "\n".join([*lines, render_replay(comparison.walk)])


def _differing(a: Result, b: Result) -> list[str]:
    names = dict.fromkeys([*a.constants, *b.constants])
    return [name for name in names if a.constants.get(name) != b.constants.get(name)]


def _result_lines(letter: str, result: Result, names: list[str]) -> Iterator[str]:
    given = ", ".join(f"{name}={show(result.constants.get(name))}" for name in names)
    yield f"{letter}: {clip(visible(f'{result.spec}({given})'))}: {result.verdict.name}"
    for found in result.violations:
        steps = len(found.trace.states) - 1
        fails = "" if found.kind == "deadlock" else " fails"
        yield f"   {clip(visible(found.label))}{fails} after {steps} steps"
    if result.stopped:
        yield f"   {result.stopped}"
    yield f"   {result.distinct:,} distinct states, depth {result.depth}"


def comparison_page(comparison: Comparison, spec_a: Spec, spec_b: Spec) -> Page | None:
    """Both side by side as a page to click through; None if there is nothing to walk."""
    from .page import Versus, build_page  # only where a page is asked for

    a, b, found = comparison.a, comparison.b, comparison.found
    if found is None or comparison.walk is None:
        return None
    names = _differing(a, b)
    told_a, told_b = (tuple(map(str.strip, _result_lines(*each, names))) for each in (("a", a), ("b", b)))
    return build_page(found, spec_a, versus=Versus(comparison.walk, spec_b, told_a, told_b, tuple(names)))


def comparison_data(comparison: Comparison) -> dict[str, Any]:
    """The same as data: verdicts, the counterexample, and the walk with its own trace."""
    walk = comparison.walk
    return {
        "a": _result_data(comparison.a),
        "b": _result_data(comparison.b),
        "differing": _differing(comparison.a, comparison.b),
        "counterexample": discovery_data(comparison.found) if comparison.found else None,
        "walk": replay_data(walk) if walk else None,
        "trace_under_b": trace_data(walk.trace) if walk and walk.trace else None,
    }


def _result_data(result: Result) -> dict[str, Any]:
    return {
        "spec": result.spec,
        "constants": mapping_data(result.constants),
        "verdict": result.verdict.name.lower(),
        "exit_code": result.verdict.exit_code,
        "distinct": result.distinct,
        "violations": [found.label for found in result.violations],
        "stopped": result.stopped,
    }
