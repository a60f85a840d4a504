"""The command line: exit codes, streams, JSON, tables, progress."""

from __future__ import annotations

import dataclasses
import io
import json
from pathlib import Path
from typing import Any

import pytest

import modelcheck
from modelcheck.cli.main import INTERNAL_ERROR, main
from modelcheck.cli.profile import advice
from modelcheck.cli.progress import ProgressLine
from modelcheck.loading import load
from modelcheck.result import ActionCoverage, Coverage, Progress
from tests.unit.ticker import SPEC


@pytest.fixture(autouse=True)
def spec_file(own_folder: Path) -> None:
    (own_folder / "ticker.py").write_text(SPEC, encoding="utf-8")


class Ran:
    """What one command printed, and its exit code."""

    def __init__(self, capsys: pytest.CaptureFixture[str], *arguments: str) -> None:
        self.code = main(arguments)
        self.out, self.err = capsys.readouterr()

    @property
    def data(self) -> Any:
        return json.loads(self.out)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Any:
    return lambda *arguments: Ran(capsys, *arguments)


def folder(text: str) -> str:
    Path("study").mkdir()
    Path("study/ticker.py").write_text(SPEC, encoding="utf-8")
    Path("study/models.toml").write_text(text, encoding="utf-8")
    return "study"


# --- check -------------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ["local", "oracle"])
@pytest.mark.parametrize(
    ("options", "code", "verdict"),
    [
        ([], 0, "HOLDS"),
        (["--set", "bad=2"], 12, "VIOLATED"),
        (["--set", "stuck=True"], 11, "DEADLOCK"),
        (["--set", "stuck=True", "--no-deadlock"], 0, "HOLDS"),
        (["--set", "limit=2"], 21, "UNREACHED"),
        (["--max-depth", "2"], 20, "INCOMPLETE"),
        (["--max-states", "2"], 20, "INCOMPLETE"),
    ],
)
def test_every_verdict_has_its_exit_code(
    run: Any, engine: str, options: list[str], code: int, verdict: str
) -> None:
    ran = run("check", "ticker.py", "--engine", engine, *options)
    assert (ran.code, ran.out.partition(":")[0]) == (code, verdict)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["check", "tickr.py"], 150),
        (["check", "ticker.py", "--set", "limt=2"], 151),
        (["check", "ticker.py", "--set", "limit"], 151),
        (["check", "ticker.py", "--set", "limit=many"], 151),
        (["check", "ticker.py", "--set", "limit=0"], 10),
        (["check", "ticker.py", "--model", "small"], 151),
        (["check", "ticker.py", "--all"], 151),
        (["check", "ticker.py", "--json", "no/such/folder.json"], 151),
        (["check", "ticker.py", "--max-states", "none"], 151),
        (["check", "ticker.py", "--max-states", "0"], 151),
        (["check", "ticker.py", "--max-seconds", "-1"], 151),
        (["check", "ticker.py", "--engine", "warp"], 151),
        (["check", "ticker.py", "--no-such-option"], 151),
        (["check"], 151),
        (["chek", "ticker.py"], 151),
        ([], 151),
    ],
)
def test_misuse_is_told_on_standard_error_and_shares_no_code_with_a_violation(
    run: Any, arguments: list[str], code: int
) -> None:
    ran = run(*arguments)
    assert ran.code == code
    assert ran.err.strip()
    assert not ran.out


def test_the_report_shows_the_shortest_trace(run: Any) -> None:
    ran = run("check", "ticker.py", "--set", "bad=2")
    assert "The invariant never_bad is false in state 3" in ran.out
    assert "  3: tick\n     count: 1 -> 2" in ran.out


def test_json_alone_on_standard_output(run: Any) -> None:
    ran = run("check", "ticker.py", "--set", "bad=2", "--json", "-")
    assert ran.code == 12
    assert ran.data["verdict"] == "violated"
    assert ran.data["constants"]["bad"] == 2
    assert len(ran.data["violations"][0]["trace"]["states"]) == 3
    assert not ran.err


def test_json_in_a_file_beside_the_text(run: Any) -> None:
    ran = run("check", "ticker.py", "--json", "result.json")
    assert ran.out.startswith("HOLDS")
    assert json.loads(Path("result.json").read_text())["distinct"] > 4


def test_errors_are_data_too(run: Any) -> None:
    ran = run("check", "tickr.py", "--json", "-")
    assert ran.code == ran.data["exit_code"] == 150
    assert ran.data["verdict"] == "load"
    assert "tickr.py" in ran.data["error"]


