"""What makes a saved search the same search."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

from spark.saving import identity

SPEC = """
from modelcheck import Spec, action, var
from saved_rules import following

class Counter(Spec):
    count = var(0)

    @action
    def step(self, s, n):
        n.count = following(s.count)
"""
RULES = """
from saved_limits import LIMIT, clipped

def following(count):
    return clipped(count + 1)
"""
LIMITS = """
LIMIT = {limit}

def clipped(count):
    return min(count, LIMIT)
"""


def text_of(folder: Path, limit: int) -> str:
    (folder / "saved_limits.py").write_text(LIMITS.format(limit=limit))
    for name in ("saved_spec", "saved_rules", "saved_limits"):
        sys.modules.pop(name, None)
    importlib.invalidate_caches()
    return identity(importlib.import_module("saved_spec").Counter().program, deadlock=True)["text of the spec"]


def test_a_change_in_a_module_that_the_spec_uses_makes_it_another_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    (tmp_path / "saved_spec.py").write_text(SPEC)
    (tmp_path / "saved_rules.py").write_text(RULES)
    assert text_of(tmp_path, 3) == text_of(tmp_path, 3)
    assert text_of(tmp_path, 3) != text_of(tmp_path, 42)


def test_what_else_a_process_has_loaded_does_not_make_it_another_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    package = tmp_path / "saved_package"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "counter.py").write_text(SPEC.replace("from saved_rules import following", "following = abs"))
    (package / "other.py").write_text("SIZE = 3")
    program = importlib.import_module("saved_package.counter").Counter().program
    alone = identity(program, deadlock=True)
    importlib.import_module("saved_package.other")
    assert identity(program, deadlock=True) == alone
