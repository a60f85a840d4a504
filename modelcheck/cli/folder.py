"""`modelcheck check FOLDER`: run the models of its `models.toml` and print a table."""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import ConfigError
from ..loading import load, parse_settings
from ..models import Model, Row, pick_models, read_models, run_model
from ..result import Progress, ProgressReport, Result
from ..verdict import Verdict
from .finishing import calmed, refuse_unwritable_trace, write_trace
from .output import Output, error_text, report_error
from .pictured import draw_result
from .progress import ProgressLine
from .spark_options import folder_spark_options, spark_options

__all__ = ["run_folder"]

_HEADER = ("model", "verdict", "distinct", "generated", "depth", "trace", "seconds", "as expected", "violated")
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
    lines = _run_all(chosen, options, output)
    for line in lines:
        for reason in line.data["why_not"]:
            output.text(f"{line.data['model']}: {reason}")
    skipped = [model.name for model in models if model not in chosen]
    if skipped:
        output.text(f"not run, because slow (--all runs them): {', '.join(skipped)}")
    drawn = [file for line in lines for file in line.data.get("pictures", ())]
    if drawn:
        output.text("pictures of what was found:\n" + "\n".join(f"  {file}" for file in drawn))
    output.data([line.data for line in lines])
    met = len(lines) == len(chosen) and all(line.data["met"] for line in lines)
    if not met:
        output.text(f"{Verdict.UNEXPECTED.name}: {Verdict.UNEXPECTED.sentence}.")
    return (Verdict.HOLDS if met else Verdict.UNEXPECTED).exit_code


class _Line(NamedTuple):
    """A row of the table as plain data, which can come from another process."""

    cells: tuple[str, ...]
    data: dict[str, Any]
    interrupted: bool


class _Task(NamedTuple):
    """A model to run, and the options of its engine."""

    model: Model
    engine_options: dict[str, Any]
    keep_going: bool
    pictures: str | None

    def run(self, progress: ProgressReport) -> _Line:
        row = run_model(self.model, keep_going=self.keep_going, progress=progress, **self.engine_options)
        return _as_line(row, self.pictures)


def _tasks(models: Sequence[Model], options: argparse.Namespace) -> list[_Task]:
    changed = [_changed(model, options) for model in models]
    on_spark = folder_spark_options(options, {model.engine for model in changed})
    return [
        _Task(model, on_spark if model.engine == "spark" else {}, options.keep_going, options.pictures)
        for model in changed
    ]


def _run_all(models: Sequence[Model], options: argparse.Namespace, output: Output) -> list[_Line]:
    lines: list[_Line] = []
    tasks = _tasks(models, options)
    width = max(len(name) for name in [_HEADER[0], *(model.name for model in models)])
    output.text(_line(_HEADER, width))
    run = _one_by_one if options.jobs == 1 else _side_by_side
    for line in run(tasks, options):
        lines.append(line)
        output.text(_line(line.cells, width))
    if any(line.interrupted for line in lines) or len(lines) < len(models):
        output.text(f"interrupted: {len(lines)} of {len(models)} models were begun")
    return lines


def _one_by_one(tasks: Sequence[_Task], options: argparse.Namespace) -> Iterator[_Line]:
    for task in tasks:
        with ProgressLine(quiet=options.quiet) as progress:
            line = task.run(progress)
        yield line
        if line.interrupted:
            return


def _side_by_side(tasks: Sequence[_Task], options: argparse.Namespace) -> Iterator[_Line]:
    """Each model in a process of its own, rows in the order of the file."""
    from .side_by_side import Ended, SideBySide

    with ProgressLine(quiet=options.quiet) as line:

        def look(under_way: Mapping[int, Progress]) -> None:
            line.show(" | ".join(f"{tasks[k].model.name}: {p.distinct:,} states" for k, p in under_way.items()))

        for task, answer in SideBySide(_Task.run, tasks, options.jobs).answers(look):
            line.clear()
            yield _ended_line(task.model, str(answer)) if isinstance(answer, Ended) else answer


def _ended_line(model: Model, how: str) -> _Line:
    from traces.data import error_data

    verdict = Verdict.INCOMPLETE
    data = error_data(verdict.name.lower(), verdict.exit_code, how)
    cells = (model.name, verdict.name, "-", "-", "-", "-", "-", "NO", "")
    return _Line(cells, {"model": model.name, "met": False, "why_not": [how], **data}, interrupted=False)


def _as_line(row: Row, pictures: str | None = None) -> _Line:
    data = _row_data(row)
    if pictures is not None and row.result is not None:
        spec = load(row.model.target)(**row.model.constants)
        data["pictures"] = list(map(str, draw_result(row.result, spec, Path(pictures), row.model.name)))
    return _Line(_cells(row), data, _interrupted(row.result))


def _run_one(model: Model, options: argparse.Namespace, output: Output) -> int:
    changed = _changed(model, options)
    with ProgressLine(quiet=options.quiet) as progress:
        row = run_model(changed, keep_going=options.keep_going, progress=progress, **spark_options(options))
    if row.error is not None:
        report_error(row.error)
    elif row.result is not None:
        spec = load(changed.target)(**changed.constants)
        row = dataclasses.replace(row, result=calmed(row.result, spec, options))
        assert row.result is not None
        output.result(row.result)
        if options.pictures is not None:
            for file in draw_result(row.result, spec, Path(options.pictures), model.name):
                output.text(f"picture: {file}")
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
    settings = parse_settings(options.settings, load(model.target)) if options.settings else {}
    return dataclasses.replace(
        model,
        constants={**model.constants, **settings},
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
        return (row.model.name, row.verdict.name, "-", "-", "-", "-", seconds, met, "")
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
        result.violations[0].label if result.violations else "",
    )


def _line(cells: Sequence[str], width: int) -> str:
    name, verdict, distinct, generated, depth, trace, seconds, met, violated = cells
    return (
        f"{name:<{width}}  {verdict:<10}  {distinct:>12}  {generated:>13}  {depth:>5}  {trace:>5}"
        f"  {seconds:>8}  {met:<11}  {violated}"
    ).rstrip()


def _row_data(row: Row) -> dict[str, Any]:
    from traces.data import error_data, result_data

    if row.result is not None:
        data = result_data(row.result)
    else:
        assert row.error is not None
        verdict = row.verdict
        data = error_data(verdict.name.lower(), verdict.exit_code, error_text(row.error))
    return {"model": row.model.name, "met": row.met, "why_not": list(row.why_not), **data}
