"""The page: a template, its style and script, the diagram as SVG, and the data, all in one file."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from modelcheck.picture import Scene
from modelcheck.spec import Spec

from ..lettering import shortened
from ..render import DotMissing, svg_text
from ..scene import Found, scene_of
from ..spacetime import spacetime
from .data import page_data
from .versus import Versus

__all__ = ["Page", "build_page"]

_HERE = Path(__file__).parent
READABLE = 0.76  # pixels of the screen for a point of the picture: letters of 10 points are then just large enough
MOST_DRAWN = 4_000_000  # characters of a diagram: whoever gets the page by mail is not to wait for it
MOST_ROWS = 400  # a diagram of more steps is left out: it would be longer than anyone scrolls


@dataclass(frozen=True)
class Page:
    """The file's text, and remarks for whoever made it."""

    html: str
    remarks: tuple[str, ...] = ()


def build_page(
    found: Found, spec: Spec | None = None, expressions: Sequence[str] = (), versus: Versus | None = None
) -> Page:
    """The page of a trace, beside another variant if one is given.

    Without the spec it cannot tell why actions are not possible.
    """
    scene = scene_of(found, spec)
    pictures = [_diagram(scene)]
    if versus is not None:
        pictures = [_Picture(f'<div id="picture-a">{pictures[0].html}</div>', pictures[0].remark)]
        if versus.scene is not None:
            other = _diagram(versus.scene)
            pictures.append(_Picture(f'<div id="picture-b" hidden>{other.html}</div>', other.remark))
    title = shortened(scene.title, 300)
    parts = {
        "TITLE": html.escape(f"Side by side: {title}" if versus is not None else title),
        "STYLE": _part("style.css"),
        "SCRIPT": _part("script.js"),
        "DATA": embedded(page_data(found, spec, scene, expressions, versus)),
        "DIAGRAM": "".join(picture.html for picture in pictures),
    }
    page = _part("template.html")
    pieces = page.split("@@")  # never replace inside what was put in: values may contain marks of the template
    remarks = dict.fromkeys(picture.remark for picture in pictures if picture.remark)
    return Page("".join(parts.get(piece, piece) for piece in pieces), tuple(remarks))


class _Picture(NamedTuple):
    html: str
    remark: str = ""


def _diagram(scene: Scene) -> _Picture:
    """The diagram to put into the page, or that there is none, and why."""
    none = '<p class="none">No diagram: Graphviz was not there, or the trace is very long.</p>'
    if len(scene.rows) > MOST_ROWS:
        told = f"The trace has {len(scene.rows)} states: the page has no diagram (up to {MOST_ROWS} have one)."
        return _Picture(none, told)
    try:
        drawn = svg_text(spacetime(scene), f"Space-time diagram: {shortened(scene.title, 300)}")
    except DotMissing as missing:
        return _Picture(none, f"{missing}\nThe page has everything but the diagram.")
    drawn = compact(drawn)
    if len(drawn) > MOST_DRAWN:
        told = f"The diagram would need {len(drawn) / 1e6:.0f} MB: the page has none. `modelcheck draw` draws it."
        return _Picture(none, told)
    return _Picture(drawn)


def compact(drawn: str) -> str:
    """The picture for a page: half as long, and never so small that it cannot be read; wide ones are scrolled.

    Graphviz numbers its parts anew in every picture, and a page may have two: names must be unique in it.
    """
    drawn = re.sub(r'<g id="[^"]*"', "<g", drawn[drawn.index("<svg") :])
    for often in (' font-family="Arial,Helvetica,sans-serif"', ' font-size="10.00"', ' xml:space="preserve"'):
        drawn = drawn.replace(often, "")
    drawn = re.sub(r">\n+<", "><", drawn.replace("step&#45;", "step-"))
    width = re.search(r'<svg width="(\d+)pt"', drawn)
    least = f"min-width:{int(width[1]) * READABLE:.0f}px;" if width else ""
    style = f"{least}font-family:Arial,Helvetica,sans-serif;font-size:10px"
    return drawn.replace("<svg ", f'<svg style="{style}" ', 1)


def embedded(data: Any) -> str:
    """JSON that may stand inside a script element: nothing in it can end the element or open a comment.

    >>> embedded("</script><!--")
    '"\\\\u003c/script\\\\u003e\\\\u003c!--"'
    """
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _part(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")
