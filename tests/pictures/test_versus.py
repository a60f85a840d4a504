"""Two variants side by side in the page: what parts them, state by state, and hostile values."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyrsistent import pbag, pmap, pvector

from modelcheck import check
from specs.toys.peterson import Peterson
from specs.toys.philosophers import Philosophers
from tests.pictures.material import HOSTILE, need_dot, texts
from tests.pictures.test_hostile import NO_SHRINKING, outside_the_diagram
from tests.pictures.versus import Ledger, compared, ledgers
from tests.traces.material import Row, values
from traces.compare import compare, comparison_page
from traces.diff import ABSENT
from traces.page import Page
from traces.page.segments import segments, sides, text_of

FIXES = ("guard", "outcome")


def data_of(page: Page) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(outside_the_diagram(page.html).data)
    return found


def shown(data: dict[str, Any], k: int, slot: str) -> tuple[Any, Any]:
    """What a reader sees of a slot in a state: for each side its text, and in it what is marked."""
    row = data["versus"]["states"][k][data["versus"]["slots"].index(slot)]
    return told(data, row[0]), told(data, row[1])


def told(data: dict[str, Any], cell: Any) -> Any:
    if cell is None or isinstance(cell, int):
        return None if cell is None else data["texts"][cell]
    pieces = [(data["texts"][number], tone) for number, tone in cell]
    return "".join(text for text, _ in pieces), [text for text, tone in pieces if tone]


def test_a_guard_that_forbids_a_step_is_named() -> None:
    data = data_of(ledgers("guard")[1])["versus"]
    assert [step["status"] for step in data["steps"]] == ["same", "same", "impossible", "not tried"]
    assert data["parts"] == 2
    assert data["steps"][2]["lines"] == ["guard: not twice: two"]
    assert "step 3, enter: it is not possible (guard: not twice: two)" in data["summary"]
    assert data["a"][0] == "a: Ledger(fix='none'): VIOLATED"
    assert data["b"][0] == "b: Ledger(fix='guard'): DEADLOCK"


def test_where_a_step_is_not_possible_b_stays_and_later_there_is_nothing() -> None:
    data = data_of(ledgers("guard")[1])
    assert shown(data, 1, "count") == ("1", "1")
    assert shown(data, 2, "count") == (("2", ["2"]), ("1", ["1"]))
    assert shown(data, 2, "book[right]") == ("[]", "[]")
    assert shown(data, 3, "count") == ("3", None)


def test_another_outcome_is_marked_inside_of_the_values() -> None:
    data = data_of(ledgers("outcome")[1])
    assert [step["status"] for step in data["versus"]["steps"]] == ["same", "same", "other outcome", "possible"]
    a, b = shown(data, 2, "book[left]")
    assert a == ("['one', 'one']", ["'one'"])
    assert b == ("['one', 'two']", ["'two'"])
    assert shown(data, 2, "book[right]") == ("[]", "[]")
    assert shown(data, 1, "note") == ("('one', 'one')", "('one', 'one')")
    assert shown(data, 3, "note") == ("('one', 'one')", "('one', 'one')")
    assert "short still" not in data["versus"]["summary"] and "short fails still" in data["versus"]["summary"]


def test_a_row_tells_whether_the_sides_differ_and_whether_the_step_changed_it() -> None:
    data = data_of(ledgers("outcome")[1])["versus"]
    flags = [[row[2:] for row in state] for state in data["states"]]
    slots = data["slots"]
    assert slots == ["book[left]", "book[right]", "note", "count"]
    assert flags[0] == [[False, False]] * 4
    assert flags[1] == [[False, True], [False, False], [False, True], [False, True]]
    assert flags[2] == [[True, True], [False, False], [True, True], [False, True]]
    assert flags[3][2] == [False, True]  # b's note changes back


def test_both_sides_answer_what_can_happen_next() -> None:
    data = data_of(ledgers("guard")[1])
    label = data["texts"].index("enter")
    assert data["actions"][1] == [[label, -2]]
    assert data["versus"]["actions"][1] == [[label, data["texts"].index("needs: not twice: two")]]
    assert len(data["versus"]["actions"]) == 2


def test_variants_with_other_keys_are_shown_too() -> None:
    a, b = Philosophers(count=3), Philosophers(count=2)
    page = comparison_page(compared(a, b), a, b)
    assert page is not None
    data = data_of(page)
    assert shown(data, 0, "stage[2]") == (("'thinking'", ["'thinking'"]), ("absent", []))


def test_the_same_behaviour_under_both_does_not_part() -> None:
    a, b = Ledger(), Ledger(fix="nothing new")
    page = comparison_page(compared(a, b), a, b)
    assert page is not None
    data = data_of(page)
    assert data["versus"]["parts"] is None
    assert not any(row[2] for state in data["versus"]["states"] for row in state)
    assert data["constants"] == [["first", "'one'"], ["second", "'two'"]]  # what they share


def test_without_a_counterexample_there_is_no_page() -> None:
    a, b = Peterson(), Peterson(turn_first=True)
    assert comparison_page(compared(a, b), a, b) is None


def test_a_page_has_both_pictures_and_every_name_once() -> None:
    need_dot()
    page = ledgers("outcome")[1].html
    assert page.count("<svg") == 2
    names = [part.partition('"')[0] for part in page.split(' id="')[1:]]
    assert len(names) == len(set(names))


# Two values beside each other


def test_a_record_reads_the_same_with_and_without_a_difference() -> None:
    one, other = Row(first=None, second=None), Row(first=None, second=False)
    assert "".join(text for text, _ in sides(one, other)[0]) == text_of(one) == "{'first': None, 'second': None}"
    assert sides(one, other)[1] == [("{'first': None, 'second': ", ""), ("False", "new"), ("}", "")]


@settings(deadline=None)
@given(one=values, other=values)
def test_a_side_reads_as_the_value_alone(one: Any, other: Any) -> None:
    for value, pieces in zip((one, other), sides(one, other), strict=True):
        text = "".join(text for text, _ in pieces)
        whole = text_of(value)
        assert text == whole or "…" in text + whole
    assert {tone for _, tone in sides(one, other)[0]} <= {"", "gone"}
    assert {tone for _, tone in sides(one, other)[1]} <= {"", "new"}


def test_what_is_on_one_side_only_leaves_no_trace_on_the_other() -> None:
    one, other = pmap({"x": frozenset({1, 2})}), pmap({"x": frozenset({2}), "y": pvector([0])})
    a, b = sides(one, other)
    assert a == [("{'x': {", ""), ("1", "gone"), (", 2}}", "")]
    assert b == [("{'x': {2}, ", ""), ("'y': ", "new"), ("[0]", "new"), ("}", "")]
    assert sides(ABSENT, 1) == ([], [("1", "new")])


def test_a_bag_beside_something_else_is_only_different() -> None:
    assert segments(None, pbag([1])) == [("None", "gone"), ("bag(1)", "new")]


# Hostile values


@settings(max_examples=8, deadline=None, phases=NO_SHRINKING)
@given(texts, texts, st.sampled_from(FIXES))
def test_no_text_changes_the_structure_of_the_page(first: str, second: str, fix: str) -> None:
    check_structure(first, second, fix)


@pytest.mark.parametrize("number", range(len(HOSTILE)))
def test_every_hostile_text_can_be_compared(number: int) -> None:
    check_structure(HOSTILE[number], f"other {HOSTILE[number]}", FIXES[number % 2])


@lru_cache
def tame_tags(fix: str) -> list[str]:
    tags: list[str] = without_diagrams(ledgers(fix)[1]).tags
    return tags


def check_structure(first: str, second: str, fix: str) -> None:
    need_dot()
    wild = without_diagrams(ledgers(fix, first, second)[1])
    assert wild.tags == tame_tags(fix)
    assert [name for name in wild.odd if name.startswith("on")] == []
    data = json.loads(wild.data)
    assert len(data["versus"]["states"]) == 4
    assert data["constants"] == [[name, text_of(text)] for name, text in (("first", first), ("second", second))]


def without_diagrams(page: Page) -> Any:
    before, _, rest = page.html.partition('<div id="picture-a">')
    return outside_the_diagram(before + rest[rest.index("</section>") :])


def test_the_search_of_both_is_told_with_its_limits() -> None:
    a, b = Ledger(), Ledger(fix="guard")
    page = comparison_page(compare(check(a), check(b, max_states=1), b), a, b)
    assert page is not None
    assert any("limit" in line for line in data_of(page)["versus"]["b"])
