"""A server's disk: log files, snapshots, and what a restart makes of them.

Everything here is a pure function over frozen values, memoised where a search asks again and again. A transaction is
known by its zxid alone; a *tree* is the sequence of transactions that were applied to it.
"""

from typing import NamedTuple, TypeAlias

from pyrsistent import PMap, PVector, pmap, pvector

from modelcheck import operator


class Zxid(NamedTuple):
    """A transaction id, ``epoch.counter``. Counter 0 is the start of an epoch, which no log record carries."""

    epoch: int
    counter: int

    def __str__(self) -> str:
        return f"{self.epoch}.{self.counter}"

    def next(self) -> "Zxid":
        return Zxid(self.epoch, self.counter + 1)


class Snapshot(NamedTuple):
    """What a snapshot file holds, and whether it was forced to disk."""

    tree: PVector[Zxid]
    synced: bool

    def __str__(self) -> str:
        held = " ".join(map(str, self.tree)) or "empty"
        return held if self.synced else f"{held} (not synced)"


File: TypeAlias = PVector[Zxid]  # named after its first record
Files: TypeAlias = PVector[File]  # in the order of their names, as a server reads them
Tree: TypeAlias = PVector[Zxid]
Snapshots: TypeAlias = PMap[Zxid, Snapshot]  # by the zxid that each is named after

NOTHING = Zxid(0, 0)
EMPTY_TREE: Tree = pvector()
KEPT_SNAPSHOTS = 3


class Restored(NamedTuple):
    """Memory after a restart: the tree, lastProcessedZxid, and the committedLog (what was replayed)."""

    tree: Tree
    last: Zxid
    replayed: PVector[Zxid]


@operator
def restore(files: Files, snapshots: Snapshots) -> Restored:
    """Load the newest snapshot, then apply *every* record above it, committed or not."""
    base = max(snapshots, default=NOTHING)
    tree = snapshots[base].tree if base in snapshots else EMPTY_TREE
    replayed = records_above(files, base)
    return Restored(applied(tree, replayed), max([base, *replayed]), replayed)


@operator
def records_above(files: Files, zxid: Zxid) -> PVector[Zxid]:
    """Records from the first one above a zxid on, starting in the last file named no higher than it."""
    records = [record for file in files_from(files, zxid) for record in file]
    first = next((at for at, record in enumerate(records) if record > zxid), len(records))
    return pvector(records[first:])


def files_from(files: Files, zxid: Zxid) -> Files:
    """The last file named no higher than a zxid, and all later ones."""
    below = sum(1 for file in files if file[0] <= zxid)
    return files[max(below - 1, 0) :]


@operator
def applied(tree: Tree, records: PVector[Zxid]) -> Tree:
    """A tree after more transactions; applying one again changes nothing."""
    return tree.extend([record for record in records if record not in tree])


@operator
def appended(files: Files, stream: Zxid | None, record: Zxid) -> tuple[Files, Zxid]:
    """The log after one more record, and the name of the file that is open for writing.

    The first record after a start or a truncation opens a new file.
    """
    for at, file in enumerate(files):
        if file[0] == stream:
            return files.set(at, file.append(record)), file[0]
    below = sum(1 for file in files if file[0] < record)
    return pvector([*files[:below], pvector([record]), *files[below:]]), record


def snapped(snapshots: Snapshots, zxid: Zxid, tree: Tree, synced: bool) -> Snapshots:
    """The snapshots after one more was written; one of the same name is overwritten, the oldest are forgotten."""
    written = snapshots.set(zxid, Snapshot(tree, synced))
    return pmap({name: written[name] for name in sorted(written)[-KEPT_SNAPSHOTS:]})


@operator
def truncated(files: Files, target: Zxid, way: str = "released") -> Files | None:
    """The log after ``truncate(target)``; None where the server fails because nothing is at or above the target.

    The released way reads on to the first record at or above the target, cuts the file *after* it and deletes all
    later files: right if the target is there, one record too many if it is not. ``exact`` cuts before such a record;
    ``delete`` removes the whole file that it is in.
    """
    older = len(files) - len(files_from(files, target))
    for at in range(older, len(files)):
        for position, record in enumerate(files[at]):
            if record >= target:
                keep = position + 1 if record == target or way == "released" else position
                if record != target and way == "delete":
                    keep = 0
                rest = [files[at][:keep]] if keep else []
                return pvector([*files[:at], *rest])
    return None


def cut(files: Files, zxid: Zxid) -> Files:
    """The log without any record above a zxid."""
    kept = [pvector([record for record in file if record <= zxid]) for file in files]
    return pvector([file for file in kept if file])
