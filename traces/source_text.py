"""Frozen values as Python source: what a generated test writes for constants and parameters."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from modelcheck.errors import ConfigError
from modelcheck.values import ordered

from .codec import Unwritable
from .diff import fields_of, shape

__all__ = ["Writer"]


@dataclass
class Writer:
    """Writes values as expressions, and remembers the names that these need."""

    imports: set[tuple[str, str]] = field(default_factory=set)

    def write(self, value: Any) -> str:
        """An expression in plain ASCII whose value equals this one.

        >>> writer = Writer()
        >>> writer.write((1, frozenset({"a"})))
        "(1, frozenset(('a',)))"
        """
        if isinstance(value, Enum):
            return f"{self._class(type(value))}[{value.name!a}]"
        if value is None or isinstance(value, bool | range):
            return ascii(value)
        for plain in (int, str, bytes):
            if isinstance(value, plain):  # a subclass may print itself in another way
                return plain.__repr__(value) if plain is not str else ascii(str(value))
        if isinstance(value, Unwritable) or (kind := shape(value)) == "leaf":
            raise ConfigError(f"{value!r:.80} cannot be written as Python source.")
        if kind == "record":
            fields = fields_of(value).items()
            inside = ", ".join(f"{name}={self.write(item)}" for name, item in fields)
            return f"{self._class(type(value))}({inside})"
        return self._collection(kind, value)

    def _collection(self, kind: str, value: Any) -> str:
        if kind == "tuple":
            return self._tuple(value)
        if kind == "map":
            pairs = ", ".join(f"{self.write(key)}: {self.write(value[key])}" for key in ordered(value))
            return f"{self._pyrsistent('pmap')}({{{pairs}}})"
        if kind == "vector":
            return f"{self._pyrsistent('pvector')}({self._tuple(value)})"
        if kind == "bag":
            members = [item for item in ordered(frozenset(value)) for _ in range(value.count(item))]
            return f"{self._pyrsistent('pbag')}({self._tuple(members)})"
        maker = "frozenset" if isinstance(value, frozenset) else self._pyrsistent("pset")
        return f"{maker}({self._tuple(ordered(value))})"

    def _tuple(self, items: Any) -> str:
        texts = [self.write(item) for item in items]
        return f"({', '.join(texts)}{',' if len(texts) == 1 else ''})"

    def _pyrsistent(self, name: str) -> str:
        self.imports.add(("pyrsistent", name))
        return name

    def _class(self, cls: type) -> str:
        outer = cls.__qualname__.partition(".")[0]
        if "<locals>" in cls.__qualname__ or hasattr(cls, "__stand_in_for__"):
            raise ConfigError(
                f"a value of the class {cls.__qualname__} cannot be written as Python source:"
                " it is defined inside a function, or its module is not there."
            )
        self.imports.add((cls.__module__, outer))
        return cls.__qualname__
