"""The options that only this engine has, checked before anything starts."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from modelcheck.errors import ConfigError, suggest

__all__ = ["Options", "options_from"]


@dataclass(frozen=True)
class Options:
    """How a search is spread over a cluster.

    ``wide`` is the number of states from which on a level is worth a Spark job; ``collect`` the number of states seen
    up to which a narrow level is taken back to the driver, which then needs 8 bytes for each of them. Every
    ``cut_every`` levels on the cluster the lineage is cut, and the search is saved if there is a ``checkpoint`` folder.
    After ``patience`` seconds without any executor a cluster counts as lost.
    """

    master: str | None = None
    partitions: int | None = None
    wide: int = 200_000
    collect: int = 50_000_000
    checkpoint: str | None = None
    resume: bool = False
    history: str | None = None
    cut_every: int = 8
    export: str | None = None
    patience: float = 120.0

    def __post_init__(self) -> None:
        if self.partitions is not None and self.partitions < 1:
            raise ConfigError(f"partitions must be positive, not {self.partitions}")
        if self.cut_every < 1:
            raise ConfigError(f"cut_every must be positive, not {self.cut_every}")
        if self.patience <= 0:
            raise ConfigError(f"patience is a number of seconds, and positive: not {self.patience}")
        if self.wide < 0 or self.collect < 0:
            raise ConfigError("wide and collect are numbers of states: 0 or more")
        if self.resume and not self.checkpoint:
            raise ConfigError("--resume needs --checkpoint DIR: where the search to go on with was saved")


def options_from(given: dict[str, Any]) -> Options:
    """The options by name; ConfigError for one that the engine does not have."""
    known = [field.name for field in fields(Options)]
    for name in given:
        if name not in known:
            raise ConfigError(
                f"the engine 'spark' has no option {name!r}{suggest(name, known)}; its options are {', '.join(known)}"
            )
    return Options(**{name: value for name, value in given.items() if value is not None})
