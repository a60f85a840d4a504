"""`modelcheck graph`: the states of a small model as a picture, or those around a counterexample."""

from __future__ import annotations

import argparse
from pathlib import Path

from ..errors import ConfigError
from .pictured import file_name, subject_of, told
from .targets import chosen_spec

__all__ = ["run"]


def run(options: argparse.Namespace) -> int:
    """Draw and name the files; a model that is too big is refused."""
    from traces.render import check_formats, write_picture
    from traces.stategraph import graph_source, neighbourhood, reachable

    formats = check_formats(options.format.split(","))
    if options.around:
        subject = subject_of(options)
        if subject.spec is None:
            raise ConfigError(
                "what else could have happened is known to the spec alone, and this trace does not replay on one.\n"
                "`modelcheck draw` draws the trace as it was stored."
            )
        graph = neighbourhood(subject.spec, subject.found.trace, options.max_states)
    else:
        chosen = chosen_spec(options)
        graph = reachable(chosen.spec, options.max_states, chosen.deadlock)
    told(*write_picture(graph_source(graph), Path(options.output), f"{file_name(options)}-graph", formats))
    return 0
