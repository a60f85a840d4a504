"""The page in a real browser: slider, keys, differences, reasons, hostile values."""

from __future__ import annotations

import html
import json
import random
import re
import time
from pathlib import Path
from typing import Any

import pytest

from modelcheck import check, plain
from modelcheck.loading import load
from modelcheck.result import Discovery
from tests.pictures.material import HOSTILE, ROOT, browsed, hostile_trace, need_dot
from traces.page import build_page

# Appended to a copy of a page: does what a person would do, and leaves what it saw in an attribute.
ROBOT = """<script>
const seen = {};
const inView = () => {
  const band = document.querySelector("#diagram .cursor"), frame = document.getElementById("diagram");
  if (!band) return false;
  const [a, b] = [band, frame].map((e) => e.getBoundingClientRect());
  return a.bottom > b.top && a.top < b.bottom;
};
const look = (name) => { seen[name] = {
  heading: document.getElementById("step-heading").textContent, place: document.getElementById("place").textContent,
  slider: document.getElementById("slider").value, spoken: document.getElementById("spoken").textContent,
  shared: document.getElementById("shared").innerText, own: document.getElementById("own").innerText,
  fresh: [...document.querySelectorAll("#own ins, #shared ins")].map((e) => e.textContent),
  gone: [...document.querySelectorAll("#own del, #shared del")].map((e) => e.textContent),
  actions: document.getElementById("actions").innerText, expressions: document.getElementById("expressions").innerText,
  band: Number((document.querySelector("#diagram .cursor") || document.body).getAttribute("y")), visible: inView(),
  papers: document.querySelectorAll("#diagram .paper.now").length,
  drawn: (document.querySelector("#diagram svg") || document.body).getBoundingClientRect().width,
  points: ((document.querySelector("#diagram svg") || {}).viewBox || { baseVal: { width: 0 } }).baseVal.width,
  letters: [...new Set([...document.querySelectorAll("#diagram .step text")].map((e) => getComputedStyle(e).fontSize))]
    .filter((size) => size !== "13px"),  // numbers of steps are larger
  spill: document.documentElement.scrollWidth - window.innerWidth,
  current: document.querySelectorAll("[aria-current]").length, hash: location.hash,
  theme: document.documentElement.dataset.theme, paper: getComputedStyle(document.body).backgroundColor,
  scripts: document.scripts.length, title: document.title, images: document.images.length,
}; };
const press = (key) => document.body.dispatchEvent(new KeyboardEvent("keydown", { key: key, bubbles: true }));
%s
document.documentElement.setAttribute("data-seen", JSON.stringify(seen));
</script></body>"""


def robot(
    found: Discovery, spec: Any, tmp_path: Path, actions: str, expressions: tuple[str, ...] = (), window: str = ""
) -> dict[str, Any]:
    need_dot()
    return seen_in(build_page(found, spec, expressions).html, tmp_path, actions, window)


def seen_in(text: str, tmp_path: Path, actions: str, window: str = "") -> dict[str, Any]:
    """What a robot sees while it acts on a page."""
    page = tmp_path / "page.html"
    page.write_text(text.replace("</body>", ROBOT % actions), encoding="utf-8")
    match = re.search(r'data-seen="([^"]*)"', browsed(page, tmp_path, window=window))
    assert match, "the script of the page failed"
    seen: dict[str, Any] = json.loads(html.unescape(match[1]))
    return seen


def die_hard() -> tuple[Discovery, Any]:
    spec = load(str(ROOT / "specs/toys/die_hard.py"))()
    return check(spec).violations[0], spec


def test_steps_by_keys_slider_and_buttons(tmp_path: Path) -> None:
    found, spec = die_hard()
    seen = robot(
        found,
        spec,
        tmp_path,
        """look("start"); press("ArrowRight"); look("right"); press("End"); look("end");
        press("ArrowLeft"); look("left"); press("Home"); look("home");
        const slider = document.getElementById("slider"); slider.value = 3;
        slider.dispatchEvent(new Event("input")); look("slider");
        document.getElementById("back").click(); look("button");
        document.querySelectorAll("#steps button")[5].click(); look("list");
        document.getElementById("theme").click(); look("theme");""",
        ("s.big + s.small", "s.bigg"),
    )
    assert seen["start"]["place"] == "state 1 of 7"
    assert seen["right"]["heading"] == "2: fill_big"
    assert seen["right"]["spoken"] == "state 2 of 7: fill_big"
    assert seen["right"]["gone"] == ["0"] and seen["right"]["fresh"] == ["5"]
    assert seen["end"]["place"] == "state 7 of 7"
    assert seen["left"]["place"] == "state 6 of 7"
    assert seen["home"]["slider"] == "0"
    assert seen["slider"]["place"] == "state 4 of 7"
    assert seen["button"]["place"] == "state 3 of 7"
    assert seen["list"]["place"] == "state 6 of 7" and seen["list"]["current"] == 1
    assert seen["right"]["band"] < seen["end"]["band"]
    assert "s.big + s.small\t5" in seen["right"]["expressions"]
    assert "AttributeError" in seen["right"]["expressions"]
    assert {seen["start"]["theme"], seen["theme"]["theme"]} == {"light", "dark"}
    assert seen["start"]["paper"] != seen["theme"]["paper"]


