"""The grammar of the command line, the dispatch to commands, and what happens when they fail."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from ..errors import ConfigError, ModelCheckError, suggest
from ..verdict import Verdict, verdict_of_error
from . import help_texts, picture_options, spark_options, trace_options
from .output import report_error

__all__ = ["entry", "main"]

INTERNAL_ERROR = 70  # EX_SOFTWARE of sysexits.h: the checker itself is wrong


def entry() -> NoReturn:
    """What the installed `modelcheck` command calls."""
    sys.exit(main())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and give its exit code; see `modelcheck --help` for the codes."""
    try:
        options = parse(arguments)
        if options.command is None:
            build_parser().print_help(sys.stderr)
            return Verdict.CONFIG.exit_code
        command = importlib.import_module(f".{options.command.replace('-', '_')}", __package__)
        code: int = command.run(options)
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        # The reader of our output has gone (`| head`): nobody is left to tell.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return Verdict.INCOMPLETE.exit_code
    except _Usage as problem:
        report_error(problem)
        return Verdict.CONFIG.exit_code
    except ModelCheckError as error:
        report_error(error, getattr(options, "json", None))
        return verdict_of_error(error).exit_code
    except KeyboardInterrupt:
        print("INCOMPLETE: interrupted before there was a result.", file=sys.stderr)
        return Verdict.INCOMPLETE.exit_code
    except MemoryError:
        print(help_texts.OUT_OF_MEMORY, file=sys.stderr)
        return Verdict.INCOMPLETE.exit_code
    except Exception:
        return _internal_error()


def _internal_error() -> int:
    import traceback

    traceback.print_exc()
    print(help_texts.INTERNAL_ERROR, file=sys.stderr)
    return INTERNAL_ERROR


class _Usage(ConfigError):
    """A command line that does not fit the grammar."""


class _Parser(argparse.ArgumentParser):
    """Reports misuse by an exception: argparse would exit with 2, which no verdict of ours has."""

    def error(self, message: str) -> NoReturn:
        raise _Usage(f"{message}\n{self.format_usage()}Help: {self.prog} --help")


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The options; misuse raises, with the nearest option where one is misspelt."""
    options, unknown = build_parser().parse_known_args(arguments)
    if unknown:
        known = [f"--{name.replace('_', '-')}" for name in vars(options) if name != "target"]
        known = ["--set" if name == "--settings" else name for name in known]
        word = unknown[0].partition("=")[0]
        raise _Usage(
            f"modelcheck {options.command} does not know {unknown[0]!r}{suggest(word, known)}\n"
            f"Help: modelcheck {options.command} --help"
        )
    return options


def build_parser() -> argparse.ArgumentParser:
    """The whole grammar."""
    parser = _Parser(
        prog="modelcheck",
        description=help_texts.MAIN,
        epilog=help_texts.main_epilog(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"modelcheck {_version()}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    for name, (summary, text) in help_texts.COMMANDS.items():
        command = commands.add_parser(
            name,
            help=summary,
            description=text,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,  # a shortened option would change its meaning when another is added
        )
        if name not in (*trace_options.WITH_OWN_TARGET, *spark_options.COMMANDS):
            _add_target(command)
        _ADD_OPTIONS[name](command)
    return parser


def _version() -> str:
    from .. import __version__

    return __version__


def _add_target(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "target", metavar="TARGET", help="file.py, file.py:Class, module:Class or folder"
    )
    parser.add_argument("--model", metavar="NAME", help="one model of a folder's models.toml")
    parser.add_argument(
        "--set",
        dest="settings",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="set a constant: a Python literal, or bare words (era=3.8, fixes=a,b); may be repeated",
    )


def _add_check_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--all", action="store_true", help="folder: run the slow models too")
    parser.add_argument(
        "--jobs", metavar="N", type=_count, default=1, help="folder: models run side by side (1)"
    )
    parser.add_argument(
        "--pictures", metavar="FOLDER", help="draw what was found: an SVG file for each counterexample"
    )
    parser.add_argument(
        "--keep-going",
        action="store_true",
        help="search on after a violation, for further properties",
    )
    trace_options.add_calm_option(parser)
    _add_engine_options(parser)
    spark_options.add_spark_options(parser)
    trace_options.add_trace_option(_add_output_options(parser))


def _add_compare_options(parser: argparse.ArgumentParser) -> None:
    trace_options.ADD_OPTIONS["compare"](parser)
    trace_options.add_calm_option(parser)
    _add_engine_options(parser)
    _add_output_options(parser)


def _add_engine_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--engine",
        metavar="NAME",
        choices=("local", "oracle", "spark"),
        help="local (default): the fast one; oracle: a plain, slow search to compare with; spark: on a cluster",
    )
    limits = parser.add_argument_group("limits (reaching one gives the verdict INCOMPLETE)")
    limits.add_argument(
        "--max-states", metavar="N", type=_count, help="stop after N distinct states"
    )
    limits.add_argument(
        "--max-depth", metavar="N", type=_count, help="do not go deeper than N states"
    )
    _add_time_and_deadlock(parser, limits)


def _add_time_and_deadlock(
    parser: argparse.ArgumentParser, limits: argparse._ArgumentGroup
) -> None:
    limits.add_argument("--max-seconds", metavar="S", type=_duration, help="stop after S seconds")
    parser.add_argument(
        "--no-deadlock",
        action="store_true",
        help="a state without successors is fine everywhere (@terminal says where, more precisely)",
    )


def _add_output_options(parser: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    output = parser.add_argument_group("output")
    output.add_argument(
        "--json", metavar="FILE", help="write the result as data; - for standard output"
    )
    output.add_argument("--quiet", action="store_true", help="no progress")
    return output


def _add_simulate_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--runs", metavar="N", type=_count, default=100, help="behaviours (100)")
    parser.add_argument(
        "--depth", metavar="N", type=_count, default=100, help="states in each (100)"
    )
    parser.add_argument("--seed", metavar="N", type=int, default=0, help="same seed, same runs (0)")
    parser.add_argument(
        "--no-shrink", action="store_true", help="show a counterexample as long as it was found"
    )
    _add_time_and_deadlock(parser, parser.add_argument_group("limits"))
    trace_options.add_trace_option(_add_output_options(parser))


def _add_profile_options(parser: argparse.ArgumentParser) -> None:
    _add_engine_options(parser)
    parser.add_argument("--quiet", action="store_true", help="no progress")


def _add_show_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--slots", action="store_true", help="slots read and written, for every binding"
    )


_ADD_OPTIONS = {
    "check": _add_check_options,
    "simulate": _add_simulate_options,
    "profile": _add_profile_options,
    "show": _add_show_options,
    "draw": picture_options.add_draw_options,
    "graph": picture_options.add_graph_options,
    "page": picture_options.add_page_options,
    **trace_options.ADD_OPTIONS,
    "compare": _add_compare_options,
    "history": spark_options.add_history_options,
}


def _count(text: str) -> int:
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number <= 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number above 0")
    return number


def _duration(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds above 0")
    return number
