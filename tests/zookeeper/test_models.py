"""The table of the study: every model answers as `models.toml` says, and together they leave nothing out."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from modelcheck import Result, Verdict, check
from modelcheck.models import Model, pick_models, read_models, run_model
from specs.zookeeper.episodes import Episodes
from specs.zookeeper.eras import ERAS, FIXES

FOLDER = Path(__file__).parents[2] / "specs" / "zookeeper"
MODELS: Mapping[str, Model] = {model.name: model for model in read_models(FOLDER)}
QUICK = pick_models(MODELS.values())
HOLDING = [model for model in QUICK if model.expect.verdict is Verdict.HOLDS]
LINES = tuple("01234567")  # of the decision table; 0 is a learner that asks for SNAP instead of TRUNC

# The most steps that the shortest trace of each report's class may have.
MOST_STEPS = {"report_002": 7, "report_003": 5, "report_000": 9, "report_001": 10, "report_004": 5}


@pytest.mark.parametrize("name", [model.name for model in QUICK])
def test_a_model_meets_its_expectation(name: str) -> None:
    row = run_model(MODELS[name])
    assert row.error is None
    assert row.met, "; ".join(row.why_not)


# What the table promises


@pytest.mark.parametrize("model", MODELS.values(), ids=lambda model: model.name)
def test_a_model_promises_counts_and_names_what_is_violated(model: Model) -> None:
    expect = model.expect
    assert model.about and expect.distinct is not None and expect.generated is not None
    if expect.verdict is Verdict.VIOLATED:
        assert expect.property is not None and expect.trace is not None
    else:
        assert expect.verdict in (Verdict.HOLDS, Verdict.UNREACHED) and expect.depth is not None and not model.limits


@pytest.mark.parametrize(("name", "steps"), MOST_STEPS.items())
def test_a_report_is_found_within_the_steps_that_are_allowed(name: str, steps: int) -> None:
    """The expectation is exact, and the search goes by depth: what is promised here is the shortest trace."""
    expect = MODELS[name].expect
    assert expect.verdict is Verdict.VIOLATED and expect.trace is not None
    assert expect.trace - 1 <= steps


@pytest.mark.parametrize(
    ("name", "bounds"),
    [
        ("3.4.9+cut-on-snap", (5, 2)),
        ("3.4.9+cut-on-snap+exact-trunc+fsync-all+power-loss", (5, 2)),
        ("3.4.11+cut-on-snap+exact-trunc", (6, 3)),
        ("3.4.11+cut-on-snap+exact-trunc+fsync-snap+fsync-trunc+power-loss", (5, 2)),
        ("3.8+wipe-on-snap+exact-trunc", (5, 2)),
        ("3.8+wipe-on-snap+exact-trunc+drop-snapshots-above+fsync-all+power-loss+giving-up", (5, 2)),
        ("3.8+wipe-on-snap+exact-trunc+stray-writes", (5, 2)),
        ("3.8+wipe-on-snap+exact-trunc+no-start-snapshot+power-loss+giving-up+stray-writes+3-txns", (5, 3)),
        (
            "3.8+wipe-on-snap+snap-if-no-base+fsync-all+power-loss+giving-up+stray-writes",
            (5, 2),
        ),
    ],
)
def test_a_complete_run_holds(name: str, bounds: tuple[int, int]) -> None:
    model = MODELS[name]
    assert model in QUICK and model.expect.verdict is Verdict.HOLDS and not model.limits
    assert (model.constants["max_epoch"], model.constants["max_txns"]) == bounds
    assert {fix for fix in FIXES if fix in name} >= set(_tuple(model, "fixes")), "the name tells the fixes"
    for flag in ("power_loss", "giving_up", "stray_writes"):
        assert bool(model.constants.get(flag)) == (flag.replace("_", "-") in name)


def test_the_two_ways_to_truncate_differ_in_nothing_else() -> None:
    """One model holds and the other does not, so the way to truncate is to blame."""
    exact, delete = (MODELS[f"3.8+wipe-on-snap+{way}+stray-writes"] for way in ("exact-trunc", "trunc-deletes-file"))
    assert exact.expect.verdict is Verdict.HOLDS and delete.expect.verdict is Verdict.VIOLATED
    same = {name: value for name, value in exact.constants.items() if name != "decisions"}
    assert {**same, "fixes": ("wipe-on-snap", "trunc-deletes-file")} == delete.constants


@pytest.mark.parametrize("era", ["3.5", "3.8", "3.4.11", "3.4.9"])
def test_every_era_is_there_as_released(era: str) -> None:
    assert any(model.constants["era"] == era and not _tuple(model, "fixes") for model in QUICK)


def test_every_fix_is_in_some_model() -> None:
    assert {fix for model in QUICK for fix in _tuple(model, "fixes")} == set(FIXES)


def test_every_fix_is_alone_in_some_model() -> None:
    alone = {_tuple(model, "fixes")[0] for model in QUICK if len(_tuple(model, "fixes")) == 1}
    assert alone == set(FIXES)


@pytest.mark.parametrize("era", ERAS)
def test_every_era_as_released_meets_power_loss(era: str) -> None:
    met = [m for m in QUICK if m.constants["era"] == era and m.constants.get("power_loss") and not _tuple(m, "fixes")]
    assert met


def test_every_era_is_in_some_model() -> None:
    assert {model.constants["era"] for model in QUICK} == set(ERAS)


# Nothing is vacuous


def test_every_action_fires_in_some_model() -> None:
    """It is enough to look at the smallest model of each kind: plain, or with one of the events that are off."""
    taken: set[str] = set()
    known: set[str] = set()
    for flag in ("era", "power_loss", "giving_up", "stray_writes"):
        kind = [model for model in QUICK if model.constants.get(flag)]
        model = min(kind, key=lambda model: model.expect.distinct or 0)
        result = run_model(model).result
        assert result is not None
        known |= {action.name for action in result.coverage.actions}
        taken |= {action.name for action in result.coverage.actions if action.taken}
    assert known == {"form", "join", "commit", "lone_write", "stray_write", "stop", "lose_power", "give_up"}
    assert taken == known


@pytest.mark.parametrize(
    ("era", "outcomes"),
    [
        ("3.4.9", "1 DIFF, 2 SNAP, 3 TRUNC, 4 DIFF, 5 TRUNC, 6 SNAP"),
        ("3.4.11", "0 SNAP, 1 DIFF, 2 SNAP, 3 TRUNC, 4 DIFF, 5 TRUNC, 6 SNAP"),
        ("3.5", "1 DIFF, 3 TRUNC, 4 DIFF, 5 SNAP, 5 DIFF, 6 SNAP, 6 DIFF, 7 SNAP"),
        ("3.8", "0 SNAP, 1 DIFF, 3 TRUNC, 4 DIFF, 5 SNAP, 5 DIFF, 6 SNAP, 6 DIFF, 7 SNAP"),
    ],
)
def test_decisions_are_goals_of_models_that_hold(era: str, outcomes: str) -> None:
    """In a model that holds, a decision that is listed and not taken would change the verdict."""
    listed = {str(line) for model in HOLDING if model.constants["era"] == era for line in _tuple(model, "decisions")}
    assert {line for line in listed if " " in line} == set(outcomes.split(", "))


@pytest.mark.parametrize("model", HOLDING, ids=lambda model: model.name)
def test_a_model_that_holds_lists_what_is_decided(model: Model) -> None:
    assert _tuple(model, "decisions")


@pytest.mark.parametrize("model", MODELS.values(), ids=lambda model: model.name)
def test_goals_of_a_violated_model_would_be_void(model: Model) -> None:
    assert model.expect.verdict is not Verdict.VIOLATED or not _tuple(model, "decisions")


def lines_taken(result: Result) -> set[int]:
    return {int(line) for line in LINES if result.goals[f"decision_is_taken(line={line!r})"] is not None}


def explored(era: str, *fixes: str, max_epoch: int, max_txns: int, max_depth: int | None = None) -> Result:
    """A search with no invariant in the way, which counts the lines of the table that are taken."""
    spec = Episodes(
        era=era, fixes=fixes, max_epoch=max_epoch, max_txns=max_txns, watch=(), decisions=LINES
    )  # fmt: skip
    result = check(spec, max_depth=max_depth)
    assert result.verdict in (Verdict.HOLDS, Verdict.UNREACHED) or max_depth is not None
    return result


@pytest.mark.parametrize("era", ["3.5", "3.8"])
def test_from_3_5_on_every_line_but_the_second_is_taken(era: str) -> None:
    """Line 2 cannot be: an empty committedLog is replaced by the leader's last zxid.

    Line 7 takes four epochs: a learner with x.0 from SNAP, and a leader that has never heard of epoch x.
    """
    assert lines_taken(explored(era, max_epoch=4, max_txns=2, max_depth=8)) == {1, 3, 4, 5, 6, 7}


@pytest.mark.parametrize("era", ["3.5", "3.8"])
def test_line_7_takes_four_epochs(era: str) -> None:
    """A complete search with three epochs and two transactions does not reach it."""
    assert lines_taken(explored(era, max_epoch=3, max_txns=2)) == {1, 3, 4, 5, 6}
    assert 7 in lines_taken(explored(era, max_epoch=4, max_txns=0))


def test_in_3_4_11_every_line_up_to_6_is_taken() -> None:
    """Line 7 cannot be: whoever is above the committedLog gets TRUNC, x.0 or not. The search is complete."""
    assert lines_taken(explored("3.4.11", max_epoch=4, max_txns=2)) == {1, 2, 3, 4, 5, 6}


def test_in_3_4_9_line_5_takes_three_transactions() -> None:
    """With two, none of the 114,757 states has it: what came by DIFF or before the last restart is in a snapshot.

    So the committedLog holds a record on either side of a stranger only if both were logged by a server that stayed a
    member, and the stranger between them is a third transaction.
    """
    assert lines_taken(explored("3.4.9", max_epoch=4, max_txns=2)) == {1, 2, 3, 4, 6}
    assert lines_taken(explored("3.4.9", max_epoch=3, max_txns=3, max_depth=8)) >= {4, 5, 6}


def test_a_learner_asks_for_snap_where_the_target_is_missing() -> None:
    result = explored("3.4.9", "leader-sends-trunc", "trunc-or-snap", max_epoch=4, max_txns=1)
    assert 0 in lines_taken(result) and 2 not in lines_taken(result)


def test_a_learner_asks_for_snap_where_no_base_leads_to_the_target() -> None:
    result = explored("3.4.9", "leader-sends-trunc", "snap-if-no-base", max_epoch=4, max_txns=1)
    assert 0 in lines_taken(result)


@pytest.mark.parametrize("era", ERAS)
def test_no_learner_of_a_released_era_asks_for_snap(era: str) -> None:
    assert 0 not in lines_taken(explored(era, max_epoch=3, max_txns=1))


def _tuple(model: Model, name: str) -> tuple[object, ...]:
    value = model.constants.get(name, ())
    return tuple(value)  # type: ignore[call-overload, no-any-return]
