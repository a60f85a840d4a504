"""`modelcheck page`: a counterexample as one HTML file to click through."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import ConfigError
from .pictured import file_name, subject_of, told

if TYPE_CHECKING:
    from traces.page import Page

__all__ = ["refuse_unwritable_page", "run", "write_page"]


def run(options: argparse.Namespace) -> int:
    """Write the page and name it."""
    from traces.page import build_page

    path = Path(options.output or f"{file_name(options)}.html")
    refuse_unwritable_page("-o", path)
    subject = subject_of(options)
    write_page(path, build_page(subject.found, subject.spec, expressions=options.expr))
    told([path], "")
    return 0


def refuse_unwritable_page(option: str, path: Path) -> None:
    """Say before a search that its page could not be written."""
    if path.is_dir():
        raise ConfigError(f"{option} {path}: that is a folder; name a file.")
    if not path.parent.is_dir():
        raise ConfigError(f"{option} {path}: there is no folder {path.parent}.")


def write_page(path: Path, page: Page) -> None:
    """Write it, and pass its remarks on."""
    try:
        path.write_text(page.html, encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{path} cannot be written: {error.strerror}.") from error
    for remark in page.remarks:
        print(remark, file=sys.stderr)
