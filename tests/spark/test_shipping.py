"""What is sent to executors stays there for as long as their context."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import pytest

from spark.recipe import recipe_for
from spark.shipping import ship

SPEC = """
from modelcheck import Spec, action, var

class Shipped(Spec):
    count = var(0)

    @action
    def step(self, s, n):
        n.count = {count}
"""


def test_a_second_search_in_one_context_finds_its_archive_and_the_first_one_is_still_there(
    context: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    added: list[Path] = []
    add = context.addPyFile

    def watched(path: str) -> None:
        added.append(Path(path))
        add(path)

    monkeypatch.setattr(context, "addPyFile", watched)
    for count in (1, 22, 1):
        (tmp_path / "shipped_spec.py").write_text(SPEC.format(count=count))
        sys.modules.pop("shipped_spec", None)
        importlib.invalidate_caches()
        ship(context, recipe_for(importlib.import_module("shipped_spec").Shipped().program, deadlock=True))
    assert len(added) == len(set(added)) == 2
    assert all(path.exists() for path in added)
