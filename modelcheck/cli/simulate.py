"""`modelcheck simulate`: random behaviours."""

from __future__ import annotations

import argparse

from .finishing import refuse_unwritable_trace, shrunk, write_trace
from .output import Output
from .progress import ProgressLine
from .targets import chosen_spec

__all__ = ["run"]


def run(options: argparse.Namespace) -> int:
    """Simulate and print; the exit code."""
    from .. import simulate

    refuse_unwritable_trace(options)
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
    found = [len(each.trace) for each in result.violations]
    if not options.no_shrink:
        result = shrunk(result, chosen.spec)
    output.result(result)
    left = [len(each.trace) for each in result.violations]
    if left != found:
        output.text(
            f"\nThe counterexample was shortened from {found[0]} to {left[0]} states"
            " (--no-shrink shows it as it was found)."
        )
    write_trace(result, chosen.spec, options, output)
    if output.json:
        from traces.data import result_data

        output.data({**result_data(result), "seed": options.seed, "found_length": [*found, None][0]})
    return result.verdict.exit_code
