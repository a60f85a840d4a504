"""From the options that all commands share to a spec with its constants."""

from __future__ import annotations

import argparse
import dataclasses
from pathlib import Path

from ..errors import ConfigError
from ..loading import load, parse_settings
from ..spec import Spec

__all__ = ["Chosen", "chosen_spec", "is_folder"]


@dataclasses.dataclass(frozen=True)
class Chosen:
    """A spec that is ready to run, and whether a state without successors is an error in it."""

    spec: Spec
    deadlock: bool


def is_folder(options: argparse.Namespace) -> bool:
    """Whether the target is a folder with a `models.toml`."""
    from ..models import FILE_NAME

    return (Path(options.target) / FILE_NAME).is_file()


def chosen_spec(options: argparse.Namespace) -> Chosen:
    """The spec that a target and `--model` name, with the constants of `--set`."""
    deadlock = not getattr(options, "no_deadlock", False)
    if not is_folder(options):
        refuse_model_options(options)
        cls = load(options.target)
        return Chosen(cls(**parse_settings(options.settings, cls)), deadlock)
    from ..models import pick_models, read_models

    models = read_models(Path(options.target))
    if options.model is None:
        names = ", ".join(model.name for model in models)
        raise ConfigError(
            f"{options.target} has several models: pick one with --model.\nModels: {names}"
        )
    model = pick_models(models, only=options.model)[0]
    cls = load(model.target)
    spec = cls(**{**model.constants, **parse_settings(options.settings, cls)})
    return Chosen(spec, deadlock and model.deadlock)


def refuse_model_options(options: argparse.Namespace) -> None:
    """Options about models have no effect on a single spec: say so instead of ignoring them."""
    if options.model is not None or getattr(options, "all", False):
        option = "--model" if options.model is not None else "--all"
        raise ConfigError(
            f"{option} is for a folder with a models.toml, and {options.target} is none.\n"
            "One of several specs in a file is picked with file.py:Class."
        )
