"""The command line as a process of its own: what it imports, Ctrl-C, a reader that goes away."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import modelcheck
from tests.unit.ticker import SPEC


@pytest.fixture(autouse=True)
def spec_file(own_folder: Path) -> None:
    (own_folder / "ticker.py").write_text(SPEC, encoding="utf-8")


def process(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    root = str(Path(modelcheck.__file__).parents[1])
    return subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, "PYTHONPATH": root},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        **options,
    )


def test_python_dash_m() -> None:
    ran = process("-m", "modelcheck", "check", "ticker.py", "--engine", "oracle")
    assert (ran.returncode, ran.stdout.partition(":")[0]) == (0, "HOLDS")


def test_nothing_heavy_is_imported_for_help_and_small_commands() -> None:
    code = (
        "import sys\nfrom modelcheck.cli.main import main\n"
        "main(['show', 'ticker.py'])\n"
        "heavy = {'numpy', 'numba', 'pyspark', 'z3', 'graphviz', 'rich'} & set(sys.modules)\n"
        "sys.exit(', '.join(sorted(heavy)) or 0)\n"
    )
    ran = process("-c", code)
    assert ran.returncode == 0, ran.stderr


ENDLESS = """
from modelcheck import Spec, action, var

class Endless(Spec):
    count = var(0)

    @action
    def tick(self, s, n):
        n.count = s.count + 1
        if s.count == 50:
            print("under way", flush=True)
"""


@pytest.mark.parametrize("engine", ["local", "oracle"])
def test_ctrl_c_prints_the_result_so_far(engine: str) -> None:
    Path("endless.py").write_text(ENDLESS, encoding="utf-8")
    root = str(Path(modelcheck.__file__).parents[1])
    with subprocess.Popen(
        [sys.executable, "-m", "modelcheck", "check", "endless.py", "--engine", engine],
        env={**os.environ, "PYTHONPATH": root},
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a job in the background inherits deaf ears
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "under way\n"
        child.send_signal(signal.SIGINT)
        out, _ = child.communicate(timeout=60)
    assert child.returncode == 20
    assert "INCOMPLETE" in out
    assert "Interrupted (Ctrl-C)" in out
    assert "Every state up to depth" in out


def test_a_reader_that_goes_away_is_no_error() -> None:
    root = str(Path(modelcheck.__file__).parents[1])
    command = f"{sys.executable} -m modelcheck show ticker.py --slots | head -1"
    ran = subprocess.run(
        command, shell=True, env={**os.environ, "PYTHONPATH": root}, capture_output=True, text=True
    )
    assert "Ticker" in ran.stdout
    assert "Error" not in ran.stderr
