"""The commands about stored traces, as a user types them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from modelcheck.cli.main import main

ROOT = Path(__file__).parents[2]
Capsys = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def in_the_project(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def stored(tmp_path: Path, *arguments: str, name: str = "t.json") -> str:
    file = str(tmp_path / name)
    assert main(["check", *arguments, "--trace", file, "--quiet"]) in (11, 12)
    return file


def test_check_writes_a_trace_that_replays(tmp_path: Path, capsys: Capsys) -> None:
    for name in ("t.json", "t.itf.json"):
        file = stored(tmp_path, "specs/toys/die_hard.py", name=name)
        assert f"modelcheck replay {file}" in capsys.readouterr().out
        assert main(["replay", file]) == 0
        assert "every step leads to the same state" in capsys.readouterr().out


def test_check_without_a_counterexample_writes_nothing(tmp_path: Path, capsys: Capsys) -> None:
    file = tmp_path / "t.json"
    assert main(["check", "specs/toys/peterson.py", "--trace", str(file)]) == 0
    assert "was not written" in capsys.readouterr().out
    assert not file.exists()


def test_a_place_that_cannot_be_written_is_refused_before_the_run(tmp_path: Path, capsys: Capsys) -> None:
    for place in (tmp_path, tmp_path / "missing" / "t.json"):
        assert main(["check", "specs/toys/die_hard.py", "--trace", str(place)]) == 151
        assert "--trace" in capsys.readouterr().err
    assert main(["check", "specs/toys", "--trace", str(tmp_path / "t.json")]) == 151
    assert "--model" in capsys.readouterr().err


def test_replay_with_other_constants_names_the_guard(tmp_path: Path, capsys: Capsys) -> None:
    place = stored(tmp_path, "specs/toys/philosophers.py")
    capsys.readouterr()
    assert main(["replay", place, "--set", "fix=waiter"]) == 23
    assert "guard: the waiter allows it" in capsys.readouterr().out
    assert main(["replay", place, "--model", "philosophers_ordered", "--json", "-"]) == 23
    assert json.loads(capsys.readouterr().out)["guard"] == "the first fork is on the table"
    assert main(["replay", place, "--spec", "specs/toys/philosophers.py:Philosophers"]) == 0
    assert main(["replay", place, "--spec", "specs/toys"]) == 151


def test_simulate_shortens_unless_told_otherwise(tmp_path: Path, capsys: Capsys) -> None:
    command = ["simulate", "specs/toys/die_hard.py", "--seed", "3", "--json", str(tmp_path / "r.json")]
    assert main(command) == 12
    assert "shortened from 81 to 7 states" in capsys.readouterr().out
    data = json.loads((tmp_path / "r.json").read_text())
    assert data["found_length"] == 81
    assert len(data["violations"][0]["trace"]["states"]) == 7
    assert main([*command, "--no-shrink"]) == 12
    assert "shortened" not in capsys.readouterr().out


def test_compare(capsys: Capsys) -> None:
    target = "specs/toys/philosophers.py"
    assert main(["compare", target, "--a", "fix=none", "--b", "fix=waiter"]) == 0
    assert "guard: the waiter allows it" in capsys.readouterr().out
    assert main(["compare", target, "--a", "fix=none", "--b", "count=3", "--set", "count=4"]) == 11
    assert main(["compare", target, "--a", "fix=waiter", "--b", "fix=none"]) == 23
    assert main(["compare", target]) == 151


def test_compare_writes_a_page(tmp_path: Path, capsys: Capsys) -> None:
    command = ["compare", "specs/toys/philosophers.py", "--quiet", "--page"]
    place = tmp_path / "both.html"
    assert main([*command, str(place), "--a", "fix=none", "--b", "fix=waiter"]) == 0
    assert str(place) in capsys.readouterr().out
    assert "the waiter allows it" in place.read_text(encoding="utf-8")
    other = tmp_path / "none.html"
    assert main([*command, str(other), "--a", "fix=waiter", "--b", "fix=none"]) == 23
    assert f"{other} was not written" in capsys.readouterr().out
    assert not other.exists()


def test_a_page_that_cannot_be_written_is_refused_before_the_run(tmp_path: Path, capsys: Capsys) -> None:
    for place, problem in ((tmp_path, "is a folder"), (tmp_path / "missing" / "p.html", "there is no folder")):
        assert main(["compare", "specs/toys/philosophers.py", "--b", "fix=waiter", "--page", str(place)]) == 151
        captured = capsys.readouterr()
        assert "--page" in captured.err and problem in captured.err
        assert captured.out == ""
        assert main(["page", "specs/toys/die_hard.py", "-o", str(place)]) == 151
        assert problem in capsys.readouterr().err


def test_a_pytest_case_passes_when_pytest_runs_it(tmp_path: Path, capsys: Capsys) -> None:
    for number, arguments in enumerate(
        (
            ["specs/toys/die_hard.py"],
            ["specs/toys/philosophers.py"],
            ["specs/zookeeper/episodes.py"],
        )
    ):
        file = stored(tmp_path, *arguments, name="t.itf.json" if number == 2 else "t.json")
        capsys.readouterr()
        assert main(["pytest-case", file]) == 0
        (tmp_path / f"test_case_{number}.py").write_text(capsys.readouterr().out)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert "3 passed" in ran.stdout, ran.stdout + ran.stderr


def test_a_pytest_case_of_a_trace_that_no_longer_replays_is_refused(tmp_path: Path, capsys: Capsys) -> None:
    file = stored(tmp_path, "specs/toys/die_hard.py")
    data = json.loads(Path(file).read_text())
    data["constants"]["target"] = 2
    Path(file).write_text(json.dumps(data))
    capsys.readouterr()
    assert main(["pytest-case", file]) == 23
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "does not replay" in captured.err


def test_a_report(tmp_path: Path, capsys: Capsys) -> None:
    file = stored(tmp_path, "specs/zookeeper/episodes.py")
    capsys.readouterr()
    assert main(["report", file]) == 0
    text = capsys.readouterr().out
    assert text.startswith("# `Episodes`: the invariant `identical_committed_prefixes")
    assert f"modelcheck replay {file}" in text
    assert "\nfiles = " in text and "\nmarker = " not in text
    assert "`marker`" in text
    assert "\nmodelcheck check specs/zookeeper/episodes.py:Episodes\n" in text
    assert main(["pytest-case", file, "--markdown"]) == 0
    assert capsys.readouterr().out == text
    assert main(["report", file, "--all"]) == 0
    assert "\nmarker = " in capsys.readouterr().out


def test_files_that_are_no_traces_are_misuse(tmp_path: Path, capsys: Capsys) -> None:
    (tmp_path / "old.json").write_text('{"format": "modelcheck-trace", "version": 99}')
    for command in ("replay", "pytest-case", "report"):
        assert main([command, str(tmp_path / "old.json")]) == 151
        assert "version 99" in capsys.readouterr().err
        assert main([command, str(tmp_path / "none.json")]) == 151
