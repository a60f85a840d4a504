"""Results as JSON: every kind of value, and everything that a result holds."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

import pytest
from pyrsistent import PClass, PRecord, field, pbag, pmap, pset, pvector

from modelcheck.result import ActionCoverage, Coverage, Discovery, Result
from modelcheck.trace import Event, Step, Trace
from modelcheck.verdict import Verdict
from traces.data import error_data, result_data, trace_data, value_data

Color = Enum("Color", "RED GREEN")


@dataclass(frozen=True)
class Vote:
    epoch: int
    leader: str


class Point(NamedTuple):
    x: int
    y: int


class Box(PClass):
    size = field()


class State(PRecord):
    leader = field()
    log = field()


TRACE = Trace(
    "Sync",
    {"servers": ("s1",)},
    (
        State(leader=None, log=pmap({"s1": pvector()})),
        State(leader="s1", log=pmap({"s1": pvector([1])})),
    ),
    (
        Step("init", {}),
        Step("elect", {"i": "s1"}, (Event("send", "net", ("s1", "s2"), ("ping", 1)),)),
    ),
)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, None),
        (True, True),
        (3, 3),
        (2**53 - 1, 2**53 - 1),
        (2**53, {"#bigint": "9007199254740992"}),
        (-(2**70), {"#bigint": "-1180591620717411303424"}),
        ("text", "text"),
        (b"\x01\xff", {"#bytes": "01ff"}),
        (Color.RED, "Color.RED"),
        ((1, (2,)), {"#tup": [1, {"#tup": [2]}]}),
        (pvector([1, 2]), [1, 2]),
        (frozenset({2, 1}), {"#set": [1, 2]}),
        (pset(["b", "a"]), {"#set": ["a", "b"]}),
        (pbag(["a", "a", "b"]), {"#bag": [["a", 2], ["b", 1]]}),
        (pmap({2: "b", 1: "a"}), {"#map": [[1, "a"], [2, "b"]]}),
        (Vote(1, "s1"), {"epoch": 1, "leader": "s1"}),
        (Point(1, 2), {"x": 1, "y": 2}),
        (Box(size=3), {"size": 3}),
    ],
)
def test_every_kind_of_value(value: object, expected: object) -> None:
    assert value_data(value) == expected
    json.dumps(value_data(value))


def test_a_trace() -> None:
    data = trace_data(TRACE)
    assert data["states"] == [
        {"leader": None, "log": {"#map": [["s1", []]]}},
        {"leader": "s1", "log": {"#map": [["s1", [1]]]}},
    ]
    assert data["steps"][1] == {
        "action": "elect",
        "params": {"i": "s1"},
        "label": "elect(i='s1')",
        "events": [
            {
                "kind": "send",
                "channel": "net",
                "key": ["s1", "s2"],
                "message": {"#tup": ["ping", 1]},
            }
        ],
    }


def test_a_result_survives_json() -> None:
    found = Discovery("invariant", "agree", {"i": "s1"}, TRACE, "because")
    goal = Discovery("goal", "someone_leads", {}, TRACE)
    result = Result(
        spec="Sync",
        constants={"servers": ("s1",)},
        engine="local",
        verdict=Verdict.VIOLATED,
        distinct=2,
        generated=3,
        depth=2,
        complete_depth=2,
        queue=1,
        seconds=0.25,
        discoveries=(found, goal),
        goals={"someone_leads": 2},
        coverage=Coverage((ActionCoverage("elect", 1, 2, 3, 4, 5),), {"leader": 2}),
        warnings=("careful",),
    )
    data = json.loads(json.dumps(result_data(result)))
    assert data["verdict"] == "violated"
    assert data["exit_code"] == 12
    assert (data["distinct"], data["generated"], data["depth"], data["seconds"]) == (2, 3, 2, 0.25)
    (violation,) = data["violations"]
    assert violation["property"] == "agree"
    assert violation["params"] == {"i": "s1"}
    assert violation["kind"] == "invariant"
    assert violation["explanation"] == "because"
    assert len(violation["trace"]["states"]) == 2
    assert data["goals"] == {"someone_leads": 2}
    assert data["coverage"]["actions"]["elect"]["lookups"] == 5
    assert data["warnings"] == ["careful"]


def test_a_constant_that_is_no_state_value_still_has_a_text() -> None:
    assert value_data(range(3)) == "range(0, 3)"


def test_an_error() -> None:
    assert error_data("load", 150, "no such file") == {
        "verdict": "load",
        "exit_code": 150,
        "error": "no such file",
        "violations": [],
    }
