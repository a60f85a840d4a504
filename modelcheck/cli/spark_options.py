"""The options of `--engine spark`."""

from __future__ import annotations

import argparse
from typing import Any

__all__ = ["COMMANDS", "add_history_options", "add_spark_options", "spark_options"]

_NAMES = ("master", "partitions", "wide", "checkpoint", "cut_every", "resume", "history", "export")

_HISTORY = """\
Print the levels of a search on Spark, as a table with a bar for the width of each level.

examples
  modelcheck check specs/classics/two_phase.py --set rms=9 --engine spark --history levels.parquet
  modelcheck history levels.parquet"""

COMMANDS = {"history": ("print the levels of a search on Spark", _HISTORY)}


def add_history_options(parser: argparse.ArgumentParser) -> None:
    """The grammar of `modelcheck history`."""
    parser.add_argument("file", metavar="FILE", help="what `check --engine spark --history FILE` wrote")


def add_spark_options(parser: argparse.ArgumentParser) -> None:
    """Add them; None stands for an option that was not given, so that other engines can refuse it."""
    group = parser.add_argument_group("with --engine spark")
    group.add_argument(
        "--master", metavar="URL", help="local[*] (default), local[2], spark://host:7077, yarn, k8s://..."
    )
    group.add_argument(
        "--partitions", metavar="N", type=int, help="parts of the state space (default: one for each core)"
    )
    group.add_argument(
        "--wide", metavar="N", type=int, help="levels of fewer states are explored by the driver (default: 200000)"
    )
    group.add_argument("--checkpoint", metavar="DIR", help="save the search there, now and then")
    group.add_argument(
        "--cut-every", metavar="N", type=int, help="cut the lineage, and save, every N levels on the cluster (8)"
    )
    group.add_argument(
        "--resume", action="store_true", default=None, help="go on with the search saved in --checkpoint DIR"
    )
    group.add_argument("--history", metavar="FILE", help="write a table of the levels (Parquet)")
    group.add_argument("--export", metavar="DIR", help="write states, edges and levels there, as Parquet files")


def spark_options(options: argparse.Namespace) -> dict[str, Any]:
    """Those that were given."""
    return {name: value for name in _NAMES if (value := getattr(options, name, None)) is not None}
