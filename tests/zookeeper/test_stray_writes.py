"""Stray writes: a proposal that one follower logs before anybody else does, and what comes of it."""

from __future__ import annotations

from typing import Any

import pytest

from modelcheck import check
from modelcheck.run import Run
from specs.zookeeper.episodes import Episodes
from specs.zookeeper.picture import scene
from tests.zookeeper.notation import log, records, zxid


def stray(*fixes: str, era: str = "3.8", **more: Any) -> Episodes:
    constants = {"max_epoch": 5, "max_txns": 2, "stray_writes": True, **more}
    return Episodes(era=era, fixes=fixes, **constants)


def form(run: Run, *members: int, fits: bool = True) -> Run:
    return run.take("form", {"members": members, "fits": fits})


def test_one_follower_logs_the_leaders_next_transaction_and_all_stop() -> None:
    run = form(stray().run(), 0, 1, 2).take("stray_write", {"i": 1})
    state = run.state
    assert [state.files[i] for i in range(3)] == [log("1.1"), log("1.1 | 2.1"), log("1.1")]
    assert [state.role[i] for i in range(3)] == ["down"] * 3
    assert state.txns == 1 and zxid("2.1") not in state.committed and not state.recent


def test_it_goes_to_the_file_that_is_open() -> None:
    run = form(stray().run(), 0, 1).take("lone_write", {})
    run = form(run, 0, 1).take("stray_write", {"i": 0})
    assert run.state.files[0] == log("1.1 | 2.1 3.1")


def test_nobody_but_a_follower_can() -> None:
    run = form(stray().run(), 0, 1)
    assert run.why_not("stray_write", i=0) is None
    assert run.why_not("stray_write", i=1) is not None, "the leader's own is a lone write"
    assert run.why_not("stray_write", i=2) is not None, "stopped"


@pytest.mark.parametrize("off", [{"stray_writes": False}, {"max_txns": 0}])
def test_not_without_the_constant_or_a_transaction(off: dict[str, Any]) -> None:
    assert form(stray(**off).run(), 0, 1).why_not("stray_write", i=0) is not None


def deleting(way: str) -> Run:
    """The schedule of the study: a stray record behind a committed one, and TRUNC to a zxid between the two."""
    run = form(stray("wipe-on-snap", way).run(), 0, 1).take("lone_write", {})
    run = form(run, 0, 1).take("join", {"i": 2, "fits": False}).take("stray_write", {"i": 0})
    return form(form(run, 1, 2), 0, 1)


def test_deleting_the_file_loses_what_was_committed_and_cutting_it_does_not() -> None:
    exact, delete = deleting("exact-trunc"), deleting("trunc-deletes-file")
    assert str(exact.state.sync[0]) == str(delete.state.sync[0]) == "TRUNC 3.0 for 3.1"
    assert exact.state.files[0] == log("1.1 | 2.1") and not exact.violated()
    assert delete.state.files[0] == log("1.1") and delete.violated()
    assert zxid("2.1") in delete.state.committed
    assert delete.state.tree[1] == records("1.1 2.1") and delete.state.tree[0] == records("1.1")


def test_dropping_snapshots_takes_the_only_one_that_a_snap_left() -> None:
    run = form(form(stray("wipe-on-snap", "exact-trunc", "drop-snapshots-above").run(), 0, 1), 0, 1)
    run = run.take("join", {"i": 2, "fits": True}).take("stray_write", {"i": 2})
    run = form(form(run, 0, 1), 0, 2)
    assert str(run.state.sync[2]) == "TRUNC 1.1 for 3.1"
    assert run.state.tree[2] == records("") and run.violated()


def test_the_picture_tells_who_logged_alone_and_what_was_cut() -> None:
    spec = stray("wipe-on-snap", "trunc-deletes-file")
    drawn = scene(spec, check(spec).violations[0])
    assert drawn.title == "A committed write is lost: 2.1"
    row = next(row for row in drawn.rows if row.title == "a write that only server 0 logs")
    assert [mark.text for mark in row.marks if mark.lane == "server 0"] == ["logs 3.1 alone", "stops"]
    assert not [mark for mark in row.marks if mark.text.startswith("logs") and mark.lane != "server 0"]
    assert any("2.1 is cut, though it was committed" in sentence for sentence in drawn.story)
