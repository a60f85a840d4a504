"""Running one generated spec through the oracle and the fast engine at all its speeds, and comparing the answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from modelcheck.engine import search as engine
from modelcheck.engine.search import Search
from modelcheck.limits import Limits
from modelcheck.oracle import Oracle
from modelcheck.plain import StateSource, moves
from modelcheck.program import Program
from modelcheck.result import Discovery, Progress, Result
from tests.strategies import Case

__all__ = ["ROW_BY_ROW", "SPEEDS", "Disagreement", "agree", "agree_within", "answer_of", "oracle", "replay"]

NEVER = 1e9
# More states than this, and the search is cut at the depth that the oracle has completed: the suite must stay quick.
MOST_STATES = 160


class Disagreement(AssertionError):
    """Two engines gave different answers to one question."""


@contextmanager
def tiny_blocks() -> Iterator[None]:
    """Blocks of one row, so that every boundary between blocks is crossed."""
    tiny = {"_PAIRS_INTERPRETED": 1, "_PAIRS_COMPILED": 1, "_STEPS_AT_ONCE": 2, "_INITIAL_AT_ONCE": 1}
    with patch.multiple(engine, **tiny):
        yield


def _search(case: Case, limits: Limits, seconds_interpreted: float) -> Result:
    return Search(
        case.spec().program,
        limits,
        deadlock=case.deadlock,
        keep_going=case.keep_going,
        seconds_interpreted=seconds_interpreted,
    ).run()


def interpreted(case: Case, limits: Limits) -> Result:
    return _search(case, limits, NEVER)


def compiled(case: Case, limits: Limits) -> Result:
    return _search(case, limits, 0)


def switching(case: Case, limits: Limits) -> Result:
    """Compiled from the third block on, with blocks of one row."""
    blocks = 0

    def count(progress: Progress) -> None:
        nonlocal blocks
        blocks += 1
        if blocks == 3:
            search.seconds_interpreted = 0

    search = Search(
        case.spec().program,
        limits,
        deadlock=case.deadlock,
        keep_going=case.keep_going,
        progress=count,
        seconds_interpreted=NEVER,
    )
    with tiny_blocks():
        return search.run()


def tiny_interpreted(case: Case, limits: Limits) -> Result:
    with tiny_blocks():
        return interpreted(case, limits)


def tiny_compiled(case: Case, limits: Limits) -> Result:
    with tiny_blocks():
        return compiled(case, limits)


SPEEDS: tuple[Callable[[Case, Limits], Result], ...] = (
    interpreted,
    compiled,
    switching,
    tiny_interpreted,
    tiny_compiled,
)


ROW_BY_ROW = (tiny_interpreted, tiny_compiled)


def oracle(case: Case) -> tuple[Result, Limits]:
    """The oracle's answer, and the limits with which it was given."""
    limits = Limits(max_states=MOST_STATES, max_depth=case.max_depth)
    result = Oracle(case.spec().program, limits, case.deadlock, case.keep_going).run()
    if not result.stopped or "--max-states" not in result.stopped:
        return result, Limits(max_depth=case.max_depth)
    limits = Limits(max_depth=max(result.complete_depth, 1))
    return Oracle(case.spec().program, limits, case.deadlock, case.keep_going).run(), limits


def answer_of(result: Result) -> dict[str, object]:
    """All that engines must agree on. Which of several actions found a state first is not part of it."""
    actions = {a.name: (a.enabled, a.taken) for a in result.coverage.actions}
    return {
        "verdict": result.verdict.name,
        "distinct": result.distinct,
        "generated": result.generated,
        "depth": result.depth,
        "complete depth": result.complete_depth,
        "queue": result.queue,
        "stopped": result.stopped,
        "discoveries": sorted((d.kind, d.property, len(d.trace)) for d in result.discoveries),
        "goals": dict(result.goals),
        "enabled and taken": actions,
        "new": sum(a.new for a in result.coverage.actions),
    }


def agree(case: Case, speeds: tuple[Callable[[Case, Limits], Result], ...] = SPEEDS) -> Result:
    """The oracle's result, after every speed of the fast engine gave the same one with traces that replay."""
    expected, limits = oracle(case)
    for speed in speeds:
        result = speed(case, limits)
        _compare(speed.__name__, answer_of(expected), answer_of(result))
        for discovery in result.discoveries:
            if discovery.kind != "error":
                replay(case, discovery)
    return expected


def agree_within(case: Case, max_states: int) -> Result:
    """With a limit on states the engines stop at the same one, where the fast engine goes row by row."""
    limits = Limits(max_states=max_states, max_depth=case.max_depth)
    expected = Oracle(case.spec().program, limits, case.deadlock, case.keep_going).run()
    wanted = answer_of(expected)
    del wanted["queue"]  # the oracle does not look at what is left of the level it was in
    for speed in ROW_BY_ROW:
        _compare(speed.__name__, wanted, answer_of(speed(case, limits)))
    return expected


def _compare(speed: str, wanted: dict[str, object], given: dict[str, object]) -> None:
    different = [f"  {key}: {wanted[key]} / {given[key]}" for key in wanted if wanted[key] != given[key]]
    if different:
        raise Disagreement(f"oracle / {speed}:\n" + "\n".join(different))


def replay(case: Case, discovery: Discovery) -> None:
    """Take every step of a trace by hand in a fresh instance; its end must show what was discovered."""
    spec = case.spec()
    first, *steps = discovery.trace.steps
    run = spec.run(**first.params)
    for step, state in zip(steps, discovery.trace.states[1:], strict=True):
        run = run.take(step.action, dict(step.params))
        _claim(run.state == state, f"{step.label} leads elsewhere in the trace of {discovery.label}")
    if discovery.kind in ("invariant", "step invariant"):
        _claim((discovery.property, dict(discovery.params)) in run.violated(), f"{discovery.label} is not violated")
    else:
        _claim(_shown(spec.program, discovery, run.state), f"no {discovery.kind} at the end of the trace")


def _shown(program: Program, discovery: Discovery, state: Any) -> bool:
    source = StateSource(program, state)
    if discovery.kind == "goal":
        bounds = [b for b in program.goals if b.name == discovery.property and b.fixed == discovery.params]
        return any(program.holds(bound, source) for bound in bounds)
    fine = any(program.holds(bound, source) for bound in program.terminals)
    return discovery.kind == "deadlock" and not fine and not list(moves(program, state))


def _claim(condition: bool, text: str) -> None:
    if not condition:
        raise Disagreement(text)
