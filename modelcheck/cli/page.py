"""`modelcheck page`: a counterexample as one HTML file to click through."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ..errors import ConfigError
from .pictured import file_name, subject_of, told

__all__ = ["run"]


def run(options: argparse.Namespace) -> int:
    """Write the page and name it."""
    from traces.page import build_page

    path = Path(options.output or f"{file_name(options)}.html")
    if path.is_dir():
        raise ConfigError(f"-o {path}: that is a folder; name a file.")
    subject = subject_of(options)
    page = build_page(subject.found, subject.spec, expressions=options.expr)
    try:
        path.write_text(page.html, encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{path} cannot be written: {error.strerror}.") from error
    told([path], "")
    for remark in page.remarks:
        print(remark, file=sys.stderr)
    return 0
