"""Every mutant against the table itself: of which model of `models.toml` does the expectation fail?

    python -m tests.zookeeper.mutate_table --jobs 2

The cheapest models come first, each mutant stops at the first that notices, and each search stops a little above the
number of states that the model expects. A mutant that survives meets the whole table: that takes minutes, which is why
this is run by hand. The exit code is 1 if one survives.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

from modelcheck.models import Model, pick_models, read_models, run_model
from tests.zookeeper.copies import SOURCES, import_copy
from tests.zookeeper.mutants import MUTANTS, Mutant

PACKAGE = "mutated_zookeeper"  # each mutant has a process of its own
SLACK = 1000


class Fate(NamedTuple):
    """What became of a mutant: the model that noticed and what it said; neither if none did."""

    mutant: Mutant | None
    model: str
    why: str
    models_run: int
    seconds: float

    def __str__(self) -> str:
        end = f"{self.model}: {self.why}" if self.model else "SURVIVES"
        return f"{self.mutant or 'no change'} | {end} | {self.models_run} models, {self.seconds:.0f} s"


def cheapest_first() -> list[Model]:
    """The models of the table by the work they take, each with a limit on its states."""
    models = sorted(pick_models(read_models(SOURCES)), key=lambda model: model.expect.generated or 0)
    return [replace(model, limits={"max_states": (model.expect.distinct or 0) + SLACK}) for model in models]


def fate(mutant: Mutant | None) -> Fate:
    started = time.monotonic()
    models = cheapest_first()
    with tempfile.TemporaryDirectory() as folder:
        sys.path.insert(0, folder)
        import_copy(Path(folder), PACKAGE, mutant)
        for at, model in enumerate(models, start=1):
            row = run_model(replace(model, target=f"{PACKAGE}.episodes:Episodes"))
            if not row.met:
                return Fate(mutant, model.name, row.why_not[0], at, time.monotonic() - started)
    return Fate(mutant, "", "", len(models), time.monotonic() - started)


def chosen(numbers: Sequence[int]) -> list[Mutant | None]:
    """The mutants with these numbers, or all of them after a copy without any change, which must survive."""
    return [MUTANTS[number] for number in numbers] if numbers else [None, *MUTANTS]


def main() -> int:
    parser = argparse.ArgumentParser(prog="mutate_table", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("numbers", type=int, nargs="*", help="positions in MUTANTS (default: all)")
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    survivors = 0
    with get_context("spawn").Pool(given.jobs, maxtasksperchild=1) as pool:
        for found in pool.imap(fate, chosen(given.numbers), chunksize=1):
            print(found, flush=True)
            if found.mutant is None:
                assert not found.model, "a copy without a change must meet the table"
            elif not found.model:
                survivors += 1
    print(f"{survivors} mutants survive")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
