"""`modelcheck check`: one spec, or all models of a folder."""

from __future__ import annotations

import argparse
from pathlib import Path

from .finishing import calmed, refuse_unwritable_trace, write_trace
from .output import Output
from .pictured import draw_result, file_name
from .progress import ProgressLine
from .spark_options import spark_options
from .targets import chosen_spec, is_folder

__all__ = ["run"]


def run(options: argparse.Namespace) -> int:
    """Check and print; the exit code."""
    if is_folder(options):
        from .folder import run_folder

        return run_folder(options)
    from .. import check

    refuse_unwritable_trace(options)
    output = Output(options)
    chosen = chosen_spec(options)
    with ProgressLine(quiet=options.quiet) as progress:
        result = check(
            chosen.spec,
            engine=options.engine or "local",
            max_states=options.max_states,
            max_depth=options.max_depth,
            max_seconds=options.max_seconds,
            deadlock=chosen.deadlock,
            keep_going=options.keep_going,
            progress=progress,
            **spark_options(options),
        )
    result = calmed(result, chosen.spec, options)
    output.result(result)
    write_trace(result, chosen.spec, options, output)
    if options.pictures is not None:
        for file in draw_result(result, chosen.spec, Path(options.pictures), file_name(options)):
            output.text(f"picture: {file}")
    if output.json:
        from traces.data import result_data

        output.data(result_data(result))
    return result.verdict.exit_code
