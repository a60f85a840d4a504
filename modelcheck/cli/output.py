"""Where results and errors go: text for people, JSON for programs, each to its own stream."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import Any

from ..errors import ConfigError, ModelCheckError, SpecError
from ..result import Result
from ..verdict import verdict_of_error

__all__ = ["Output", "error_text", "report_error", "wants_color"]


def wants_color() -> bool:
    """Whether standard output is a terminal whose owner has not said no (https://no-color.org)."""
    return (
        sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    )


class Output:
    """Decides by the options what is printed; made before the run, so that misuse shows at once."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.json: str | None = options.json
        if self.json not in (None, "-"):
            _refuse_unwritable(Path(str(self.json)))

    @property
    def only_json(self) -> bool:
        return self.json == "-"

    def text(self, text: str = "") -> None:
        """Text for people, unless standard output is reserved for data."""
        if not self.only_json:
            print(text, flush=True)

    def result(self, result: Result) -> None:
        """The full report of a result."""
        if not self.only_json:
            from traces.report import render_result

            self.text(render_result(result, wants_color()))

    def data(self, data: Any) -> None:
        """The same as data, if it was asked for."""
        _write_json(self.json, data)


def report_error(error: ModelCheckError, json: str | None = None) -> None:
    """The verdict that an error stands for and its message, on standard error; as data if asked."""
    from traces.report import headline

    verdict = verdict_of_error(error)
    print(f"{headline(verdict)}\n{error_text(error)}", file=sys.stderr)
    if json is not None and not isinstance(error, _CannotWrite):
        from traces.data import error_data

        _write_json(json, error_data(verdict.name.lower(), verdict.exit_code, error_text(error)))


def error_text(error: ModelCheckError) -> str:
    """The message of an error and, where the spec's own code raised, the user's traceback."""
    text = str(error)
    if isinstance(error, SpecError):
        from ..tracebacks import user_traceback

        if error.cause is not None:
            text += f"\n{user_traceback(error.cause)}"
    return text


class _CannotWrite(ConfigError):
    """The file for the JSON cannot be written."""


def _refuse_unwritable(path: Path) -> None:
    if path.is_dir():
        raise _CannotWrite(
            f"--json {path}: that is a folder; name a file, or - for standard output."
        )
    if not path.parent.is_dir():
        raise _CannotWrite(f"--json {path}: there is no folder {path.parent}.")


def _write_json(place: str | None, data: Any) -> None:
    if place is None:
        return
    import json

    text = json.dumps(data, indent=2, ensure_ascii=False) + "\n"
    if place == "-":
        sys.stdout.write(text)
        return
    try:
        Path(place).write_text(text, encoding="utf-8")
    except OSError as error:
        raise _CannotWrite(f"--json {place} cannot be written: {error.strerror}.") from error
