"""How a worker process gets the spec: by the name of its module and its constants, or by value where it has no module.

A worker keeps what it has made from a recipe, and so all that it learns, for as long as it lives. The texts of the
author's modules belong to a recipe: where they have changed, another search is cooked from them.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import os
import pickle
import sys
from dataclasses import dataclass
from typing import Any

from modelcheck.program import Program
from modelcheck.spec import Spec

from .texts import Digests, digests_of, forget_others, remember

__all__ = ["Recipe", "recipe_for"]


@dataclass(frozen=True)
class Recipe:
    """Everything that makes a spec again in another process."""

    key: str
    spec: bytes
    module: str
    file: str
    folders: tuple[str, ...]
    by_value: bool
    deadlock: bool
    texts: Digests = ()

    @property
    def archive(self) -> str:
        """How the names of archives begin that have this recipe's modules in them."""
        return f"modelcheck_{hashlib.sha256(repr(self.texts).encode()).hexdigest()[:12]}_"

    def cook(self) -> Program:
        """The program, numbered as it is on the driver. ImportError where the spec's module is not to be had here."""
        _look_in(self.folders, self.archive)
        if not self.by_value:
            forget_others(self.texts)
            self._import()
            remember(self.texts)
        made, constants, lists = pickle.loads(self.spec)
        spec: Spec = made(**constants)
        return Program(spec, lists)

    def _import(self) -> None:
        """Import the module under the very name that it has on the driver: values refer to their classes by it."""
        if self.module in sys.modules:
            return
        try:
            importlib.import_module(self.module)
            return
        except ModuleNotFoundError as error:
            if not self.module.startswith(error.name or "?"):
                raise  # the spec is there, but something that it imports is not
        place = self.file if os.path.exists(self.file) else _shipped(os.path.basename(self.file))
        found = importlib.util.spec_from_file_location(self.module, place)
        if found is None or found.loader is None or not os.path.exists(place):
            raise ModuleNotFoundError(f"no module {self.module!r}", name=self.module)
        module = importlib.util.module_from_spec(found)
        sys.modules[self.module] = module
        found.loader.exec_module(module)

    def dumps(self, value: object) -> bytes:
        """A value as bytes that any worker can read."""
        if not self.by_value:
            return pickle.dumps(value, 5)
        from pyspark import cloudpickle

        dumped: bytes = cloudpickle.dumps(value, 5)  # type: ignore[no-untyped-call]
        return dumped


_added: list[str] = []


def _look_in(folders: tuple[str, ...], archive: str) -> None:
    """Search for modules where the driver does now, and no longer where another recipe did.

    Of the archives that a context has ever sent, those of this recipe come first.
    """
    own = [folder for folder in sys.path if folder not in _added]
    own.sort(key=lambda folder: not os.path.basename(folder).startswith(archive))
    _added[:] = [folder for folder in folders if folder not in own and os.path.isdir(folder)]
    sys.path[:] = [*own, *_added]


def _shipped(name: str) -> str:
    from pyspark import SparkFiles

    return SparkFiles.get(name)


def recipe_for(program: Program, *, deadlock: bool) -> Recipe:
    """The recipe of a program that exists here."""
    from pyspark import cloudpickle

    cls = type(program.spec)
    module: Any = sys.modules.get(cls.__module__)
    by_value = module is None or cls.__module__ == "__main__"
    file = "" if by_value else str(getattr(module, "__file__", "") or "")
    made_of = (cls, program.spec.constants, program.domains.lists)
    dumped: bytes = cloudpickle.dumps(made_of, 5)  # type: ignore[no-untyped-call]
    texts = () if by_value else digests_of(cls.__module__)
    key = hashlib.sha256(dumped + bytes([deadlock]) + repr(texts).encode()).hexdigest()
    folders = tuple(os.path.abspath(folder or ".") for folder in sys.path if os.path.isdir(folder or "."))
    return Recipe(key, dumped, cls.__module__, file, folders, by_value, deadlock, texts)
