"""The five reports, played step by step: every table, every decision, the reported values, and what breaks when."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from modelcheck.run import Run
from specs.zookeeper import reports
from specs.zookeeper.disk import Zxid
from specs.zookeeper.episodes import Episodes
from specs.zookeeper.reports import REPORTS, STOP_ALL, Report, data_of, memory_of, play, row_of, spans
from tests.zookeeper.notation import blocks
from tests.zookeeper.tables import TABLES

BY_NAME = {report.name: report for report in REPORTS}
EACH_REPORT = pytest.mark.parametrize("report", REPORTS, ids=lambda report: report.name)


def number(description: str) -> str:
    return description.partition(":")[0]


def states(report: Report) -> list[tuple[str, Any]]:
    """Every state of a run with the number of its step, also the states within a step."""
    run = report.spec().run()
    for call in report.preparation:
        run = run.take(*call)
    found: list[tuple[str, Any]] = []
    for description, calls in report.steps:
        for call in calls:
            run = run.take(*call)
            found.append((number(description), run.state))
    return found


@EACH_REPORT
def test_every_table_is_reproduced_cell_by_cell(report: Report) -> None:
    expected = blocks(TABLES[report.name])
    played = {number(description): run for description, run in play(report)}
    assert list(played) == list(expected)
    for step, table in expected.items():
        rows = {node: row_of(report, played[step], node) for node in range(len(report.nodes))}
        assert rows == table, f"after step {step}: {[str(row) for row in rows.values()]}"


@EACH_REPORT
def test_rows_are_shown_in_the_notation_of_the_tables(report: Report) -> None:
    for line in TABLES[report.name].splitlines():
        if line.startswith(" "):
            table = blocks(f"step\n{line}")["step"]
            shown = " ".join(f"{node} {row}" for node, row in table.items())
            assert shown == " ".join(line.split())


DECISIONS = {
    "000": """
        2  1.1-1.9          0 gets DIFF 1.9 for 1.9
        4  1.1-1.9 2.1      0 gets DIFF 2.1 + 2.1 for 1.9
        6  1.1-1.9 2.1      2 gets TRUNC 1.9 + 2.1 for 1.10
        8                   1 gets SNAP 2.1 for 3.1
        10 5.1-5.4          1 gets DIFF 5.4 + 5.4 for 5.3
        11 5.1-5.4          0 gets SNAP 6.0 for 4.1
    """,
    "001": """
        2  1.1-1.9          0 gets DIFF 1.9 for 1.9
        4  1.1-1.9 2.1      0 gets DIFF 2.1 + 2.1 for 1.9
        4  1.1-1.9 2.1      2 gets TRUNC 1.9 + 2.1 for 1.10
        6                   0 gets DIFF 2.1 for 2.1
        8  1.1-1.9 2.1      1 gets DIFF 2.1 for 2.1
        10 1.1-1.9 2.1 5.1-5.4  2 gets TRUNC 2.1 + 5.1 5.2 5.3 5.4 for 4.1, left 4.1
        11 1.1-1.9 2.1 5.1-5.4  1 gets DIFF 5.4 for 5.4
    """,
    "002": """
        1  1.1-1.2          0 gets DIFF 1.2 for 1.2
        2                   2 gets DIFF 1.2 for 1.2
        3a                  1 gets SNAP 1.2 for 2.1
        4  4.1              1 gets DIFF 4.1 for 4.1
    """,
    "003": """
        4-5  2.1-2.20       0 gets DIFF 2.20 + 2.11 2.12 2.13 2.14 2.15 2.16 2.17 2.18 2.19 2.20 for 2.10
        4-5  2.1-2.20       1 gets DIFF 2.20 for 2.20
        9-10 2.1-2.20 3.1   0 gets DIFF 3.1 for 3.1
    """,
    "004": """
        3-4  3.1-3.3        4 gets SNAP 3.3 for 1.3
        6    3.4            0 gets DIFF 3.4 for 3.4
        6    3.4            1 gets DIFF 3.4 for 3.4
        7-9  3.4            3 gets DIFF 3.4 + 3.4 for 1.3
    """,
}


@EACH_REPORT
def test_every_decision_is_the_one_that_the_servers_logged(report: Report) -> None:
    """Each line: the step, the leader's committedLog, and who gets what for which last zxid."""
    run = report.spec().run()
    for call in report.preparation:
        run = run.take(*call)
    seen: list[str] = []
    before = run.state
    for step, state in states(report):
        for node in range(len(report.nodes)):
            sync = state.sync[node]
            if sync is not None and (state.epoch > before.epoch or before.role[node] == "down"):
                seen.append(f"{step} {spans(tuple(state.recent))} {node} gets {sync}")
        before = state
    expected = DECISIONS[report.name].strip().splitlines()
    assert [" ".join(line.split()) for line in seen] == [" ".join(line.split()) for line in expected]


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("000", ["0 0 0", "1001 1001 1001", "2 1002 2", "3 3 3", "1004 1004 1004"]),
        ("001", ["0 0 0", "1001 1001 1001", "2 2 2", "3 3 1003", "1004 1004 1004"]),
    ],
)
def test_the_fifteen_cells_are_as_reported(name: str, cells: list[str]) -> None:
    _, run = play(BY_NAME[name])[-1]
    read = [data_of(BY_NAME[name], run, node) for node in range(3)]
    assert [" ".join(data[f"k{key}"] for data in read) for key in range(5)] == cells


