"""Whatever values a trace holds, they stay text: in dot, in SVG and in HTML."""

from __future__ import annotations

import json
import unicodedata
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser
from xml.sax.saxutils import escape

import pytest
from hypothesis import Phase, given, settings

from tests.pictures.material import HOSTILE, hostile_trace, need_dot, texts
from traces.canvas import quoted
from traces.lettering import harmless, shortened, width_of, wrapped
from traces.page import build_page
from traces.render import svg_text
from traces.scene import scene_of
from traces.spacetime import spacetime
from traces.statetrace import statetrace

# Every example starts Graphviz: a failing one is shown as it is.
NO_SHRINKING = (Phase.explicit, Phase.reuse, Phase.generate)
SVG = "{http://www.w3.org/2000/svg}"
DRAWN = {f"{SVG}{name}" for name in ("svg", "g", "title", "polygon", "path", "polyline", "text", "ellipse")}


@given(texts)
def test_harmless_text_has_nothing_invisible(text: str) -> None:
    clean = harmless(text)
    assert not {unicodedata.category(c) for c in clean} & {"Cc", "Cf", "Cs", "Cn", "Co", "Zl", "Zp"}
    assert harmless(clean) == clean
    ElementTree.fromstring(f"<a>{escape(clean)}</a>")


@given(texts)
def test_text_is_cut_and_wrapped_to_its_place(text: str) -> None:
    assert len(shortened(text, 20)) <= 20
    lines = wrapped(text, 10, 100, most=5)
    assert len(lines) <= 5
    assert all(width_of(line, 10) <= 115 for line in lines)


@given(texts)
def test_a_quoted_text_ends_where_it_ends(text: str) -> None:
    """Reading it by the rules of dot: a backslash takes the next character with it, a quote ends the text."""
    inner = quoted(text)
    assert inner[0] == '"'
    at = 1
    while inner[at] != '"':
        at += 2 if inner[at] == "\\" else 1
    assert at == len(inner) - 1
    assert "\n" not in inner


def checked_svg(source: str) -> ElementTree.Element:
    """The picture, after it was seen that nothing is in it that we do not draw."""
    root = ElementTree.fromstring(svg_text(source, "title"))
    for element in root.iter():
        assert element.tag in DRAWN, element.tag
        assert not [name for name in element.attrib if name.startswith("on") or "href" in name]
    return root


@pytest.mark.parametrize("text", HOSTILE)
def test_every_hostile_text_can_be_drawn(text: str) -> None:
    need_dot()
    found = hostile_trace(text, f"other {text}")
    for source in (spacetime(scene_of(found)), statetrace(found)):
        root = checked_svg(source)
        assert len(list(root.iter(f"{SVG}text"))) > 5


@settings(max_examples=20, deadline=None, phases=NO_SHRINKING)
@given(texts, texts)
def test_no_text_changes_the_structure_of_a_picture(first: str, second: str) -> None:
    need_dot()
    found = hostile_trace(first, second)
    checked_svg(spacetime(scene_of(found)))
    root = checked_svg(statetrace(found))
    nodes = [g for g in root.iter(f"{SVG}g") if g.get("class", "").split()[:1] == ["node"]]
    assert len(nodes) == len(found.trace.states)


def test_what_is_written_is_what_was_meant() -> None:
    need_dot()
    for text in ("<b>bold</b> & \"quotes\" \\N \\l", "שלום", "a\nb"):
        root = checked_svg(statetrace(hostile_trace("x", text)))
        written = " ".join(element.text or "" for element in root.iter(f"{SVG}text")).replace("\xa0", " ")
        assert harmless(repr(text)) in written


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.odd: list[str] = []
        self.data = ""
        self.in_data = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.odd += [name for name, value in attrs if name.startswith("on") or (value or "").startswith("http")]
        self.in_data = ("id", "data") in attrs

    def handle_data(self, data: str) -> None:
        self.data += data if self.in_data else ""
        self.in_data = False


def outside_the_diagram(page: str) -> _Tags:
    """The tags of a page without its diagram, which has a number of its own for each text."""
    start, end = page.find("<svg"), page.find("</svg>")
    parser = _Tags()
    parser.feed(page[:start] + page[end:] if start >= 0 else page)
    return parser


@settings(max_examples=15, deadline=None, phases=NO_SHRINKING)
@given(texts, texts)
def test_no_text_changes_the_structure_of_a_page(first: str, second: str) -> None:
    need_dot()
    tame = outside_the_diagram(build_page(hostile_trace("x", "y")).html)
    found = hostile_trace(first, second)
    wild = outside_the_diagram(build_page(found).html)
    assert wild.tags == tame.tags
    assert [name for name in wild.odd if name.startswith("on")] == []
    data = json.loads(wild.data)
    assert len(data["states"]) == len(found.trace.states)
    assert data["constants"] == [["limit", shortened(repr(second), 400)]]


def test_a_page_asks_for_nothing_from_the_network() -> None:
    page = build_page(hostile_trace("x", "y")).html
    assert "default-src 'none'" in page
    for word in ("src=", "@import", "url(", "<link", "fetch(", "XMLHttpRequest"):
        assert word not in page.replace("default-src", "")
