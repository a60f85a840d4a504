"""`check FOLDER --jobs`: nothing is lost on Ctrl-C, nor when a process is killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import modelcheck

SPECS = """
import os
import signal
from modelcheck import Spec, action, const, goal, var

def end_of_this_process():
    os.kill(os.getpid(), signal.SIGKILL)

class Endless(Spec):
    deadly = const(0)
    limit = const(10**9)
    count = var(0)

    @action
    def tick(self, s, n):
        n.count = min(s.count + 1, self.limit)
        if self.deadly and s.count == self.deadly:
            end_of_this_process()
        if s.count == 50:
            print("under way", flush=True)
"""
MODELS = """
[first]
spec = "endless.py"
constants = { limit = 3 }
[second]
spec = "endless.py"
[third]
spec = "endless.py"
[fourth]
spec = "endless.py"
"""


@contextmanager
def checking(models: str, *options: str) -> Iterator[subprocess.Popen[str]]:
    Path("endless.py").write_text(SPECS, encoding="utf-8")
    Path("models.toml").write_text(models, encoding="utf-8")
    env = {**os.environ, "PYTHONPATH": str(Path(modelcheck.__file__).parents[1])}
    command = [sys.executable, "-m", "modelcheck", "check", ".", "--json", "result.json", *options]
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True, process_group=0) as child:
        try:
            yield child
        finally:
            child.kill()


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def written() -> dict[str, Any]:
    rows: list[dict[str, Any]] = json.loads(Path("result.json").read_text(encoding="utf-8"))
    return {row["model"]: row["verdict"] for row in rows}


@pytest.mark.parametrize("to_all", [True, False], ids=["from the terminal", "to the command alone"])
def test_ctrl_c_gives_what_is_known_of_the_models_under_way(to_all: bool) -> None:
    with checking(MODELS, "--jobs", "2") as child:
        assert child.stdout is not None
        lines = [child.stdout.readline() for _ in range(4)]  # the header, first, and the word of two others
        assert lines.count("under way\n") == 2, lines
        (os.killpg if to_all else os.kill)(child.pid, signal.SIGINT)
        out, _ = child.communicate(timeout=60)
    assert child.returncode == 23
    assert "interrupted: 3 of 4 models were begun" in out
    assert written() == {"first": "holds", "second": "incomplete", "third": "incomplete"}


def test_a_second_ctrl_c_ends_at_once() -> None:
    with checking(MODELS, "--jobs", "2") as child:
        assert child.stdout is not None
        while child.stdout.readline() != "under way\n":
            pass
        child.send_signal(signal.SIGSTOP)  # so that both come before it can act
        child.send_signal(signal.SIGINT)
        child.send_signal(signal.SIGCONT)
        child.send_signal(signal.SIGINT)
        child.communicate(timeout=60)
    assert child.returncode in (20, 23)  # 23 if the first was already answered


def test_a_process_that_is_killed_is_a_row_of_the_table() -> None:
    models = """
[killed]
spec = "endless.py"
constants = { deadly = 40 }
expect = { verdict = "error" }
[after]
spec = "endless.py"
constants = { limit = 3 }
"""
    with checking(models, "--jobs", "2") as child:
        out, _ = child.communicate(timeout=60)
    assert child.returncode == 23
    assert "killed: its process was killed by signal 9 before there was a result. Usual cause: memory ran out." in out
    assert written() == {"killed": "incomplete", "after": "holds"}
