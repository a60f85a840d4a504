"""Traces in files: everything comes back as it was, and what cannot be read says why."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from modelcheck import Spec, check
from modelcheck.errors import ConfigError, SpecLoadError
from modelcheck.result import Discovery
from modelcheck.values import encode
from specs.classics.two_phase import TwoPhase
from specs.toys.die_hard import DieHard
from specs.toys.peterson import Peterson
from specs.toys.philosophers import Philosophers
from specs.zookeeper.episodes import Episodes
from tests.traces.material import Courier, Point, counterexample, delivered, values
from traces.codec import BrokenValue, Unwritable, dump, load
from traces.files import load_trace, save_trace, stored_data, stored_of
from traces.replay import replay

SPECS: list[Spec] = [
    DieHard(),
    Philosophers(),
    Peterson(turn_first=True),
    TwoPhase(impatient=True),
    Episodes(),
]


@settings(deadline=None)
@given(values)
def test_values_come_back_with_their_classes(value: object) -> None:
    text = json.dumps(dump(value))
    back = load(json.loads(text))
    assert back == value
    assert encode(back) == encode(value)
    assert type(back) is type(value) or isinstance(value, int | str)
    assert dump(back) == dump(value)


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: type(spec).__name__)
@pytest.mark.parametrize("ending", [".json", ".itf.json"])
def test_counterexamples_come_back_and_replay(spec: Spec, ending: str, tmp_path: Path) -> None:
    found = counterexample(type(spec), **spec.constants)
    file = tmp_path / f"trace{ending}"
    save_trace(file, found)
    stored = load_trace(file)
    if ending == ".json":
        assert stored.found == found
    cls = stored.spec_class()
    assert cls is type(spec)
    again = cls(**stored.constants(cls, {}))
    assert again.constants == spec.constants
    answer = replay(again.program, stored.found)
    assert answer.identical
    assert answer.trace == found.trace
    assert answer.found == found


def test_a_goal_and_a_bare_trace_come_back(tmp_path: Path) -> None:
    goal = next(d for d in check(TwoPhase()).discoveries if d.kind == "goal")
    for found in (goal, goal.trace):
        save_trace(tmp_path / "t.json", found, TwoPhase)
        stored = load_trace(tmp_path / "t.json")
        assert stored.trace == goal.trace
        assert replay(TwoPhase().program, stored.found).identical
    assert stored.found.kind == "trace"


def test_constants_that_no_file_can_hold_are_asked_for(tmp_path: Path) -> None:
    spec, found = delivered(1)
    odd = Discovery(
        found.kind, found.property, found.params,
        type(found.trace)("Courier", {"load": (1,), "note": print}, found.trace.states, found.trace.steps),
    )  # fmt: skip
    save_trace(tmp_path / "t.json", odd, spec)
    stored = load_trace(tmp_path / "t.json")
    assert isinstance(stored.trace.constants["note"], Unwritable)
    with pytest.raises(ConfigError, match="note"):
        stored.constants(Courier, {})
    assert stored.constants(Courier, {"note": "x"}) == {"load": (1,), "note": "x"}


def test_a_trace_can_be_read_without_its_spec(tmp_path: Path) -> None:
    spec, found = delivered(Point(1, frozenset({2})))
    data = stored_data(stored_of(found, spec))
    text = json.dumps(data).replace("tests.traces.material", "gone.away").replace("tests/traces", "gone")
    (tmp_path / "t.json").write_text(text)
    stored = load_trace(tmp_path / "t.json")
    bag: Any = stored.trace.states[1].bag
    assert (type(bag).__name__, bag.x, bag.y) == ("Point", 1, frozenset({2}))
    with pytest.raises(SpecLoadError, match="not there"):
        stored.spec_class()
    # Stand-ins are good enough to replay on the spec, once it is named.
    assert replay(spec.program, stored.found).identical


def test_a_spec_is_found_from_a_folder_below(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "light.py").write_text(LIGHT)
    monkeypatch.chdir(tmp_path)
    from modelcheck.loading import load as load_spec

    cls = load_spec("light.py")
    (tmp_path / "below").mkdir()
    save_trace(tmp_path / "below" / "t.json", check(cls()).violations[0], cls)
    assert json.loads((tmp_path / "below" / "t.json").read_text())["spec"]["target"] == "light.py:Light"
    monkeypatch.chdir(tmp_path / "below")
    assert load_trace("t.json").spec_class().__name__ == "Light"


LIGHT = """
from modelcheck import *

class Light(Spec):
    on = var(False)

    @action
    def press(self, s, n):
        n.on = not s.on

    @invariant
    def dark(self, s):
        return not s.on
"""


def _broken(**changes: object) -> dict[str, Any]:
    spec, found = delivered(1)
    return {**stored_data(stored_of(found, spec)), **changes}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([], "no trace"),
        ({}, "its format is None"),
        ({"format": "other"}, "'other'"),
        (_broken(version=0), "version 0"),
        (_broken(version="2"), "version '2'"),
        (_broken(states=[]), "0 states"),
        (_broken(steps=[]), "0 steps"),
        (_broken(states=[{"bag": {"#odd": 1}}]), "#odd"),
        (_broken(states=[{"bag": {"#bigint": "x"}}]), "bigint"),
        (_broken(states=[{"bag": {"#set": [{"#map": 3}]}}]), "#map"),
        (_broken(states=[{"bag": {"#bag": [[1, 10**12]]}}]), "bag"),
        (_broken(states=[{"a": 1}, {"b": 1}], steps=_broken()["steps"][:2]), "same variables"),
        (_broken(states=[{"a": json.loads("[" * 900 + "]" * 900)}], steps=_broken()["steps"][:1]), "broken"),
        (_broken(states=7), "broken"),
        (_broken(steps=[{"action": "init"}]), "missing"),
        (_broken(constants=None), "object"),
        (_broken(found=3), "broken"),
        (_broken(spec=None), "broken"),
        (_broken(spec={"name": "a", "target": 1, "module": None}), "target"),
        (_broken(loop=99), "loop"),
        ({"vars": [1], "states": [{}]}, "ITF"),
        ({"vars": ["x"], "states": []}, "no states"),
        ({"vars": ["x"], "states": [{"x": 1.5}]}, "1.5"),
        ({"vars": ["x"], "states": [{}]}, "missing"),
        ({"vars": ["x"], "states": [{"x": {"#set": [], "y": 1}}]}, "ITF"),
        ({"vars": ["x"], "states": [{"x": 1}], "loop": -1}, "loop"),
    ],
)
def test_broken_files_say_what_is_wrong(data: object, message: str, tmp_path: Path) -> None:
    file = tmp_path / "t.json"
    file.write_text(json.dumps(data))
    with pytest.raises(ConfigError, match=message) as raised:
        load_trace(file)
    assert str(file) in str(raised.value)


def test_files_that_are_no_json(tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_text("{")
    (tmp_path / "bytes.json").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "deep.json").write_text("[" * 100_000)
    for name in ("bad.json", "bytes.json", "deep.json", "missing.json", "."):
        with pytest.raises(ConfigError):
            load_trace(tmp_path / name)


@pytest.mark.parametrize("tag", ["os:system", "builtins:exec", "subprocess:Popen", "json:JSONDecoder"])
def test_a_file_cannot_make_objects_of_other_classes(tag: str) -> None:
    made = load({"#class": tag, "args": "true"})
    assert type(made).__mro__[1] is object and type(made).__module__ != tag.partition(":")[0]
    with pytest.raises(BrokenValue):
        load({"#class": tag, "not a name": 1})
