"""The options of `--engine spark`."""

from __future__ import annotations

import argparse
from collections.abc import Collection
from typing import Any

from ..errors import ConfigError

__all__ = ["COMMANDS", "add_history_options", "add_spark_options", "folder_spark_options", "spark_options"]

_OF_ONE_SEARCH = ("checkpoint", "resume", "history", "export")
_NAMES = ("master", "partitions", "wide", "cut_every", *_OF_ONE_SEARCH)

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


def folder_spark_options(options: argparse.Namespace, engines: Collection[str]) -> dict[str, Any]:
    """Those that were given for the models of a folder that run on Spark; what cannot be is refused before any runs."""
    given = spark_options(options)
    for name in _OF_ONE_SEARCH:
        if name in given:
            raise ConfigError(f"--{name} is about one search: say of which model with --model.")
    if not given:
        return {}
    if "spark" not in engines:
        raise ConfigError(f"the engine {min(engines, default='local')!r} has no option {next(iter(given))!r}")
    _refuse_in_vain(given)
    return given


def _refuse_in_vain(given: dict[str, Any]) -> None:
    """What every model would be refused for is said once."""
    from spark.options import options_from
    from spark.session import require_master

    options_from(given)
    if "master" in given:
        require_master(given["master"])
