"""Pictures are read by people: nothing covers anything, what is said is true, a page of paper is enough."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from modelcheck import plain
from modelcheck.loading import load
from modelcheck.picture import Arrow, Box, Chip, Line, Mark, Row, Scene
from modelcheck.result import Discovery
from tests.pictures.material import ROOT, need_dot
from traces.files import load_trace
from traces.page import build, build_page
from traces.render import svg_text, write_picture
from traces.scene import scene_of
from traces.spacetime import PAGE, SIZE, spacetime

GALLERY = ROOT / "traces" / "gallery"
A4_AND_LETTER = (595, 792)  # points: the width of the one, the height of the other
SMALL_PRINT = 5.5  # points on paper


def hung(name: str, monkeypatch: pytest.MonkeyPatch) -> Scene:
    """The picture of a trace in the gallery."""
    monkeypatch.chdir(ROOT)
    stored = load_trace(GALLERY / f"{name}.json")
    return scene_of(stored.found, load("specs/zookeeper/episodes.py")(**stored.trace.constants))


def notes(scene: Scene) -> list[tuple[str, str]]:
    return [(arrow.text, arrow.note) for row in scene.rows for arrow in row.arrows if arrow.note]


def twelve_steps() -> Scene:
    """The longest counterexample of the ZooKeeper study."""
    fixes = ("leader-sends-trunc", "trunc-or-snap")
    spec = load(str(ROOT / "specs/zookeeper/episodes.py"))(era="3.4.11", fixes=fixes, max_epoch=6, max_txns=3)
    run = spec.run().form(members=(0, 1), fits=False).lone_write().form(members=(0, 2), fits=False)
    run = run.join(i=1, fits=False).form(members=(0, 1), fits=False).join(i=2, fits=False).lone_write()
    run = run.form(members=(0, 2), fits=False).form(members=(0, 1, 2), fits=False).commit().stop(i=1)
    run = run.join(i=1, fits=False)
    assert len(run.trace) == 13
    return scene_of(Discovery("invariant", "identical_committed_prefixes", {"i": 0, "j": 1}, run.trace), spec)


def test_twelve_steps_can_be_read_on_one_page_of_paper(tmp_path: Path) -> None:
    need_dot()
    source = spacetime(twelve_steps())
    written, _ = write_picture(source, tmp_path, "long", ("pdf",))
    page = re.search(rb"/MediaBox \[ 0 0 (\d+) (\d+) \]", written[-1].read_bytes())
    drawn = re.search(r'<svg width="(\d+)pt" height="(\d+)pt"', svg_text(source))
    assert page and drawn
    assert int(page[1]) <= A4_AND_LETTER[0] and int(page[2]) <= A4_AND_LETTER[1]
    scale = min(int(page[1]) / int(drawn[1]), int(page[2]) / int(drawn[2]))
    assert SIZE * scale >= SMALL_PRINT


@pytest.mark.parametrize("picture", sorted(GALLERY.glob("*.svg")), ids=lambda picture: picture.stem)
def test_the_gallery_is_no_small_print(picture: Path) -> None:
    drawn = re.search(r'<svg width="(\d+)pt" height="(\d+)pt"', picture.read_text(encoding="utf-8"))
    assert drawn
    scale = min(PAGE[0] / int(drawn[1]), PAGE[1] / int(drawn[2]))
    assert SIZE * scale >= 6.5


def place(line: str) -> tuple[float, float, float, float]:
    """Left, right, top and bottom of something in dot source, in points with y downward."""
    middle = re.search(r'pos="([-\d.]+),([-\d.]+)"', line)
    size = [float(found) * 36 for found in re.findall(r"(?:width|height)=([\d.]+)", line)]
    assert middle
    x, y = float(middle[1]), -float(middle[2])
    return x - size[0], x + size[0], y - size[1], y + size[1]


def test_the_note_of_a_short_arrow_does_not_cover_its_head() -> None:
    row = Row("step", arrows=(Arrow("a", "b", "SNAP", "a note that is longer than the arrow above it is wide"),))
    source = spacetime(Scene("t", "", ("a", "b"), (row,)))
    heads = [place(line)[2] for line in source.splitlines() if "shape=point" in line]
    papers = [place(line) for line in source.splitlines() if 'class="paper' in line]
    level = next(y for y in heads if heads.count(y) == 2 and any(top < y + 20 for *_, top, _ in papers))
    assert len(papers) == 2
    assert all(bottom <= level - 1 or top >= level + 4 for *_, top, bottom in papers)


def test_marks_and_the_text_of_the_first_arrow_do_not_overlap() -> None:
    for scene in (twelve_steps(), _crowded()):
        lines = spacetime(scene).splitlines()
        marks = [place(line) for line in lines if re.search(r'class="(start|stop|elect|write|crash) ', line)]
        texts = [place(line) for line in lines if 'class="paper' in line]
        assert marks and texts
        for left, right, top, bottom in texts:
            over = [m for m in marks if m[0] < right and left < m[1] and m[2] < bottom - 1 and top + 1 < m[3]]
            assert not over


def _crowded() -> Scene:
    marks = (Mark("a", "leads an epoch with a very long name", "elect"), Mark("b", "starts", "start"))
    row = Row("step", marks=marks, arrows=(Arrow("a", "b", "a rather long text on the arrow"),))
    return Scene("t", "", ("a", "b"), (row,))


def test_a_lane_that_stops_is_dashed_below_its_own_mark() -> None:
    marks = (Mark("a", "stops", "stop"), *(Mark("b", "says something that needs a whole line", "note") for _ in "123"))
    rows = (Row("both run", up=frozenset("ab")), Row("one stops", marks=marks, up=frozenset("b")))
    source = spacetime(Scene("t", "", ("a", "b"), rows))
    points = {line.split()[0]: place(line) for line in source.splitlines() if "shape=point" in line}
    mark = next(place(line) for line in source.splitlines() if 'class="stop' in line and "rounded" in line)
    middle = (mark[0] + mark[1]) / 2
    solid = [
        points[line.split()[2]][3]
        for line in source.splitlines()
        if " -> " in line and 'class="up' in line and abs(points[line.split()[0]][0] - middle) < 1
    ]
    assert max(solid) <= mark[3] + 3


def test_a_diff_says_what_it_sends(monkeypatch: pytest.MonkeyPatch) -> None:
    missed = "2.1 ought to be sent, and is not"
    assert ("DIFF to 3.1: sends 3.1", missed) in notes(hung("beyond-gap-check", monkeypatch))
    assert ("DIFF to 2.1: sends nothing", missed) in notes(hung("004-log-with-a-hole", monkeypatch))


def test_a_record_that_only_a_snapshot_keeps_is_not_said_to_be_in_the_log(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = hung("beyond-leader-that-gave-up", monkeypatch)
    assert notes(scene) == [("TRUNC to 1.1", "2.1 is cut from the log, but a snapshot keeps it")]
    assert scene.rows[3].title == "servers 0 and 1 elect a leader that gives up"
    assert [mark.text for mark in scene.rows[3].marks] == ["starts, stops", "proposes epoch 3, gives up"]


def test_a_dropped_snapshot_is_the_culprit(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = hung("beyond-only-snapshot-dropped", monkeypatch)
    assert notes(scene) == [
        ("SNAP 3.0", "the log goes: 1.1 is in a snapshot alone"),
        ("TRUNC to 1.1", "the snapshot with 1.1 is dropped"),
    ]
    assert scene.story[0] == "1: servers 0, 1 and 2 have 1.1 from the start."


def test_replaying_what_was_there_from_the_start_is_no_news(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = hung("beyond-only-snapshot-dropped", monkeypatch)
    assert not [mark for row in scene.rows for mark in row.marks if mark.kind == "guilty"]


def test_a_forced_snapshot_that_is_overwritten_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = hung("beyond-overwritten-snapshot", monkeypatch)
    chips = [chip.text for box in scene.rows[4].boxes for line in box.lines for chip in line.chips]
    assert "overwritten, not forced" in chips
    assert "5: server 2 writes its snapshot 3.0 anew: the copy that was forced to disk is gone." in scene.story


def test_a_guilty_chip_is_never_among_those_left_out() -> None:
    chips = tuple(Chip(f"1.{n}", "guilty" if n == 20 else "plain") for n in range(1, 41))
    row = Row("step", boxes=(Box("a", (Line("log", chips),)),))
    source = spacetime(Scene("t", "", ("a",), (row,)))
    shown = re.findall(r'label="([^"]+)"', source)
    assert [text for text in shown if text.startswith(("1.", "…"))] == [
        "1.1", "1.2", "1.3", "… 16 more …", "1.20", "… 16 more …", "1.37", "1.38", "1.39", "1.40",
    ]  # fmt: skip


def test_large_numbers_of_steps_do_not_touch_their_titles() -> None:
    source = spacetime(Scene("t", "", ("a",), tuple(Row(f"step {n}") for n in range(300))))
    lines = source.splitlines()
    numbers = [place(line)[1] for line in lines if re.search(r'label="\d{3}\\l"', line)]
    titles = [place(line)[0] for line in lines if 'label="step ' in line]
    assert len(numbers) == 201 and max(numbers) <= min(titles) + 1


def long_walk(steps: int) -> tuple[Discovery, object]:
    """A random behaviour in which disks grow to dozens of records."""
    spec = load(str(ROOT / "specs/zookeeper/episodes.py"))(max_epoch=400, max_txns=200)
    trace, dice = spec.run().trace, random.Random(3)
    while len(trace.states) <= steps:
        move = dice.choice(list(plain.moves(spec.program, trace.states[-1])))
        trace = trace.then(move.step, move.state)
    return Discovery("trace", "", {}, trace), spec


def test_a_page_of_300_steps_with_large_states_has_a_diagram_and_stays_small() -> None:
    need_dot()
    found, spec = long_walk(300)
    page = build_page(found, spec)  # type: ignore[arg-type]
    assert "<svg" in page.html and not page.remarks
    assert len(page.html) < 5_000_000


def test_a_diagram_that_would_be_too_large_is_left_out_and_that_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    need_dot()
    monkeypatch.setattr(build, "MOST_DRAWN", 10_000)
    found, spec = long_walk(3)
    page = build_page(found, spec)  # type: ignore[arg-type]
    assert "<svg" not in page.html
    assert page.remarks and "`modelcheck draw` draws it" in page.remarks[0]
