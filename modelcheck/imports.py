"""Importing a user's file: which name it gets, and what it can import.

NOTE(where-imports-come-from): the file's own folder and its project's root are searched after the
standard library and before installed packages. After, because a `queue.py` beside a spec must not
replace Python's; before, because a project may well have its own `specs` folder, and it wants that
one, not ours. A neighbour that is imported and still loses to another module is an error, never a
silent surprise.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import os
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

__all__ = ["HiddenModule", "import_dotted", "import_file"]

_PROJECT_MARKS = ("pyproject.toml", "setup.py", ".git")


class HiddenModule(ImportError):
    """A module beside the spec has the name of another one, which Python would import instead."""


def import_dotted(name: str) -> ModuleType:
    """Import a module by name, as `python -m` would: the current folder counts."""
    _make_importable(Path.cwd())
    return importlib.import_module(name)


def import_file(path: Path) -> ModuleType:
    """Import a file under a stable name: its dotted name in a package, otherwise its stem.

    Raises whatever the file raises, SyntaxError, and HiddenModule.
    """
    path = path.resolve()
    package_root, dotted = _place_in_package(path)
    places = list(dict.fromkeys([path.parent, package_root, _project_root(path)]))
    _make_importable(*places)
    _refuse_hidden_neighbours(path, places)
    if "." in dotted and _found_at(dotted.partition(".")[0], package_root):
        return importlib.import_module(dotted)
    return _import_alone(path)


def _place_in_package(path: Path) -> tuple[Path, str]:
    """The folder from which the file is imported, and its dotted name there."""
    parts = [path.stem]
    folder = path.parent
    while (folder / "__init__.py").exists() and folder.name.isidentifier():
        parts.insert(0, folder.name)
        folder = folder.parent
    return folder, ".".join(parts)


def _project_root(path: Path) -> Path:
    for folder in path.parents:
        if any((folder / mark).exists() for mark in _PROJECT_MARKS):
            return folder
    return path.parent


def _make_importable(*folders: Path) -> None:
    standard = {
        os.path.dirname(os.__file__),
        os.path.join(os.path.dirname(os.__file__), "lib-dynload"),
    }
    position = max((i + 1 for i, entry in enumerate(sys.path) if entry in standard), default=0)
    known = {os.path.abspath(entry) for entry in sys.path}
    for folder in folders:
        if str(folder) not in known:
            sys.path.insert(position, str(folder))
            position += 1
    importlib.invalidate_caches()


def _refuse_hidden_neighbours(path: Path, places: list[Path]) -> None:
    tree = ast.parse(path.read_bytes(), filename=str(path))
    for name, line in _imported_names(tree):
        for place in places:
            neighbour = _module_file(place, name)
            if neighbour is None or neighbour == path:
                continue
            if not any(_found_at(name, other) for other in places):
                raise HiddenModule(
                    f"line {line} imports {name!r}, but does not get {neighbour}.\n"
                    f"Another module of that name comes first: {_origin(name)}.\n"
                    "Rename the file beside the spec."
                )


def _imported_names(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Top-level names of absolute imports, with their lines."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name.partition(".")[0], node.lineno
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0], node.lineno


def _module_file(folder: Path, name: str) -> Path | None:
    candidates = (folder / f"{name}.py", folder / name / "__init__.py")
    return next((candidate for candidate in candidates if candidate.is_file()), None)


def _origin(name: str) -> str | None:
    """Where Python would import a top-level module from; None if nowhere."""
    try:
        found = importlib.util.find_spec(name)
    except (ImportError, ValueError):  # ValueError: a module that was made by hand, without a place
        return "already imported"
    return found.origin if found else None


def _found_at(name: str, folder: Path) -> bool:
    origin = _origin(name)
    if origin is None:
        return False
    expected = _module_file(folder, name)
    return expected is not None and Path(origin).resolve() == expected.resolve()


def _import_alone(path: Path) -> ModuleType:
    name = path.stem
    if not name.isidentifier() or not _found_at(name, path.parent):
        # Something else has that name already: a number of the path keeps the two apart.
        name = f"{name}_{zlib.crc32(str(path).encode()):08x}"
    known = sys.modules.get(name)
    if known is not None:
        return known
    found = importlib.util.spec_from_file_location(name, path)
    if found is None or found.loader is None:
        raise ImportError(f"Python cannot import {path}")
    module = importlib.util.module_from_spec(found)
    sys.modules[name] = module
    try:
        found.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module
