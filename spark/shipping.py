"""What executors need that may not be installed there: our packages and the author's own files."""

from __future__ import annotations

import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from .recipe import Recipe

__all__ = ["shipped"]

_OURS = ("modelcheck", "spark")


@contextmanager
def shipped(context: Any, recipe: Recipe) -> Iterator[None]:
    """Send one archive to every executor, where Python then finds its packages.

    Executors that start later fetch it too, so it stays until the search is over.
    """
    with tempfile.TemporaryDirectory(prefix="modelcheck-", ignore_cleanup_errors=True) as folder:
        archive = Path(folder) / f"modelcheck_{recipe.key[:12]}.zip"
        _pack(archive, recipe)
        context.addPyFile(str(archive))
        yield


def _pack(archive: Path, recipe: Recipe) -> None:
    ours = Path(__file__).resolve().parents[1]
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as target:
        for package in _OURS:
            _add(target, ours / package, ours)
        for part in _authors(recipe, ours):
            _add(target, part, part.parent)


def _authors(recipe: Recipe, ours: Path) -> list[Path]:
    """The package or the files of the author: what lies beside the spec may be imported by it."""
    if not recipe.file:
        return []
    file = Path(recipe.file).resolve()
    depth = recipe.module.count(".")
    if depth:
        package = file.parents[depth - 1] if file.name != "__init__.py" else file.parents[depth]
        beside = ["invariants"] if package.parent == ours and package.name == "specs" else []
        return [package, *(package.parent / name for name in beside)]
    return sorted(file.parent.glob("*.py"))


def _add(target: zipfile.ZipFile, part: Path, root: Path) -> None:
    files = [part] if part.is_file() else sorted(part.rglob("*"))
    for file in files:
        if file.is_file() and file.suffix in (".py", ".toml"):
            target.write(file, str(file.relative_to(root)))
