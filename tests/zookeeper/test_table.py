"""The page of the table is what `models.toml` says today, and the study counts the steps of the reports truly."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from modelcheck import Verdict, action, check, require
from modelcheck.models import Model, read_models
from specs.zookeeper import table
from specs.zookeeper.episodes import Episodes
from specs.zookeeper.eras import ERAS, FIXES
from specs.zookeeper.reports import Scripted

ROOT = Path(__file__).parents[2]
STUDY = ROOT / "docs" / "zookeeper-study.md"
STALE = "docs/zookeeper-table.md is stale: run `python -m specs.zookeeper.table` and look at what changed"
MODELS = {model.name: model for model in read_models(ROOT / "specs" / "zookeeper")}


def rows(page: str) -> list[list[str]]:
    """The cells of every row about a model."""
    lines = [line for line in page.splitlines() if line.startswith("| ") and line.count(" | ") == 5]
    return [line.strip("| ").split(" | ") for line in lines if not line.startswith("| fixes |")]


def test_the_page_is_fresh() -> None:
    assert table.PAGE.read_text(encoding="utf-8") == table.page(table.read()), STALE


def test_every_model_has_exactly_one_row() -> None:
    named = [re.sub(r"^`(.*)`( \(slow\))?$", r"\1", cells[-1]) for cells in rows(table.page(table.read()))]
    assert sorted(named) == sorted(MODELS)


@pytest.mark.parametrize("cells", rows(table.page(table.read())), ids=lambda cells: cells[-1].strip("`"))
def test_a_row_says_what_is_expected(cells: list[str]) -> None:
    _, also, bounds, verdict, _, name = cells
    model = MODELS[name.removesuffix(" (slow)").strip("`")]
    constants, expect = Episodes(**model.constants), model.expect
    assert name.endswith(" (slow)") == model.slow
    assert bounds == f"{constants.max_epoch}, {constants.max_txns}, {constants.nodes}"
    assert ("power loss" in also, "giving up" in also) == (constants.power_loss, constants.giving_up)
    assert ("stray writes" in also, "watches" in also) == (constants.stray_writes, constants.watch != Episodes().watch)
    if expect.verdict is Verdict.VIOLATED:
        assert expect.trace is not None and expect.property is not None
        assert verdict.startswith(f"violated after {expect.trace - 1} steps: ")
        assert verdict.replace("_", " ").strip("`").endswith(expect.property.replace("_", " "))
    else:
        start = "**holds**" if expect.verdict is Verdict.HOLDS else "not reached"
        assert verdict.startswith(start) and f"{expect.distinct:,} states" in verdict


def test_as_released_comes_first_then_single_fixes_then_sets() -> None:
    for era in ERAS:
        models = [model for model in table.read() if model.era == era]
        sizes = [min(cells[0].count(" + ") + (cells[0] != "as released"), 2) for cells in rows(table.page(models))]
        assert sizes == sorted(sizes) and len(sizes) == len(models)


def test_names_that_nobody_has_told_of_are_shown_as_they_are() -> None:
    constants = {"era": "9.9", "fixes": ["new-fix"], "clock_skew": True, "drift": 3, "power_loss": False}
    model = table.Model("new", "a | b", True, constants, {"verdict": "deadlock", "trace": 3})
    page = table.page([model])
    assert "## 9.9" in page and "| new fix | `new-fix` |" in page
    assert "| new fix | clock skew; drift = 3 | 5, 2, 3 | deadlock after 2 steps | a \\| b | `new` (slow) |" in page


def test_every_readable_name_is_of_a_fix() -> None:
    assert set(table.READABLE) <= set(FIXES)


# What the study says about the steps of the five reports

REPORTS = [name for name in MODELS if re.fullmatch(r"report_\d+", name)]


class StopsApart(Scripted):
    """The episodes with "everybody stops" as a step of its own, which has to come before the next ``form``."""

    @action(members="quorums", fits="sizes")
    def form(self, s: Any, n: Any, members: tuple[int, ...], fits: bool) -> None:
        require(self.running(s) == 0, "everybody is stopped")
        super().form(s, n, members, fits)


def row_of_the_study(model: Model) -> list[str]:
    name = model.name.removeprefix("report_")
    found = re.findall(rf"^\| {name} \|(.*)\|$", STUDY.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(found) == 1
    return [cell.strip() for cell in found[0].split("|")]


@pytest.mark.parametrize("name", REPORTS)
def test_the_study_counts_the_steps_of_a_report_both_ways(name: str) -> None:
    model = MODELS[name]
    _, _, steps, apart, _ = row_of_the_study(model)
    assert model.expect.trace is not None and model.expect.trace - 1 == int(steps)
    found = check(StopsApart(**{**model.constants, "decisions": ()}))
    assert found.verdict is Verdict.VIOLATED and len(found.trace().states) - 1 == int(apart)