def test_it_tells_why_an_action_is_not_possible(tmp_path: Path) -> None:
    spec = load(str(ROOT / "specs/zookeeper/episodes.py"))()
    found = check(spec).violations[0]
    act = 'look("first"); document.getElementById("filter").value = "commit"; '
    act += 'document.getElementById("filter").dispatchEvent(new Event("input")); look("filtered");'
    act += 'press("End"); look("end")'
    seen = robot(found, spec, tmp_path, act)
    assert "commit\tneeds: somebody leads" in seen["first"]["actions"]
    assert "possible: taken next" in seen["first"]["actions"]
    assert seen["filtered"]["actions"].startswith("commit") and "form" not in seen["filtered"]["actions"]
    assert "server 1" in seen["end"]["own"]
    assert "2.1" in seen["end"]["fresh"]


@pytest.mark.parametrize("window", ["1400,1000", "400,800"])
def test_a_diagram_can_be_read_in_a_wide_and_in_a_narrow_window(window: str, tmp_path: Path) -> None:
    spec = load(str(ROOT / "specs/zookeeper/episodes.py"))()
    found = check(spec).violations[0]
    seen = robot(found, spec, tmp_path, 'look("start"); press("End"); look("end")', window=window)
    assert seen["end"]["drawn"] >= 0.75 * seen["end"]["points"] > 450  # letters of 7.5 pixels: smaller cannot be read
    assert seen["end"]["spill"] <= 0  # the picture scrolls, not the page
    assert seen["end"]["visible"]
    assert seen["end"]["letters"] == ["10px"]  # the style of the page does not reach into the picture
    assert seen["start"]["papers"] == 0 and seen["end"]["papers"] > 0  # no white spots on the band


def test_the_current_step_stays_in_view_when_the_window_changes(tmp_path: Path) -> None:
    found, spec = die_hard()
    act = 'press("End"); const frame = document.getElementById("diagram"); frame.style.height = "120px"; '
    act += 'frame.style.maxHeight = "120px"; frame.scrollTop = 0; look("lost"); '
    act += 'window.dispatchEvent(new Event("resize")); look("found")'
    seen = robot(found, spec, tmp_path, act)
    assert not seen["lost"]["visible"] and seen["found"]["visible"]


@pytest.mark.parametrize("part", range(3))
def test_hostile_values_stay_text_in_the_browser(part: int, tmp_path: Path) -> None:
    chosen = HOSTILE[part::3]
    found = hostile_trace(" ".join(chosen[:3])[:3000], " ".join(chosen[3:]))
    seen = robot(found, None, tmp_path, 'press("End"); look("end")')["end"]
    assert seen["place"] == "state 3 of 3"
    assert seen["scripts"] == 3  # the data, the script, and the robot
    assert seen["images"] == 0
    assert seen["title"] != "broken"


def test_the_longest_puzzle_stays_usable(tmp_path: Path) -> None:
    spec = load(str(ROOT / "specs/toys/klotski.py"))()
    found = check(spec).violations[0]
    assert len(found.trace.states) == 117
    _stays_usable(found, spec, tmp_path, 117)


def test_a_long_simulation_stays_usable(tmp_path: Path) -> None:
    spec = load(str(ROOT / "specs/classics/raft.py"))(max_term=60, max_length=30)
    trace, dice = spec.run().trace, random.Random(3)
    while len(trace.states) < 301:
        move = dice.choice(list(plain.moves(spec.program, trace.states[-1])))
        trace = trace.then(move.step, move.state)
    _stays_usable(Discovery("trace", "", {}, trace), spec, tmp_path, 301)


def _stays_usable(found: Discovery, spec: Any, tmp_path: Path, states: int) -> None:
    began = time.monotonic()
    act = 'const t = performance.now(); press("End"); look("end"); press("Home"); look("home");'
    act += f'location.hash = "#{states // 2}"; seen.took = performance.now() - t;'
    seen = robot(found, spec, tmp_path, act)
    assert seen["end"]["place"] == f"state {states} of {states}"
    assert seen["home"]["place"] == f"state 1 of {states}"
    assert seen["end"]["band"] != seen["home"]["band"] or seen["end"]["hash"] == f"#{states}"
    assert (tmp_path / "page.html").stat().st_size < 5_000_000
    assert seen["took"] < 5_000
    assert time.monotonic() - began < 40  # made, opened and stepped through, on a machine busy with other tests
