"""Eras and fixes: what each release does, and what each proposal would change. One place, read like a table."""

from dataclasses import dataclass, replace

from modelcheck import operator


@dataclass(frozen=True)
class Rules:
    """How servers of one era behave, after the fixes chosen."""

    # The leader's choice between DIFF, TRUNC and SNAP.
    empty_log_means_snap: bool  # a leader with an empty committedLog sends SNAP; otherwise its own last zxid stands in
    trunc_across_epochs: bool  # TRUNC even where the next record is of another epoch than the learner's
    reads_disk: bool  # a learner below the committedLog may be served from the log files
    checks_gap: bool  # ... unless what was queued from the files ends below the committedLog
    heeds_marker: bool = False  # ... unless a marker says that the files have a hole there
    # What servers write.
    begins_with_snapshot: bool = False  # a new, empty server has a snapshot: it would not start on a log without any
    start_snapshot: bool = False  # a new leader writes a snapshot before it is established
    logs_diff: bool = True  # DIFF transactions go to the log; otherwise they exist in a snapshot only
    logs_after_trunc: bool = False  # transactions that follow TRUNC go to the log
    on_snap: str = "keep"  # what happens to the old log on SNAP: keep | cut | wipe
    names_snap_after_epoch: bool = False  # the snapshot after SNAP is named after the new epoch, not the leader's zxid
    truncates: str = "released"  # how the log is cut: released | exact | delete
    drops_snapshots: bool = False  # TRUNC removes snapshots above its target
    snap_if_target_missing: bool = False  # the learner asks for SNAP where its log does not hold the target
    snap_if_no_base: bool = False  # ... or where no snapshot with the log leads exactly to the target
    syncs: frozenset[str] = frozenset()  # which snapshots are forced to disk: after DIFF, TRUNC, SNAP, START


ERAS: dict[str, Rules] = {
    "3.4.9": Rules(
        empty_log_means_snap=True, trunc_across_epochs=True, reads_disk=False, checks_gap=False, logs_diff=False
    ),
    "3.4.11": Rules(empty_log_means_snap=True, trunc_across_epochs=True, reads_disk=False, checks_gap=False),
    "3.5": Rules(
        empty_log_means_snap=False, trunc_across_epochs=False, reads_disk=True, checks_gap=False, start_snapshot=True,
        begins_with_snapshot=True,
    ),
    "3.8": Rules(
        empty_log_means_snap=False, trunc_across_epochs=False, reads_disk=True, checks_gap=True, start_snapshot=True,
        begins_with_snapshot=True, syncs=frozenset({"SNAP"}),
    ),
}  # fmt: skip

# The proposals of the five reports and of their discussions, by a short name.
FIXES: dict[str, dict[str, object]] = {
    "log-diff": {"logs_diff": True},
    "log-after-trunc": {"logs_after_trunc": True},
    "cut-on-snap": {"on_snap": "cut"},
    "wipe-on-snap": {"on_snap": "wipe"},
    "name-snap-after-epoch": {"names_snap_after_epoch": True},
    "leader-sends-trunc": {"empty_log_means_snap": False},
    "exact-trunc": {"truncates": "exact"},
    "trunc-deletes-file": {"truncates": "delete"},
    "trunc-or-snap": {"snap_if_target_missing": True},
    "drop-snapshots-above": {"drops_snapshots": True},
    "snap-if-no-base": {"snap_if_no_base": True},
    "gap-check": {"checks_gap": True},
    "gap-marker": {"heeds_marker": True},
    "no-disk-sync": {"reads_disk": False},
    "no-start-snapshot": {"start_snapshot": False},
    "fsync-snap": {"syncs": frozenset({"SNAP"})},
    "fsync-trunc": {"syncs": frozenset({"TRUNC"})},
    "fsync-all": {"syncs": frozenset({"DIFF", "TRUNC", "SNAP", "START"})},
}


@operator
def rules_of(era: str, fixes: tuple[str, ...]) -> Rules:
    """The rules of an era with fixes on top."""
    rules = ERAS[era]
    for name in fixes:
        changes = dict(FIXES[name])
        if "syncs" in changes:
            changes["syncs"] = rules.syncs | FIXES[name]["syncs"]  # type: ignore[operator]
        rules = replace(rules, **changes)  # type: ignore[arg-type]
    return rules