def test_b_and_c_differ_as_reported() -> None:
    report = BY_NAME["002"]
    _, run = play(report)[-1]
    assert data_of(report, run, report.nodes.index("B")) == {"key0": "1000", "key1": "1001"}
    assert data_of(report, run, report.nodes.index("C")) == {"key0": "0", "key1": "1001"}


def test_f_misses_ten_transactions_and_claims_the_eleventh() -> None:
    report = BY_NAME["003"]
    _, run = play(report)[-1]
    f, other = memory_of(run, report.nodes.index("F")), memory_of(run, report.nodes.index("L"))
    assert f[1] == other[1] == Zxid(3, 1)
    assert [zxid for zxid in other[0] if zxid not in f[0]] == [Zxid(2, counter) for counter in range(11, 21)]


def test_the_reproduction_of_003_loses_test1_alone() -> None:
    report = reports.SNAPSHOT_NOT_SYNCED_REPRODUCED
    played = {number(description): run for description, run in play(report)}
    assert data_of(report, played["6-7"], 0) == {"/test1": "1"}
    assert data_of(report, played["11"], 0) == {"/test2": "2"}
    assert [data_of(report, played["11"], node) for node in (1, 2)] == [{"/test1": "1", "/test2": "2"}] * 2


def test_h2_misses_everything_between_z1_and_z2() -> None:
    report = BY_NAME["004"]
    _, run = play(report)[-1]
    h1, h2 = memory_of(run, report.nodes.index("H1")), memory_of(run, report.nodes.index("H2"))
    assert [zxid for zxid in h1[0] if zxid not in h2[0]] == [Zxid(3, 1), Zxid(3, 2), Zxid(3, 3)]
    assert h2[1] == Zxid(3, 4)


# For each invariant that a report breaks: the step where it does so first.
BROKEN = {
    "000": {"I1": "10", "I2": "10", "I3": "8", "I6": "10", "I9": "6"},
    "001": {"I1": "10", "I2": "10", "I6": "10", "I8": "10", "I9": "4"},
    "002": {"I1": "4", "I2": "4", "I3": "3a", "I6": "4"},
    "003": {"I1": "9-10", "I2": "9-10", "I9": "4-5"},
    "004": {"I1": "7-9", "I2": "7-9", "I7": "7-9", "I9": "3-4"},
}
NUMBERS = {
    "identical_committed_prefixes": "I1",
    "synced_means_equal": "I2",
    "no_snapshot_below_replayed": "I3",
    "committed_survives": "I4",
    "leader_is_complete": "I5",
    "nothing_resurrected": "I6",
    "diff_is_whole": "I7",
    "truncation_is_complete": "I8",
    "acknowledged_is_durable": "I9",
    "one_leader_per_epoch": "I10",
}


@EACH_REPORT
def test_invariants_break_where_they_are_said_to(report: Report) -> None:
    first: dict[str, str] = {}
    for description, run in play(report):
        for name, _ in run.violated():
            first.setdefault(NUMBERS[name], number(description))
    assert first == BROKEN[report.name]


@EACH_REPORT
def test_stopping_all_may_be_left_to_the_next_election(report: Report) -> None:
    """Then only actions of the searched spec are left, and the run ends in the same state."""
    run: Run = Episodes(**report.spec().constants).run()
    calls = [*report.preparation, *(call for _, calls in report.steps for call in calls)]
    for call in calls:
        if call != STOP_ALL:
            run = run.take(*call)
    _, scripted = play(report)[-1]
    assert dict(run.state) == dict(scripted.state)


def test_reports_are_told_apart_by_name() -> None:
    assert list(BY_NAME) == ["000", "001", "002", "003", "004"]
    assert all(report.title and report.reported for report in REPORTS)


# What was seen on real servers when a schedule was changed, and what each report's own remedy does to it.


def final_data(report: Report) -> list[dict[str, str]]:
    _, run = play(report)[-1]
    return [data_of(report, run, node) for node in range(len(report.nodes))]


def agree(report: Report) -> bool:
    datas = final_data(report)
    return all(data == datas[0] for data in datas)


