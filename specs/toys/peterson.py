"""Peterson's algorithm: mutual exclusion of two processes with plain reads and writes.

A process raises its flag, gives the turn to the other one, and waits until the other has no flag up
or has given the turn back. Each of these is a step of its own, so every interleaving is explored.

The order of the first two matters. With `turn_first` a process gives the turn away before it raises
its flag, which looks just as polite, and both get in: the counterexample of 7 states shows how.
"""

from typing import Literal, Self

from modelcheck import Per, Spec, Subset, action, const, goal, invariant, per, require, subset, var

Place = Literal["outside", "announced", "waiting", "inside"]


class Peterson(Spec):
    """Two processes take turns without a lock."""

    turn_first = const(False)

    place: Per[int, Place] = per((0, 1), "outside")
    flags: Subset[int] = subset((0, 1))
    turn = var(0)

    @action(i=(0, 1))
    def raise_flag(self, s: Self, n: Self, i: int) -> None:
        before, after = self.flag_step
        require(s.place[i] == before, "i is about to raise its flag")
        n.place[i] = after
        n.flags.add(i)

    @action(i=(0, 1))
    def give_turn(self, s: Self, n: Self, i: int) -> None:
        before, after = self.turn_step
        require(s.place[i] == before, "i is about to give the turn away")
        n.place[i] = after
        n.turn = 1 - i

    @action(i=(0, 1))
    def enter(self, s: Self, n: Self, i: int) -> None:
        require(s.place[i] == "waiting", "i is waiting")
        require(1 - i not in s.flags or s.turn == i, "the other has no flag up, or it is i's turn")
        n.place[i] = "inside"

    @action(i=(0, 1))
    def leave(self, s: Self, n: Self, i: int) -> None:
        require(s.place[i] == "inside", "i is inside")
        n.place[i] = "outside"
        n.flags.discard(i)

    @property
    def flag_step(self) -> tuple[Place, Place]:
        return ("announced", "waiting") if self.turn_first else ("outside", "announced")

    @property
    def turn_step(self) -> tuple[Place, Place]:
        return ("outside", "announced") if self.turn_first else ("announced", "waiting")

    @invariant
    def never_both_inside(self, s: Self) -> bool:
        return s.place[0] != "inside" or s.place[1] != "inside"

    @goal
    def one_waits_while_the_other_is_inside(self, s: Self) -> bool:
        return s.place[0] == "waiting" and s.place[1] == "inside"
