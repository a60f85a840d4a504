"""Named models of a folder: what `models.toml` says, and whether it came true.

One table for each model::

    [two_phase_7]
    spec = "two_phase.py:TwoPhase"       # relative to the folder
    about = "seven resource managers"
    constants = { rms = 7 }
    limits = { max_seconds = 60 }        # max_states, max_depth, max_seconds
    deadlock = false                     # default true: a state without successors is an error
    engine = "oracle"                    # default "local"
    slow = true                          # only run when asked for, by --model or --all

    [two_phase_7.expect]
    verdict = "holds"                    # the default
    distinct = 296448                    # likewise: generated, depth, property, trace (in states)

An expectation is part of the model: a changed spec cannot lose half its states, or fail by another
property than the one it is there to show, without somebody noticing.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from . import check
from .errors import ConfigError, ModelCheckError, Refused, suggest
from .loading import load
from .result import Discovery, ProgressReport, Result
from .verdict import Verdict, verdict_of_error

__all__ = [
    "FILE_NAME",
    "Expectation",
    "Model",
    "Row",
    "pick_models",
    "read_models",
    "run_model",
    "run_models",
    "why_not",
]

FILE_NAME = "models.toml"


@dataclass(frozen=True)
class Expectation:
    """What a model must answer; None where nothing was promised."""

    verdict: Verdict = Verdict.HOLDS
    property: str | None = None
    trace: int | None = None
    distinct: int | None = None
    generated: int | None = None
    depth: int | None = None


@dataclass(frozen=True)
class Model:
    """One table of a `models.toml`, valid in itself; its spec has not been loaded yet."""

    name: str
    target: str
    about: str = ""
    constants: Mapping[str, object] = field(default_factory=dict)
    limits: Mapping[str, int | float] = field(default_factory=dict)
    deadlock: bool = True
    symmetric: bool = False
    engine: str = "local"
    slow: bool = False
    expect: Expectation = field(default_factory=Expectation)


@dataclass(frozen=True)
class Row:
    """A model that was run: its result or the error that prevented one, and what was unexpected."""

    model: Model
    result: Result | None
    error: ModelCheckError | None
    why_not: tuple[str, ...]
    seconds: float

    @property
    def met(self) -> bool:
        return not self.why_not

    @property
    def verdict(self) -> Verdict:
        return _verdict(self.result, self.error)


def _verdict(result: Result | None, error: ModelCheckError | None) -> Verdict:
    if result is not None:
        return result.verdict
    assert error is not None, "there is a result or an error"
    return verdict_of_error(error)


def read_models(folder: Path) -> tuple[Model, ...]:
    """The models of a folder; ConfigError with every problem of the file if there is one."""
    from .model_file import parse_models  # reading TOML is needed for folders only

    return parse_models(folder / FILE_NAME)


def pick_models(
    models: Iterable[Model], *, only: str | None = None, include_slow: bool = False
) -> tuple[Model, ...]:
    """The models to run: the one that was named, or all but the slow ones, or really all."""
    models = tuple(models)
    if only is None:
        return tuple(model for model in models if include_slow or not model.slow)
    chosen = tuple(model for model in models if model.name == only)
    if not chosen:
        names = [model.name for model in models]
        raise ConfigError(
            f"there is no model {only!r}{suggest(only, names)}.\nModels: {', '.join(names)}"
        )
    return chosen


def run_models(models: Iterable[Model], *, progress: ProgressReport | None = None) -> Iterator[Row]:
    """Run the models one after another; each row comes as soon as it is there."""
    for model in models:
        yield run_model(model, progress=progress)


def run_model(
    model: Model,
    *,
    keep_going: bool = False,
    progress: ProgressReport | None = None,
    **options: Any,
) -> Row:
    """Check one model and compare with what was expected of it. ``options`` are those of its engine."""
    start = time.perf_counter()
    result: Result | None = None
    error: ModelCheckError | None = None
    try:
        result = _check(model, keep_going, progress, options)
    except ModelCheckError as problem:
        error = problem
    reasons = why_not(model.expect, result, error)
    return Row(model, result, error, tuple(reasons), time.perf_counter() - start)


def _check(
    model: Model, keep_going: bool, progress: ProgressReport | None, options: Mapping[str, Any]
) -> Result:
    if model.symmetric:
        raise Refused(
            f"[{model.name}] symmetric = true: this version has no symmetry reduction.\n"
            "Leave it out: the verdict is the same, with more states."
        )
    spec = load(model.target)(**model.constants)
    depth, states = model.limits.get("max_depth"), model.limits.get("max_states")
    return check(
        spec,
        engine=model.engine,
        max_states=None if states is None else int(states),
        max_depth=None if depth is None else int(depth),
        max_seconds=model.limits.get("max_seconds"),
        deadlock=model.deadlock,
        keep_going=keep_going,
        progress=progress,
        **options,
    )


def why_not(
    expect: Expectation, result: Result | None, error: ModelCheckError | None = None
) -> list[str]:
    """Every way in which an answer differs from the expectation; empty if it is as expected."""
    verdict = _verdict(result, error)
    if verdict is not expect.verdict:
        detail = _detail(result, error)
        return [
            f"expected {_word(expect.verdict)}, got {_word(verdict)}" + (detail and f": {detail}")
        ]
    if result is None:
        return []
    reasons = _unexpected_discovery(expect, result)
    for name in ("distinct", "generated", "depth"):
        wanted, got = getattr(expect, name), getattr(result, name)
        if wanted is not None and wanted != got:
            reasons.append(f"expected {name} {wanted:,}, got {got:,}")
    return reasons


def _unexpected_discovery(expect: Expectation, result: Result) -> list[str]:
    found: list[Discovery] = list(result.discoveries)
    if expect.property is not None:
        if expect.verdict is Verdict.UNREACHED:
            unmet = [name for name, depth in result.goals.items() if depth is None]
            if expect.property in unmet:
                return []
            return [f"expected goal {expect.property} not to be reached, but it was"]
        found = [d for d in found if expect.property in (d.property, d.label)]
        if not found:
            names = ", ".join(sorted({d.property for d in result.violations})) or "none"
            return [f"expected {expect.property} to fail, but it did not (found: {names})"]
    elif result.violations:
        found = list(result.violations)
    if expect.trace is None:
        return []
    lengths = sorted(len(d.trace.states) for d in found)
    if expect.trace in lengths[:1]:
        return []
    got = f"{lengths[0]}" if lengths else "no trace"
    return [f"expected a trace of {expect.trace} states, got {got}"]


def _word(verdict: Verdict) -> str:
    return verdict.name.lower()


def _detail(result: Result | None, error: ModelCheckError | None) -> str:
    """What happened instead, in one line."""
    if error is not None:
        return str(error).partition("\n")[0]
    assert result is not None
    if result.stopped:
        return result.stopped
    names = [discovery.label for discovery in result.violations]
    names += [name for name, depth in result.goals.items() if depth is None and not names]
    return ", ".join(names)
