"""The leader's decision, one line of the table after the other, in every era."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyrsistent import pvector

from specs.zookeeper.decision import Decision, Leader, decide
from specs.zookeeper.disk import NOTHING, Files, Zxid
from specs.zookeeper.eras import ERAS, FIXES, Rules, rules_of
from tests.zookeeper.notation import log, records, zxid

EVERY_ERA = pytest.mark.parametrize("era", ERAS)
OLD = pytest.mark.parametrize("era", ["3.4.9", "3.4.11"])
NEW = pytest.mark.parametrize("era", ["3.5", "3.8"])


def decided(
    peer: str,
    recent: str,
    *,
    era: str,
    fixes: tuple[str, ...] = (),
    last: str = "9.0",
    files: str = "",
    marker: str = "0.0",
    fits: bool = True,
) -> str:
    """The decision and the line of the table, as a short text."""
    leader = Leader(zxid(last), records(recent), log(files), zxid(marker))
    decision = decide(rules_of(era, fixes), zxid(peer), leader, fits)
    return f"{decision} by {decision.rule}"


# Line 1: the learner has what the leader has.


@EVERY_ERA
def test_an_equal_learner_gets_an_empty_diff(era: str) -> None:
    assert decided("2.1", "1.1-1.3 2.1", last="2.1", era=era) == "DIFF 2.1 by 1"


@EVERY_ERA
def test_an_equal_learner_gets_an_empty_diff_even_from_an_empty_committed_log(era: str) -> None:
    assert decided("2.1", "", last="2.1", era=era) == "DIFF 2.1 by 1"
    assert decided("6.0", "", last="6.0", era=era) == "DIFF 6.0 by 1"


# Line 2: the committedLog is empty.


@OLD
@pytest.mark.parametrize("peer", ["1.1", "3.1", "3.0"])
def test_an_empty_committed_log_means_snap(era: str, peer: str) -> None:
    assert decided(peer, "", last="2.1", era=era) == "SNAP 2.1 by 2"


@NEW
def test_an_empty_committed_log_is_replaced_by_the_leaders_last_zxid(era: str) -> None:
    assert decided("3.1", "", last="2.1", era=era) == "TRUNC 2.1 by 3"
    assert decided("1.1", "", last="2.1", files="1.1", era=era, fits=False) == "SNAP 2.1 by 6"


@OLD
def test_a_leader_that_sends_trunc_does_as_later_eras_do(era: str) -> None:
    fixes = ("leader-sends-trunc",)
    assert decided("3.1", "", last="2.1", era=era, fixes=fixes) == "TRUNC 2.1 by 3"
    assert decided("1.1", "", last="2.1", files="1.1", era=era, fixes=fixes) == "SNAP 2.1 by 6"


# Line 3: the learner is ahead.


@EVERY_ERA
def test_a_learner_that_is_ahead_is_truncated_to_the_end_of_the_committed_log(era: str) -> None:
    assert decided("3.1", "1.1-1.3 2.1", last="2.1", era=era) == "TRUNC 2.1 by 3"


@EVERY_ERA
def test_an_established_leader_truncates_to_its_last_record(era: str) -> None:
    assert decided("5.1", "1.1-1.3 2.1", last="6.0", era=era) == "TRUNC 2.1 by 3"


@OLD
def test_the_start_of_an_epoch_is_truncated_like_anything_ahead(era: str) -> None:
    assert decided("3.0", "1.1-1.3 2.1", last="2.1", era=era) == "TRUNC 2.1 by 3"


# Line 4: the committedLog has the learner's last record.


@EVERY_ERA
def test_a_known_learner_gets_what_follows(era: str) -> None:
    assert decided("1.3", "1.1-1.3 2.1-2.2", last="2.2", era=era) == "DIFF 2.2 + 2.1 2.2 by 4"


@EVERY_ERA
def test_the_lower_end_counts_as_known(era: str) -> None:
    assert decided("1.1", "1.1-1.3", last="1.3", era=era) == "DIFF 1.3 + 1.2 1.3 by 4"


@EVERY_ERA
def test_a_late_joiner_at_the_upper_end_gets_a_diff_without_records(era: str) -> None:
    """The established leader's last zxid is the start of its epoch, so that line 1 does not apply."""
    assert decided("5.4", "1.1 5.1-5.4", last="6.0", era=era) == "DIFF 5.4 by 4"


# Line 5: within the committedLog, but unknown.


@EVERY_ERA
def test_an_unknown_record_of_the_same_epoch_is_truncated(era: str) -> None:
    """The next record has the learner's epoch."""
    assert decided("2.2", "1.1 2.1 2.3", last="2.3", era=era) == "TRUNC 2.1 + 2.3 by 5"


