"""Side by side: where the counterexample of one variant stops being possible under another."""

from __future__ import annotations

import json

from modelcheck import check
from specs.toys.peterson import Peterson
from specs.toys.philosophers import Philosophers
from traces.compare import compare, comparison_data, render_comparison


def test_the_step_and_the_guard_are_named() -> None:
    a, b = Philosophers(), Philosophers(fix="ordered")
    comparison = compare(check(a), check(b), b)
    text = render_comparison(comparison)
    assert "a: Philosophers(fix='none'): DEADLOCK" in text
    assert "b: Philosophers(fix='ordered'): HOLDS" in text
    assert "guard: the first fork is on the table" in text
    data = json.loads(json.dumps(comparison_data(comparison)))
    assert data["walk"]["parts_at"] == 6
    assert data["differing"] == ["fix"]
    assert data["b"]["verdict"] == "holds"
    assert len(data["trace_under_b"]["states"]) == 5


def test_without_a_counterexample_there_is_nothing_to_walk() -> None:
    a, b = Peterson(), Peterson(turn_first=True)
    comparison = compare(check(a), check(b), b)
    assert comparison.walk is None
    assert "nothing to walk" in render_comparison(comparison)
    assert comparison_data(comparison)["walk"] is None
