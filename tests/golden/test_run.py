"""Unit tests of the specs through `Spec.run()`: a behaviour is a chain of steps, and each step that
is not possible names the guard that forbids it."""

from __future__ import annotations

import pytest

from modelcheck.errors import NotEnabled
from modelcheck.run import Run
from specs.classics.lamport_mutex import LamportMutex
from specs.classics.paxos import Paxos
from specs.classics.raft import Append, Ask, Raft, Stored, Vote
from specs.classics.termination import Termination
from specs.classics.transaction_commit import TransactionCommit
from specs.classics.two_phase import TwoPhase
from specs.toys.coffee_can import CoffeeCan
from specs.toys.die_hard import DieHard
from specs.toys.klotski import Klotski
from specs.toys.missionaries import Missionaries
from specs.toys.peterson import Peterson
from specs.toys.philosophers import Philosophers


def test_die_hard_pours_until_a_jug_is_full_or_empty() -> None:
    run = DieHard().run().fill_big().big_to_small()
    assert (run.state.small, run.state.big) == (3, 2)
    run = run.empty_small().big_to_small().fill_big().big_to_small()
    assert (run.state.small, run.state.big) == (3, 4)
    assert run.violated() == [("big_is_never_on_target", {})]


def test_a_step_that_changes_nothing_is_a_step() -> None:
    run = DieHard().run()
    assert run.empty_big().state == run.state
    assert len(run.enabled()) == 6


def test_missionaries_do_not_get_eaten() -> None:
    run = Missionaries().run()
    assert run.why_not("cross", crew=(1, 0)) == "nobody is eaten"
    assert run.cross((1, 1)).state.boat_is_near is False


def test_missionaries_need_somebody_to_row_back() -> None:
    run = Missionaries().run().cross((0, 1))
    with pytest.raises(NotEnabled, match="so many missionaries are on this bank"):
        run.cross((1, 0))


def test_philosophers_starve_with_a_fork_each() -> None:
    run = Philosophers(count=3).run().take_first(0).take_first(1).take_first(2)
    assert run.enabled() == []
    assert run.why_not("take_second", i=0) == "the second fork is on the table"


def test_the_waiter_stops_the_last_philosopher() -> None:
    run = Philosophers(count=3, fix="waiter").run().take_first(0).take_first(1)
    assert run.why_not("take_first", i=2) == "the waiter allows it"
    assert run.take_second(1).put_back(1).take_first(2).state.stage[2] == "hungry"


def test_peterson_lets_one_in_at_a_time() -> None:
    run = Peterson().run().raise_flag(0).give_turn(0).raise_flag(1).give_turn(1).enter(0)
    assert run.why_not("enter", i=1) == "the other has no flag up, or it is i's turn"
    assert run.leave(0).enter(1).violated() == []


def test_coffee_cans_are_initial_states() -> None:
    run = CoffeeCan(max_beans=5).run(black=2, white=3)
    assert run.two_white().state.black == 3
    assert run.two_black().state == run.one_of_each().state
    with pytest.raises(NotEnabled, match="choose one"):
        CoffeeCan(max_beans=5).run()


def test_the_last_bean_is_white_if_their_number_is_odd() -> None:
    run = CoffeeCan(max_beans=3).run(black=1, white=1).one_of_each().finished()
    assert (run.state.black, run.state.white) == (0, 1)


def test_klotski_moves_a_block_into_the_free_cells() -> None:
    run = Klotski().run().slide((4, 0), "right")
    assert (run.state.board[4, 0], run.state.board[4, 1]) == (".", "S")
    assert run.why_not("slide", cell=(0, 0), direction="up") == "the block stays on the board"
    assert run.why_not("slide", cell=(0, 1), direction="down") == "the way is free"
    assert run.why_not("slide", cell=(4, 0), direction="up") == "the corner of a block is here"


def test_transaction_commit_waits_for_everybody() -> None:
    run = TransactionCommit(rms=2).run().prepare(1)
    assert run.why_not("decide_commit", i=1) == "everybody is prepared or has committed"
    run = run.prepare(2).decide_commit(1)
    assert run.why_not("decide_abort", i=2) == "nobody has committed"


