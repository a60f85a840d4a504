"""`modelcheck check FOLDER`: run the models of its `models.toml` and print a table."""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..errors import ConfigError
from ..loading import load, parse_settings
from ..models import Model, Row, pick_models, read_models, run_model
from ..result import Result
from ..verdict import Verdict
from .finishing import calmed, refuse_unwritable_trace, write_trace
from .output import Output, error_text, report_error
from .progress import ProgressLine

__all__ = ["run_folder"]

_HEADER = ("model", "verdict", "distinct", "generated", "depth", "trace", "seconds", "as expected")
_LIMITS = ("max_states", "max_depth", "max_seconds")


def run_folder(options: argparse.Namespace) -> int:
    """Run all models, or the one that was named; the exit code."""
    output = Output(options)
    models = read_models(Path(options.target))
    refuse_unwritable_trace(options)
    if options.model is not None:
        return _run_one(pick_models(models, only=options.model)[0], options, output)
    if options.settings:
        raise ConfigError("--set changes one model: say which one with --model.")
    if options.trace is not None:
        raise ConfigError("--trace writes one counterexample: say of which model with --model.")
    chosen = pick_models(models, include_slow=options.all)
    rows = _run_all(chosen, options, output)
    for row in rows:
        for reason in row.why_not:
            output.text(f"{row.model.name}: {reason}")
    skipped = [model.name for model in models if model not in chosen]
    if skipped:
        output.text(f"not run, because slow (--all runs them): {', '.join(skipped)}")
    output.data([_row_data(row) for row in rows])
    met = len(rows) == len(chosen) and all(row.met for row in rows)
    if not met:
        output.text(f"{Verdict.UNEXPECTED.name}: {Verdict.UNEXPECTED.sentence}.")
    return (Verdict.HOLDS if met else Verdict.UNEXPECTED).exit_code


def _run_all(models: Sequence[Model], options: argparse.Namespace, output: Output) -> list[Row]:
    rows: list[Row] = []
    width = max(len(name) for name in [_HEADER[0], *(model.name for model in models)])
    output.text(_line(_HEADER, width))
    for model in models:
        with ProgressLine(quiet=options.quiet) as progress:
            changed = _changed(model, options)
            rows.append(run_model(changed, keep_going=options.keep_going, progress=progress))
        output.text(_line(_cells(rows[-1]), width))
        if _interrupted(rows[-1].result):
            output.text("interrupted: the models after this one were not run")
            break
    return rows


def _run_one(model: Model, options: argparse.Namespace, output: Output) -> int:
    changed = _changed(model, options)
    with ProgressLine(quiet=options.quiet) as progress:
        row = run_model(changed, keep_going=options.keep_going, progress=progress)
    if row.error is not None:
        report_error(row.error)
    elif row.result is not None:
        spec = load(changed.target)(**changed.constants)
        row = dataclasses.replace(row, result=calmed(row.result, spec, options))
        assert row.result is not None
        output.result(row.result)
        write_trace(row.result, spec, options, output)
    judged = dataclasses.replace(changed, engine=model.engine) == model and not options.keep_going
    output.data(_row_data(row))
    if not judged:
        output.text("\nThe options change the model, so what its file expects was not compared.")
        return row.verdict.exit_code
    if row.met:
        output.text(f"\nAs {model.name} in models.toml expects.")
        return Verdict.HOLDS.exit_code
    output.text(f"\n{Verdict.UNEXPECTED.name}: {Verdict.UNEXPECTED.sentence}.")
    for reason in row.why_not:
        output.text(f"  {reason}")
    return Verdict.UNEXPECTED.exit_code


def _changed(model: Model, options: argparse.Namespace) -> Model:
    """The model with the options of the command line, which win."""
    limits = {
        name: getattr(options, name) for name in _LIMITS if getattr(options, name) is not None
    }
    return dataclasses.replace(
        model,
        constants={**model.constants, **parse_settings(options.settings)},
        limits={**model.limits, **limits},
        engine=options.engine or model.engine,
        deadlock=model.deadlock and not options.no_deadlock,
    )


def _interrupted(result: Result | None) -> bool:
    return result is not None and (result.stopped or "").startswith("interrupted")


def _cells(row: Row) -> tuple[str, ...]:
    seconds = f"{row.seconds:.2f}"
    met = "yes" if row.met else "NO"
    if row.result is None:
        return (row.model.name, row.verdict.name, "-", "-", "-", "-", seconds, met)
    result = row.result
    lengths = [len(discovery.trace.states) for discovery in result.violations]
    return (
        row.model.name,
        result.verdict.name,
        f"{result.distinct:,}",
        f"{result.generated:,}",
        f"{result.depth:,}",
        f"{min(lengths):,}" if lengths else "-",
        seconds,
        met,
    )


def _line(cells: Sequence[str], width: int) -> str:
    name, verdict, distinct, generated, depth, trace, seconds, met = cells
    return (
        f"{name:<{width}}  {verdict:<10}  {distinct:>12}  {generated:>13}  {depth:>5}  {trace:>5}"
        f"  {seconds:>8}  {met}"
    )


def _row_data(row: Row) -> dict[str, Any]:
    from traces.data import error_data, result_data

    if row.result is not None:
        data = result_data(row.result)
    else:
        assert row.error is not None
        verdict = row.verdict
        data = error_data(verdict.name.lower(), verdict.exit_code, error_text(row.error))
    return {"model": row.model.name, "met": row.met, "why_not": list(row.why_not), **data}
