"""`modelcheck replay`: the steps of a stored trace, taken again."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import ConfigError
from ..loading import load, parse_settings, split_target
from ..spec import Spec
from ..values import show
from ..verdict import Verdict
from .output import Output

if TYPE_CHECKING:
    from traces.files import Stored

__all__ = ["run", "spec_for"]


def run(options: argparse.Namespace) -> int:
    """Replay and print; the exit code."""
    from traces.files import load_trace
    from traces.replay import replay
    from traces.replay_text import render_replay, replay_data
    from traces.safe import visible
    from traces.text import clip

    output = Output(options)
    stored = load_trace(options.file)
    spec = spec_for(stored, options)
    answer = replay(spec.program, stored.found)
    changed = {
        name: value
        for name, value in spec.constants.items()
        if name not in stored.trace.constants or stored.trace.constants[name] != value
    }
    given = ", ".join(f"{name}={show(value)}" for name, value in changed.items())
    title = f"{type(spec).__name__} with {given}" if given else type(spec).__name__
    output.text(f"{options.file}, on {clip(visible(title))}\n")
    output.text(render_replay(answer))
    output.data({"file": str(options.file), "spec": type(spec).__name__, **replay_data(answer)})
    return (Verdict.HOLDS if answer.identical else Verdict.UNEXPECTED).exit_code


def spec_for(stored: Stored, options: argparse.Namespace) -> Spec:
    """The spec to replay on: that of the trace, or the one that `--spec` and `--model` name."""
    settings = getattr(options, "settings", [])
    model = getattr(options, "model", None)
    if model is None:
        if options.spec is not None and Path(options.spec).is_dir():
            raise ConfigError(f"--spec {options.spec} is a folder: pick a model with --model.")
        cls = stored.spec_class(options.spec)
        return cls(**stored.constants(cls, parse_settings(settings, cls)))
    from ..models import pick_models, read_models

    place = options.spec or stored.target
    if place is None:
        raise ConfigError("--model needs --spec: the trace does not say which spec it came from.")
    folder = Path(place) if Path(place).is_dir() else Path(split_target(place)[0]).parent
    chosen = pick_models(read_models(folder), only=model)[0]
    cls = load(chosen.target)
    return cls(**{**chosen.constants, **parse_settings(settings, cls)})
