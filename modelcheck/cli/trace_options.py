"""Grammar and help of the commands about traces in files, and of options that write them."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from ..verdict import Verdict

__all__ = ["ADD_OPTIONS", "COMMANDS", "WITH_OWN_TARGET", "add_calm_option", "add_trace_option"]

_PARTED = Verdict.UNEXPECTED.exit_code

_REPLAY = f"""\
Take the steps of a stored trace again, on the spec that it came from as it is now, with other
constants, or on another spec, and say where the two part: which step is not possible and by which
guard, or how the state that it leads to differs.

The exit code is 0 if every step leads to the same state and the same property fails at the end,
{_PARTED} if not.

FILE is a trace of `check --trace`, or an ITF file of another tool (then with --spec).

examples
  modelcheck replay bug.json
  modelcheck replay bug.json --set "fixes=('cut-on-snap',)"
  modelcheck replay bug.json --spec specs/zookeeper --model bug_002"""

_COMPARE = f"""\
Check two variants of a spec, and walk the shortest counterexample of a under b: where it stops
being possible, or where a step has another outcome. --page writes the same as one HTML file, which
needs no network: every step and state under a and under b, and the guard or the outcome that parts them.

The exit code is that of b's verdict: 0 if b holds. It is {_PARTED} if a has no counterexample.

examples
  modelcheck compare specs/toys/philosophers.py --a fix=none --b fix=ordered
  modelcheck compare specs/toys/philosophers.py --a fix=none --b fix=waiter --page both.html
  modelcheck compare specs/toys/peterson.py --a turn_first=True --b turn_first=False --json -"""

_PYTEST_CASE = f"""\
Print a pytest function that takes the steps of a stored trace and asserts the violation: a
regression test for the author of the spec. The trace is replayed first; the exit code is {_PARTED},
and nothing is printed, if it does not replay.

examples
  modelcheck pytest-case bug.json > tests/test_bug.py
  modelcheck pytest-case bug.json --markdown          the same as `modelcheck report bug.json`"""

_REPORT = """\
Print a Markdown report of a stored trace, ready for an issue tracker: what fails and why, the
constants, every step with what it changes, and how to see it again. Variables and keys that the
violation does not depend on are left out.

examples
  modelcheck report bug.json
  modelcheck report bug.json --all                    every variable"""

COMMANDS = {
    "replay": ("take the steps of a stored trace again", _REPLAY),
    "compare": ("walk a counterexample of one variant under another", _COMPARE),
    "pytest-case": ("a stored trace as a pytest function", _PYTEST_CASE),
    "report": ("a stored trace as a Markdown report", _REPORT),
}

# These take a file with a trace where other commands take a spec.
WITH_OWN_TARGET = frozenset({"replay", "pytest-case", "report"})


def add_trace_option(parser: argparse._ArgumentGroup) -> None:
    """`--trace` of `check` and `simulate`."""
    parser.add_argument(
        "--trace",
        metavar="FILE",
        help="write the first counterexample as JSON; in the Informal Trace Format if the name"
        " ends in .itf.json",
    )


def add_calm_option(parser: argparse.ArgumentParser) -> None:
    """`--no-calm` of `check`."""
    parser.add_argument(
        "--no-calm",
        action="store_true",
        help="keep the counterexample found first; otherwise one of the same length with fewer"
        " crashes, nodes and switches between nodes is looked for",
    )


def _add_file(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="a trace: JSON or ITF")
    parser.add_argument(
        "--spec", metavar="TARGET", help="another spec than the one that the file names"
    )


def _add_replay_options(parser: argparse.ArgumentParser) -> None:
    _add_file(parser)
    parser.add_argument("--model", metavar="NAME", help="constants of a model in models.toml")
    parser.add_argument(
        "--set",
        dest="settings",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="another value for a constant of the trace; may be repeated",
    )
    parser.add_argument(
        "--json", metavar="FILE", help="write the answer as data; - for standard output"
    )


def _add_compare_options(parser: argparse.ArgumentParser) -> None:
    for letter, what in (("a", "the variant with the bug"), ("b", "the variant without it")):
        parser.add_argument(
            f"--{letter}",
            metavar="NAME=VALUE",
            action="append",
            default=[],
            help=f"a constant of {letter}, {what}; may be repeated",
        )
    parser.add_argument(
        "--page", metavar="FILE", help="also write both side by side as one HTML file to click through"
    )


def _add_pytest_case_options(parser: argparse.ArgumentParser) -> None:
    _add_file(parser)
    parser.add_argument("--markdown", action="store_true", help="a Markdown report instead")


def _add_report_options(parser: argparse.ArgumentParser) -> None:
    _add_file(parser)
    parser.add_argument(
        "--all", action="store_true", help="show also the variables that nothing here depends on"
    )


ADD_OPTIONS: dict[str, Callable[[argparse.ArgumentParser], None]] = {
    "replay": _add_replay_options,
    "compare": _add_compare_options,
    "pytest-case": _add_pytest_case_options,
    "report": _add_report_options,
}
