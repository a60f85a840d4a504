"""What hangs in the gallery: by which model each counterexample is found, and what it teaches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["ENTRIES", "TARGET", "Entry"]

TARGET = "specs/zookeeper/episodes.py:Episodes"


@dataclass(frozen=True)
class Entry:
    """One counterexample: the constants of the search that finds it.

    Where an era has several defects, fixes close the others, so that the shortest counterexample is this one's.
    """

    name: str
    title: str
    about: str
    constants: Mapping[str, object] = field(default_factory=dict)

    @property
    def command(self) -> str:
        """The command that draws it."""
        settings = " ".join(f'--set "{name}={value!r}"' for name, value in self.constants.items())
        return f"modelcheck draw {TARGET} {settings} --no-calm"


ENTRIES = (
    Entry(
        "000-snap-keeps-the-log",
        "000: SNAP leaves an uncommitted record in the log",
        "A learner that gets SNAP replaces its memory and writes a snapshot, but never touches its log. A record above"
        " the snapshot's zxid is replayed at the next start.",
        {"era": "3.4.11", "fixes": ("exact-trunc",), "max_epoch": 6, "max_txns": 3},
    ),
    Entry(
        "001-trunc-misses-a-record",
        "001: TRUNC to a zxid that is not in the log leaves the record after it",
        "Truncation looks for the target in the log and cuts after the first record at or above it. Where the target"
        " lives only in a snapshot, that record is the one that ought to go.",
        {"era": "3.4.11", "fixes": ("cut-on-snap",), "max_epoch": 6, "max_txns": 3},
    ),
    Entry(
        "002-snap-after-empty-diff",
        "002: SNAP from a leader whose snapshot covers everything (ZOOKEEPER-2832)",
        "In 3.4.9 even an empty DIFF ends in a snapshot, after which a leader has no recent commits in memory and sends"
        " SNAP, which leaves the learner's log as it is.",
        {"era": "3.4.9"},
    ),
    Entry(
        "003-snapshot-not-forced",
        "003: what was received lives in a snapshot that is never forced to disk (ZOOKEEPER-2310)",
        "Transactions received by synchronisation are not logged; the snapshot that holds them is lost with the power,"
        " although they were acknowledged.",
        {"era": "3.4.9", "fixes": ("cut-on-snap", "exact-trunc"), "power_loss": True},
    ),
    Entry(
        "004-log-with-a-hole",
        "004: a leader serves DIFF from a log in which SNAP has left a hole (ZOOKEEPER-2418)",
        "SNAP gives a server transactions that its log never sees. As a leader it later serves that log as if it were"
        " whole.",
        {"era": "3.5"},
    ),
    Entry(
        "beyond-gap-check",
        "Beyond the reports: 3.8 with its gap check still serves a log with a hole",
        "The check that closed ZOOKEEPER-2418 compares where the log files end with where the recent commits begin. One"
        " more commit after the SNAP, and the log ends late enough to pass, with the hole in its middle.",
        {"era": "3.8", "max_epoch": 5, "max_txns": 2},
    ),
    Entry(
        "beyond-deleted-file",
        "Beyond the reports: truncation that deletes the whole file loses a committed record",
        "A remedy for 001 deletes the log file in which the target is missing. A file that was open when a proposal"
        " came to this server alone holds a committed record in front of it, and loses that too.",
        {
            "era": "3.8", "fixes": ("wipe-on-snap", "trunc-deletes-file"), "max_epoch": 5, "max_txns": 2,
            "stray_writes": True,
        },
    ),
    Entry(
        "beyond-start-of-an-epoch",
        "Beyond the reports: TRUNC to the start of an epoch keeps a record, in every era",
        "A server that joined by SNAP has a snapshot named e.0, and as a leader truncates others to e.0. No log holds"
        " e.0, so the record after it survives: 001 without its long prelude, and with no size limit involved.",
        {"era": "3.8", "fixes": ("no-disk-sync",), "max_epoch": 5, "max_txns": 2},
    ),
    Entry(
        "beyond-overwritten-snapshot",
        "Beyond the reports: the snapshot of a leader's start overwrites one that was forced to disk",
        "After SNAP a snapshot is the only copy of what it holds. In 3.8 a leader writes one of the same name as it"
        " starts, in place and without forcing it, and the power takes both.",
        {"era": "3.8", "fixes": ("wipe-on-snap", "exact-trunc"), "max_epoch": 5, "max_txns": 2, "power_loss": True},
    ),
    Entry(
        "beyond-leader-that-gave-up",
        "Beyond the reports: TRUNC keeps the snapshot of a leader that gave up (ZOOKEEPER-1549)",
        "A leader writes a snapshot as it starts, even if it is never established. Truncation cuts the log below that"
        " snapshot and leaves the snapshot, with a record that nobody else has.",
        {"era": "3.8", "fixes": ("wipe-on-snap", "exact-trunc"), "max_epoch": 5, "max_txns": 2, "giving_up": True},
    ),
    Entry(
        "beyond-only-snapshot-dropped",
        "Beyond the reports: truncation that drops snapshots above its target drops the only one",
        "A remedy for ZOOKEEPER-1549 drops the snapshots above the target of a TRUNC. After SNAP, with the log deleted,"
        " there is only that one: an empty server claims the target.",
        {
            "era": "3.8", "fixes": ("wipe-on-snap", "exact-trunc", "drop-snapshots-above"), "max_epoch": 5,
            "max_txns": 2, "stray_writes": True,
        },
    ),
    Entry(
        "beyond-stray-record",
        "Beyond the reports: in 3.4.9 cutting the log on SNAP is not enough once a follower alone logs a proposal",
        "TRUNC to a zxid that came by DIFF, which 3.4.9 does not log, finds no target in the log and keeps the record"
        " that only this follower has.",
        {"era": "3.4.9", "fixes": ("cut-on-snap",), "max_epoch": 5, "max_txns": 2, "stray_writes": True},
    ),
)
