"""What the commands that draw have in common: from a target or a trace file to something to draw."""

from __future__ import annotations

import argparse
import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from ..errors import ConfigError
from ..result import Discovery, Result
from ..spec import Spec
from .finishing import calmed
from .progress import ProgressLine
from .targets import Chosen, chosen_spec

__all__ = ["Subject", "draw_result", "file_name", "subject_of", "told"]


class Subject(NamedTuple):
    """A behaviour to draw, its spec (None if a trace file names none that can be loaded), and the result of a check."""

    found: Discovery
    spec: Spec | None
    result: Result | None


def subject_of(options: argparse.Namespace) -> Subject:
    """The counterexample of a target, which is checked for it, or the trace in a file."""
    if options.target.endswith(".json"):
        return _from_file(options)
    chosen = chosen_spec(options)
    result = _checked(chosen, options)
    found = [*result.violations, *(d for d in result.discoveries if d.kind == "goal")]
    if not found or not found[0].trace.states:
        raise ConfigError(
            f"{chosen.spec!r} was checked: {result.verdict.sentence}. There is no counterexample to draw.\n"
            "`modelcheck graph` draws all states of a small model."
        )
    if found[0].kind == "goal":
        print(f"Nothing is violated: this is the way to the goal {found[0].label}.", file=sys.stderr)
    return Subject(found[0], chosen.spec, result)


def _checked(chosen: Chosen, options: argparse.Namespace) -> Result:
    from .. import check

    with ProgressLine(quiet=options.quiet) as progress:
        result = check(
            chosen.spec,
            max_seconds=options.max_seconds,
            deadlock=chosen.deadlock,
            progress=progress,
        )
    return calmed(result, chosen.spec, options)


def _from_file(options: argparse.Namespace) -> Subject:
    """A stored trace as the spec takes it today: a spec draws only its own states, and a file may hold others."""
    from traces.files import load_trace
    from traces.replay import replay
    from traces.replay_text import summary

    from ..errors import ModelCheckError

    stored = load_trace(options.target)
    if not stored.trace.states:
        raise ConfigError(f"{options.target} holds a trace without states: there is nothing to draw.")
    try:
        cls = stored.spec_class()
        spec = cls(**stored.constants(cls, {}))
        answer = replay(spec.program, stored.found)
    except ModelCheckError as problem:
        print(f"The spec of the trace was not loaded, so the picture is a general one: {problem}", file=sys.stderr)
        return Subject(stored.found, None, None)
    if answer.trace is None or not answer.identical:
        print(
            f"The trace does not replay on the spec as it is now. {summary(answer)}\n"
            "It is drawn as it was stored, without help from the spec.",
            file=sys.stderr,
        )
        return Subject(stored.found, None, None)
    return Subject(answer.found or replace(stored.found, trace=answer.trace), spec, None)


def file_name(options: argparse.Namespace) -> str:
    """The name of the files to write: that of the model, the class or the trace."""
    if options.model:
        text = options.model
    elif options.target.endswith(".json"):
        text = Path(options.target).name.removesuffix(".json").removesuffix(".itf")
    else:
        file, _, cls = options.target.rpartition(":") if ":" in options.target else (options.target, "", "")
        text = cls or Path(file).stem
    return re.sub(r"[^A-Za-z0-9._-]+", "_", text) or "trace"


def draw_result(result: Result, spec: Spec, folder: Path, name: str) -> list[Path]:
    """Draw the first counterexample of a result, if it has one; gives the best file: SVG, or dot without Graphviz."""
    if not result.violations or not result.violations[0].trace.states:
        return []
    from traces.render import write_picture
    from traces.scene import scene_of
    from traces.spacetime import spacetime

    files, missing = write_picture(spacetime(scene_of(result.violations[0], spec)), folder, name)
    if missing:
        print(missing, file=sys.stderr)
    return files[-1:]


def told(files: list[Path], missing: str) -> None:
    """Name the files that were written, and what could not be."""
    for file in files:
        print(file)
    if missing:
        print(missing, file=sys.stderr)
