"""`modelcheck compare`: the counterexample of one variant, walked under another."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from ..checking import check
from ..errors import ConfigError
from ..result import Result
from ..spec import Spec
from ..verdict import Verdict
from .finishing import calmed
from .output import Output
from .page import refuse_unwritable_page, write_page
from .progress import ProgressLine
from .targets import Chosen, chosen_spec

if TYPE_CHECKING:
    from traces.page import Page

__all__ = ["run"]


def run(options: argparse.Namespace) -> int:
    """Check both, walk and print; the exit code."""
    from traces.compare import compare, comparison_data, comparison_page, render_comparison

    if not options.a and not options.b:
        raise ConfigError("say how the variants differ, for example: --a fix=none --b fix=ordered")
    output = Output(options)
    if options.page is not None:
        refuse_unwritable_page("--page", Path(options.page))
    variants = _variant(options, options.a), _variant(options, options.b)
    (a, b), results = variants, [_checked(each, options) for each in variants]
    results[0] = calmed(results[0], a.spec, options)
    comparison = compare(results[0], results[1], b.spec)
    output.text(render_comparison(comparison))
    output.data(comparison_data(comparison))
    if options.page is not None:
        _write_page(options.page, comparison_page(comparison, a.spec, b.spec), output)
    if comparison.walk is None:
        return Verdict.UNEXPECTED.exit_code
    return results[1].verdict.exit_code


def _write_page(place: str, page: Page | None, output: Output) -> None:
    if page is None:
        output.text(f"{place} was not written.")
        return
    write_page(Path(place), page)
    output.text(f"\nBoth side by side: {place}")


def _variant(options: argparse.Namespace, own: list[str]) -> Chosen:
    """The spec with the constants of both and those of one variant, which win."""
    names = {_name(text) for text in own}
    common = [text for text in options.settings if _name(text) not in names]
    merged = argparse.Namespace(**{**vars(options), "settings": [*common, *own]})
    return chosen_spec(merged)


def _name(setting: str) -> str:
    return setting.partition("=")[0].strip()


def _checked(chosen: Chosen, options: argparse.Namespace) -> Result:
    spec: Spec = chosen.spec
    with ProgressLine(quiet=options.quiet) as progress:
        return check(
            spec,
            engine=options.engine or "local",
            max_states=options.max_states,
            max_depth=options.max_depth,
            max_seconds=options.max_seconds,
            deadlock=chosen.deadlock,
            progress=progress,
        )
