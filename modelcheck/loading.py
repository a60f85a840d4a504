"""From a TARGET on the command line to a Spec class, and from `name=value` to constants.

A target is `path/to/file.py`, `path/to/file.py:Class` or `package.module:Class`. (A folder with a
`models.toml` is a target too: see `modelcheck.models`.) Whatever goes wrong is a `SpecLoadError`
that says what, where, the usual cause and the way out.
"""

from __future__ import annotations

import ast
import difflib
import os
import re
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from pathlib import Path
from types import ModuleType

from pyrsistent import pmap

from .errors import ConfigError, ModelCheckError, SpecLoadError, suggest
from .imports import HiddenModule, import_dotted, import_file
from .spec import Spec
from .tracebacks import user_traceback

__all__ = ["freeze", "load", "parse_settings", "split_target"]

_FORMS = (
    "A target is one of\n"
    "  path/to/file.py          the one spec in that file\n"
    "  path/to/file.py:Class    one of several\n"
    "  package.module:Class     a spec in an importable module\n"
    "  path/to/folder           all models of its models.toml"
)
_BARE_WORD = re.compile(r"[A-Za-z_][\w.\-]*")


def load(target: str) -> type[Spec]:
    """The Spec class that a target names.

    Raises SpecLoadError if there is no such file, module or class, if importing it fails, or if
    the file defines several specs and the target does not say which one.
    """
    place, class_name = split_target(target)
    module = _load_file(Path(place)) if _is_path(place) else _load_dotted(place)
    return _named(module, place, class_name) if class_name else _only_one(module, place)


def split_target(target: str) -> tuple[str, str | None]:
    """The place and, if given, the class.

    >>> split_target("specs/classics/two_phase.py:TwoPhase")
    ('specs/classics/two_phase.py', 'TwoPhase')
    >>> split_target("specs/classics/two_phase.py")
    ('specs/classics/two_phase.py', None)
    """
    place, colon, class_name = target.rpartition(":")
    if not colon:
        return target, None
    if not place or not class_name.isidentifier():
        raise SpecLoadError(f"{target!r} is not a target.\n{_FORMS}")
    return place, class_name


def _is_path(place: str) -> bool:
    return place.endswith(".py") or os.sep in place or Path(place).exists()


# --- importing ---------------------------------------------------------------------------------


def _load_file(path: Path) -> ModuleType:
    if path.is_dir():
        raise SpecLoadError(_folder_message(path))
    if not path.exists():
        raise SpecLoadError(_unknown_file_message(path))
    if path.suffix != ".py":
        raise SpecLoadError(f"{path} is not a Python file, and a spec is a Python class.\n{_FORMS}")
    return _importing(str(path), lambda: import_file(path))


def _load_dotted(name: str) -> ModuleType:
    if not all(part.isidentifier() for part in name.split(".")):
        raise SpecLoadError(f"{name!r} is neither a file nor a module.\n{_FORMS}")
    return _importing(name, lambda: import_dotted(name))


def _importing(place: str, work: Callable[[], ModuleType]) -> ModuleType:
    """Run an import, turning whatever the user's code raises into a SpecLoadError."""
    try:
        return work()
    except ModelCheckError:
        raise
    except HiddenModule as hidden:
        raise SpecLoadError(f"{place}: {hidden}") from None
    except SyntaxError as error:
        raise SpecLoadError(_syntax_message(place, error)) from error
    except SystemExit as error:
        raise SpecLoadError(
            f"{place} stops the program while it is being imported.\n"
            "Usual cause: code meant for running the file as a script.\n"
            "Put it under: if __name__ == '__main__':"
        ) from error
    except ModuleNotFoundError as error:
        raise SpecLoadError(_missing_module_message(place, error)) from error
    except Exception as error:
        raise SpecLoadError(f"{place} cannot be imported.\n{user_traceback(error)}") from error


# --- choosing the class ------------------------------------------------------------------------


def _only_one(module: ModuleType, place: str) -> type[Spec]:
    defined = [cls for cls in _specs_in(module) if cls.__module__ == module.__name__]
    if len(defined) == 1:
        return defined[0]
    if defined:
        raise SpecLoadError(
            f"{place} defines {len(defined)} specs; say which one:\n{_commands(place, defined)}"
        )
    imported = list(_specs_in(module))
    if imported:
        raise SpecLoadError(
            f"{place} defines no spec of its own, but imports some; say which one:\n"
            + _commands(place, imported)
        )
    raise SpecLoadError(
        f"{place} defines no spec.\n"
        "A spec is a class derived from modelcheck.Spec:\n"
        "  from modelcheck import Spec\n"
        "  class Counter(Spec): ...\n"
        "(A class with `abstract = True` in its body does not count.)"
    )


def _named(module: ModuleType, place: str, class_name: str) -> type[Spec]:
    found = getattr(module, class_name, None)
    if isinstance(found, type) and issubclass(found, Spec) and found is not Spec:
        return found
    specs = list(_specs_in(module))
    if found is not None:
        problem = f"{class_name!r} in {place} is no spec: it is not derived from modelcheck.Spec"
    else:
        names = [cls.__name__ for cls in specs]
        problem = f"{place} has no class {class_name!r}{suggest(class_name, names)}"
    raise SpecLoadError(
        f"{problem}.\nIts specs:\n{_commands(place, specs)}" if specs else f"{problem}."
    )


