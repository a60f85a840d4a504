"""`modelcheck pytest-case`: a stored trace as a test."""

from __future__ import annotations

import argparse
import dataclasses
import sys

from ..result import Discovery
from ..verdict import Verdict
from .replay import spec_for

__all__ = ["run"]


def run(options: argparse.Namespace) -> int:
    """Replay, and print the test; the exit code."""
    if options.markdown:
        from .report import run as report

        return report(options)
    from traces.files import load_trace, stored_of
    from traces.pytest_case import pytest_case
    from traces.replay import replay
    from traces.replay_text import summary

    stored = load_trace(options.file)
    spec = spec_for(stored, options)
    answer = replay(spec.program, stored.found)
    if not answer.identical or answer.trace is None:
        print(f"{options.file} does not replay.\n{summary(answer)}", file=sys.stderr)
        return Verdict.UNEXPECTED.exit_code
    # The values of the spec itself: those of an ITF file have lost their classes.
    found = answer.found or Discovery("trace", "", {}, answer.trace)
    fresh = stored_of(found, spec, stored.place)
    target = options.spec or stored.target or fresh.target
    sys.stdout.write(pytest_case(dataclasses.replace(fresh, target=target)))
    return Verdict.HOLDS.exit_code
