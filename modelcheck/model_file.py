"""Reading a `models.toml`: every problem of the file is collected and shown at once."""

from __future__ import annotations

import datetime
import tomllib
from collections.abc import Mapping
from pathlib import Path

from .errors import ConfigError, suggest
from .loading import freeze
from .models import Expectation, Model
from .verdict import Verdict

__all__ = ["parse_models"]

_KINDS: Mapping[str, type] = {
    "spec": str,
    "about": str,
    "constants": dict,
    "limits": dict,
    "deadlock": bool,
    "symmetric": bool,
    "engine": str,
    "slow": bool,
    "expect": dict,
}
_WORDS = {str: "a text", dict: "a table", bool: "true or false", int: "a whole number"}
_ENGINES = ("local", "oracle", "spark")
_LIMITS = ("max_states", "max_depth", "max_seconds")
_COUNTS = ("trace", "distinct", "generated", "depth")
_VERDICTS = {v.name.lower(): v for v in Verdict if v is not Verdict.UNEXPECTED}
_WITH_TRACE = ("violated", "deadlock", "liveness", "error")


def parse_models(path: Path) -> tuple[Model, ...]:
    """All models of the file; ConfigError listing every problem in it."""
    tables = _read(path)
    problems: list[str] = []
    models = [_Reader(name, path.parent, problems).model(table) for name, table in tables.items()]
    if not models:
        problems.append("there is no model in it: each table is one, for example [small]")
    if problems:
        count = "a problem" if len(problems) == 1 else f"{len(problems)} problems"
        raise ConfigError(f"{path} has {count}:\n" + "\n".join(f"  {text}" for text in problems))
    return tuple(model for model in models if model is not None)


def _read(path: Path) -> dict[str, object]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigError(f"there is no {path.name} in {path.parent}.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} cannot be read: {error}") from error
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(
            f"{path} is not valid TOML: {error}.\n"
            "Usual cause: text without quotes, or True and False instead of true and false."
        ) from error


class _Reader:
    """Checks one table; what is wrong goes to the common list, with the name of the table."""

    def __init__(self, name: str, folder: Path, problems: list[str]) -> None:
        self.name = name
        self.folder = folder
        self.problems = problems

    def model(self, table: object) -> Model | None:
        if not isinstance(table, dict):
            self.problem("", f"is not a table: write [{self.name}] and its keys below it")
            return None
        self.check_keys("", table, _KINDS)
        for key, kind in _KINDS.items():
            if key in table and not isinstance(table[key], kind):
                self.problem("", f"{key} must be {_WORDS[kind]}, not {table[key]!r}")
        values = {key: table[key] for key in table if isinstance(table[key], _KINDS.get(key, ()))}
        if "spec" not in table:
            self.problem("", 'has no spec, for example: spec = "two_phase.py:TwoPhase"')
        if values.get("engine", "local") not in _ENGINES:
            engine = str(values["engine"])
            self.problem(
                "", f"engine {engine!r} is none of {', '.join(_ENGINES)}{suggest(engine, _ENGINES)}"
            )
        return Model(
            name=self.name,
            target=self.target(values.get("spec", "")),
            about=values.get("about", ""),
            constants=self.constants(values.get("constants", {})),
            limits=self.limits(values.get("limits", {})),
            deadlock=values.get("deadlock", True),
            symmetric=values.get("symmetric", False),
            engine=values.get("engine", "local"),
            slow=values.get("slow", False),
            expect=self.expectation(values.get("expect", {})),
        )

    def problem(self, subtable: str, text: str) -> None:
        full = f"{self.name}.{subtable}" if subtable else self.name
        self.problems.append(f"[{full}] {text}")

    def check_keys(
        self, subtable: str, table: Mapping[str, object], known: Mapping[str, object]
    ) -> None:
        for key in table:
            if key not in known:
                hint = suggest(key, known) or f"; known: {', '.join(known)}"
                self.problem(subtable, f"has an unknown key {key!r}{hint}")

    def target(self, spec: str) -> str:
        """The spec as a target; one that names a file is relative to the folder of the models."""
        file, colon, class_name = spec.partition(":")
        if not file.endswith(".py"):
            return spec
        if not (self.folder / file).is_file():
            near = suggest(file, [path.name for path in self.folder.glob("*.py")])
            self.problem("", f"spec {spec!r}: there is no file {self.folder / file}{near}")
        return f"{self.folder / file}{colon}{class_name}"

    def constants(self, table: Mapping[str, object]) -> dict[str, object]:
        for key, value in table.items():
            if isinstance(value, float | datetime.date | datetime.time):
                self.problem(
                    "constants", f"{key} = {value} is no value of a spec: use whole numbers or text"
                )
        return {key: freeze(value) for key, value in table.items()}

    def limits(self, table: Mapping[str, object]) -> dict[str, int | float]:
        self.check_keys("limits", table, dict.fromkeys(_LIMITS))
        limits: dict[str, int | float] = {}
        for key in _LIMITS:
            value = table.get(key)
            if value is None:
                continue
            whole = isinstance(value, int) and not isinstance(value, bool)
            if whole or (key == "max_seconds" and isinstance(value, float)):
                assert isinstance(value, int | float)
                limits[key] = value
            if not limits.get(key, 0) > 0:
                self.problem("limits", f"{key} must be a number above 0, not {value!r}")
        return limits

    def expectation(self, table: Mapping[str, object]) -> Expectation:
        self.check_keys("expect", table, dict.fromkeys(("verdict", "property", *_COUNTS)))
        counts: dict[str, int] = {}
        for key in _COUNTS:
            value = table.get(key)
            if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
                counts[key] = value
            elif value is not None:
                self.problem("expect", f"{key} must be a whole number, not {value!r}")
        word = table.get("verdict", "holds")
        if word not in _VERDICTS:
            hint = suggest(str(word), _VERDICTS)
            self.problem("expect", f"verdict {word!r} is none of {', '.join(_VERDICTS)}{hint}")
        name = table.get("property")
        if name is not None and not isinstance(name, str):
            self.problem("expect", f"property must be a text, not {name!r}")
        if "trace" in table and word not in _WITH_TRACE and name is None:
            self.problem("expect", f"trace has no meaning for verdict {word!r} without a property")
        verdict = _VERDICTS.get(str(word), Verdict.HOLDS)
        return Expectation(verdict, name if isinstance(name, str) else None, **counts)
