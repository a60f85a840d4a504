"""What the pictures show: diagrams, traces, graphs, files, and what happens without Graphviz."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from modelcheck import Spec, action, check, picture, require, var
from modelcheck.cli.main import main
from modelcheck.errors import ConfigError, Refused, SpecLoadError
from modelcheck.loading import load
from modelcheck.picture import Chip, Scene
from modelcheck.result import Discovery
from tests.pictures.material import ROOT, need_dot
from traces.render import how_to_install, write_picture
from traces.scene import scene_of
from traces.spacetime import spacetime
from traces.stategraph import graph_source, neighbourhood, reachable
from traces.statetrace import statetrace

DIE_HARD = str(ROOT / "specs/toys/die_hard.py")
EPISODES = str(ROOT / "specs/zookeeper/episodes.py")

DULL = """
from modelcheck import Spec, action, var

class Dull(Spec):
    x = var(0)

    @action
    def turn(self, s, n):
        n.x = 1 - s.x
"""


def found_in(target: str, **constants: Any) -> tuple[Discovery, Spec]:
    spec = load(str(ROOT / target))(**constants)
    return check(spec).violations[0], spec


@pytest.fixture(scope="module")
def report_002() -> Scene:
    return scene_of(*found_in("specs/zookeeper/episodes.py", era="3.4.9"))


def chips(scene: Scene, tone: str) -> set[tuple[str, str]]:
    """The lanes and texts of all chips of a tone."""
    boxes = [box for row in scene.rows for box in row.boxes] + list(scene.final)
    return {(box.lane, chip.text) for box in boxes for line in box.lines for chip in line.chips if chip.tone == tone}


def test_002_shows_the_record_that_was_not_cut(report_002: Scene) -> None:
    assert report_002.title == "A write that was never committed comes back: 2.1"
    assert chips(report_002, "guilty") == {("server 1", "2.1")}
    wrong = [(row, arrow) for row in report_002.rows for arrow in row.arrows if arrow.note]
    assert len(wrong) == 1
    _, arrow = wrong[0]
    assert (arrow.source, arrow.target, arrow.text) == ("server 0", "server 1", "SNAP 1.1")
    assert arrow.note == "2.1 is not cut: it stays in the log"
    assert arrow.tone == "guilty"


def test_002_shows_who_disagrees_in_the_end(report_002: Scene) -> None:
    assert [box.lane for box in report_002.final] == ["server 0", "server 1"]
    assert chips(report_002, "missing") == {("server 0", "2.1 missing")}
    assert report_002.verdict.endswith("Server 1 has 2.1, server 0 has not.")
    marks = [(mark.lane, mark.text) for row in report_002.rows for mark in row.marks if mark.kind == "guilty"]
    assert marks == [("server 1", "replays 2.1 from its log")]


def test_a_lost_commit_is_told_as_such() -> None:
    scene = scene_of(*found_in("specs/zookeeper/episodes.py", era="3.5"))
    assert scene.title == "A committed write is lost: 2.1"
    notes = [arrow.note for row in scene.rows for arrow in row.arrows if arrow.note]
    assert notes == ["2.1 goes to a snapshot, not to the log", "2.1 ought to be sent, and is not"]


def test_a_behaviour_without_violation_can_be_drawn() -> None:
    spec = load(EPISODES)()
    run = spec.run().form(members=(0, 1), fits=False)
    scene = scene_of(Discovery("trace", "", {}, run.trace), spec)
    assert scene.verdict == "" and len(scene.rows) == 2
    assert "server 1" in spacetime(scene)


def test_messages_become_arrows_to_the_step_that_receives_them() -> None:
    found, spec = found_in("specs/classics/raft.py", bug="votes_twice")
    scene = scene_of(found, spec)
    assert scene.lanes[:3] == ("s1", "s2", "s3")
    arrows = {at: row.arrows for at, row in enumerate(scene.rows) if row.arrows}
    votes = [(at, arrow) for at, sent in arrows.items() for arrow in sent if arrow.text.startswith("Vote")]
    assert votes and all(arrow.arrives is not None and arrow.arrives > at for at, arrow in votes)
    assert any(arrow.arrives == -1 for sent in arrows.values() for arrow in sent), "one is never received"


def test_a_spec_without_nodes_has_one_lane() -> None:
    scene = scene_of(*found_in("specs/toys/die_hard.py"))
    assert scene.lanes == ("shared",)
    assert chips(scene, "new") >= {("shared", "5"), ("shared", "4")}


def test_a_spec_may_draw_itself() -> None:
    class Light(Spec):
        on = var(False)

        @action
        def press(self, s: Any, n: Any) -> None:
            require(not s.on, "it is off")
            n.on = True

    def drawn(spec: Spec, found: Any) -> Scene:
        box = picture.Box("lamp", (picture.Line("", (Chip("bright"),)),))
        return Scene("The light", "", ("lamp",), (picture.Row("pressed", boxes=(box,)),))

    found = check(Light()).violations[0]
    Light.__picture__ = staticmethod(drawn)  # type: ignore[attr-defined]
    assert scene_of(found, Light()).title == "The light"
    Light.__picture__ = "no.such.module:scene"  # type: ignore[attr-defined]
    with pytest.raises(SpecLoadError, match=r"no\.such\.module"):
        scene_of(found, Light())
    Light.__picture__ = staticmethod(lambda spec, found: None)  # type: ignore[attr-defined]
    with pytest.raises(SpecLoadError, match=r"must return a picture\.Scene"):
        scene_of(found, Light())


def test_the_state_trace_has_only_what_changed() -> None:
    found, _ = found_in("specs/toys/die_hard.py")
    source = statetrace(found)
    assert source.count("->") - source.count(" -> 5") >= 6
    assert 's0 -> s1 [class="step step-1", label=" fill_big"]' in source
    assert "2\\lbig: 0 -> 5\\l" in source


def test_the_graph_of_all_states() -> None:
    graph = reachable(load(DIE_HARD)(target=6))
    assert (len(graph.states), len(graph.edges)) == (16, 96)
    assert "16 states, 96 steps" in graph_source(graph)


def test_the_graph_colours_what_is_special() -> None:
    graph = reachable(load(str(ROOT / "specs/toys/philosophers.py"))(count=3))
    deadlocked = [number for number, looks in graph.looks.items() if "deadlocked" in looks]
    assert len(deadlocked) == 1 and graph.looks[0] == {"initial"}
    graph = reachable(load(DIE_HARD)())
    violating = [graph.states[number]["big"] for number, looks in graph.looks.items() if "violating" in looks]
    assert violating and set(violating) == {4}


def test_a_graph_too_big_to_look_at_is_refused_with_advice() -> None:
    with pytest.raises(Refused, match="--around"):
        reachable(load(EPISODES)())
    found, spec = found_in("specs/zookeeper/episodes.py")
    graph = neighbourhood(spec, found.trace)
    assert graph.path[0] == 0 and len(graph.states) > len(found.trace.states)
    with pytest.raises(Refused, match="states around it"):
        neighbourhood(spec, found.trace, most=10)


def test_every_format_is_written(tmp_path: Path) -> None:
    need_dot()
    scene = scene_of(*found_in("specs/zookeeper/episodes.py", era="3.5"))
    files, missing = write_picture(spacetime(scene), tmp_path, "x", ("svg", "pdf", "png", "dot"))
    assert not missing
    heads = {path.suffix: path.read_bytes()[:5] for path in files}
    assert heads[".pdf"] == b"%PDF-" and heads[".png"][1:4] == b"PNG" and heads[".svg"] == b"<?xml"
    pdf = (tmp_path / "x.pdf").read_bytes()
    assert pdf.count(b"/Type /Page\n") + pdf.count(b"/Type /Page ") == 1


def test_the_source_is_the_same_every_time(report_002: Scene) -> None:
    assert spacetime(report_002) == spacetime(scene_of(*found_in("specs/zookeeper/episodes.py", era="3.4.9")))


@pytest.mark.parametrize(
    ("system", "command"),
    [("Linux", "apt-get install"), ("Darwin", "brew install"), ("Windows", "winget"), ("Plan9", "graphviz.org")],
)
def test_how_to_install_graphviz(system: str, command: str) -> None:
    assert command in how_to_install(system)


def test_without_graphviz_everything_but_the_picture_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert main(["draw", DIE_HARD, "-o", str(tmp_path), "--quiet"]) == 0
    assert (tmp_path / "die_hard.dot").exists() and not (tmp_path / "die_hard.svg").exists()
    assert "Graphviz is not installed" in capsys.readouterr().err
    assert main(["page", DIE_HARD, "-o", str(tmp_path / "page.html"), "--quiet"]) == 0
    assert "everything but the diagram" in capsys.readouterr().err
    assert "<svg" not in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_unknown_formats_are_refused_before_anything_runs() -> None:
    with pytest.raises(ConfigError, match="did you mean 'svg'"):
        write_picture("", Path(), "x", ("svgg",))
    assert main(["draw", DIE_HARD, "--format", "jpeg"]) == 151


def test_the_commands_write_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    need_dot()
    out = str(tmp_path)
    assert main(["draw", DIE_HARD, "--kind", "states", "-o", out, "--quiet"]) == 0
    assert main(["graph", DIE_HARD, "-o", out, "--quiet"]) == 0
    assert main(["graph", EPISODES, "--around", "-o", out, "--quiet"]) == 0
    assert main(["page", DIE_HARD, "-o", f"{out}/die.html", "--expr", "s.big + s.small", "--quiet"]) == 0
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {
        "die_hard.dot", "die_hard.svg", "die_hard-graph.dot", "die_hard-graph.svg",
        "episodes-graph.dot", "episodes-graph.svg", "die.html",
    }  # fmt: skip
    assert main(["graph", EPISODES, "-o", out]) == 22
    assert main(["draw", DIE_HARD, "--set", "target=6", "-o", out, "--quiet"]) == 0
    assert "Nothing is violated: this is the way to the goal" in capsys.readouterr().err
    dull = tmp_path / "dull.py"
    dull.write_text(DULL, encoding="utf-8")
    assert main(["draw", str(dull), "-o", out, "--quiet"]) == 151
    assert "no counterexample to draw" in capsys.readouterr().err
    assert main(["page", DIE_HARD, "--expr", "s.big +", "-o", f"{out}/x.html", "--quiet"]) == 151
    assert "no Python expression" in capsys.readouterr().err


def test_a_stored_trace_is_drawn_as_the_spec_draws_it(tmp_path: Path) -> None:
    from traces.files import save_trace

    found, spec = found_in("specs/zookeeper/episodes.py", era="3.5")
    save_trace(tmp_path / "bug.json", found, spec)
    assert main(["draw", str(tmp_path / "bug.json"), "-o", str(tmp_path), "--format", "dot"]) == 0
    assert (tmp_path / "bug.dot").read_text(encoding="utf-8") == spacetime(scene_of(found, spec))


def test_a_check_draws_what_it_finds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    need_dot()
    toys = str(ROOT / "specs/toys")
    assert main(["check", DIE_HARD, "--pictures", str(tmp_path / "one"), "--quiet"]) == 12
    assert f"picture: {tmp_path / 'one' / 'die_hard.svg'}" in capsys.readouterr().out
    assert main(["check", toys, "--model", "philosophers", "--pictures", str(tmp_path / "two"), "--quiet"]) == 0
    assert (tmp_path / "two" / "philosophers.svg").exists()