@OLD
def test_an_unknown_record_is_truncated_across_epochs(era: str) -> None:
    assert decided("1.10", "1.1-1.9 2.1", last="2.1", era=era) == "TRUNC 1.9 + 2.1 by 5"
    assert decided("4.1", "1.1 2.1 5.1-5.2", last="5.2", era=era) == "TRUNC 2.1 + 5.1 5.2 by 5"


@NEW
def test_an_unknown_record_before_another_epoch_means_snap(era: str) -> None:
    assert decided("1.10", "1.1-1.9 2.1", last="2.1", files="1.1-1.9 | 2.1", era=era) == "SNAP 2.1 by 5"
    assert decided("4.1", "1.1 2.1 5.1-5.2", last="5.2", era=era) == "SNAP 5.2 by 5"


@OLD
def test_the_start_of_an_epoch_is_an_unknown_record(era: str) -> None:
    assert decided("2.0", "1.1-1.3 2.1", last="2.1", era=era) == "TRUNC 1.3 + 2.1 by 5"


@NEW
def test_a_learner_at_the_start_of_an_epoch_gets_what_follows(era: str) -> None:
    assert decided("2.0", "1.1-1.3 2.1", last="2.1", era=era) == "DIFF 2.1 + 2.1 by 5"
    assert decided("3.0", "1.1-1.3 4.1", last="4.1", era=era) == "DIFF 4.1 + 4.1 by 5"


# Line 6: the learner is behind the committedLog.


@OLD
@pytest.mark.parametrize("fits", [True, False])
def test_a_learner_that_is_behind_gets_a_snapshot(era: str, fits: bool) -> None:
    """Whatever the log files hold."""
    assert decided("4.1", "5.1-5.4", last="6.0", files="4.1 | 5.1-5.4", era=era, fits=fits) == "SNAP 6.0 by 6"


@NEW
def test_a_learner_that_is_behind_is_served_from_the_log_files_and_then_from_memory(era: str) -> None:
    files = "1.1-1.3 | 2.1-2.2 | 3.1"
    assert decided("1.2", "2.2 3.1", last="3.1", files=files, era=era) == "DIFF 3.1 + 1.3 2.1 2.2 3.1 by 6"


@NEW
def test_log_files_above_the_limit_mean_snap(era: str) -> None:
    files = "1.1-1.3 | 2.1-2.2 | 3.1"
    assert decided("1.2", "2.2 3.1", last="3.1", files=files, era=era, fits=False) == "SNAP 3.1 by 6"


@NEW
@pytest.mark.parametrize("files", ["", "1.3 | 2.1-2.2 | 3.1"])
def test_log_files_that_begin_above_the_learner_mean_snap(era: str, files: str) -> None:
    assert decided("1.2", "2.2 3.1", last="3.1", files=files, era=era) == "SNAP 3.1 by 6"


@NEW
def test_an_unknown_record_of_the_same_epoch_is_truncated_with_the_help_of_the_files(era: str) -> None:
    found = decided("2.2", "3.1", last="3.1", files="1.1 2.1 2.3 | 3.1", era=era)
    assert found == "TRUNC 2.1 + 2.3 3.1 by 6"


@NEW
def test_an_unknown_record_before_another_epoch_means_snap_from_the_files_too(era: str) -> None:
    assert decided("1.4", "3.1", last="3.1", files="1.1-1.3 | 2.1 | 3.1", era=era) == "SNAP 3.1 by 6"


@NEW
def test_an_unknown_record_above_all_records_that_are_read_means_snap(era: str) -> None:
    """The rest of the history lives in a snapshot only: nothing in the files follows the learner."""
    assert decided("1.2", "", last="2.1", files="1.1", era=era) == "SNAP 2.1 by 6"


@NEW
def test_a_learner_at_the_start_of_an_epoch_gets_what_follows_from_the_files(era: str) -> None:
    assert decided("2.0", "3.1", last="3.1", files="1.1 | 2.1 | 3.1", era=era) == "DIFF 3.1 + 2.1 3.1 by 6"


@NEW
def test_log_files_that_begin_above_the_start_of_an_epoch_mean_snap(era: str) -> None:
    """There is no telling what came before them."""
    assert decided("2.0", "3.1", last="3.1", files="2.1 | 3.1", era=era) == "SNAP 3.1 by 6"


@NEW
def test_reading_stops_at_the_lower_end_of_the_committed_log(era: str) -> None:
    """What lies above it on disk need not be committed: memory decides."""
    found = decided("1.1", "2.1", last="2.1", files="1.1-1.2 | 2.1-2.2", era=era)
    assert found == "DIFF 2.1 + 1.2 2.1 by 6"


