"""The page: a template, its style and script, the diagram as SVG, and the data, all in one file."""

from __future__ import annotations

import html
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from modelcheck.spec import Spec

from ..lettering import shortened
from ..render import DotMissing, svg_text
from ..scene import Found, scene_of
from ..spacetime import spacetime
from .data import page_data

__all__ = ["Page", "build_page"]

_HERE = Path(__file__).parent
MOST_ROWS = 400  # a diagram of more steps is left out: it would be longer than anyone scrolls


@dataclass(frozen=True)
class Page:
    """The file's text, and remarks for whoever made it."""

    html: str
    remarks: tuple[str, ...] = ()


def build_page(found: Found, spec: Spec | None = None, expressions: Sequence[str] = ()) -> Page:
    """The page of a trace. Without the spec it cannot tell why actions are not possible."""
    scene = scene_of(found, spec)
    data = page_data(found, spec, scene, expressions)
    diagram, remarks = "", []
    if len(scene.rows) > MOST_ROWS:
        remarks.append(f"The trace has {len(scene.rows)} states: the page has no diagram (up to {MOST_ROWS} have one).")
    else:
        try:
            drawn = svg_text(spacetime(scene), f"Space-time diagram: {shortened(scene.title, 300)}")
            diagram = drawn[drawn.index("<svg") :]
        except DotMissing as missing:
            remarks.append(f"{missing}\nThe page has everything but the diagram.")
    parts = {
        "TITLE": html.escape(shortened(scene.title, 300)),
        "STYLE": _part("style.css"),
        "SCRIPT": _part("script.js"),
        "DATA": embedded(data),
        "DIAGRAM": diagram or '<p class="none">No diagram: Graphviz was not there, or the trace is very long.</p>',
    }
    page = _part("template.html")
    pieces = page.split("@@")  # never replace inside what was put in: values may contain marks of the template
    return Page("".join(parts.get(piece, piece) for piece in pieces), tuple(remarks))


def embedded(data: Any) -> str:
    """JSON that may stand inside a script element: nothing in it can end the element or open a comment.

    >>> embedded("</script><!--")
    '"\\\\u003c/script\\\\u003e\\\\u003c!--"'
    """
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _part(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")
