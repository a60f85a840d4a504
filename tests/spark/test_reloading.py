"""A spec whose files are edited between two searches of one process, with workers that live on."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from modelcheck import Result, check
from modelcheck.errors import SpecLoadError
from tests.comparing import answer_of

pytestmark = pytest.mark.usefixtures("context")

FILES = {
    "__init__": "",
    "limits": "LIMIT = {limit}\n",
    "rules": "from .limits import LIMIT\n\ndef following(count):\n    return min(count + 1, LIMIT)\n",
    "spec": """
from modelcheck import Spec, action, var
from . import rules

class Counter(Spec):
    count = var(0)

    @action
    def step(self, s, n):
        n.count = rules.following(s.count)
""",
}


def write(folder: Path, limit: int) -> None:
    (folder / "edited").mkdir(exist_ok=True)
    for name, text in FILES.items():
        (folder / "edited" / f"{name}.py").write_text(text.replace("{limit}", str(limit)))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    yield tmp_path
    for name in ("edited", *(f"edited.{name}" for name in FILES)):
        sys.modules.pop(name, None)


def searched(wide: int) -> Result:
    module: Any = importlib.import_module("edited.spec")
    result = check(module.Counter(), engine="spark", partitions=2, wide=wide)
    assert answer_of(result) == answer_of(check(module.Counter()))
    return result


@pytest.mark.parametrize("wide", [0, 10**9])
def test_a_spec_that_was_edited_and_reloaded_is_not_answered_for_its_old_text(folder: Path, wide: int) -> None:
    counts = []
    for limit in (3, 5, 3):
        write(folder, limit)
        for name in ("limits", "rules", "spec"):
            if f"edited.{name}" in sys.modules:
                importlib.reload(sys.modules[f"edited.{name}"])
        counts.append(searched(wide).distinct)
    assert counts == [4, 6, 4]


def test_workers_look_for_modules_where_the_driver_does_now(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for limit, name in zip((2, 4), ("one", "other"), strict=True):
        (folder / name).mkdir()
        write(folder / name, limit)
        for known in [module for module in sys.modules if module.split(".")[0] == "edited"]:
            del sys.modules[known]
        with monkeypatch.context() as there:
            there.syspath_prepend(str(folder / name))
            assert searched(0).distinct == limit + 1


def test_a_file_that_was_edited_but_not_reloaded_is_refused(folder: Path) -> None:
    write(folder, 3)
    searched(10**9)
    write(folder, 42)
    with pytest.raises(SpecLoadError, match=r"edited.limits has changed since it was imported"):
        searched(10**9)
