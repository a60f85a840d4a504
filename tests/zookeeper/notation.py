"""A compact way to write zxids, logs, snapshots and rows of tables in tests."""

from __future__ import annotations

import re

from pyrsistent import PVector, pmap, pvector

from specs.zookeeper.disk import Files, Snapshot, Snapshots, Zxid
from specs.zookeeper.reports import Row

__all__ = ["blocks", "log", "records", "row", "snaps", "zxid"]


def zxid(text: str) -> Zxid:
    """
    >>> zxid("2.10")
    Zxid(epoch=2, counter=10)
    """
    epoch, counter = text.split(".")
    return Zxid(int(epoch), int(counter))


def records(text: str) -> PVector[Zxid]:
    """Records, with ranges.

    >>> [str(record) for record in records("1.1-1.3 2.1")]
    ['1.1', '1.2', '1.3', '2.1']
    """
    held: list[Zxid] = []
    for part in text.split():
        first, _, last = part.partition("-")
        held.append(zxid(first))
        while last and held[-1] < zxid(last):
            held.append(held[-1].next())
    return pvector(held)


def log(text: str) -> Files:
    """Log files, one bar between two.

    >>> [len(file) for file in log("1.1-1.3 | 2.1")]
    [3, 1]
    """
    return pvector([records(file) for file in text.split("|") if file.strip()])


def snaps(synced: bool = True, **trees: str) -> Snapshots:
    """Snapshots by name: ``snaps(S2_1="1.1 2.1")`` is one named 2.1 with two transactions in it."""
    return pmap({zxid(name[1:].replace("_", ".")): Snapshot(records(tree), synced) for name, tree in trees.items()})


def blocks(text: str) -> dict[str, dict[int, Row]]:
    """The tables of a report: step, then node, then its row."""
    found: dict[str, dict[int, Row]] = {}
    for line in text.strip("\n").splitlines():
        if not line.startswith(" "):
            found[line] = table = {}
            continue
        node, rest = line.split(maxsplit=1)
        table[int(node)] = row(rest)
    return found


def row(text: str) -> Row:
    """One line of a table.

    >>> row("leader | L1.1[1.1-1.3 2.1] | - | 2/3 | 2.1 | 0 .")._replace(files=())
    Row(role='leader', files=(), snapshots=(), epochs=(2, 3), last=Zxid(epoch=2, counter=1), data=('0', '.'))
    """
    role, files, snapshots, epochs, last, data = (cell.strip() for cell in text.split("|"))
    current, accepted = map(int, epochs.split("/"))
    return Row(
        role=role,
        files=tuple(_file(name, held) for name, held in re.findall(r"L(\S+)\[(.*?)\]", files)),
        snapshots=tuple(zxid(name) for name in re.findall(r"S(\S+)", snapshots)),
        epochs=(current, accepted),
        last=zxid(last),
        data=tuple(data.split()),
    )


def _file(name: str, held: str) -> tuple[Zxid, ...]:
    file = tuple(records(held))
    assert file[0] == zxid(name), f"{name} is not the first record of {held}"
    return file