def test_two_phase_commits_after_all_promises() -> None:
    run = TwoPhase(rms=2).run().prepare(1).hear_promise(1)
    with pytest.raises(NotEnabled, match="everybody has promised"):
        run.decide_commit()
    run = run.prepare(2).hear_promise(2).decide_commit().obey_commit(1).obey_commit(2)
    assert set(run.state.rm.values()) == {"committed"}


def test_two_phase_is_inconsistent_when_impatient() -> None:
    run = TwoPhase(rms=2, impatient=True).run().prepare(1).hear_promise(1).decide_commit()
    run = run.abort_alone(2).obey_commit(1)
    assert run.violated() == [("consistent", {"i": 1})]


def test_lamports_tie_goes_to_the_smaller_number() -> None:
    run = LamportMutex(processes=2).run().ask(1).ask(2)
    run = run.hear_request(p=1, q=2).hear_request(p=2, q=1)
    run = run.hear_answer(p=1, q=2).hear_answer(p=2, q=1)
    assert run.why_not("enter", p=2) == "no older request is known"
    assert run.enter(1).leave(1).hear_release(p=2, q=1).enter(2).state.inside == {2}


def test_lamports_messages_arrive_in_order() -> None:
    run = LamportMutex(processes=2).run().ask(1).hear_request(p=2, q=1).ask(2)
    assert run.why_not("hear_request", p=1, q=2) == "a request of q arrives"
    assert [event.kind for event in run.hear_answer(p=1, q=2).trace.steps[-1].events] == ["receive"]


def test_paxos_proposes_what_may_have_been_chosen() -> None:
    first = Paxos(ballots=2).run().open_ballot(1).make_promise("a1", 1).make_promise("a2", 1)
    chosen = first.propose(1, "x", ("a1", "a2")).accept("a1", 1).accept("a2", 1)
    second = chosen.open_ballot(2).make_promise("a2", 2).make_promise("a3", 2)
    reason = second.why_not("propose", b=2, v="y", q=("a2", "a3"))
    assert reason == "no other value may have been chosen"
    assert second.propose(2, "x", ("a2", "a3")).state.proposal[2] == "x"


def test_a_paxos_promise_is_kept() -> None:
    run = Paxos(ballots=2).run().open_ballot(1).open_ballot(2).make_promise("a1", 2)
    assert run.why_not("make_promise", a="a1", b=1) == "a has not promised to ignore it"


def raft_with_a_leader() -> Run:
    """s1 leads in term 1, elected by s2; s3 has heard nothing."""
    run = Raft().run().campaign("s1").learn_term("s2", "s1", Ask(1, (0, 0)))
    return run.vote("s2", "s1", Ask(1, (0, 0))).count_vote("s1", "s2", Vote(1)).lead("s1")


def test_raft_elects_by_majority() -> None:
    assert raft_with_a_leader().state.role["s1"] == "leader"
    assert Raft().run().campaign("s1").why_not("lead", i="s1") == "a majority votes for i"


def test_raft_commits_what_a_majority_has_stored() -> None:
    run = raft_with_a_leader().propose("s1").replicate("s1", "s2", 0)
    assert run.why_not("commit", i="s1", length=1) == "a majority has stored it"
    (message,) = run.state.net["s1", "s2"]
    assert isinstance(message, Append)
    run = run.store("s2", "s1", message).count_copy("s1", "s2", Stored(1, 1)).commit("s1", 1)
    assert run.state.committed["s1"] == 1
    assert run.violated() == []


def test_raft_votes_once_a_term() -> None:
    run = raft_with_a_leader().lose("s3", "s1", Ask(1, (0, 0))).campaign("s3")
    assert run.why_not("vote", i="s2", j="s3", m=Ask(1, (0, 0))) == "i has not voted in this term"


def test_termination_sends_a_black_token_around_again() -> None:
    run = Termination(nodes=3).run().start_round().wake(i=0, j=2)
    for node in (2, 1, 0):
        run = run.rest(node)
    run = run.pass_on().pass_on()
    assert (run.state.token, run.state.token_is_black) == (0, False)
    assert run.start_round().pass_on().pass_on().enabled() == []


def test_the_token_waits_for_an_active_node() -> None:
    run = Termination(nodes=3).run().start_round()
    assert run.why_not("pass_on") == "its holder is idle"
