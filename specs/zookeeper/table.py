"""The table of the study as a page: `python -m specs.zookeeper.table [FILE]` writes `docs/zookeeper-table.md`.

Nothing is searched here. The page shows what `models.toml` expects, which `modelcheck check specs/zookeeper` checks.
"""

import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import invariants
from specs.zookeeper.episodes import Episodes
from specs.zookeeper.eras import ERAS

MODELS = Path(__file__).with_name("models.toml")
PAGE = Path(__file__).parents[2] / "docs" / "zookeeper-table.md"
DEFAULTS = Episodes()
BOUNDS = ("max_epoch", "max_txns", "nodes")

# What a reader calls a fix. One that is not here is shown by its own name.
READABLE = {
    "log-diff": "log DIFF transactions",
    "log-after-trunc": "log what follows TRUNC",
    "cut-on-snap": "cut on SNAP",
    "wipe-on-snap": "delete on SNAP",
    "name-snap-after-epoch": "name the snapshot after the epoch",
    "leader-sends-trunc": "the leader sends TRUNC",
    "exact-trunc": "exact truncation",
    "trunc-deletes-file": "truncation deletes the file",
    "trunc-or-snap": "SNAP where the target is missing",
    "drop-snapshots-above": "drop snapshots above the target",
    "snap-if-no-base": "SNAP where no base leads to the target",
    "gap-check": "the gap check of 3.6",
    "gap-marker": "a marker for the hole",
    "no-disk-sync": "snapshotSizeFactor=-1",
    "no-start-snapshot": "no snapshot at the leader's start",
    "fsync-snap": "force the snapshot after SNAP",
    "fsync-trunc": "force the snapshot after TRUNC",
    "fsync-all": "force every snapshot",
}

HEAD = """\
# The table of the ZooKeeper study

Which fixes does which release need? Each row is one search. [The study](zookeeper-study.md) says what is modelled and
what the rows mean together.

Written by `python -m specs.zookeeper.table` from `specs/zookeeper/models.toml`; do not edit. Nothing is searched for
this page: it shows what the file expects, and this checks that every row is true:

```sh
modelcheck check specs/zookeeper                  # all rows but the slow ones
modelcheck check specs/zookeeper --all            # the slow ones too
modelcheck check specs/zookeeper --model "3.8"    # one row, with its trace
```

How to read a row:

- **fixes**: what is changed in the release. The last section has the short names, for `--set`.
- **also on**: what may happen besides stops, restarts and writes that a leader logs alone. *Power loss*: a machine
  loses snapshots that were never forced to its disk. *Giving up*: a leader proposes an epoch and gives up before it is
  established. *Stray writes*: one follower alone logs a proposal. Here is also which invariants are watched, if they
  are not {watch}, and which lines of the leader's decision table must be taken at least once.
- **bounds**: epochs, transactions, servers. A verdict says nothing beyond them.
- **verdict**: *holds* means that all states within the bounds were visited, and how many there are. *Violated* names
  the invariant, and the steps of the shortest trace. *Not reached* means that such a line is out of reach.
- **about**: the remark in the file; "the same" is a row above.
- **model**: its name, for `--model`. A slow one runs only with `--all` or by its name.
"""


class Model(NamedTuple):
    """One table of `models.toml`, as far as it is shown."""

    name: str
    about: str
    slow: bool
    constants: Mapping[str, Any]
    expect: Mapping[str, Any]

    @property
    def era(self) -> str:
        return str(self.constants.get("era", DEFAULTS.era))

    @property
    def fixes(self) -> tuple[str, ...]:
        return tuple(self.constants.get("fixes", ()))

    @property
    def bounds(self) -> str:
        return ", ".join(str(self.constants.get(name, getattr(DEFAULTS, name))) for name in BOUNDS)

    @property
    def extras(self) -> list[str]:
        """Every other constant that differs from its default, in words."""
        shown = {name: value for name, value in self.constants.items() if name not in ("era", "fixes", *BOUNDS)}
        return [_extra(name, value) for name, value in shown.items() if _differs(name, value)]

    @property
    def verdict(self) -> str:
        """What is expected, in words: the file counts the states of a trace, and people count its steps."""
        verdict = str(self.expect.get("verdict", "holds"))
        what, states = _property(self.expect.get("property")), f"{self.expect.get('distinct', 0):,} states"
        steps = f"{self.expect['trace'] - 1} steps" if "trace" in self.expect else ""
        if verdict == "holds":
            return f"**holds**, {states}" + (f"; {what} after {steps}" if what and steps else "")
        if verdict == "unreached":
            return f"not reached{what and f': {what}'}, {states}"
        return verdict + (steps and f" after {steps}") + (what and f": {what}")


