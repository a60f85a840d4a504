"""`modelcheck report`: a stored trace as Markdown."""

from __future__ import annotations

import argparse
import dataclasses
import sys

from ..errors import ModelCheckError
from ..verdict import Verdict
from .replay import spec_for

__all__ = ["run"]


def run(options: argparse.Namespace) -> int:
    """Print the report; a trace whose spec is not there, or has changed, is told as it was stored."""
    from traces.files import load_trace
    from traces.markdown import markdown_report
    from traces.replay import replay
    from traces.replay_text import summary
    from traces.slice import slice_of

    stored = load_trace(options.file)
    note, defaults, matters = "", {}, None
    try:
        spec = spec_for(stored, options)
        answer = replay(spec.program, stored.found)
        if answer.identical and answer.found is not None:
            stored = dataclasses.replace(stored, found=answer.found)
            if not getattr(options, "all", False):
                matters = slice_of(spec.program, answer.found)
        elif not answer.identical:
            note = f"on the spec as it is now: {summary(answer)}"
        declared = type(spec).__declarations__.constants
        defaults = {name: constant.default for name, constant in declared.items()}
    except ModelCheckError as error:
        note = f"it was not replayed: {str(error).partition(chr(10))[0]}"
    text = markdown_report(stored, options.file, note=note, defaults=defaults, matters=matters)
    sys.stdout.write(text)
    return Verdict.HOLDS.exit_code
