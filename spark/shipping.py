"""What executors need that may not be installed there: our packages and the author's own files."""

from __future__ import annotations

import hashlib
import tempfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .recipe import Recipe

__all__ = ["forget", "ship"]

_OURS = ("modelcheck", "spark")


@dataclass
class _Place:
    """Where the archives of one context lie: executors that start later fetch all that were ever added to it."""

    folder: tempfile.TemporaryDirectory[str]  # deleted when the process ends, at the latest
    packages: tuple[str, ...]
    added: set[str] = field(default_factory=set)


_PLACES: dict[str, _Place] = {}


def ship(context: Any, recipe: Recipe) -> None:
    """Send one archive to every executor, where Python then finds its packages.

    Our own packages stay at home where the executors have the very same ones: kernels of an installed package are
    compiled once a machine, not once a run. A context remembers names for ever, so that a name stands for a content.
    """
    place = _PLACES.get(context.applicationId)
    if place is None:
        packages = () if _installed(context) else _OURS
        folder = tempfile.TemporaryDirectory(prefix="modelcheck-", ignore_cleanup_errors=True)
        place = _PLACES[context.applicationId] = _Place(folder, packages)
    files = _files(recipe, place.packages)
    content = hashlib.sha256()
    for name, data in files.items():
        content.update(f"{name} {len(data)} ".encode() + data)
    archive = Path(place.folder.name) / f"{recipe.archive}{content.hexdigest()[:12]}.zip"
    if archive.name not in place.added:
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as target:
            for name, data in files.items():
                target.writestr(name, data)
        context.addPyFile(str(archive))
        place.added.add(archive.name)


def forget(application: str) -> None:
    """A context was stopped: nobody will fetch its archives."""
    place = _PLACES.pop(application, None)
    if place:
        place.folder.cleanup()


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


def _files(recipe: Recipe, packages: tuple[str, ...]) -> dict[str, bytes]:
    """What is in the archive, by name."""
    ours = Path(__file__).resolve().parents[1]
    parts = [(ours / package, ours) for package in packages]
    parts += [(part, part.parent) for part in _authors(recipe, ours)]
    return {name: data for part, root in parts for name, data in _contents(part, root)}


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


def _contents(part: Path, root: Path) -> Iterator[tuple[str, bytes]]:
    files = [part] if part.is_file() else sorted(part.rglob("*"))
    for file in files:
        if file.is_file() and file.suffix in (".py", ".toml"):
            yield str(file.relative_to(root)), file.read_bytes()
