"""`models.toml`: what it may say, how its problems are shown, how results are compared with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from modelcheck.errors import ConfigError, Refused
from modelcheck.models import Model, Row, pick_models, read_models, run_model, run_models
from modelcheck.verdict import Verdict

SPEC = """
from modelcheck import Spec, action, assume, const, goal, invariant, require, var

class Counter(Spec):
    limit = const(3)
    bad = const(99)
    count = var(0)

    @assume
    def limit_is_positive(self):
        return self.limit > 0

    @action
    def tick(self, s, n):
        require(s.count < self.limit, "below the limit")
        n.count = s.count + 1

    @action
    def reset(self, s, n):
        require(s.count == self.limit, "at the limit")
        n.count = 0

    @invariant
    def never_bad(self, s):
        return s.count != self.bad

    @goal
    def gets_to_three(self, s):
        return s.count == 3
"""


@pytest.fixture
def folder(own_folder: Path) -> Path:
    (own_folder / "counter.py").write_text(SPEC, encoding="utf-8")
    return own_folder


def models(folder: Path, text: str) -> dict[str, Model]:
    (folder / "models.toml").write_text(text, encoding="utf-8")
    return {model.name: model for model in read_models(folder)}


def problems(folder: Path, text: str) -> str:
    with pytest.raises(ConfigError) as caught:
        models(folder, text)
    return str(caught.value)


def outcome(folder: Path, text: str) -> Row:
    (model,) = models(folder, '[it]\nspec = "counter.py"\nengine = "oracle"\n' + text).values()
    return run_model(model)


# --- reading -----------------------------------------------------------------------------------


def test_everything_that_a_model_may_say(folder: Path) -> None:
    model = models(
        folder,
        """
        [full]
        spec = "counter.py:Counter"
        about = "one line"
        constants = { limit = 5, names = ["a", "b"] }
        limits = { max_states = 10, max_depth = 3, max_seconds = 1.5 }
        deadlock = false
        engine = "oracle"
        slow = true
        [full.expect]
        verdict = "violated"
        property = "never_bad"
        trace = 4
        distinct = 4
        generated = 5
        depth = 4
        """,
    )["full"]
    assert model.target == f"{folder}/counter.py:Counter"
    assert model.constants == {"limit": 5, "names": ("a", "b")}
    assert model.limits == {"max_states": 10, "max_depth": 3, "max_seconds": 1.5}
    assert (model.deadlock, model.engine, model.slow) == (False, "oracle", True)
    assert model.expect.verdict is Verdict.VIOLATED
    assert (model.expect.property, model.expect.trace) == ("never_bad", 4)
    assert (model.expect.distinct, model.expect.generated, model.expect.depth) == (4, 5, 4)


def test_the_defaults(folder: Path) -> None:
    model = models(folder, '[small]\nspec = "counter.py"\n')["small"]
    assert model.expect.verdict is Verdict.HOLDS
    assert (model.deadlock, model.symmetric, model.slow, model.engine) == (
        True,
        False,
        False,
        "local",
    )


def test_a_spec_may_be_a_module(folder: Path) -> None:
    assert (
        models(folder, '[m]\nspec = "some.module:Counter"\n')["m"].target == "some.module:Counter"
    )


def test_all_problems_are_shown_at_once_with_their_tables(folder: Path) -> None:
    text = problems(
        folder,
        """
        [one]
        spec = "countr.py"
        constant = { limit = 3 }
        engine = "lokal"
        [one.limits]
        max_state = 3
        max_depth = -1
        [one.expect]
        verdict = "hold"
        distinct = "many"
        [two]
        deadlock = "no"
        """,
    )
    for part in (
        "models.toml has 9 problems",
        "[one] has an unknown key 'constant' (did you mean 'constants'?)",
        "[one] engine 'lokal' is none of local, oracle, spark (did you mean 'local'?)",
        "[one.limits] has an unknown key 'max_state' (did you mean 'max_states'?)",
        "[one.limits] max_depth must be a number above 0, not -1",
        "[one.expect] verdict 'hold' is none of",
        "[one.expect] distinct must be a whole number, not 'many'",
        "(did you mean 'counter.py'?)",
        "[two] deadlock must be true or false, not 'no'",
        "[two] has no spec",
    ):
        assert part in text


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("spec = 'counter.py'", "[spec] is not a table"),
        ("[one]\nspec = counter.py", "is not valid TOML"),
        ("", "there is no model in it"),
        ("[a]\nspec = 'counter.py'\nconstants = { x = 1.5 }", "x = 1.5 is no value of a spec"),
        ("[a]\nspec = 'counter.py'\n[a.expect]\ntrace = 3", "trace has no meaning"),
        ("[a]\nspec = 'counter.py'\n[a.expect]\nproperty = 3", "property must be a text"),
        ("[a]\nspec = 'counter.py'\n[a.expect]\ndistinct = true", "must be a whole number"),
    ],
)
def test_one_problem(folder: Path, text: str, part: str) -> None:
    assert part in problems(folder, text)


def test_no_file(folder: Path) -> None:
    with pytest.raises(ConfigError, match=r"there is no models\.toml"):
        read_models(folder)


# --- choosing ----------------------------------------------------------------------------------


def test_slow_models_are_left_out_unless_asked_for() -> None:
    both = (Model("quick", "a.py"), Model("long", "a.py", slow=True))
    assert [m.name for m in pick_models(both)] == ["quick"]
    assert [m.name for m in pick_models(both, include_slow=True)] == ["quick", "long"]
    assert [m.name for m in pick_models(both, only="long")] == ["long"]


def test_an_unknown_model_is_suggested() -> None:
    with pytest.raises(ConfigError, match="did you mean 'quick'"):
        pick_models((Model("quick", "a.py"),), only="quik")


# --- comparing ---------------------------------------------------------------------------------


def test_as_expected(folder: Path) -> None:
    row = outcome(folder, "[it.expect]\ndistinct = 4\ngenerated = 5\ndepth = 4\n")
    assert row.met
    assert row.verdict is Verdict.HOLDS


def test_counts_that_drift(folder: Path) -> None:
    row = outcome(folder, "[it.expect]\ndistinct = 5\ngenerated = 6\ndepth = 5\n")
    assert row.why_not == (
        "expected distinct 5, got 4",
        "expected generated 6, got 5",
        "expected depth 5, got 4",
    )


def test_a_violation_that_was_expected(folder: Path) -> None:
    row = outcome(
        folder,
        "constants = { bad = 2 }\n"
        '[it.expect]\nverdict = "violated"\nproperty = "never_bad"\ntrace = 3\n',
    )
    assert row.met


def test_a_violation_that_was_not(folder: Path) -> None:
    row = outcome(folder, "constants = { bad = 2 }\n")
    assert row.why_not == ("expected holds, got violated: never_bad",)


def test_a_violation_of_another_property_than_expected(folder: Path) -> None:
    row = outcome(
        folder,
        'constants = { bad = 2 }\n[it.expect]\nverdict = "violated"\nproperty = "other"\n',
    )
    assert row.why_not == ("expected other to fail, but it did not (found: never_bad)",)


def test_a_longer_trace_than_expected(folder: Path) -> None:
    row = outcome(folder, 'constants = { bad = 2 }\n[it.expect]\nverdict = "violated"\ntrace = 2\n')
    assert row.why_not == ("expected a trace of 2 states, got 3",)


def test_a_goal_that_is_not_reached(folder: Path) -> None:
    expected = '[it.expect]\nverdict = "unreached"\nproperty = "gets_to_three"\n'
    assert outcome(folder, "constants = { limit = 2 }\n" + expected).met
    assert outcome(folder, "constants = { limit = 2 }\n").why_not == (
        "expected holds, got unreached: gets_to_three",
    )


def test_a_goal_that_is_reached_in_so_many_states(folder: Path) -> None:
    expected = '[it.expect]\nproperty = "gets_to_three"\ntrace = 4\n'
    assert outcome(folder, expected).met


def test_a_limit_that_was_reached(folder: Path) -> None:
    row = outcome(folder, "limits = { max_depth = 2 }\n")
    assert row.verdict is Verdict.INCOMPLETE
    assert "expected holds, got incomplete: the limit of depth 2" in row.why_not[0]


def test_an_error_may_be_expected(folder: Path) -> None:
    assert outcome(folder, 'constants = { limit = 0 }\n[it.expect]\nverdict = "assumption"\n').met
    row = outcome(folder, "constants = { limit = 0 }\n")
    assert row.why_not[0].startswith("expected holds, got assumption: ")


def test_a_misspelt_constant_fails_its_model_only(folder: Path) -> None:
    row = outcome(folder, "constants = { limt = 3 }\n")
    assert row.verdict is Verdict.CONFIG
    assert "did you mean 'limit'" in row.why_not[0]


def test_symmetry_is_refused_by_name(folder: Path) -> None:
    row = outcome(folder, "symmetric = true\n")
    assert isinstance(row.error, Refused)
    assert row.verdict is Verdict.REFUSED
    assert "symmetric = true" in str(row.error)


def test_rows_come_one_by_one(folder: Path) -> None:
    both = models(folder, '[a]\nspec = "counter.py"\n[b]\nspec = "counter.py"\n')
    rows = run_models(both.values())
    assert next(rows).model.name == "a"
