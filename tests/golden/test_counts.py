"""Golden counts: every model that ships, with the numbers written out a second time.

`models.toml` holds the same numbers for the command line. They stand here as literals, so that a
change of a spec, of the engine or of one of the two lists cannot pass unnoticed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from modelcheck import Spec, Verdict, check
from modelcheck.models import Expectation, read_models
from specs.classics.lamport_mutex import LamportMutex
from specs.classics.paxos import Paxos
from specs.classics.raft import Raft
from specs.classics.termination import Termination
from specs.classics.transaction_commit import TransactionCommit
from specs.classics.two_phase import TwoPhase
from specs.toys.coffee_can import CoffeeCan
from specs.toys.die_hard import DieHard
from specs.toys.klotski import Klotski
from specs.toys.missionaries import Missionaries
from specs.toys.peterson import Peterson
from specs.toys.philosophers import Philosophers

SPECS = Path(__file__).parents[2] / "specs"
FOLDERS = ("toys", "classics")


@dataclass(frozen=True)
class Golden:
    """A model with its answer: counts where it holds, property and length of its trace if not."""

    spec: type[Spec]
    constants: Mapping[str, object] = field(default_factory=dict)
    counts: tuple[int, int | None, int | None] | None = None  # distinct, generated, depth
    fails: tuple[str, int] | None = None  # property, states in the trace
    slow: bool = False

    @property
    def verdict(self) -> Verdict:
        if self.fails is None:
            return Verdict.HOLDS
        return Verdict.DEADLOCK if self.fails[0] == "deadlock" else Verdict.VIOLATED


GOLDEN = {
    "die_hard": Golden(DieHard, fails=("big_is_never_on_target", 7)),
    "die_hard_all": Golden(DieHard, {"target": 6}, (16, 97, 8)),
    "missionaries": Golden(Missionaries, fails=("not_all_across", 12)),
    "missionaries_4": Golden(Missionaries, {"couples": 4}, (11, 23, 7)),
    "missionaries_5": Golden(
        Missionaries, {"couples": 5, "seats": 3}, fails=("not_all_across", 12)
    ),
    "philosophers": Golden(Philosophers, fails=("deadlock", 6)),
    "philosophers_ordered": Golden(Philosophers, {"fix": "ordered"}, (70, 220, 6)),
    "philosophers_waiter": Golden(Philosophers, {"fix": "waiter"}, (81, 261, 6)),
    "peterson": Golden(Peterson, counts=(20, 35, 7)),
    "peterson_turn_first": Golden(Peterson, {"turn_first": True}, fails=("never_both_inside", 7)),
    "coffee_can_100": Golden(CoffeeCan, {"max_beans": 100}, (5_150, 20_002, 1)),
    "coffee_can": Golden(CoffeeCan, counts=(501_500, 2_000_002, 1), slow=True),
    "klotski": Golden(Klotski, fails=("red_is_not_at_the_exit", 117)),
    "transaction_commit": Golden(TransactionCommit, counts=(34, 94, 7)),
    "two_phase": Golden(TwoPhase, counts=(288, 1_146, 11)),
    "two_phase_7": Golden(TwoPhase, {"rms": 7}, (296_448, 2_744_706, 23)),
    "two_phase_8": Golden(TwoPhase, {"rms": 8}, (1_745_408, 18_507_778, 26)),
    "two_phase_9": Golden(TwoPhase, {"rms": 9}, (10_340_352, None, None), slow=True),
    "two_phase_impatient": Golden(TwoPhase, {"impatient": True}, fails=("consistent", 6)),
    "lamport_mutex": Golden(LamportMutex, counts=(724_274, 2_729_079, 61)),
    "lamport_mutex_hasty": Golden(
        LamportMutex, {"wait_for_answers": False}, fails=("mutual_exclusion", 5)
    ),
    "paxos": Golden(Paxos, counts=(185_369, 525_868, 25)),
    "paxos_careless": Golden(
        Paxos, {"ballots": 2, "careless": True}, fails=("one_value_is_chosen", 13)
    ),
    "raft": Golden(Raft, counts=(2_025_111, 13_473_247, 39)),
    "raft_votes_twice": Golden(Raft, {"bug": "votes_twice"}, fails=("election_safety", 10)),
    "raft_any_log": Golden(Raft, {"bug": "any_log"}, fails=("leader_completeness", 17)),
    "raft_old_terms": Golden(
        Raft, {"bug": "old_terms", "max_term": 4}, fails=("leader_completeness", 31), slow=True
    ),
    "termination": Golden(Termination, counts=(3_646, 48_548, 19)),
    "termination_all_white": Golden(
        Termination, {"blacken": False}, fails=("detected_means_terminated", 12)
    ),
}


@pytest.mark.parametrize("name", [name for name, golden in GOLDEN.items() if not golden.slow])
def test_the_checker_answers_as_written_here(name: str) -> None:
    golden = GOLDEN[name]
    result = check(golden.spec(**golden.constants))
    assert result.verdict is golden.verdict
    if golden.fails is None:
        assert (result.distinct, result.generated, result.depth) == golden.counts
        assert result.coverage.never_enabled == ()
        assert all(depth is not None for depth in result.goals.values())
    else:
        failing, length = golden.fails
        assert [found.property for found in result.violations] == [failing]
        assert len(result.trace(failing)) == length


def test_klotski_has_25955_boards() -> None:
    assert check(Klotski(), keep_going=True).distinct == 25_955


@pytest.mark.parametrize("name", ["two_phase", "peterson", "paxos_careless", "philosophers"])
def test_the_plain_search_agrees(name: str) -> None:
    spec = GOLDEN[name].spec(**GOLDEN[name].constants)
    fast, plain = check(spec), check(spec, engine="oracle")
    assert fast.verdict is plain.verdict
    assert (fast.distinct, fast.generated, fast.depth) == (
        plain.distinct,
        plain.generated,
        plain.depth,
    )
    assert [len(found.trace) for found in fast.violations] == [
        len(found.trace) for found in plain.violations
    ]


def test_models_toml_says_the_same() -> None:
    models = {model.name: model for folder in FOLDERS for model in read_models(SPECS / folder)}
    assert models.keys() == GOLDEN.keys()
    for name, golden in GOLDEN.items():
        distinct, generated, depth = golden.counts or (None, None, None)
        failing, length = golden.fails or (None, None)
        expected = Expectation(golden.verdict, failing, length, distinct, generated, depth)
        model = models[name]
        assert (model.expect, dict(model.constants), model.slow) == (
            expected,
            dict(golden.constants),
            golden.slow,
        ), name
        assert Path(model.target).stem == golden.spec.__module__.rpartition(".")[2]
