"""What matters for a violation is what it depends on, and the rest is left out."""

from __future__ import annotations

from typing import Self

from modelcheck import Per, Spec, Var, action, check, const, invariant, per, require, var
from specs.classics.two_phase import TwoPhase
from specs.toys.philosophers import Philosophers
from specs.zookeeper.episodes import Episodes
from tests.traces.material import counterexample
from traces.slice import slice_of


class Chain(Spec):
    """What `a` gets comes from `b`; `noise` goes on at the same time and `idle` never changes."""

    keys = const(("x", "y", "z"))
    a: Per[str, int] = per("keys", 0)
    b = var(0)
    noise = var(0)
    idle = var(7)
    gate: Var[bool] = var(False)

    @action
    def fill(self, s: Self, n: Self) -> None:
        require(s.b == 0 and s.idle == 7, "b is empty")
        n.b = 1
        n.noise = s.noise + 1

    @action
    def open(self, s: Self, n: Self) -> None:
        require(not s.gate, "it is shut")
        n.gate = True

    @action(k="keys")
    def copy(self, s: Self, n: Self, k: str) -> None:
        require(s.gate, "it is open")
        n.a[k] = s.b

    @invariant(k="keys")
    def stays_zero(self, s: Self, k: str) -> bool:
        return k != "y" or s.a[k] == 0


def test_only_what_the_violation_depends_on_is_kept() -> None:
    spec = Chain()
    found = check(spec).violations[0]
    kept = slice_of(spec.program, found)
    assert kept.variables == {"a", "b", "gate"}
    assert kept.keys["a"] == {"y"}
    assert kept.matters("a", "y") and not kept.matters("a", "x")
    assert kept.matters("b") and not kept.matters("noise") and not kept.matters("idle")
    assert "idle" in kept.slots[0]  # it was read, but there is nothing to see
    assert kept.steps == (True,) * len(found.trace)
    assert kept.slots[-1] == {"a[y]"}


def test_steps_that_do_not_matter_are_told() -> None:
    spec = Chain()
    run = spec.run().fill().open().copy("x").copy("y")
    kept = slice_of(spec.program, type(check(spec).violations[0])("invariant", "stays_zero", {"k": "y"}, run.trace))
    assert kept.steps == (True, True, True, False, True)


def test_a_deadlock_depends_on_all_guards() -> None:
    spec = Philosophers(count=3)
    kept = slice_of(spec.program, check(spec).violations[0])
    assert kept.keys["stage"] == {0, 1, 2}


def test_two_phase_needs_only_the_managers_that_disagree() -> None:
    spec = TwoPhase(impatient=True)
    found = check(spec).violations[0]
    kept = slice_of(spec.program, found)
    assert kept.keys["rm"] == {1, 2}
    assert kept.matters("sent")
    assert not kept.matters("decision")  # nobody asks for it after it was sent


def test_the_zookeeper_study_hides_what_nobody_asked_for() -> None:
    spec = Episodes()
    kept = slice_of(spec.program, counterexample(Episodes))
    assert kept.matters("tree") and kept.matters("files")
    assert not kept.matters("marker") and not kept.matters("discarded")
