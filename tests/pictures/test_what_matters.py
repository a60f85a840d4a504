"""Pictures leave out what a violation does not depend on, and draw only what the spec takes again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from modelcheck import check
from modelcheck.cli.main import main
from modelcheck.loading import load
from modelcheck.picture import Arrow, Row, Scene
from modelcheck.result import Discovery
from tests.pictures.material import ROOT
from tests.pictures.test_browser import robot
from tests.pictures.test_reading import place
from traces.files import save_trace
from traces.page.data import page_data
from traces.scene import scene_of
from traces.spacetime import spacetime
from traces.stategraph import graph_source, neighbourhood

Capsys = pytest.CaptureFixture[str]


def two_phase() -> tuple[Discovery, Any]:
    """The third manager takes no part in the disagreement, and nobody reads the decision."""
    spec = load(str(ROOT / "specs/classics/two_phase.py"))(impatient=True)
    return check(spec).violations[0], spec


def episodes() -> tuple[Discovery, Any]:
    spec = load(str(ROOT / "specs/zookeeper/episodes.py"))()
    return check(spec).violations[0], spec


def test_a_diagram_leaves_out_variables_and_nodes_that_do_not_matter() -> None:
    scene = scene_of(*two_phase())
    assert len(scene.lanes) == 3 and scene.lanes[-1] == "shared"
    assert "Left out, since the violation does not depend on it: decision, node " in scene.subtitle
    labels = {line.label for row in scene.rows for box in row.boxes for line in box.lines}
    assert labels == {"rm", "promised", "sent"}


def test_the_end_shows_whom_the_property_looked_at_not_only_whom_it_names() -> None:
    scene = scene_of(*two_phase())
    assert [[chip.text for line in box.lines for chip in line.chips] for box in scene.final] == [
        ["committed"],
        ["aborted"],
    ]


def test_a_trace_alone_is_drawn_whole() -> None:
    found, _ = two_phase()
    scene = scene_of(found)
    assert len(scene.lanes) == 4 and "Left out" not in scene.subtitle


def test_a_page_hides_what_does_not_matter_at_a_tick(tmp_path: Path) -> None:
    found, spec = two_phase()
    act = 'look("all"); document.getElementById("matters").click(); look("less"); press("ArrowRight"); look("next")'
    seen = robot(found, spec, tmp_path, act)
    assert "decision" in seen["all"]["shared"]
    assert "decision" not in seen["less"]["shared"] and "promised" in seen["less"]["shared"]
    assert "decision" not in seen["next"]["shared"] and seen["next"]["place"].startswith("state 2")


def test_a_goal_is_not_drawn_as_a_fault() -> None:
    spec = load(str(ROOT / "specs/classics/two_phase.py"))()
    goal = next(found for found in check(spec).discoveries if found.kind == "goal")
    scene = scene_of(goal, spec)
    assert scene.tone != "guilty" and 'class="bad' not in spacetime(scene)
    assert page_data(goal, spec, scene, ())["good"]


def test_around_a_counterexample_states_are_told_by_what_changed() -> None:
    found, spec = episodes()
    source = graph_source(neighbourhood(spec, found.trace))
    labels = [line for line in source.splitlines() if line.startswith("  s") and " -> s" not in line]
    assert "files = " in labels[0]
    assert all("files = " not in label and "->" in label for label in labels[1:])
    assert len(set(labels)) == len(labels)
    assert "36 states, 35 steps" in source


def test_messages_leave_below_all_texts_of_their_row() -> None:
    sent = tuple(Arrow("a", "b", text, arrives=at) for text, at in (("first", 1), ("lost", -1), ("third", 1)))
    lines = spacetime(Scene("t", "", ("a", "b"), (Row("send", arrows=sent), Row("receive")))).splitlines()
    points = {line.split()[0]: place(line) for line in lines if "shape=point" in line}
    texts = [place(line) for line in lines if 'class="paper step step-0' in line]
    under_way = [line.split()[0] for line in lines if " -> " in line and "arrowhead=normal" in line]
    assert len(texts) == 3 and len(under_way) == 2
    assert all(points[start][2] >= bottom - 1 for start in under_way for *_, bottom in texts)
    assert "to b: lost (never received)" in "\n".join(lines)


def test_a_trace_in_itf_is_drawn_by_its_spec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capsys) -> None:
    monkeypatch.chdir(ROOT)
    found, spec = episodes()
    for file in ("own.json", "other.itf.json"):
        save_trace(tmp_path / file, found, spec)
        assert main(["draw", str(tmp_path / file), "--format", "dot", "-o", str(tmp_path)]) == 0
    assert (tmp_path / "own.dot").read_text() == (tmp_path / "other.dot").read_text()
    assert capsys.readouterr().err == ""


def test_a_trace_that_does_not_replay_is_drawn_as_stored_and_told_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capsys
) -> None:
    monkeypatch.chdir(ROOT)
    found, spec = episodes()
    path = tmp_path / "old.json"
    save_trace(path, found, spec)
    data = json.loads(path.read_text())
    data["states"][3]["txns"] = 99
    path.write_text(json.dumps(data))
    assert main(["draw", str(path), "--format", "dot", "-o", str(tmp_path)]) == 0
    assert "does not replay on the spec as it is now. They part at step 4" in capsys.readouterr().err
    assert "99" in (tmp_path / "old.dot").read_text()
    assert main(["page", str(path), "-o", str(tmp_path / "old.html")]) == 0
    capsys.readouterr()
    assert main(["graph", str(path), "--around", "-o", str(tmp_path)]) != 0
    assert "this trace does not replay" in capsys.readouterr().err
