"""Copies of the spec with one line changed, each a package of its own: operators remember per package."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

from tests.zookeeper.mutants import Mutant

__all__ = ["SOURCES", "import_copy"]

SOURCES = Path(__file__).parents[2] / "specs" / "zookeeper"
MODULES = ("disk", "eras", "decision", "learner", "episodes")


def import_copy(folder: Path, package: str, mutant: Mutant | None) -> ModuleType:
    """Write a copy to a folder that is on the path, and give its ``episodes``; the real spec is left alone."""
    (folder / package).mkdir()
    for module in MODULES:
        text = (SOURCES / f"{module}.py").read_text(encoding="utf-8")
        if mutant is not None and module == mutant.module:
            assert text.count(mutant.old) == 1, f"a mutant changes one place: {mutant}"
            text = text.replace(mutant.old, mutant.new)
        text = text.replace("from specs.zookeeper.", f"from {package}.")
        (folder / package / f"{module}.py").write_text(text, encoding="utf-8")
    importlib.invalidate_caches()
    return importlib.import_module(f"{package}.episodes")
