"""Missionaries and cannibals: everybody wants to cross the river, and the boat carries two.

Where cannibals outnumber missionaries on a bank, the missionaries there are eaten, so no step may
lead to such a bank. The invariant claims that they never all get across; its shortest
counterexample is the well-known solution: 11 crossings, a trace of 12 states.

With four couples and the same boat nobody finds a way, because there is none: the invariant holds.
With five and a boat for three there is one again, of 11 crossings.
"""

from typing import Self

from modelcheck import Spec, Var, action, const, goal, invariant, require, var


class Missionaries(Spec):
    """Missionaries and cannibals cross a river."""

    couples = const(3)
    seats = const(2)

    # Who is still on the near bank; the others have crossed.
    missionaries: Var[int] = var(lambda self: self.couples)
    cannibals: Var[int] = var(lambda self: self.couples)
    boat_is_near = var(True)

    @property
    def crews(self) -> list[tuple[int, int]]:
        """Who may sit in the boat: (missionaries, cannibals)."""
        most = range(self.seats + 1)
        return [(m, c) for m in most for c in most if 1 <= m + c <= self.seats]

    @action(crew="crews")
    def cross(self, s: Self, n: Self, crew: tuple[int, int]) -> None:
        direction = -1 if s.boat_is_near else 1
        missionaries = s.missionaries + direction * crew[0]
        cannibals = s.cannibals + direction * crew[1]
        require(0 <= missionaries <= self.couples, "so many missionaries are on this bank")
        require(0 <= cannibals <= self.couples, "so many cannibals are on this bank")
        require(self.is_safe(missionaries, cannibals), "nobody is eaten")
        n.missionaries, n.cannibals = missionaries, cannibals
        n.boat_is_near = not s.boat_is_near

    def is_safe(self, missionaries: int, cannibals: int) -> bool:
        """Whether both banks are safe, given who is on the near one."""
        near = missionaries, cannibals
        far = self.couples - missionaries, self.couples - cannibals
        return all(m == 0 or m >= c for m, c in (near, far))

    @invariant
    def not_all_across(self, s: Self) -> bool:
        return s.missionaries > 0 or s.cannibals > 0

    @goal
    def somebody_is_across(self, s: Self) -> bool:
        return s.missionaries + s.cannibals < 2 * self.couples
