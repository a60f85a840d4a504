"""The learner's side: what DIFF, TRUNC and SNAP do to its disk and memory, per era and per fix."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyrsistent import PVector, pmap, pvector

from specs.zookeeper.decision import Decision
from specs.zookeeper.disk import EMPTY_TREE, NOTHING, Files, Snapshots, Zxid, restore
from specs.zookeeper.eras import ERAS, Rules, rules_of
from specs.zookeeper.learner import Server, Source, Synced, synchronised
from tests.zookeeper.notation import log, records, snaps, zxid

EVERY_ERA = pytest.mark.parametrize("era", ERAS)
LOGS_DIFF = pytest.mark.parametrize("era", ["3.4.11", "3.5", "3.8"])
SOURCE = Source(records("1.1-1.3 2.1"), zxid("2.1"), 5)


def started(files: Files, snapshots: Snapshots) -> Server:
    """A server just after its start."""
    memory = restore(files, snapshots)
    return Server(files, snapshots, None, memory.tree, memory.last, NOTHING)


def after(
    message: str, files: str, snapshots: Snapshots | None = None, *, era: str, fixes: tuple[str, ...] = ()
) -> Synced:
    """A learner after a message such as "TRUNC 1.3 + 2.1"."""
    head, _, sent = message.partition(" + ")
    kind, target = head.split()
    decision = Decision(kind, zxid(target), records(sent), 0)
    found = synchronised(rules_of(era, fixes), started(log(files), snapshots or snaps()), decision, SOURCE)
    assert found is not None
    return found


def names(server: Server) -> list[str]:
    """The snapshots, with a star for each that a power loss may take."""
    return [f"{name}{'' if snapshot.synced else '*'}" for name, snapshot in sorted(server.snapshots.items())]


# DIFF


def test_in_3_4_9_diff_is_in_memory_and_in_a_snapshot_only() -> None:
    server = after("DIFF 2.1 + 2.1", "1.1-1.3", era="3.4.9").server
    assert (server.tree, server.last) == (records("1.1-1.3 2.1"), zxid("2.1"))
    assert server.files == log("1.1-1.3")
    assert names(server) == ["2.1*"]
    assert server.snapshots[zxid("2.1")].tree == server.tree


def test_in_3_4_9_even_an_empty_diff_ends_in_a_snapshot() -> None:
    server = after("DIFF 1.3", "1.1-1.3", era="3.4.9").server
    assert names(server) == ["1.3*"] and server.files == log("1.1-1.3")


@LOGS_DIFF
def test_later_eras_log_a_diff_in_a_new_file_and_write_no_snapshot(era: str) -> None:
    server = after("DIFF 2.2 + 2.1 2.2", "1.1-1.3", era=era).server
    assert (server.tree, server.last) == (records("1.1-1.3 2.1-2.2"), zxid("2.2"))
    assert (server.files, server.stream) == (log("1.1-1.3 | 2.1-2.2"), zxid("2.1"))
    assert names(server) == []


@LOGS_DIFF
def test_an_empty_diff_changes_nothing(era: str) -> None:
    """Not even the last zxid, whatever zxid the leader names."""
    server = after("DIFF 3.0", "1.1-1.3", era=era).server
    assert server == started(log("1.1-1.3"), snaps())


def test_logging_diff_turns_3_4_9_into_what_follows_it() -> None:
    assert after("DIFF 2.1 + 2.1", "1.1-1.3", era="3.4.9", fixes=("log-diff",)) == after(
        "DIFF 2.1 + 2.1", "1.1-1.3", era="3.4.11"
    )


# TRUNC


@EVERY_ERA
def test_trunc_cuts_the_log_and_what_follows_lives_in_a_snapshot_only(era: str) -> None:
    synced = after("TRUNC 1.3 + 2.1", "1.1-1.4", era=era)
    assert synced.server.files == log("1.1-1.3")
    assert synced.server.tree == records("1.1-1.3 2.1")
    assert synced.server.last == zxid("2.1")
    assert names(synced.server) == ["2.1*"] and synced.left == records("")


@EVERY_ERA
def test_trunc_alone_ends_in_a_snapshot_named_after_the_target(era: str) -> None:
    server = after("TRUNC 1.3", "1.1-1.3 | 3.1", era=era).server
    assert (server.files, server.last, names(server)) == (log("1.1-1.3"), zxid("1.3"), ["1.3*"])


@EVERY_ERA
def test_trunc_to_a_missing_target_loads_the_survivor_and_claims_the_target(era: str) -> None:
    """Report 001."""
    synced = after("TRUNC 2.1 + 5.1", "1.1-1.3 | 4.1", snaps(S2_1="1.1-1.3 2.1"), era=era)
    assert synced.server.files == log("1.1-1.3 | 4.1")
    assert synced.server.tree == records("1.1-1.3 2.1 4.1 5.1")
    assert synced.server.last == zxid("5.1") and synced.left == records("4.1")
    alone = after("TRUNC 2.1", "1.1-1.3 | 4.1", snaps(S2_1="1.1-1.3 2.1"), era=era)
    assert alone.server.last == zxid("2.1") and zxid("4.1") in alone.server.tree
    assert alone.server.snapshots[zxid("2.1")].tree == alone.server.tree


@EVERY_ERA
def test_old_snapshots_survive_trunc_and_are_loaded(era: str) -> None:
    synced = after("TRUNC 1.3", "1.1-1.3 | 3.1", snaps(S3_1="1.1-1.3 3.1"), era=era)
    assert synced.server.tree == records("1.1-1.3 3.1")
    assert synced.left == records("3.1") and names(synced.server) == ["1.3*", "3.1"]


@EVERY_ERA
def test_trunc_fails_where_nothing_is_at_or_above_the_target(era: str) -> None:
    learner = started(log("1.1-1.3"), snaps(S3_1="1.1-1.3 3.1"))
    assert synchronised(rules_of(era, ()), learner, Decision("TRUNC", zxid("2.1"), records(""), 3), SOURCE) is None


@EVERY_ERA
def test_logging_after_trunc_opens_a_new_file_and_writes_no_snapshot(era: str) -> None:
    server = after("TRUNC 1.3 + 2.1", "1.1-1.4", era=era, fixes=("log-after-trunc",)).server
    assert server.files == log("1.1-1.3 | 2.1") and server.stream == zxid("2.1")
    assert names(server) == [] and server.tree == records("1.1-1.3 2.1")


@EVERY_ERA
@pytest.mark.parametrize("fix", ["exact-trunc", "trunc-deletes-file"])
def test_other_ways_to_cut_leave_no_survivor(era: str, fix: str) -> None:
    synced = after("TRUNC 2.1 + 5.1", "1.1-1.3 | 4.1", snaps(S2_1="1.1-1.3 2.1"), era=era, fixes=(fix,))
    assert synced.server.files == log("1.1-1.3") and synced.left == records("")
    assert synced.server.tree == records("1.1-1.3 2.1 5.1")


@EVERY_ERA
def test_dropping_snapshots_above_the_target_leaves_nothing_above(era: str) -> None:
    files, old = "1.1-1.3 | 3.1", snaps(S1_2="1.1-1.2", S3_1="1.1-1.3 3.1")
    synced = after("TRUNC 1.3", files, old, era=era, fixes=("drop-snapshots-above",))
    assert synced.server.tree == records("1.1-1.3") and synced.left == records("")
    assert names(synced.server) == ["1.2", "1.3*"]
    at_target = after(
        "TRUNC 2.1 + 5.1", "1.1 | 4.1", snaps(S2_1="1.1 2.1"), era=era, fixes=("exact-trunc", "drop-snapshots-above")
    )
    assert at_target.server.tree == records("1.1 2.1 5.1") and names(at_target.server) == ["2.1", "5.1*"]


@EVERY_ERA
def test_a_learner_may_ask_for_snap_where_its_log_lacks_the_target(era: str) -> None:
    old = snaps(S2_1="1.1-1.3 2.1")
    fixes = ("trunc-or-snap",)
    asked = after("TRUNC 2.1 + 5.1", "1.1-1.3 | 4.1", old, era=era, fixes=fixes)
    assert (asked.decision.kind, asked.server.tree, asked.server.last) == ("SNAP", SOURCE.tree, SOURCE.last)
    assert after("TRUNC 1.3", "1.1-1.3 | 4.1", old, era=era, fixes=fixes).decision.kind == "TRUNC"


@EVERY_ERA
def test_a_learner_may_ask_for_snap_where_nothing_leads_to_the_target(era: str) -> None:
    fixes = ("exact-trunc", "snap-if-no-base")
    # Only a snapshot above the target is there, or none that reaches it.
    above = after("TRUNC 1.3", "1.1-1.3 | 3.1", snaps(S3_1="1.1-1.3 3.1"), era=era, fixes=fixes)
    assert above.decision.kind == "SNAP"
    short = after("TRUNC 2.1", "1.1-1.3 | 3.1", era=era, fixes=fixes)
    assert short.decision.kind == "SNAP"
    absent = after("TRUNC 2.1", "1.1-1.3", era=era, fixes=fixes)
    assert absent.decision.kind == "SNAP"
    # A snapshot of the target, or a log that ends with it, will do.
    assert after("TRUNC 2.1", "1.1-1.3 | 3.1", snaps(S2_1="1.1-1.3 2.1"), era=era, fixes=fixes).decision.kind == "TRUNC"
    assert after("TRUNC 1.3", "1.1-1.3 | 3.1", era=era, fixes=fixes).decision.kind == "TRUNC"
    dropped = after(
        "TRUNC 1.3", "1.1-1.3 | 3.1", snaps(S3_1="3.1"), era=era, fixes=(*fixes, "drop-snapshots-above")
    )
    assert dropped.decision.kind == "TRUNC"


# SNAP


@EVERY_ERA
def test_snap_replaces_memory_and_keeps_the_log(era: str) -> None:
    """Reports 000 and 002: the record above the new snapshot is there at the next restart."""
    server = after("SNAP 2.1", "1.1-1.3 | 2.1 | 3.1", snaps(S1_2="1.1-1.2"), era=era).server
    assert (server.tree, server.last) == (SOURCE.tree, SOURCE.last)
    assert server.files == log("1.1-1.3 | 2.1 | 3.1")
    assert server.snapshots[zxid("2.1")].tree == SOURCE.tree and zxid("1.2") in server.snapshots
    assert zxid("3.1") in restore(server.files, server.snapshots).tree


@pytest.mark.parametrize(("era", "name"), [("3.4.9", "2.1*"), ("3.4.11", "2.1*"), ("3.5", "2.1*"), ("3.8", "2.1")])
def test_only_3_8_forces_the_snapshot_after_snap(era: str, name: str) -> None:
    assert names(after("SNAP 2.1", "1.1", era=era).server) == [name]


@EVERY_ERA
@pytest.mark.parametrize(("fix", "files"), [("cut-on-snap", "1.1-1.3 | 2.1"), ("wipe-on-snap", "")])
def test_a_log_that_is_touched_on_snap_restores_what_was_received(era: str, fix: str, files: str) -> None:
    server = after("SNAP 2.1", "1.1-1.3 | 2.1 | 3.1", snaps(S1_2="1.1-1.2"), era=era, fixes=(fix,)).server
    assert server.files == log(files)
    assert (zxid("1.2") in server.snapshots) == (fix == "cut-on-snap")
    assert restore(server.files, server.snapshots).tree == SOURCE.tree


@EVERY_ERA
def test_a_snapshot_named_after_the_epoch_hides_the_stale_record(era: str) -> None:
    server = after("SNAP 2.1", "1.1-1.3 | 3.1", era=era, fixes=("name-snap-after-epoch",)).server
    assert list(server.snapshots) == [zxid("5.0")] and server.last == zxid("5.0")
    assert server.files == log("1.1-1.3 | 3.1")
    assert restore(server.files, server.snapshots).tree == SOURCE.tree


@EVERY_ERA
def test_the_marker_is_set_by_snap_and_by_nothing_else(era: str) -> None:
    fixes = ("gap-marker",)
    assert after("SNAP 2.1", "1.1", era=era, fixes=fixes).server.marker == zxid("2.1")
    assert after("SNAP 2.1", "1.1", era=era).server.marker == NOTHING
    assert after("DIFF 1.2 + 1.2", "1.1", era=era, fixes=fixes).server.marker == NOTHING
    assert after("TRUNC 1.1 + 2.1", "1.1-1.2", era=era, fixes=fixes).server.marker == NOTHING


@pytest.mark.parametrize(
    ("fixes", "forced"),
    [((), ""), (("fsync-snap",), "SNAP"), (("fsync-trunc",), "TRUNC"), (("fsync-all",), "DIFF SNAP TRUNC"),
     (("fsync-snap", "fsync-trunc"), "SNAP TRUNC")],
)  # fmt: skip
def test_what_is_forced_to_disk(fixes: tuple[str, ...], forced: str) -> None:
    messages = {"DIFF": "DIFF 1.3 + 1.3", "SNAP": "SNAP 2.1", "TRUNC": "TRUNC 1.1"}
    found = [
        kind
        for kind, message in messages.items()
        if not any("*" in name for name in names(after(message, "1.1-1.2", era="3.4.9", fixes=fixes).server))
    ]
    assert " ".join(found) == forced


def test_fixes_add_to_what_an_era_forces_already() -> None:
    assert rules_of("3.8", ("fsync-trunc",)).syncs == {"SNAP", "TRUNC"}


# Properties

every_rules = st.builds(rules_of, st.sampled_from(list(ERAS)), st.sampled_from([(), ("log-after-trunc",)]))
zxids = st.builds(Zxid, st.integers(1, 3), st.integers(1, 3))


def ascending(least: int) -> st.SearchStrategy[PVector[Zxid]]:
    return st.sets(zxids, min_size=least, max_size=6).map(sorted).map(pvector)


@given(every_rules, ascending(1), st.integers(0, 3))
def test_after_diff_a_restart_restores_what_is_in_memory(rules: Rules, held: PVector[Zxid], more: int) -> None:
    sent = pvector([Zxid(7, counter) for counter in range(1, more + 1)])
    target = sent[-1] if sent else held[-1]
    found = synchronised(rules, started(pvector([held]), pmap()), Decision("DIFF", target, sent, 4), SOURCE)
    assert found is not None
    assert found.server.tree == held.extend(sent)
    assert restore(found.server.files, found.server.snapshots)[:2] == (found.server.tree, found.server.last)


@given(every_rules, ascending(1), st.data())
def test_after_trunc_to_a_record_that_is_there_a_restart_restores_what_is_in_memory(
    rules: Rules, held: PVector[Zxid], data: st.DataObject
) -> None:
    target = data.draw(st.sampled_from(list(held)))
    sent = pvector([Zxid(7, 1)]) if data.draw(st.booleans()) else EMPTY_TREE
    found = synchronised(rules, started(pvector([held]), pmap()), Decision("TRUNC", target, sent, 5), SOURCE)
    assert found is not None and not found.left
    assert list(found.server.tree) == [record for record in held if record <= target] + list(sent)
    assert restore(found.server.files, found.server.snapshots)[:2] == (found.server.tree, found.server.last)


@given(st.sampled_from(list(ERAS)), st.sampled_from(["cut-on-snap", "wipe-on-snap"]), ascending(0), ascending(1))
def test_after_snap_with_the_log_cut_a_restart_restores_what_is_in_memory(
    era: str, fix: str, held: PVector[Zxid], theirs: PVector[Zxid]
) -> None:
    files: Files = pvector([held] if held else [])
    source = Source(theirs, theirs[-1], 9)
    decision = Decision("SNAP", theirs[-1], EMPTY_TREE, 2)
    found = synchronised(rules_of(era, (fix,)), started(files, pmap()), decision, source)
    assert found is not None and found.server.tree == theirs
    assert restore(found.server.files, found.server.snapshots)[:2] == (theirs, theirs[-1])