def with_step(report: Report, step: str, *calls: reports.Call) -> Report:
    """A report with other actions in one of its steps."""
    return replace(
        report,
        steps=tuple(old._replace(calls=calls) if number(old.description) == step else old for old in report.steps),
    )


def test_000_without_the_unissued_transactions_agrees() -> None:
    """Node 1 restarts with 3.1 below 5.1 and gets SNAP at 5.1, which covers the stale record."""
    report = with_step(BY_NAME["000"], "8", reports.form(1, 2))
    assert agree(report)
    syncs = [str(state.sync[1]) for step, state in states(report) if step == "10"]
    assert syncs == ["SNAP 5.1 for 3.1"]


def test_000_with_another_first_leader_agrees() -> None:
    """The write of step 1 goes to a follower and is lost; step 6 is a DIFF."""
    report = with_step(BY_NAME["000"], "1", STOP_ALL)
    report = replace(report, constants={**report.constants, "first_leader": 1})
    assert agree(report)
    syncs = [str(state.sync[2]) for step, state in states(report) if step == "6"]
    assert syncs == ["DIFF 2.1 + 2.1 for 1.9"]


def test_001_taken_literally_loses_the_last_write_only() -> None:
    report = BY_NAME["001"]
    literal = final_data(with_step(report, "9", STOP_ALL))
    assert [data.pop("k4") for data in literal] == ["4", "4", "4"]
    reported = final_data(report)
    assert [data.pop("k4") for data in reported] == ["1004"] * 3
    assert literal == reported


def test_002_on_the_next_release_agrees() -> None:
    """There an empty DIFF writes no snapshot, so that the leader of step 3 has a committedLog and sends TRUNC."""
    report = replace(BY_NAME["002"], era="3.4.11")
    b, c = final_data(report)[1:]
    assert b == c == {"key0": "0", "key1": "1001"}
    syncs = [str(state.sync[1]) for step, state in states(report) if step == "3a"]
    assert syncs == ["TRUNC 1.2 for 2.1"]


@pytest.mark.parametrize("change", [{"era": "3.4.11"}, {"fixes": ("log-diff",)}, {"fixes": ("fsync-all",)}])
def test_003_has_nothing_to_lose_where_diff_is_logged_or_snapshots_are_forced(change: dict[str, Any]) -> None:
    report = replace(BY_NAME["003"], **change)
    report = replace(report, steps=report.steps[:4])
    _, run = play(report)[-1]
    assert isinstance(run, Run)
    assert not [params for action, params in run.enabled() if action == "lose_power" and params["i"] == 0]
    assert data_of(report, run, 0) == data_of(report, run, 2)


@pytest.mark.parametrize(
    ("name", "fixes"),
    [
        ("000", "cut-on-snap"),
        ("000", "wipe-on-snap"),
        ("000", "name-snap-after-epoch"),
        ("000", "leader-sends-trunc"),
        ("001", "exact-trunc"),
        ("001", "trunc-deletes-file"),
        ("001", "trunc-or-snap"),
        ("001", "log-after-trunc"),
        ("004", "gap-marker"),
        ("004", "wipe-on-snap"),
        ("004", "no-disk-sync"),
    ],
)
def test_a_remedy_that_was_proposed_for_a_report_repairs_its_schedule(name: str, fixes: str) -> None:
    report = replace(BY_NAME[name], fixes=(fixes,))
    if fixes == "no-disk-sync":  # then no size is ever asked for
        report = with_step(report, "7-9", reports.join(3))
        report = replace(report, preparation=(*report.preparation[:2], reports.join(3), reports.join(4)))
    assert name == "004" or agree(report)
    assert name != "004" or final_data(report)[3] == final_data(report)[4]


@pytest.mark.parametrize("fix", ["cut-on-snap", "wipe-on-snap"])
def test_002_is_repaired_by_touching_the_log_on_snap(fix: str) -> None:
    b, c = final_data(replace(BY_NAME["002"], fixes=(fix,)))[1:]
    assert b == c == {"key0": "0", "key1": "1001"}


def test_the_gap_check_does_not_repair_004() -> None:
    """What is read from disk reaches the lower end of the committedLog, because that record is on disk as well.

    The check also refuses the preparation's DIFFs, which are whole; so here H1 and H2 are there from the first
    election on, and are lost at the second.
    """
    report = replace(BY_NAME["004"], fixes=("gap-check",))
    report = replace(report, preparation=(reports.form(0, 1, 2), reports.join(3), reports.join(4)))
    report = with_step(report, "1", reports.form(0, 1, 2))
    assert final_data(report)[3] == {"at 00": "Z1", "at 04": "Z2+1"}
    assert [str(state.sync[3]) for step, state in states(report) if step == "7-9"] == ["DIFF 3.4 + 3.4 for 1.3"]
