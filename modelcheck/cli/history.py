"""`modelcheck history`: the levels of a search on Spark."""

from __future__ import annotations

import argparse

__all__ = ["run"]


def run(options: argparse.Namespace) -> int:
    """Print the table; the exit code."""
    from spark.history import read_history, render_history

    print(render_history(read_history(options.file)))
    return 0
