"""Which fixes does an era need? The smallest sets under which no violation is found, by search.

    python -m specs.zookeeper.smallest_fix 3.8 --epochs 6 --txns 3

Sets are tried by size. Every counterexample found is kept, and a new set is first confronted with those: if one of
them can still be played and still violates, the set is refuted without any search. What survives is searched.
"""

import argparse
import sys
import time
from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

from modelcheck import Result, Verdict, check
from specs.zookeeper.episodes import Episodes
from specs.zookeeper.eras import ERAS, FIXES, rules_of

Steps = list[tuple[str, dict[str, object]]]


class Bounds(NamedTuple):
    """The model that a set of fixes has to survive."""

    era: str
    epochs: int
    txns: int
    power_loss: bool
    giving_up: bool
    stray_writes: bool
    seconds: float

    def spec(self, fixes: tuple[str, ...]) -> Episodes:
        return Episodes(
            era=self.era,
            fixes=fixes,
            max_epoch=self.epochs,
            max_txns=self.txns,
            power_loss=self.power_loss,
            giving_up=self.giving_up,
            stray_writes=self.stray_writes,
        )


def useful(era: str) -> list[str]:
    """The fixes that change anything in an era."""
    return [name for name in FIXES if rules_of(era, (name,)) != rules_of(era, ())]


def still_violates(spec: Episodes, steps: Steps) -> bool:
    """Whether a known counterexample can be played on a spec and violates it too."""
    run = spec.run()
    for action, params in steps:
        if run.violated():
            return True
        if run.why_not(action, **params) is not None:
            return False
        run = run.take(action, params)
    return bool(run.violated())


def steps_of(result: Result) -> Steps:
    return [(step.action, dict(step.params)) for step in result.trace().steps[1:]]


def smallest(bounds: Bounds, most: int) -> Iterator[tuple[tuple[str, ...], Result]]:
    """The sets that survive, none of which holds another, smallest first."""
    known: list[Steps] = []
    surviving: list[set[str]] = []
    for size in range(most + 1):
        for fixes in combinations(useful(bounds.era), size):
            if any(other <= set(fixes) for other in surviving):
                continue
            spec = bounds.spec(fixes)
            if any(still_violates(spec, steps) for steps in known):
                continue
            result = check(spec, max_seconds=bounds.seconds)
            if result.violations:
                # The last one refutes most of what comes next, because neighbours in the order are alike.
                known.insert(0, steps_of(result))
                continue
            surviving.append(set(fixes))
            yield fixes, result


def main() -> int:
    parser = argparse.ArgumentParser(prog="smallest_fix", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("era", choices=list(ERAS))
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--txns", type=int, default=3)
    parser.add_argument("--power-loss", action="store_true")
    parser.add_argument("--giving-up", action="store_true")
    parser.add_argument("--stray-writes", action="store_true")
    parser.add_argument("--most", type=int, default=2, help="the most fixes in a set (default 2)")
    parser.add_argument("--seconds", type=float, default=600, help="time limit for one search (default 600)")
    given = parser.parse_args()
    events = given.power_loss, given.giving_up, given.stray_writes
    bounds = Bounds(given.era, given.epochs, given.txns, *events, given.seconds)
    started = time.monotonic()
    for fixes, result in smallest(bounds, given.most):
        names = " + ".join(fixes) or "nothing"
        how = "holds" if result.verdict is Verdict.HOLDS else f"not refuted to depth {result.complete_depth}"
        print(f"{names}: {how}, {result.distinct:,} states, {time.monotonic() - started:.0f} s so far", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
