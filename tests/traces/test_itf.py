"""The Informal Trace Format: what we write keeps its rules, and what others write can be replayed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings

from modelcheck import check
from specs.toys.die_hard import DieHard
from specs.toys.klotski import Klotski
from specs.zookeeper.episodes import Episodes
from tests.traces.itf_rules import itf_problems
from tests.traces.material import counterexample, delivered, values
from traces.files import Stored, load_trace, save_trace, stored_of
from traces.itf import itf_data, itf_value, value_from_itf
from traces.replay import replay


@settings(deadline=None)
@given(values)
def test_values_keep_the_rules_and_look_the_same_when_read_back(value: object) -> None:
    data = json.loads(json.dumps(itf_value(value)))
    assert itf_problems({"vars": ["x"], "states": [{"x": data}]}) == []
    assert itf_value(value_from_itf(data)) == data


@settings(deadline=None, max_examples=40)
@given(values)
def test_traces_keep_the_rules_and_replay(value: object) -> None:
    spec, found = delivered(value)
    data = json.loads(json.dumps(itf_data(stored_of(found, spec))))
    assert itf_problems(data) == []


@pytest.mark.parametrize("spec", [DieHard(), Klotski(), Episodes()], ids=lambda s: type(s).__name__)
def test_counterexamples_of_specs_keep_the_rules(spec: DieHard | Klotski | Episodes) -> None:
    found = counterexample(type(spec))
    data = itf_data(stored_of(found, spec))
    assert itf_problems(data) == []
    assert data["vars"] == list(spec.program.layout.variables)
    assert len(data["states"]) == len(found.trace)
    assert data["#meta"]["format"] == "ITF"


def test_a_loop_is_kept(tmp_path: Path) -> None:
    found = check(DieHard()).violations[0]
    stored = Stored(found, loop=2)
    assert itf_problems(itf_data(stored)) == []
    save_trace(tmp_path / "t.itf.json", stored)
    assert load_trace(tmp_path / "t.itf.json").loop == 2
    save_trace(tmp_path / "t.json", stored)
    assert load_trace(tmp_path / "t.json").loop == 2


def test_the_checker_sees_broken_rules() -> None:
    good = {"vars": ["x"], "states": [{"x": {"#bigint": "1"}}]}
    assert itf_problems(good) == []
    several: list[object] = [
        [],
        {"vars": ["x"], "states": []},
        {"vars": ["x"], "states": [{}]},
        {"vars": ["x"], "states": [{"x": None}]},
        {"vars": ["x"], "states": [{"x": {"#bigint": 1}}]},
        {"vars": ["x"], "states": [{"x": {"#map": [[1]]}}]},
        {"vars": ["x"], "states": [{"x": {"#set": [1, 1]}}]},
        {"vars": ["x"], "states": [{"x": {"#tup": [], "y": 1}}]},
        {"vars": ["x"], "states": [{"x": {"#bag": []}}]},
        {"vars": ["x", "x"], "states": [{"x": 1}]},
        {**good, "loop": 1},
        {**good, "other": 1},
    ]
    for broken in several:
        assert itf_problems(broken), broken


# As Quint writes it: every integer a bigint, no steps that we know, twice the same entry in vars.
QUINT = {
    "#meta": {"format": "ITF", "source": "diehard.qnt", "status": "violation"},
    "vars": ["small", "big", "big"],
    "states": [
        {"#meta": {"index": 0}, "small": {"#bigint": "0"}, "big": {"#bigint": "0"}},
        {"#meta": {"index": 1}, "small": {"#bigint": "0"}, "big": {"#bigint": "5"}},
        {"#meta": {"index": 2}, "small": {"#bigint": "3"}, "big": {"#bigint": "2"}},
        {"#meta": {"index": 3}, "small": {"#bigint": "3"}, "big": {"#bigint": "2"}},
    ],
}


def test_a_trace_of_another_tool_is_followed_by_its_states(tmp_path: Path) -> None:
    file = tmp_path / "quint.itf.json"
    file.write_text(json.dumps(QUINT))
    stored = load_trace(file)
    answer = replay(DieHard().program, stored.found)
    assert answer.identical
    assert answer.trace is not None
    assert [step.action for step in answer.trace.steps][:3] == ["init", "fill_big", "big_to_small"]


def test_a_trace_of_another_tool_that_the_spec_does_not_have(tmp_path: Path) -> None:
    wrong = json.loads(json.dumps(QUINT))
    wrong["states"][2]["big"]["#bigint"] = "4"
    file = tmp_path / "quint.itf.json"
    file.write_text(json.dumps(wrong))
    answer = replay(DieHard().program, load_trace(file).found)
    assert answer.stopped is not None
    assert (answer.stopped.position, answer.stopped.reason) == (2, "no such state")
