"""Compare the learning engine with the plain search where learning pays least: few hits each."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from compare import Counts, ModelCheck, ToolFailed

ENGINES = ("local", "oracle")
CASES: dict[str, tuple[str, dict[str, int]]] = {
    "coffee can 100": ("specs/toys/coffee_can.py", {"max_beans": 100}),
    "reading heavy": ("benchmarks/reading_heavy.py", {}),
    "two-phase commit 5": ("specs/classics/two_phase.py", {"rms": 5}),
}


@dataclass(frozen=True)
class Search:
    """One engine's fastest search: without the start of Python, which both engines pay alike."""

    seconds: float
    answer: Counts


def search(engine: str, target: str, constants: dict[str, int]) -> Search:
    said: dict[str, Any] = ModelCheck("--engine", engine).ask(target, constants)[1]
    if str(said["verdict"]).lower() != "holds":
        raise ToolFailed(f"{target}: the {engine} engine says {said['verdict']}")
    return Search(said["seconds"], Counts(said["distinct"], said["generated"], said["depth"]))


ROW = "{:<20} {:>10} {:>10} {:>9} {:>9} {:>8}"


def compare(name: str, repeat: int) -> bool:
    """Print the row of one case; return whether the engines agree."""
    target, constants = CASES[name]
    best: dict[str, Search] = {}
    for _ in range(repeat):
        for engine in ENGINES:
            found = search(engine, target, constants)
            if engine not in best or found.seconds < best[engine].seconds:
                best[engine] = found
    local, oracle = (best[engine] for engine in ENGINES)
    print(ROW.format(name, f"{local.answer.distinct:,}", f"{local.answer.generated:,}",
                     f"{local.seconds:.2f}", f"{oracle.seconds:.2f}",
                     f"{oracle.seconds / local.seconds:.1f}x"), flush=True)
    if local.answer != oracle.answer:
        print(f"COUNTS DIFFER: local {local.answer}; oracle {oracle.answer}", file=sys.stderr)
    return local.answer == oracle.answer


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the comparison; 0 when the engines agree everywhere."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=3, metavar="N",
                        help="runs of each engine, of which the fastest counts")
    repeat = max(1, parser.parse_args(arguments).repeat)
    print(f"best of {repeat}, seconds of search; the last row, where learning pays, for contrast")
    print(ROW.format("model", "distinct", "generated", "local", "oracle", "ratio"))
    try:
        agreed = [compare(name, repeat) for name in CASES]
    except ToolFailed as failure:
        print(f"\nstopped: {failure}", file=sys.stderr)
        return 1
    return 0 if all(agreed) else 1


if __name__ == "__main__":
    sys.exit(main())
