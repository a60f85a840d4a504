"""Traces as text: what changed, inside nested values, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any, NamedTuple

import pytest
from pyrsistent import PRecord, field, pbag, pmap, pset, pvector

from modelcheck.result import ActionCoverage, Coverage, Discovery, Result
from modelcheck.trace import Event, Step, Trace
from modelcheck.verdict import Verdict
from traces.diff import ABSENT, Part, diff
from traces.report import render_result
from traces.text import changes, clip, full, render_trace

Color = Enum("Color", "RED GREEN")


@dataclass(frozen=True)
class Vote:
    epoch: int
    leader: str


class State(PRecord):
    leader = field()
    log = field()
    net = field()


START = State(leader=None, log=pmap({"s1": pvector(), "s2": pvector([1])}), net=pmap())
LEADS = START.set(leader="s1")
LOGGED = LEADS.set(log=LEADS["log"].set("s2", pvector([1, 2])))
TRACE = Trace(
    "Sync",
    {"servers": ("s1", "s2")},
    (START, LEADS, LOGGED, LOGGED),
    (
        Step("init", {}),
        Step("elect", {"i": "s1"}),
        Step("append", {"i": "s2"}, (Event("send", "net", ("s1", "s2"), ("ping", 1)),)),
        Step("wait", {}),
    ),
)


def lines(old: object, new: object) -> list[str]:
    return list(changes("x", old, new))


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (1, 1, []),
        (1, 2, ["x: 1 -> 2"]),
        (None, "s1", ["x: None -> 's1'"]),
        (Color.RED, Color.GREEN, ["x: RED -> GREEN"]),
        (pvector([1]), pvector([1, 2]), ["x: [1] -> [1, 2]"]),
        ((1, 2), (1, 3), ["x: (1, 2) -> (1, 3)"]),
        (pset(["s2"]), pset(["s1"]), ["x: +s1 -s2"]),
        (frozenset({1}), frozenset({1, 3, 2}), ["x: +2 +3"]),
        (pbag(["a"]), pbag(["a", "a", "b"]), ["x: +a +b"]),
        (pbag([]), pbag(["a", "a"]), ["x: +a (2 times)"]),
        (pmap({"s1": 0, "s2": 0}), pmap({"s1": 0, "s2": 1}), ["x[s2]: 0 -> 1"]),
        (pmap({"s1": 0}), pmap({"s2": 0}), ["x[s1]: removed 0", "x[s2]: added 0"]),
        (pmap({(1, "a"): 0}), pmap({(1, "a"): 1}), ["x[1,a]: 0 -> 1"]),
        (Vote(1, "a"), Vote(2, "a"), ["x.epoch: 1 -> 2"]),
        (pmap({"s1": Vote(1, "a")}), pmap({"s1": Vote(1, "b")}), ["x[s1].leader: 'a' -> 'b'"]),
        (None, Vote(1, "a"), ["x: None -> Vote(epoch=1, leader='a')"]),
        (
            pmap({"s1": pmap({"log": pvector([1])})}),
            pmap({"s1": pmap({"log": pvector()})}),
            ["x[s1][log]: [1] -> []"],
        ),
    ],
)
def test_only_what_changed_inside(old: object, new: object, expected: list[str]) -> None:
    assert lines(old, new) == expected


def test_long_vectors_show_the_place_of_the_change() -> None:
    long = pvector(range(100, 140))
    assert lines(long, long.append(7)) == ["x[40]: added 7   (length now 41)"]
    assert lines(long, long[1:]) == ["x[0]: removed 100   (length now 39)"]
    assert lines(long, long.set(3, 0)) == ["x[3]: 103 -> 0"]


def test_long_values_are_cut_in_the_middle() -> None:
    text = clip("a" * 500, 80)
    assert len(text) <= 80
    assert "left out" in text
    assert text.startswith("aaa")
    assert text.endswith("aaa")


def test_the_first_state_folds_equal_entries_and_spreads_long_ones() -> None:
    assert list(full("x", pmap(dict.fromkeys(range(9), pvector())))) == ["x[*] = []   (9 keys)"]
    wide: Any = pmap({"a": "-" * 60, "b": "+" * 60})
    assert list(full("x", wide)) == [f"x[a] = '{'-' * 60}'", f"x[b] = '{'+' * 60}'"]
    assert list(full("x", pmap({"s1": 1, "s2": 2}))) == ["x = {s1: 1, s2: 2}"]


def test_a_whole_trace() -> None:
    assert render_trace(TRACE) == (
        "  1: init\n"
        "     leader = None\n"
        "     log = {s1: [], s2: [1]}\n"
        "     net = {}\n"
        "  2: elect(i='s1')\n"
        "     leader: None -> 's1'\n"
        "  3: append(i='s2')\n"
        "     sends ('ping', 1) (net, s1 -> s2)\n"
        "     log[s2]: [1] -> [1, 2]\n"
        "  4: wait\n"
        "     (nothing changes)"
    )


def test_color_adds_only_color() -> None:
    import re

    assert re.sub(r"\x1b\[[\d;]*m", "", render_trace(TRACE, color=True)) == render_trace(TRACE)


# --- differences as data -----------------------------------------------------------------------


def test_equal_values_have_no_difference() -> None:
    assert diff(LOGGED, LOGGED) == []


def test_a_difference_has_a_path_and_both_sides() -> None:
    (change,) = diff(LEADS, LOGGED)
    assert change.path == (Part("field", "log"), Part("key", "s2"), Part("index", 1))
    assert (change.old, change.new) == (ABSENT, 2)


def test_the_head_that_was_taken_is_the_difference() -> None:
    (change,) = diff(pvector("abc"), pvector("bc"))
    assert (change.path, change.old, change.new) == ((Part("index", 0),), "a", ABSENT)


def test_members_of_sets_and_bags() -> None:
    assert [str(change) for change in diff(pset([1]), pset([2]))] == [
        "{1}: 1 -> absent",
        "{2}: absent -> 2",
    ]
    assert [str(change) for change in diff(pbag([1]), pbag([1, 1]))] == ["{1}: 1 -> 2"]


def test_values_of_different_shape_are_replaced_whole() -> None:
    (change,) = diff(pvector([1]), pmap({0: 1}))
    assert change.path == ()


# --- the report --------------------------------------------------------------------------------


def result(**changes: Any) -> Result:
    values: dict[str, Any] = {
        "spec": "Sync",
        "constants": {"servers": ("s1", "s2")},
        "engine": "local",
        "verdict": Verdict.HOLDS,
        "distinct": 1234,
        "generated": 5678,
        "depth": 9,
        "complete_depth": 9,
        "queue": 0,
        "seconds": 1.5,
        **changes,
    }
    return Result(**values)


def test_the_verdict_comes_first_and_the_numbers_are_there() -> None:
    text = render_result(result())
    assert text.startswith(f"HOLDS: {Verdict.HOLDS.sentence}.")
    assert "1,234 distinct states, 5,678 generated, depth 9, 1.50 s" in text
    assert "Sync(servers=('s1', 's2')), engine local" in text
    assert "fingerprints" in text


def test_a_violation_has_its_property_explanation_and_trace() -> None:
    found = Discovery("invariant", "agree", {"i": "s1"}, TRACE, "s.leader == i\n  s.leader = 's2'")
    text = render_result(result(verdict=Verdict.VIOLATED, discoveries=(found,)))
    assert "The invariant agree(i='s1') is false in state 4:\n  s.leader == i\n" in text
    assert render_trace(TRACE) in text


def test_an_error_without_a_trace_says_so() -> None:
    found = Discovery("error", "start", {}, Trace("Sync", {}, (), ()), "ValueError: no")
    text = render_result(result(verdict=Verdict.ERROR, discoveries=(found,)))
    assert "The spec failed in start; there is no trace to show:\n  ValueError: no" in text


def test_an_incomplete_search_says_why_and_how_deep_it_is_complete() -> None:
    text = render_result(
        result(verdict=Verdict.INCOMPLETE, stopped="the limit was reached", complete_depth=7)
    )
    assert "The limit was reached.\nEvery state up to depth 7 was found and checked." in text


def test_goals_and_actions_that_never_happened() -> None:
    coverage = Coverage((ActionCoverage("crash", 0, 0, 0), ActionCoverage("elect", 1, 1, 1)))
    goals = {"someone_leads": 2, "all_agree": None}
    text = render_result(result(verdict=Verdict.UNREACHED, goals=goals, coverage=coverage))
    assert "goal someone_leads: reached at depth 2" in text
    assert "goal all_agree: NOT reachable" in text
    assert "warning: never enabled in any reachable state: crash" in text


class Version(NamedTuple):
    """A record that says itself how it reads."""

    major: int
    minor: int

    def __str__(self) -> str:
        return f"v{self.major}.{self.minor}"


def test_what_has_a_text_of_its_own_changes_as_a_whole() -> None:
    assert list(changes("x", Version(1, 2), Version(1, 3))) == ["x: v1.2 -> v1.3"]
    old, new = pmap({"a": Version(1, 2)}), pmap({"a": Version(2, 2)})
    assert list(changes("x", old, new)) == ["x[a]: v1.2 -> v2.2"]
    assert [str(change) for change in diff(old, new)] == ["['a']: v1.2 -> v2.2"]