def test_an_internal_fault_has_its_own_code_and_asks_for_a_report(
    run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise KeyError("oops")

    monkeypatch.setattr(modelcheck, "check", broken)
    ran = run("check", "ticker.py")
    assert ran.code == INTERNAL_ERROR == 70
    assert "KeyError: 'oops'" in ran.err
    assert "Please report it" in ran.err


def test_ctrl_c_before_a_result(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(modelcheck, "check", interrupted)
    assert run("check", "ticker.py").code == 20


def test_help_teaches_targets_examples_and_exit_codes(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["--help"])
    assert stopped.value.code == 0
    text = capsys.readouterr().out
    for part in ("package.module:Class", "modelcheck check specs/classics", "12  VIOLATED", "151"):
        assert part in text


# --- folders -----------------------------------------------------------------------------------

MODELS = """
[small]
spec = "ticker.py"
[small.expect]
distinct = 30

[fails]
spec = "ticker.py:Ticker"
constants = { bad = 2 }
[fails.expect]
verdict = "violated"
property = "never_bad"
trace = 3

[long]
spec = "ticker.py"
slow = true
"""


def test_a_table_of_all_models(run: Any) -> None:
    ran = run("check", folder(MODELS))
    assert ran.code == 0, ran.out
    rows = [line.split() for line in ran.out.splitlines()]
    assert rows[1][:3] == ["small", "HOLDS", "30"]
    assert rows[2][:2] == ["fails", "VIOLATED"]
    assert rows[1][-1] == "yes"
    assert rows[2][-2:] == ["yes", "never_bad"]
    assert "not run, because slow (--all runs them): long" in ran.out


def test_models_side_by_side_give_the_same_table(run: Any) -> None:
    def without_seconds(text: str) -> list[list[str]]:
        return [[cell for cell in line.split() if "." not in cell] for line in text.splitlines()]

    target = folder(MODELS)
    alone, beside = run("check", target), run("check", target, "--jobs", "2")
    assert (beside.code, without_seconds(beside.out)) == (alone.code, without_seconds(alone.out))


def test_slow_models_on_request(run: Any) -> None:
    target = folder(MODELS)
    assert "\nlong " in run("check", target, "--all").out
    assert "As long in models.toml expects" in run("check", target, "--model", "long").out


def test_an_expectation_that_is_not_met(run: Any) -> None:
    ran = run("check", folder(MODELS.replace("30", "31")))
    assert ran.code == 23
    assert "small: expected distinct 31, got 30" in ran.out
    assert "UNEXPECTED" in ran.out


def test_an_error_in_one_model_does_not_stop_the_others(run: Any) -> None:
    ran = run("check", folder('[bad]\nspec = "ticker.py:Tickr"\n' + MODELS))
    assert ran.code == 23
    assert "bad: expected holds, got load: study/ticker.py has no class 'Tickr'" in ran.out
    assert "\nsmall " in ran.out


def test_one_model_is_reported_in_full_and_judged(run: Any) -> None:
    ran = run("check", folder(MODELS), "--model", "fails")
    assert ran.code == 0
    assert ran.out.startswith("VIOLATED")
    assert "  3: tick" in ran.out


def test_a_changed_model_is_not_judged(run: Any) -> None:
    ran = run("check", folder(MODELS), "--model", "fails", "--set", "bad=1")
    assert ran.code == 12
    assert "was not compared" in ran.out


def test_set_needs_one_model(run: Any) -> None:
    ran = run("check", folder(MODELS), "--set", "bad=1")
    assert ran.code == 151
    assert "--model" in ran.err


def test_an_unknown_model(run: Any) -> None:
    ran = run("check", folder(MODELS), "--model", "smal")
    assert ran.code == 151
    assert "did you mean 'small'" in ran.err


def test_a_folder_as_json(run: Any) -> None:
    target = folder(MODELS)
    rows = run("check", target, "--json", "-").data
    assert [(row["model"], row["met"], row["verdict"]) for row in rows] == [
        ("small", True, "holds"),
        ("fails", True, "violated"),
    ]
    assert run("check", target, "--model", "small", "--json", "-").data["distinct"] == 30


# --- the other commands ------------------------------------------------------------------------


def test_simulate_finds_what_is_there_and_promises_nothing_otherwise(run: Any) -> None:
    assert run("simulate", "ticker.py", "--runs", "5", "--depth", "9").code == 20
    ran = run("simulate", "ticker.py", "--set", "bad=2", "--seed", "7", "--json", "-")
    assert ran.code == 12
    assert ran.data["seed"] == 7


def test_simulate_is_repeatable(run: Any) -> None:
    first, second = (run("simulate", "ticker.py", "--seed", "3", "--json", "-").data for _ in "12")
    assert first["coverage"] == second["coverage"]


def test_show_tells_who_reads_and_writes_what(run: Any) -> None:
    ran = run("show", "ticker.py")
    assert ran.code == 0
    assert "Ticker: A counter that wraps around." in ran.out
    assert "limit = 3" in ran.out
    assert "Variables: 2, in 3 slots" in ran.out
    assert "look(i in names)   (2 bindings)\n      reads count, seen; writes seen" in ran.out
    assert "look(i='a'): slots read count, seen[a]; written seen[a]" in ran.out
    assert "never_bad: reads count" in ran.out
    assert "gets_to_three" in ran.out


def test_show_with_every_binding(run: Any) -> None:
    ran = run("show", "ticker.py", "--slots")
    assert "look(i='b'): slots read count, seen[b]; written seen[b]" in ran.out


def test_show_of_one_model(run: Any) -> None:
    target = folder(MODELS)
    assert "bad = 2" in run("show", target, "--model", "fails").out
    ran = run("show", target)
    assert ran.code == 151
    assert "Models: small, fails, long" in ran.err


def test_profile_counts_evaluations_and_advises(run: Any) -> None:
    ran = run("profile", "ticker.py")
    assert ran.code == 0
    assert "evaluations" in ran.out
    assert "nothing stands out" in ran.out


BLOATED = """
from pyrsistent import pmap, pset
from modelcheck import Spec, action, channel, require, var

class Bloated(Spec):
    total = var(0)
    table = var(pmap())
    bag_of_all = var(pset())
    fixed = var("same")
    net = channel(kind="set")

    @action
    def grow(self, s, n):
        require(s.total < 3, "room")
        n.total = s.total + 1
        n.table = s.table.set(s.total, 1)
        n.bag_of_all = s.bag_of_all.add(s.total)
        n.net.send(s.total)

    @action
    def restart(self, s, n):
        require(s.total == 3 and s.fixed == "same", "full")
        n.total = 0

    @action
    def never(self, s, n):
        require(s.total > 99, "beyond")
        n.total = 0
"""


def test_advice_names_the_slot_and_the_declaration_to_use() -> None:
    Path("bloated.py").write_text(BLOATED, encoding="utf-8")
    spec = load("bloated.py")()
    result = modelcheck.check(spec, engine="oracle")
    # As if there were many more values: the advice looks at nothing but the counts.
    values = {"total": 5000, "table": 4000, "bag_of_all": 3000, "net": 2000, "fixed": 1}
    actions = (ActionCoverage("grow", 9, 9, 9, 3000, 6000), ActionCoverage("never", 0, 0, 0, 1, 9))
    result = dataclasses.replace(result, coverage=Coverage(actions, values))
    lines = list(advice(result, spec.program))
    assert [line.partition(" ")[0] for line in lines] == [
        "grow",
        "total",
        "table",
        "bag_of_all",
        "net",
        "never",
        "fixed",
    ]
    assert "once for every 2.0 look-ups" in lines[0]
    assert 'per("keys", ...)' in lines[2]
    assert 'subset("universe")' in lines[3]
    assert "per pair" in lines[4]


# --- progress ----------------------------------------------------------------------------------


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_has_one_line_that_is_rewritten_and_wiped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stream = Terminal()
    with ProgressLine(stream=stream) as line:
        monkeypatch.setattr(line, "_pause", 0.0)
        line(Progress(2, 10, 20, 5, 0.1, 2**20))
        line(Progress(3, 100, 200, 50, 0.2, 2**20))
    assert stream.getvalue().count("\r") == 4
    assert "\n" not in stream.getvalue()
    assert "depth 3 | 100 distinct | 200 generated | queue 50" in stream.getvalue()


def test_elsewhere_progress_is_plain_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    with ProgressLine(stream=stream) as line:
        monkeypatch.setattr(line, "_pause", 0.0)
        line(Progress(2, 10, 20, 5, 0.1, 2**20))
    assert stream.getvalue().endswith("| 1 MB\n")


def test_quiet_means_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Terminal()
    with ProgressLine(quiet=True, stream=stream) as line:
        monkeypatch.setattr(line, "_pause", 0.0)
        line(Progress(2, 10, 20, 5, 0.1))
    assert not stream.getvalue()
