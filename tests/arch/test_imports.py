"""The directions of imports, what may be imported at start, and the sizes of files.

`modelcheck` (but not its command line) knows none of the other packages; `traces` and `spark` know
`modelcheck`; `specs` and `invariants` know only its public names; nothing knows `specs`.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

import modelcheck

ROOT = Path(__file__).parents[2]
PACKAGES = ("modelcheck", "specs", "invariants", "traces", "spark")
HEAVY = ("numpy", "numba", "pyspark", "z3", "graphviz", "rich")
MAX_LINES = 450

# Which of the five packages the files of a package may import, besides their own.
ALLOWED = {
    "modelcheck": frozenset[str](),
    "modelcheck.cli": frozenset({"modelcheck", "traces", "spark"}),
    "specs": frozenset({"modelcheck", "invariants"}),
    "invariants": frozenset({"modelcheck"}),
    "traces": frozenset({"modelcheck"}),
    "spark": frozenset({"modelcheck"}),
}


class Import(NamedTuple):
    """`from module import name`, or `import module` where name is empty."""

    module: str
    name: str
    line: int


def files() -> list[Path]:
    return sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))


def imports_of(path: Path) -> Iterator[Import]:
    """Every import in a file, wherever it stands; relative ones by their full name."""
    parents = path.relative_to(ROOT).parent.parts
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(alias.name, "", node.lineno)
        elif isinstance(node, ast.ImportFrom):
            base = parents[: len(parents) - node.level + 1] if node.level else ()
            module = ".".join([*base, *([node.module] if node.module else [])])
            for alias in node.names:
                yield Import(module, alias.name, node.lineno)


def owner(path: Path) -> str:
    """The entry of ALLOWED for a file."""
    parts = path.relative_to(ROOT).parts
    return "modelcheck.cli" if parts[:2] == ("modelcheck", "cli") else parts[0]


def test_packages_import_only_what_lies_below_them() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{found.line} imports {found.module}"
        for path in files()
        if path.name != "__main__.py"
        for found in imports_of(path)
        for top in [found.module.partition(".")[0]]
        if top in PACKAGES and top != owner(path) and top not in ALLOWED[owner(path)]
    ]
    assert not wrong, "\n".join(wrong)


def test_the_checker_does_not_know_its_command_line() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{found.line}"
        for path in files()
        if owner(path) != "modelcheck.cli" and path.name != "__main__.py"
        for found in imports_of(path)
        if f"{found.module}.{found.name}".startswith("modelcheck.cli")
    ]
    assert not wrong, "\n".join(wrong)


def test_specs_and_invariants_use_only_the_public_names() -> None:
    public = set(modelcheck.__all__)
    wrong = [
        f"{path.relative_to(ROOT)}:{found.line} imports {found.name or 'all'} from {found.module}"
        for path in files()
        if owner(path) in ("specs", "invariants")
        for found in imports_of(path)
        if found.module.partition(".")[0] == "modelcheck"
        if found.module != "modelcheck" or found.name not in public
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("module", ["modelcheck", "modelcheck.cli.main", "traces.report", "spark"])
def test_importing_stays_light(module: str) -> None:
    code = (
        f"import sys, {module}\n"
        f"heavy = set({HEAVY!r}) & set(sys.modules)\n"
        "sys.exit(', '.join(sorted(heavy)) or 0)\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr


def test_files_stay_readable_in_one_sitting() -> None:
    long = {
        str(path.relative_to(ROOT)): count
        for path in files()
        if (count := len(path.read_text(encoding="utf-8").splitlines())) > MAX_LINES
    }
    assert not long, f"longer than {MAX_LINES} lines: {long}"


def test_every_package_is_in_the_distribution() -> None:
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    included = project["tool"]["setuptools"]["packages"]["find"]["include"]
    assert set(included) == {name for package in PACKAGES for name in (package, f"{package}.*")}


def test_every_folder_of_a_package_is_one() -> None:
    folders = {path.parent for path in files()}
    bare = [
        str(folder.relative_to(ROOT)) for folder in folders if not (folder / "__init__.py").exists()
    ]
    assert not bare, f"no __init__.py in {bare}: it would not be installed"
