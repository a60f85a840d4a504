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

    Executors that start later fetch it too, so it stays until the search is over. Our own packages stay at home where
    the executors have the very same ones: kernels of an installed package are compiled once a machine, not once a run.
    """
    with tempfile.TemporaryDirectory(prefix="modelcheck-", ignore_cleanup_errors=True) as folder:
        archive = Path(folder) / f"modelcheck_{recipe.key[:12]}.zip"
        _pack(archive, recipe, () if _installed(context) else _OURS)
        context.addPyFile(str(archive))
        yield


def _installed(context: Any) -> bool:
    """Whether executors have our packages with the same text as here."""

    def digests(_: object) -> list[str]:
        # Sent by value: nothing of ours may be needed to run it.
        import hashlib
        import importlib.util
        import pathlib

        found = hashlib.sha256()
        for name in ("modelcheck", "spark"):
            place = importlib.util.find_spec(name)
            if place is None or place.origin is None or not pathlib.Path(place.origin).exists():
                return [""]
            for file in sorted(pathlib.Path(place.origin).parent.rglob("*.py")):
                found.update(file.read_bytes())
        return [found.hexdigest()]

    context.setJobDescription("which packages executors have")
    n_tasks = max(2, context.defaultParallelism)
    theirs = context.parallelize(range(n_tasks), n_tasks).mapPartitions(digests).collect()
    return set(theirs) == set(digests(None))


def _pack(archive: Path, recipe: Recipe, packages: tuple[str, ...]) -> None:
    ours = Path(__file__).resolve().parents[1]
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as target:
        for package in packages:
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