def _specs_in(module: ModuleType) -> Iterator[type[Spec]]:
    """Spec classes that a module's namespace holds, each once, abstract ones left out."""
    seen: set[type] = {Spec}
    for value in vars(module).values():
        if isinstance(value, type) and issubclass(value, Spec) and value not in seen:
            seen.add(value)
            if not vars(value).get("abstract", False):
                yield value


def _commands(place: str, specs: Iterable[type[Spec]]) -> str:
    return "\n".join(f"  modelcheck check {place}:{cls.__name__}" for cls in specs)


# --- messages ----------------------------------------------------------------------------------


def _folder_message(folder: Path) -> str:
    if (folder / "models.toml").exists():
        return f"{folder} is a folder of models: name one spec of it, or use `modelcheck check`."
    files = sorted(str(path) for path in folder.glob("*.py") if path.name != "__init__.py")
    listing = "".join(f"\n  modelcheck check {name}" for name in files[:10])
    return f"{folder} is a folder without a models.toml." + (
        f"\nIts files:{listing}" if files else ""
    )


def _unknown_file_message(path: Path) -> str:
    near = difflib.get_close_matches(path.name, files := _python_files(path), n=3, cutoff=0.6)
    if near:
        places = [place for name in near for place in files[name]][:5]
        return f"there is no file {path}.\nNear it by name:\n" + "\n".join(f"  {p}" for p in places)
    return f"there is no file {path} (looked in {Path.cwd()}).\n{_FORMS}"


def _python_files(path: Path, limit: int = 2000) -> dict[str, list[str]]:
    """Files that may be meant, by name: beside the missing one and below the current folder."""
    files: dict[str, list[str]] = {}
    for start in dict.fromkeys([str(path.parent), "."]):
        for folder, subfolders, names in os.walk(start):
            subfolders[:] = sorted(name for name in subfolders if not name.startswith((".", "__")))
            for name in sorted(names):
                place = os.path.normpath(os.path.join(folder, name))
                if name.endswith(".py") and place not in files.setdefault(name, []):
                    files[name].append(place)
            if len(files) > limit:
                break
    return {name: places for name, places in files.items() if places}


def _syntax_message(place: str, error: SyntaxError) -> str:
    text = "".join(traceback.format_exception_only(error)).rstrip()
    return f"{place} cannot be read as Python.\n{text}"


def _missing_module_message(place: str, error: ModuleNotFoundError) -> str:
    missing = error.name or ""
    if place == missing or place.startswith(missing + "."):
        as_file = place.replace(".", os.sep) + ".py"
        hint = (
            f"\nThere is a file of that name: modelcheck check {as_file}"
            if Path(as_file).exists()
            else ""
        )
        return (
            f"there is no module {place!r}: Python finds no {missing!r}.\n"
            f"It looks in {Path.cwd()} and in what is installed.{hint or chr(10) + _FORMS}"
        )
    return (
        f"{place} cannot be imported: it needs {missing!r}, which Python does not find.\n"
        f"{user_traceback(error)}\n"
        "Usual cause: the package is not installed in this environment, or the name is misspelt.\n"
        "Files beside the spec and packages in its project's root can be imported."
    )


# --- constants ---------------------------------------------------------------------------------


def parse_settings(settings: Iterable[str], cls: type[Spec] | None = None) -> dict[str, object]:
    """Constants from `name=value` texts: values are Python literals, bare words are strings.

    The class says which constants are texts or collections by default. A text needs no quotes then (a version such as
    3.8 is one, and no number), and words with commas between them are a collection.

    >>> parse_settings(["rms=8", "fix=none", "servers=('a', 'b')"])
    {'rms': 8, 'fix': 'none', 'servers': ('a', 'b')}
    """
    declared = {} if cls is None else cls.__declarations__.constants
    constants: dict[str, object] = {}
    for setting in settings:
        name, equals, text = setting.partition("=")
        name = name.strip()
        if not equals or not name.isidentifier():
            raise ConfigError(
                f"--set {setting!r} is not of the form name=value.\nFor example: --set rms=8"
            )
        if name in constants:
            raise ConfigError(f"--set {name} is given twice.")
        constants[name] = _parse_value(name, text.strip(), declared[name].default if name in declared else None)
    return constants


def _parse_value(name: str, text: str, default: object) -> object:
    try:
        value = freeze(ast.literal_eval(text))
    except (ValueError, SyntaxError, TypeError):
        return _parse_words(name, text, default)
    return text if isinstance(default, str) and not isinstance(value, str) else value


def _parse_words(name: str, text: str, default: object) -> object:
    """What is no literal."""
    words = text.split(",")
    if isinstance(default, tuple | frozenset) and all(_BARE_WORD.fullmatch(word) for word in words):
        return type(default)(words)
    if isinstance(default, str) or _BARE_WORD.fullmatch(text):
        return text
    raise ConfigError(
        f"--set {name}: {text!r} is neither a Python literal nor a bare word.\n"
        f"Examples: --set {name}=3   --set {name}=fast   --set \"{name}=('s1', 's2')\"\n"
        "Usual cause: the shell took the quotes; put the whole setting in double quotes."
    )


def freeze(value: object) -> object:
    """The frozen counterpart of a literal: tuples for lists, frozen sets and maps.

    >>> freeze([1, [2, 3]])
    (1, (2, 3))
    """
    if isinstance(value, list | tuple):
        return tuple(freeze(item) for item in value)
    if isinstance(value, Set):
        return frozenset(freeze(item) for item in value)
    if isinstance(value, Mapping):
        return pmap({freeze(key): freeze(item) for key, item in value.items()})
    return value