def test_files_that_end_below_the_committed_log_are_refused_by_the_gap_check() -> None:
    files, last = "1.1-1.3", "2.1"  # 2.1 came by SNAP, or after TRUNC
    assert decided("1.2", "", last=last, files=files, era="3.5") == "DIFF 2.1 + 1.3 by 6"
    assert decided("1.2", "", last=last, files=files, era="3.8") == "SNAP 2.1 by 6"
    assert decided("1.2", "", last=last, files=files, era="3.5", fixes=("gap-check",)) == "SNAP 2.1 by 6"


@NEW
def test_a_hole_below_the_lower_end_passes_the_gap_check(era: str) -> None:
    """Report 004: the record at the lower end is in the files as well, so that the files do not end below it."""
    assert decided("1.3", "3.4", last="4.0", files="1.1-1.3 | 3.4", era=era) == "DIFF 3.4 + 3.4 by 6"


@NEW
def test_a_marker_forbids_reading_across_a_hole(era: str) -> None:
    def served(peer: str, *fixes: str) -> str:
        return decided(peer, "3.6", last="4.0", files="1.1-1.3 | 3.4-3.6", marker="3.3", era=era, fixes=fixes)

    assert served("1.3") == "DIFF 3.6 + 3.4 3.5 3.6 by 6"
    assert served("1.3", "gap-marker") == "SNAP 4.0 by 6"
    assert served("3.4", "gap-marker") == "DIFF 3.6 + 3.5 3.6 by 6"


@NEW
def test_without_disk_sync_a_learner_that_is_behind_gets_a_snapshot(era: str) -> None:
    found = decided("1.2", "2.2 3.1", last="3.1", files="1.1-1.3 | 2.1-2.2", era=era, fixes=("no-disk-sync",))
    assert found == "SNAP 3.1 by 6"


# Line 7: what is left.


@NEW
def test_the_start_of_an_epoch_above_everything_means_snap(era: str) -> None:
    assert decided("6.0", "1.1 5.1-5.4", last="5.4", era=era) == "SNAP 5.4 by 7"
    assert decided("6.0", "", last="5.4", era=era) == "SNAP 5.4 by 7"


# Properties


class Case(NamedTuple):
    """A leader whose log files hold the whole history, and a learner."""

    rules: Rules
    history: list[Zxid]
    recent: list[Zxid]
    files: Files
    last: Zxid
    peer: Zxid
    fits: bool

    def decide(self) -> Decision:
        leader = Leader(self.last, pvector(self.recent), self.files, NOTHING)
        return decide(self.rules, self.peer, leader, self.fits)


@st.composite
def cases(draw: st.DrawFn, eras: tuple[str, ...] = tuple(ERAS)) -> Case:
    held = sorted(draw(st.sets(st.builds(Zxid, st.integers(1, 4), st.integers(1, 3)), min_size=1, max_size=8)))
    cuts = sorted(draw(st.sets(st.integers(1, max(len(held) - 1, 1)), max_size=3)))
    parts = [held[at:upto] for at, upto in zip([0, *cuts], [*cuts, len(held)], strict=True)]
    fixes = draw(st.sets(st.sampled_from(list(FIXES)), max_size=3))
    return Case(
        rules=rules_of(draw(st.sampled_from(eras)), tuple(sorted(fixes))),
        history=held,
        recent=held[draw(st.integers(0, len(held))) :],
        files=pvector([pvector(part) for part in parts if part]),
        last=draw(st.sampled_from([held[-1], Zxid(held[-1].epoch + 1, 0)])),
        peer=draw(st.sampled_from(held) | st.builds(Zxid, st.integers(1, 5), st.integers(0, 4))),
        fits=draw(st.booleans()),
    )


@given(cases())
def test_a_diff_from_a_whole_log_is_whole(case: Case) -> None:
    decision = case.decide()
    if decision.kind == "DIFF":
        assert list(decision.sent) == [record for record in case.history if record > case.peer]


@given(cases())
def test_a_trunc_from_a_whole_log_goes_back_to_the_common_part_and_then_on_to_the_end(case: Case) -> None:
    decision = case.decide()
    if decision.kind == "TRUNC":
        assert case.peer not in case.history
        assert list(decision.sent) == [record for record in case.history if record > case.peer]
        below = [record for record in case.history if record < case.peer]
        # By line 3, a leader without a committedLog names its last zxid instead of its last record.
        assert decision.target == (case.last if decision.rule == 3 and not case.recent else below[-1])


@given(cases())
def test_every_learner_gets_an_answer_and_snap_carries_the_leaders_last_zxid(case: Case) -> None:
    decision = case.decide()
    assert decision.kind in ("DIFF", "TRUNC", "SNAP") and 1 <= decision.rule <= 7
    assert decision.kind != "SNAP" or (decision.target == case.last and not decision.sent)


@given(cases(eras=("3.4.9", "3.4.11")))
def test_in_3_4_neither_files_nor_their_size_matter(case: Case) -> None:
    assert case.decide() == case._replace(files=pvector(), fits=not case.fits).decide()
