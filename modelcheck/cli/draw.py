"""`modelcheck draw`: a counterexample as a picture."""

from __future__ import annotations

import argparse
from pathlib import Path

from .pictured import file_name, subject_of, told

__all__ = ["run"]


def run(options: argparse.Namespace) -> int:
    """Draw and name the files; 0 even where Graphviz is missing, since the source is written."""
    from traces.render import check_formats, write_picture

    formats = check_formats(options.format.split(","))
    subject = subject_of(options)
    if options.kind == "states":
        from traces.statetrace import statetrace

        source = statetrace(subject.found)
    else:
        from traces.scene import scene_of
        from traces.spacetime import spacetime

        source = spacetime(scene_of(subject.found, subject.spec))
    told(*write_picture(source, Path(options.output), file_name(options), formats))
    return 0
