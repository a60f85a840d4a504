"""Find the counterexamples of the gallery again, and write them: JSON, dot, SVG, page, and the list of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from modelcheck import check
from modelcheck.errors import ModelCheckError
from modelcheck.loading import load
from modelcheck.result import Discovery
from modelcheck.spec import Spec

from ..files import save_trace
from ..page import build_page
from ..render import DotMissing, svg_text
from ..scene import scene_of
from ..spacetime import spacetime
from .entries import ENTRIES, TARGET, Entry

__all__ = ["Found", "find", "index", "write_all"]


class Found(NamedTuple):
    """An entry with the counterexample that the search gave."""

    entry: Entry
    spec: Spec
    discovery: Discovery

    def dot(self) -> str:
        return spacetime(scene_of(self.discovery, self.spec))


def find(entry: Entry) -> Found:
    """Search for the counterexample of an entry."""
    spec = load(TARGET)(**entry.constants)
    result = check(spec)
    if not result.violations:
        raise ModelCheckError(f"the model of {entry.name} has no counterexample any more: {result.verdict.sentence}")
    return Found(entry, spec, result.violations[0])


def write_all(folder: Path) -> Iterator[Path]:
    """Write every entry and the list; gives each file as it is written. Pictures only where Graphviz is there."""
    for entry in ENTRIES:
        found = find(entry)
        path = folder / f"{entry.name}.json"
        save_trace(path, found.discovery, found.spec)
        yield path
        texts = {"dot": found.dot(), "html": build_page(found.discovery, found.spec).html}
        try:
            texts["svg"] = svg_text(texts["dot"], entry.title)
        except DotMissing as missing:
            print(missing)
        for ending, text in texts.items():
            path = folder / f"{entry.name}.{ending}"
            path.write_text(text, encoding="utf-8")
            yield path
    path = folder / "README.md"
    path.write_text(index(), encoding="utf-8")
    yield path


def index() -> str:
    """The list of the gallery as Markdown."""
    parts = [
        "# Gallery",
        "What the study of ZooKeeper's synchronisation found, each the shortest counterexample of its model: as a"
        " picture,\nas a page to click through (download and open it), and as a trace in JSON for `modelcheck replay`."
        "\nWritten by `make gallery`; do not edit.",
    ]
    for entry in ENTRIES:
        files = " · ".join(f"[{kind}]({entry.name}.{ending})" for kind, ending in _FILES)
        parts += [f"## {entry.title}", entry.about, f"{files}\n\n```sh\n{entry.command}\n```"]
        parts.append(f"![{entry.title}]({entry.name}.svg)")
    return "\n\n".join(parts) + "\n"


_FILES = (("page", "html"), ("picture", "svg"), ("trace", "json"), ("dot source", "dot"))
