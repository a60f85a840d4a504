"""The options of the commands that draw, and what their `--help` teaches."""

from __future__ import annotations

import argparse

__all__ = ["COMMANDS", "add_draw_options", "add_graph_options", "add_page_options"]

_SUBJECT = """\
TARGET is a spec (file.py, file.py:Class, module:Class, or a folder with --model), which is checked for its
counterexample, or a trace in a JSON file, as `modelcheck check --trace FILE` writes it."""

COMMANDS = {
    "draw": (
        "draw a counterexample",
        f"""\
Draw the counterexample: a space-time diagram (one lane for each node, time downward, messages as
arrows), or the states with what changed in each. The dot source is always written; the other formats
need Graphviz.

{_SUBJECT}

examples
  modelcheck draw specs/zookeeper/episodes.py
  modelcheck draw trace.json --kind states --format svg,pdf -o pictures""",
    ),
    "graph": (
        "draw all states of a small model",
        f"""\
Draw the graph of all reachable states, or with --around those of the counterexample and all their
successors. Colours tell initial, violating and deadlocked states. More states than can be looked at are
refused.

{_SUBJECT}

examples
  modelcheck graph specs/toys/die_hard.py
  modelcheck graph specs/zookeeper/episodes.py --around --max-states 400""",
    ),
    "page": (
        "make an HTML page of a counterexample",
        f"""\
Write one HTML file, which needs no network: the diagram, every state with what changed, why actions are
not possible, and your own expressions along the way.

{_SUBJECT}

examples
  modelcheck page specs/toys/die_hard.py -o die_hard.html --expr "s.big + s.small"
  modelcheck page trace.json""",
    ),
}


def add_draw_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--kind", choices=("spacetime", "states"), default="spacetime", help="which picture (spacetime)"
    )
    _add_files(parser)
    _add_search(parser)


def add_graph_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--around", action="store_true", help="only the counterexample and what can follow")
    parser.add_argument(
        "--max-states", metavar="N", type=int, default=200, help="refuse to draw more than N states (200)"
    )
    _add_files(parser)
    _add_search(parser)


def add_page_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-o", "--output", metavar="FILE", help="the page (the name of the spec, .html)")
    parser.add_argument(
        "--expr",
        metavar="TEXT",
        action="append",
        default=[],
        help="a Python expression over s, evaluated in every state; may be repeated",
    )
    _add_search(parser)


def _add_files(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--format", metavar="LIST", default="svg", help="svg, pdf, png, dot; several with commas (svg)"
    )
    parser.add_argument("-o", "--output", metavar="FOLDER", default=".", help="where to write (here)")


def _add_search(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--max-seconds", metavar="S", type=float, help="stop the search after S seconds")
    parser.add_argument(
        "--no-deadlock", action="store_true", help="a state without successors is fine everywhere"
    )
    parser.add_argument(
        "--no-calm", action="store_true", help="the first of the shortest counterexamples, not the calmest"
    )
    parser.add_argument("--quiet", action="store_true", help="no progress")
