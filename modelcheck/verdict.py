"""Verdicts: the one source of "no error", of exit codes and of the sentence to print."""

from __future__ import annotations

from enum import Enum

from . import errors

__all__ = ["Verdict", "verdict_of_error"]


class Verdict(Enum):
    """How a run ended. Exit codes are TLC's where it has one."""

    HOLDS = (0, "every property holds in every reachable state")
    ASSUMPTION = (10, "an assumption on the constants is false")
    DEADLOCK = (11, "a state without successors was reached")
    VIOLATED = (12, "an invariant is violated")
    LIVENESS = (13, "a liveness property is violated")
    INCOMPLETE = (20, "no violation was found, but the search is incomplete")
    UNREACHED = (21, "a goal that must be reachable is not")
    REFUSED = (22, "the combination asked for is refused")
    UNEXPECTED = (23, "a model did not give the result expected of it")
    ERROR = (75, "the spec failed while it was run")
    LOAD = (150, "the spec cannot be loaded")
    CONFIG = (151, "an option or a constant is wrong")

    def __init__(self, exit_code: int, sentence: str) -> None:
        self.exit_code = exit_code
        self.sentence = sentence


_OF_ERROR: dict[type[errors.ModelCheckError], Verdict] = {
    errors.SpecLoadError: Verdict.LOAD,
    errors.ConfigError: Verdict.CONFIG,
    errors.AssumptionFailed: Verdict.ASSUMPTION,
    errors.Refused: Verdict.REFUSED,
    errors.SpecError: Verdict.ERROR,
    errors.NotEnabled: Verdict.ERROR,
}


def verdict_of_error(error: errors.ModelCheckError) -> Verdict:
    """The verdict that an error stands for."""
    return next((v for kind, v in _OF_ERROR.items() if isinstance(error, kind)), Verdict.ERROR)
