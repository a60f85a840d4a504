"""The gallery is what the searches give today: traces, sources of pictures, data of pages and the list."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.pictures.material import ROOT
from traces.files import load_trace, save_trace
from traces.gallery.entries import ENTRIES, Entry
from traces.gallery.make import Found, find, index
from traces.page import build_page
from traces.scene import scene_of
from traces.spacetime import spacetime

GALLERY = ROOT / "traces" / "gallery"
STALE = "the gallery is stale: run `make gallery` and look at what changed"

@pytest.fixture(params=ENTRIES, ids=[entry.name for entry in ENTRIES], scope="module")
def shown(request: pytest.FixtureRequest) -> Found:
    entry: Entry = request.param
    return find(entry)


def stored(shown: Found, ending: str) -> str:
    return (GALLERY / f"{shown.entry.name}.{ending}").read_text(encoding="utf-8")


def without_picture(page: str) -> str:
    """Another Graphviz draws the same with other digits, so SVG is not compared."""
    return re.sub(r"<svg.*?</svg>|<p class=.none.>.*?</p>", "", page, flags=re.DOTALL)


def test_the_trace_is_fresh(shown: Found, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    save_trace(tmp_path / "fresh.json", shown.discovery, shown.spec)
    assert (tmp_path / "fresh.json").read_text(encoding="utf-8") == stored(shown, "json"), STALE


def test_the_picture_is_fresh(shown: Found) -> None:
    assert shown.dot() == stored(shown, "dot"), STALE
    svg = stored(shown, "svg")
    assert svg.count("<text") == len(re.findall(r"shape=none", shown.dot())), STALE


def test_the_page_is_fresh(shown: Found) -> None:
    page = stored(shown, "html")
    assert without_picture(build_page(shown.discovery, shown.spec).html) == without_picture(page), STALE
    assert "<svg" in page, "the page was made without Graphviz"


def test_the_stored_trace_gives_the_same_picture(shown: Found, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    again = load_trace(GALLERY / f"{shown.entry.name}.json")
    assert spacetime(scene_of(again.found, shown.spec)) == stored(shown, "dot")


def test_the_story_names_a_culprit(shown: Found) -> None:
    scene = scene_of(shown.discovery, shown.spec)
    assert any(arrow.note for row in scene.rows for arrow in row.arrows)
    assert len(scene.rows) <= 12, "it must be readable on one page"
    assert scene.story and scene.final


def test_the_list_is_fresh() -> None:
    assert (GALLERY / "README.md").read_text(encoding="utf-8") == index(), STALE


def test_the_gallery_stays_small() -> None:
    assert sum(path.stat().st_size for path in GALLERY.iterdir()) < 5_000_000
