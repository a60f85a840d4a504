"""Disks: what a restart restores, what is appended where, what truncation leaves, which snapshots are kept."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyrsistent import pmap, pvector

from specs.zookeeper.disk import (
    EMPTY_TREE,
    NOTHING,
    Files,
    Snapshot,
    Snapshots,
    Zxid,
    appended,
    applied,
    cut,
    files_from,
    records_above,
    restore,
    snapped,
    truncated,
)
from tests.zookeeper.notation import log, records, snaps, zxid

# Restart


def test_an_empty_disk_restores_nothing() -> None:
    assert restore(log(""), snaps()) == (EMPTY_TREE, NOTHING, EMPTY_TREE)


def test_a_log_alone_is_replayed_from_its_beginning() -> None:
    restored = restore(log("1.1-1.3 | 2.1"), snaps())
    assert restored.tree == restored.replayed == records("1.1-1.3 2.1")
    assert restored.last == zxid("2.1")


def test_a_snapshot_alone_leaves_the_committed_log_empty() -> None:
    """So a leader that starts from it cannot serve DIFF from memory."""
    restored = restore(log("1.1-1.3"), snaps(S2_1="1.1-1.3 2.1"))
    assert restored == (records("1.1-1.3 2.1"), zxid("2.1"), records(""))


def test_only_what_lies_above_the_newest_snapshot_is_replayed() -> None:
    restored = restore(log("1.1-1.3 | 2.1 | 4.1-4.2"), snaps(S1_2="1.1-1.2", S2_1="1.1-1.3 2.1"))
    assert restored == (records("1.1-1.3 2.1 4.1-4.2"), zxid("4.2"), records("4.1-4.2"))


def test_a_record_above_the_snapshot_is_replayed_although_it_never_belonged_there() -> None:
    restored = restore(log("1.1-1.9 | 2.1 | 3.1 | 5.1"), snaps(S2_1="1.1-1.9 2.1"))
    assert zxid("3.1") in restored.tree


def test_the_newest_snapshot_wins_by_its_name_whatever_it_holds() -> None:
    assert restore(log("1.1"), snaps(S1_1="1.1", S3_0="")).tree == records("")


def test_a_snapshot_named_after_an_epoch_hides_all_records_of_earlier_epochs() -> None:
    restored = restore(log("1.1 | 4.1"), snaps(S6_0="1.1 5.1"))
    assert restored == (records("1.1 5.1"), zxid("6.0"), records(""))


def test_replaying_what_a_snapshot_holds_changes_nothing() -> None:
    """A fuzzy snapshot may hold later effects than its name says."""
    restored = restore(log("1.1-1.3"), snaps(S1_1="1.1-1.2"))
    assert restored == (records("1.1-1.3"), zxid("1.3"), records("1.2-1.3"))


def test_records_above_a_zxid_in_the_middle_of_a_file() -> None:
    files = log("1.1-1.3 | 2.1-2.3")
    assert records_above(files, zxid("2.2")) == records("2.3")
    assert records_above(files, zxid("1.3")) == records("2.1-2.3")
    assert records_above(files, zxid("2.0")) == records("2.1-2.3")
    assert records_above(files, zxid("2.3")) == records("")


def test_reading_starts_in_the_last_file_that_is_not_named_higher() -> None:
    files = log("1.1-1.3 | 2.1 | 4.1")
    assert files_from(files, zxid("2.1")) == log("2.1 | 4.1")
    assert files_from(files, zxid("3.0")) == log("2.1 | 4.1")
    assert files_from(files, zxid("9.9")) == log("4.1")
    assert files_from(files, zxid("1.0")) == files


# Appending


def test_the_first_record_after_a_start_opens_a_file() -> None:
    assert appended(log("1.1-1.3"), None, zxid("1.4")) == (log("1.1-1.3 | 1.4"), zxid("1.4"))
    assert appended(log(""), None, zxid("1.1")) == (log("1.1"), zxid("1.1"))


def test_later_records_go_to_the_open_file() -> None:
    assert appended(log("1.1-1.3 | 2.1"), zxid("2.1"), zxid("2.2")) == (log("1.1-1.3 | 2.1-2.2"), zxid("2.1"))


def test_a_process_that_lives_through_an_election_keeps_its_file() -> None:
    assert appended(log("1.1"), zxid("1.1"), zxid("2.1")) == (log("1.1 2.1"), zxid("1.1"))


def test_files_lie_in_the_order_of_their_names() -> None:
    assert appended(log("1.1 | 4.1"), None, zxid("2.1")) == (log("1.1 | 2.1 | 4.1"), zxid("2.1"))


# Snapshots


def test_a_snapshot_of_the_same_name_is_overwritten() -> None:
    """In place: a forced one is replaced by one that may be lost."""
    written = snapped(snaps(S2_1="1.1 2.1"), zxid("2.1"), records("1.1"), synced=False)
    assert written == snaps(synced=False, S2_1="1.1")


def test_the_newest_three_snapshots_are_kept() -> None:
    held = snaps(S1_1="", S2_1="", S3_1="")
    assert sorted(snapped(held, zxid("4.1"), EMPTY_TREE, True)) == [zxid("2.1"), zxid("3.1"), zxid("4.1")]
    assert sorted(snapped(held, zxid("2.5"), EMPTY_TREE, True)) == [zxid("2.1"), zxid("2.5"), zxid("3.1")]
    assert sorted(snapped(held, zxid("3.1"), EMPTY_TREE, True)) == [zxid("1.1"), zxid("2.1"), zxid("3.1")]


# Truncation


@pytest.mark.parametrize(
    ("files", "target", "released", "exact", "delete"),
    [
        # The target is there: everybody agrees.
        ("1.1-1.5", "1.3", "1.1-1.3", "1.1-1.3", "1.1-1.3"),
        ("1.1-1.5", "1.5", "1.1-1.5", "1.1-1.5", "1.1-1.5"),
        ("1.1-1.5", "1.1", "1.1", "1.1", "1.1"),
        ("1.1-1.3 | 2.1-2.3 | 3.1", "2.2", "1.1-1.3 | 2.1-2.2", "1.1-1.3 | 2.1-2.2", "1.1-1.3 | 2.1-2.2"),
        ("1.1-1.3 | 2.1 | 3.1 | 4.1", "1.3", "1.1-1.3", "1.1-1.3", "1.1-1.3"),
        ("1.1-1.3 | 2.1 | 3.1", "2.1", "1.1-1.3 | 2.1", "1.1-1.3 | 2.1", "1.1-1.3 | 2.1"),
        # The target is missing and the next record starts a later file: report 001.
        ("1.1-1.9 | 4.1", "2.1", "1.1-1.9 | 4.1", "1.1-1.9", "1.1-1.9"),
        ("1.1-1.9 | 4.1-4.3 | 5.1", "2.1", "1.1-1.9 | 4.1", "1.1-1.9", "1.1-1.9"),
        # The target is missing in the middle of a file.
        ("1.1-1.2 3.1-3.2", "2.1", "1.1-1.2 3.1", "1.1-1.2", ""),
        ("1.1 | 2.1 4.1 | 5.1", "3.1", "1.1 | 2.1 4.1", "1.1 | 2.1", "1.1"),
        # All records are above the target.
        ("2.1-2.3 | 3.1", "1.9", "2.1", "", ""),
        # The start of an epoch is in no log.
        ("1.1-1.3 | 3.1", "2.0", "1.1-1.3 | 3.1", "1.1-1.3", "1.1-1.3"),
        ("1.1-1.3 2.1", "2.0", "1.1-1.3 2.1", "1.1-1.3", ""),
    ],
)
def test_truncation(files: str, target: str, released: str, exact: str, delete: str) -> None:
    assert truncated(log(files), zxid(target)) == log(released)
    assert truncated(log(files), zxid(target), "released") == log(released)
    assert truncated(log(files), zxid(target), "exact") == log(exact)
    assert truncated(log(files), zxid(target), "delete") == log(delete)


@pytest.mark.parametrize("way", ["released", "exact", "delete"])
@pytest.mark.parametrize(("files", "target"), [("1.1-1.9", "2.1"), ("1.1-1.9", "2.0"), ("", "1.1")])
def test_truncation_fails_where_nothing_is_at_or_above_the_target(way: str, files: str, target: str) -> None:
    assert truncated(log(files), zxid(target), way) is None


def test_cutting_keeps_what_is_not_above() -> None:
    assert cut(log("1.1-1.3 | 2.1 | 3.1"), zxid("2.1")) == log("1.1-1.3 | 2.1")
    assert cut(log("1.1-1.3 | 2.1-2.3"), zxid("2.2")) == log("1.1-1.3 | 2.1-2.2")
    assert cut(log("1.1-1.3"), zxid("1.0")) == log("")


# Properties

zxids = st.builds(Zxid, st.integers(1, 4), st.integers(1, 4))
targets = st.builds(Zxid, st.integers(0, 5), st.integers(0, 5))


@st.composite
def logs(draw: st.DrawFn) -> Files:
    """Ascending records in files, cut anywhere: holes, as SNAP and TRUNC leave them, included."""
    held = sorted(draw(st.sets(zxids, max_size=8)))
    bounds = sorted(draw(st.sets(st.integers(1, max(len(held) - 1, 1)), max_size=3)))
    parts = [held[at:upto] for at, upto in zip([0, *bounds], [*bounds, len(held)], strict=True)]
    return pvector([pvector(part) for part in parts if part])


def flat(files: Files) -> list[Zxid]:
    return [record for file in files for record in file]


@given(logs(), targets)
def test_an_exact_truncation_leaves_exactly_what_is_not_above(files: Files, target: Zxid) -> None:
    left = truncated(files, target, "exact")
    if left is None:
        assert all(record < target for record in flat(files))
    else:
        assert flat(left) == [record for record in flat(files) if record <= target]


@given(logs(), targets)
def test_a_released_truncation_leaves_at_most_one_record_above_and_none_if_the_target_is_there(
    files: Files, target: Zxid
) -> None:
    left = truncated(files, target, "released")
    if left is not None:
        above = [record for record in flat(left) if record > target]
        assert above == ([] if target in flat(files) else [min(record for record in flat(files) if record > target)])
        assert flat(left) == flat(files)[: len(flat(left))]


@given(logs(), targets)
def test_deleting_the_file_leaves_nothing_above(files: Files, target: Zxid) -> None:
    left = truncated(files, target, "delete")
    assert left is None or all(record <= target for record in flat(left))


@given(logs(), targets, st.sampled_from(["released", "exact", "delete"]))
def test_truncating_twice_is_truncating_once(files: Files, target: Zxid, way: str) -> None:
    once = truncated(files, target, way)
    if once is not None:
        assert truncated(once, target, way) in (once, None)


@given(logs(), st.dictionaries(targets, st.lists(zxids, unique=True, max_size=3), max_size=2), st.booleans())
def test_a_record_that_was_appended_is_restored(files: Files, trees: dict[Zxid, list[Zxid]], opened: bool) -> None:
    """As long as it is newer than everything on the disk, as every new transaction is."""
    snapshots: Snapshots = pmap({name: Snapshot(pvector(tree), True) for name, tree in trees.items()})
    record = Zxid(9, 1)
    stream = files[-1][0] if files and opened else None
    after, _ = appended(files, stream, record)
    restored = restore(after, snapshots)
    assert restored.last == restored.tree[-1] == restored.replayed[-1] == record
    assert restored.tree[:-1] == restore(files, snapshots).tree


@given(logs())
def test_appending_keeps_files_named_after_their_first_record_and_sorted(files: Files) -> None:
    after, name = appended(files, None, Zxid(2, 9))
    names = [file[0] for file in after]
    assert names == sorted(names) and name in names


@given(logs(), targets)
def test_a_snapshot_and_the_records_above_it_make_the_whole(files: Files, name: Zxid) -> None:
    """Restoring from a snapshot of the truth up to its name gives the same as replaying everything."""
    tree = pvector([record for record in flat(files) if record <= name])
    restored = restore(files, pmap({name: Snapshot(tree, True)}))
    assert restored.tree == restore(files, pmap()).tree


@given(logs(), targets)
def test_cutting_is_what_an_exact_truncation_does_and_never_fails(files: Files, target: Zxid) -> None:
    exact = truncated(files, target, "exact")
    assert cut(files, target) == (files if exact is None else exact)


@given(st.lists(zxids, unique=True, max_size=4), st.lists(zxids, max_size=4))
def test_applying_is_idempotent(tree: list[Zxid], more: list[Zxid]) -> None:
    once = applied(pvector(tree), pvector(dict.fromkeys(more)))
    assert applied(once, pvector(more)) == once
