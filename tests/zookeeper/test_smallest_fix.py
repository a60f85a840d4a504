"""The search for the smallest sets of fixes gives what trying them all gives."""

from __future__ import annotations

import pytest

from modelcheck import Verdict, check
from specs.zookeeper.smallest_fix import Bounds, smallest, steps_of, still_violates, useful

HOLE = Bounds("3.8", 4, 2, power_loss=False, giving_up=False, stray_writes=False, seconds=600)


def test_single_fixes_that_survive_are_those_that_hold() -> None:
    """Most are refuted by a counterexample of another one, without any search."""
    holding = {(fix,) for fix in useful(HOLE.era) if check(HOLE.spec((fix,))).verdict is Verdict.HOLDS}
    assert {fixes for fixes, _ in smallest(HOLE, most=1)} == holding
    assert ("wipe-on-snap",) in holding and ("exact-trunc",) not in holding


def test_no_set_holds_a_smaller_one() -> None:
    found = [set(fixes) for fixes, _ in smallest(HOLE._replace(epochs=3), most=2)]
    assert not any(a < b for a in found for b in found)


@pytest.mark.parametrize(("fixes", "violates"), [(("exact-trunc",), True), (("wipe-on-snap",), False)])
def test_a_known_counterexample_is_played_on_another_set(fixes: tuple[str, ...], violates: bool) -> None:
    steps = steps_of(check(HOLE.spec(())))
    assert still_violates(HOLE.spec(fixes), steps) is violates


def test_fixes_that_change_nothing_are_not_tried() -> None:
    assert "gap-check" not in useful("3.8") and "gap-check" in useful("3.5")
    assert "no-disk-sync" not in useful("3.4.11")
