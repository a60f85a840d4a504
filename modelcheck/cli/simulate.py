"""`modelcheck simulate`: random behaviours."""

from __future__ import annotations

import argparse

from .output import Output
from .progress import ProgressLine
from .targets import chosen_spec

__all__ = ["run"]


def run(options: argparse.Namespace) -> int:
    """Simulate and print; the exit code."""
    from .. import simulate

    output = Output(options)
    chosen = chosen_spec(options)
    with ProgressLine(quiet=options.quiet) as progress:
        result = simulate(
            chosen.spec,
            runs=options.runs,
            depth=options.depth,
            seed=options.seed,
            max_seconds=options.max_seconds,
            deadlock=chosen.deadlock,
            progress=progress,
        )
    output.result(result)
    if output.json:
        from traces.data import result_data

        output.data({**result_data(result), "seed": options.seed})
    return result.verdict.exit_code
