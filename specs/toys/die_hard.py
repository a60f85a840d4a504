"""Die hard: two jugs, a fountain, and a bomb that wants exactly four gallons.

The smallest complete spec. The trick is to claim the opposite of what is wanted: "the big jug never
holds four gallons". The shortest counterexample is the solution of the puzzle: 7 states, 6 steps.

All six actions are always possible, also where they change nothing, so that the counts are TLC's:
16 distinct states, and 1 + 16 * 6 = 97 generated ones, when no state breaks the invariant
(a target that cannot be reached shows them: `--set target=6`).
"""

from typing import Self

from modelcheck import Spec, action, assume, const, goal, invariant, var


class DieHard(Spec):
    """Measure four gallons with a jug of three and a jug of five."""

    small_size = const(3)
    big_size = const(5)
    target = const(4)

    small = var(0)
    big = var(0)

    @assume
    def the_big_jug_is_bigger(self) -> bool:
        return 0 < self.small_size < self.big_size

    @action
    def fill_small(self, s: Self, n: Self) -> None:
        n.small = self.small_size

    @action
    def fill_big(self, s: Self, n: Self) -> None:
        n.big = self.big_size

    @action
    def empty_small(self, s: Self, n: Self) -> None:
        n.small = 0

    @action
    def empty_big(self, s: Self, n: Self) -> None:
        n.big = 0

    @action
    def small_to_big(self, s: Self, n: Self) -> None:
        poured = min(s.small, self.big_size - s.big)
        n.small, n.big = s.small - poured, s.big + poured

    @action
    def big_to_small(self, s: Self, n: Self) -> None:
        poured = min(s.big, self.small_size - s.small)
        n.small, n.big = s.small + poured, s.big - poured

    @invariant
    def big_is_never_on_target(self, s: Self) -> bool:
        return s.big != self.target

    @invariant
    def no_jug_overflows(self, s: Self) -> bool:
        return 0 <= s.small <= self.small_size and 0 <= s.big <= self.big_size

    @goal
    def both_are_full(self, s: Self) -> bool:
        return s.small == self.small_size and s.big == self.big_size