def read(path: Path = MODELS) -> list[Model]:
    """The models of the file, in its order."""
    tables = tomllib.loads(path.read_text(encoding="utf-8"))
    return [
        Model(name, table.get("about", ""), table.get("slow", False), table["constants"], table["expect"])
        for name, table in tables.items()
    ]


def page(models: Sequence[Model]) -> str:
    """The whole page."""
    eras = list(dict.fromkeys([*ERAS, *(model.era for model in models)]))
    parts = [HEAD.format(watch=_listed(DEFAULTS.watch))]
    for era in eras:
        found = [model for model in models if model.era == era]
        parts += ["\n".join(_section(era, found)) + "\n"] if found else []
    return "\n".join([*parts, "\n".join(_names(models)) + "\n"])


def _section(era: str, models: Sequence[Model]) -> Iterator[str]:
    holding = sum(model.expect.get("verdict", "holds") == "holds" for model in models)
    yield f"## {era}"
    yield ""
    yield f"{len(models)} models, {holding} of them hold."
    yield ""
    yield "| fixes | also on | bounds | verdict | about | model |"
    yield "|---|---|---|---|---|---|"
    for model in _sorted(models):
        name = f"`{model.name}`{' (slow)' if model.slow else ''}"
        fixes = " + ".join(map(_readable, model.fixes)) or "as released"
        yield _row(fixes, "; ".join(model.extras) or "-", model.bounds, model.verdict, model.about, name)


def _sorted(models: Sequence[Model]) -> list[Model]:
    """As released, then single fixes, then larger sets. Equal sets stand together; otherwise the file's order stays."""
    sets = list(dict.fromkeys(frozenset(model.fixes) for model in models))

    def key(model: Model) -> tuple[int, int, int]:
        events = sum(value is True for value in model.constants.values())
        return min(len(model.fixes), 2), sets.index(frozenset(model.fixes)), events

    return sorted(models, key=key)


def _names(models: Sequence[Model]) -> Iterator[str]:
    yield "## Short names of the fixes"
    yield ""
    yield "Each is a line of `FIXES` in `specs/zookeeper/eras.py`, which says what it changes."
    yield ""
    yield "| fix | short name |"
    yield "|---|---|"
    for name in dict.fromkeys(fix for model in models for fix in model.fixes):
        yield _row(_readable(name), f"`{name}`")


def _row(*cells: str) -> str:
    return "| " + " | ".join(" ".join(cell.split()).replace("|", "\\|") for cell in cells) + " |"


def _readable(fix: str) -> str:
    return READABLE.get(fix, fix.replace("-", " "))


def _differs(name: str, value: object) -> bool:
    return (tuple(value) if isinstance(value, list) else value) != getattr(DEFAULTS, name, None)


def _extra(name: str, value: Any) -> str:
    """A constant in words: ``power loss``, ``watches I8``, ``must take lines 1, 2``."""
    if name == "watch":
        return f"watches {_listed(value)}"
    if name == "decisions":
        return f"must take line{'' if len(value) == 1 else 's'} {_listed(value)}"
    words = name.replace("_", " ")
    return words if value is True else f"{words} = {_listed(value) if isinstance(value, list) else value}"


def _property(name: str | None) -> str:
    """An invariant by its number and name, anything else as it is called."""
    if name is None:
        return ""
    known = getattr(invariants, name.partition("(")[0], None)
    if known is None:
        return f"`{name}`"
    return f"{(known.__doc__ or '').partition('.')[0]} {name.replace('_', ' ')}"


def _listed(values: Sequence[object]) -> str:
    return ", ".join(map(str, values))


def main() -> int:
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else PAGE
    path.write_text(page(read()), encoding="utf-8")
    print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
