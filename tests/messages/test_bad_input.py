"""Bad input, and the message that each gives: the `.txt` files beside this test are what users see.

Run with `UPDATE_SNAPSHOTS=1` to rewrite them, and read the difference before you commit it.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from modelcheck.cli.main import main

HERE = Path(__file__).parent

HEAD = """\
from itertools import count as naturals
from pyrsistent import pvector
from modelcheck import Spec, action, channel, const, invariant, per, require, var


class Counter(Spec):
    servers = const(("s1", "s2"))
    limit = const(3)
    count = var(0)
    log = per("servers", pvector())

    @action
    def tick(self, s, n):
        require(s.count < self.limit, "below the limit")
        n.count = s.count + 1
"""

# Name of the snapshot -> (text of counter.py, further arguments, exit code)
CASES: dict[str, tuple[str, list[str], int]] = {
    "syntax_error": (
        HEAD + "\n    @action\n    def reset(self, s, n)\n        n.count = 0\n",
        [],
        150,
    ),
    "no_spec_class": ("LIMIT = 3\n", [], 150),
    "two_classes": (HEAD + "\n\nclass Fixed(Counter):\n    limit = const(2)\n", [], 150),
    "import_error": ("import modelchekc\n", [], 150),
    "misspelt_constant": (HEAD, ["--set", "limt=5"], 151),
    "wrong_type": (HEAD, ["--set", "limit=many"], 151),
    "not_a_literal": (HEAD, ["--set", "servers=['s1'"], 151),
    "unknown_option": (HEAD, ["--max-state", "5"], 151),
    "mutable_value": (
        HEAD
        + """
    @action(i="servers")
    def append(self, s, n, i):
        n.log[i] = [*s.log[i], s.count]
""",
        [],
        75,
    ),
    "exception_in_an_action": (
        HEAD
        + """
    @action(i="servers")
    def divide(self, s, n, i):
        require(s.count > 0, "something to divide")
        n.count = share(s.count, i)


def share(count, i):
    return count // (count - 2)
""",
        [],
        75,
    ),
    "exception_in_an_invariant": (
        HEAD
        + """
    @invariant(i="servers")
    def first_is_zero(self, s, i):
        return s.count < 2 or s.log[i][0] == 0
""",
        [],
        75,
    ),
    "domain_that_is_not_finite": (
        HEAD
        + """
    @action(step=naturals())
    def jump(self, s, n, step):
        n.count = step
""",
        [],
        150,
    ),
    "missing_domain": (
        HEAD
        + """
    @action
    def append(self, s, n, i):
        n.log[i] = s.log[i].append(1)
""",
        [],
        150,
    ),
    "misspelt_variable": (
        HEAD
        + """
    @action
    def reset(self, s, n):
        require(s.cuont == self.limmit, "at the limit")
        n.count = 0
""",
        [],
        150,
    ),
    "impure_by_its_text": (
        "import random\n"
        + HEAD
        + """
    @action
    def jump(self, s, n):
        n.count = random.randrange(self.limit)
""",
        [],
        150,
    ),
    "impure_action": (
        HEAD
        + """
    @action
    def jump(self, s, n):
        n.count = chance() % self.limit


calls = []


def chance():
    calls.append(1)
    return len(calls)
""",
        [],
        75,
    ),
    "slot_written_twice": (
        HEAD
        + """
    @action(i="servers")
    def append(self, s, n, i):
        n.log[i] = s.log[i].append(1)
        n.log["s1"] = s.log["s1"].append(2)
""",
        [],
        75,
    ),
    "property_without_return": (
        HEAD
        + """
    @invariant
    def small(self, s):
        s.count < self.limit
""",
        [],
        75,
    ),
    "counterexample": (
        HEAD
        + """
    @invariant
    def small(self, s):
        return s.count >= 0 and s.count < self.limit - 1
""",
        [],
        12,
    ),
}


@pytest.fixture(autouse=True)
def fixed_width(own_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")


def normalised(text: str, folder: Path) -> str:
    """The text without what differs from machine to machine: places and durations."""
    text = text.replace(f"{folder}{os.sep}", "").replace(str(folder), ".")
    return re.sub(r"\b\d+\.\d\d s\b", "0.00 s", text)


def compare(name: str, text: str) -> None:
    snapshot = HERE / f"{name}.txt"
    if os.environ.get("UPDATE_SNAPSHOTS"):
        snapshot.write_text(text, encoding="utf-8")
    assert snapshot.exists(), f"no snapshot {snapshot.name}: run with UPDATE_SNAPSHOTS=1"
    assert text == snapshot.read_text(encoding="utf-8")


def run(capsys: pytest.CaptureFixture[str], folder: Path, *arguments: str) -> tuple[int, str]:
    code = main(arguments)
    out, err = capsys.readouterr()
    shown = f"$ modelcheck {' '.join(arguments)}\n{out}{err}[exit {code}]\n"
    return code, normalised(shown, folder)


@pytest.mark.parametrize("name", CASES)
def test_message(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text, options, expected = CASES[name]
    (tmp_path / "counter.py").write_text(text, encoding="utf-8")
    code, shown = run(capsys, tmp_path, "check", "counter.py", *options)
    compare(name, shown)
    assert code == expected


def test_unknown_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "counter.py").write_text(HEAD, encoding="utf-8")
    code, shown = run(capsys, tmp_path, "check", "countr.py")
    compare("unknown_file", shown)
    assert code == 150


def test_bad_models(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "counter.py").write_text(HEAD, encoding="utf-8")
    (tmp_path / "models.toml").write_text(
        '[small]\nspec = "countr.py"\n[small.expect]\nverdict = "ok"\nstates = 3\n',
        encoding="utf-8",
    )
    code, shown = run(capsys, tmp_path, "check", ".")
    compare("bad_models", shown)
    assert code == 151


def test_all_snapshots_are_used() -> None:
    known = {*CASES, "unknown_file", "bad_models"}
    assert {path.stem for path in HERE.glob("*.txt")} <= known
