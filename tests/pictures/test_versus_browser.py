"""Two variants side by side in a real browser: where they part, keys, marks, both pictures, hostile values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from modelcheck import check
from modelcheck.loading import load
from tests.pictures.material import HOSTILE, ROOT, need_dot
from tests.pictures.test_browser import seen_in
from tests.pictures.versus import ledgers
from traces.compare import compare, comparison_page

# The robot's view of what only this page has; `look` has the rest.
LOOK = """
const text = (id) => document.getElementById(id).innerText;
const both = (name) => { look(name); Object.assign(seen[name], {
  status: text("status"), why: text("why"), table: text("both"), summary: text("summary"), noteB: text("note-b"),
  rows: [...document.querySelectorAll("#both tr")].map((line) => line.cells[0].textContent),
  onlyA: [...document.querySelectorAll("#both mark.a")].map((e) => e.textContent),
  onlyB: [...document.querySelectorAll("#both mark.b")].map((e) => e.textContent),
  toldA: text("told-a"), toldB: text("told-b"), list: text("steps"), where: text("parting"),
  plain: document.getElementById("shared").rows.length + document.getElementById("own").rows.length,
  pictures: ["a", "b"].map((letter) => document.getElementById("picture-" + letter).getBoundingClientRect().height > 0),
  bands: document.querySelectorAll("#diagram .cursor").length,
  wide: document.documentElement.scrollWidth <= window.innerWidth,
}); };
"""


def seen_of(page: str, tmp_path: Path, actions: str) -> dict[str, Any]:
    need_dot()
    return seen_in(page, tmp_path, LOOK + actions)


def test_zookeeper_with_and_without_a_fix(tmp_path: Path) -> None:
    spec = load(str(ROOT / "specs/zookeeper/episodes.py"))
    a, b = spec(), spec(fixes=("leader-sends-trunc",))
    page = comparison_page(compare(check(a), check(b), b), a, b)
    assert page is not None
    seen = seen_of(
        page.html,
        tmp_path,
        """both("opened"); press("ArrowLeft"); both("before"); press("End"); both("end");
        document.getElementById("parting").click(); both("back");
        document.getElementById("pick-b").click(); both("other");
        document.getElementById("only").click(); both("all");
        document.getElementById("theme").click(); both("theme");""",
    )
    opened = seen["opened"]
    assert opened["place"] == "state 5 of 7" and opened["status"] == "another outcome"
    assert opened["why"] == "what differs: files[1], sync[1]"
    assert opened["onlyA"] == ["[2.1]", "SNAP 1.1 for 2.1"] and opened["onlyB"] == ["TRUNC 1.1 for 2.1"]
    assert "it must cut its log back to 1.1" in opened["noteB"]
    assert "They part at step 5" in opened["summary"]
    assert "VIOLATED" in opened["toldA"] and "leader-sends-trunc" in opened["toldB"]
    assert opened["plain"] == 0
    assert seen["before"]["status"] == "as before" and seen["before"]["onlyA"] == []
    assert seen["before"]["spoken"].endswith("Under b: as before")
    assert seen["end"]["spoken"].endswith("Under b: possible, in a state that differs")
    assert "tree[1] ≠ differs" in seen["end"]["rows"]
    assert seen["back"]["place"] == "state 5 of 7"
    assert opened["pictures"] == [True, False] and seen["other"]["pictures"] == [False, True]
    assert len(seen["all"]["rows"]) > len(opened["rows"]) and "files[0]" in seen["all"]["rows"]
    assert seen["theme"]["paper"] != opened["paper"]
    assert opened["wide"]


def test_a_guard_is_told_where_it_forbids_the_step(tmp_path: Path) -> None:
    act = 'both("opened"); press("ArrowLeft"); both("before"); press("End"); both("end");'
    act += 'document.getElementById("pick-b").click(); both("other");'
    seen = seen_of(ledgers("guard")[1].html, tmp_path, act)
    assert seen["opened"]["status"] == "NOT POSSIBLE" and seen["opened"]["why"] == "guard: not twice: two"
    assert "b, where the step is not possible" in seen["opened"]["table"]
    assert "enter\tpossible: taken next\tneeds: not twice: two" in seen["before"]["actions"]
    assert "3: enter NOT POSSIBLE" in seen["opened"]["list"] and "4: enter not tried" in seen["opened"]["list"]
    assert "b: not tried" in seen["end"]["table"]
    assert seen["end"]["bands"] == 1 and seen["other"]["pictures"] == [False, True]


@pytest.mark.parametrize("part", range(2))
def test_hostile_values_stay_text(part: int, tmp_path: Path) -> None:
    chosen = HOSTILE[part::2]
    page = ledgers(("guard", "outcome")[part], " ".join(chosen[:5])[:3000], " ".join(chosen[5:]))[1]
    seen = seen_of(page.html, tmp_path, 'both("opened"); press("End"); both("end")')
    assert seen["end"]["place"] == "state 4 of 4"
    assert seen["end"]["scripts"] == 3  # the data, the script, and the robot
    assert seen["end"]["images"] == 0
    assert seen["end"]["title"] != "broken"
    assert seen["opened"]["wide"], "a long value made the page wider than the window"
