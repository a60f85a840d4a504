"""Limits of a search, and the sentence that says which one was reached."""

from __future__ import annotations

from dataclasses import dataclass

from .errors import ConfigError

__all__ = ["Limits"]


@dataclass(frozen=True)
class Limits:
    """How far a search may go; reaching a limit makes the verdict INCOMPLETE."""

    max_states: int | None = None
    max_depth: int | None = None
    max_seconds: float | None = None

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if value is not None and value <= 0:
                raise ConfigError(f"{name.replace('_', '-')} must be positive, not {value}")

    def reached(self, distinct: int, seconds: float) -> str | None:
        """The limit on states or time that has been reached, as a sentence."""
        if self.max_states is not None and distinct >= self.max_states:
            return f"the limit of {self.max_states:,} states was reached (--max-states)"
        if self.max_seconds is not None and seconds >= self.max_seconds:
            return f"the limit of {self.max_seconds:g} seconds was reached (--max-seconds)"
        return None

    def too_deep(self, depth: int) -> str | None:
        """The limit on depth, as a sentence, if states at this depth may not be expanded."""
        if self.max_depth is not None and depth >= self.max_depth:
            return f"the limit of depth {self.max_depth} was reached (--max-depth)"
        return None
