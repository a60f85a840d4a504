"""The author's own modules: which ones a spec uses, what they say, and how a process forgets those that changed."""

from __future__ import annotations

import ast
import hashlib
import importlib
import inspect
import itertools
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from modelcheck.errors import SpecLoadError

__all__ = ["Digests", "digests_of", "forget_others", "remember", "texts_of"]

# The digest of the text of each module, by name.
Digests = tuple[tuple[str, str], ...]

# With which text this process has the author's modules.
_LOADED: dict[str, str] = {}
# What `__spec__` a module had when its text was read: reloading it makes another one.
_LOADS: dict[str, object] = {}


def texts_of(module: str) -> dict[str, str]:
    """The text of a module and of the author's modules that it uses, and so on, by their names in order."""
    waiting, known = [module], {module}
    texts: dict[str, str] = {}
    while waiting:
        name = waiting.pop()
        text = _text(name)
        if text is None:
            continue  # typed at a prompt, or compiled: its name has to do
        texts[name] = text
        for used in _used(sys.modules[name], texts[name]):
            if used not in known and _is_authors(used):
                known.add(used)
                waiting.append(used)
    return {name: texts[name] for name in sorted(texts)}


def _text(name: str) -> str | None:
    try:
        return inspect.getsource(sys.modules[name])
    except (KeyError, OSError, TypeError):
        # Nothing is read from an empty file, as most packages have; yet it says where the package is.
        file = Path(getattr(sys.modules.get(name), "__file__", None) or "")
        return "" if file.suffix == ".py" and file.exists() and not file.stat().st_size else None


def _used(module: ModuleType, text: str) -> Iterator[str]:
    """The packages of a module, the modules that it imports, and those that its values come from.

    Of a number that was imported, only the text says where it comes from; some may be named that do not exist.
    """
    yield from itertools.accumulate(module.__name__.split(".")[:-1], lambda above, name: f"{above}.{name}")
    for value in vars(module).values():
        used = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None)
        # A package has those of its modules as values that this process has loaded, for whatever reason.
        if isinstance(used, str) and not used.startswith(f"{module.__name__}."):
            yield used
    package = str(getattr(module, "__package__", None) or "")
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: package.count(".") + 2 - node.level] if node.level else []
            source = ".".join(filter(None, [*above, node.module]))
            yield source
            yield from (f"{source}.{alias.name}" for alias in node.names)


def _is_authors(module: str) -> bool:
    """Whether a module is loaded, and neither ours nor an installed one."""
    file = getattr(sys.modules.get(module), "__file__", None)
    if file is None or module.partition(".")[0] in ("modelcheck", "spark"):
        return False
    installed = (sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib"))
    return not any(Path(file).is_relative_to(folder) for folder in installed)


def digests_of(module: str) -> Digests:
    """The digests of a spec's modules as they are loaded here, where its author has imported them."""
    texts = texts_of(module)
    digests = {name: hashlib.sha256(text.encode(errors="replace")).hexdigest() for name, text in texts.items()}
    for name, digest in digests.items():
        load = getattr(sys.modules[name], "__spec__", None)
        if name in _LOADS and _LOADS[name] is load and _LOADED[name] != digest:
            raise SpecLoadError(
                f"the file of {name} has changed since it was imported: other processes would import the new text.\n"
                f"Import it again, importlib.reload({name}), and then the modules that use it."
            )
        _LOADS[name], _LOADED[name] = load, digest
    return tuple(digests.items())


def forget_others(digests: Digests) -> None:
    """Before modules are imported: forget all of them, if one is here with another text than this."""
    here = [name for name, _ in digests if name in sys.modules]
    if all(_LOADED.get(name) == digest for name, digest in digests if name in here):
        return
    for name in here:
        del sys.modules[name]
        package, _, leaf = name.rpartition(".")
        # `from package import leaf` would find the old one here.
        vars(sys.modules.get(package, ModuleType(package))).pop(leaf, None)
    importlib.invalidate_caches()


def remember(digests: Digests) -> None:
    """After modules were imported."""
    _LOADED.update(digests)
