"""A spec whose actions read the whole state, so that what the engine learns is used once."""

from typing import Self

from modelcheck import Per, Spec, action, const, invariant, per


class ReadingHeavy(Spec):
    """Every cell follows the sum of all cells: no step can be reused in another state.

    Of the 4 ** 7 states 16,368 are reachable, and every action has to be evaluated in each. This is
    the worst case for an engine that learns transitions from the slots that an action has read.
    """

    cells = const(7)
    width = const(4)
    value: Per[int, int] = per("positions", 0)

    @property
    def positions(self) -> range:
        return range(self.cells)

    def total(self, s: Self) -> int:
        return sum((i + 1) * s.value[i] for i in self.positions)

    @action(i="positions")
    def follow(self, s: Self, n: Self, i: int) -> None:
        n.value[i] = (s.value[i] + 1 + self.total(s) % (self.width - 1)) % self.width

    @invariant
    def all_in_range(self, s: Self) -> bool:
        return all(0 <= s.value[i] < self.width for i in self.positions)
