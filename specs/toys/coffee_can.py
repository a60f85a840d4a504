"""The coffee can: take two beans out, put one in, until one is left.

Two beans of one colour are replaced by a black one, a pair of different colours by a white one.
Each step leaves one bean less, and never changes whether the number of white beans is odd: that
alone decides the colour of the last bean, and here it is a step invariant.

Every can of 1 to `max_beans` beans is an initial state and no other one can be reached, so the
depth is 1. With 1000 beans there are 501,500 states; TLC generates 2,000,002: the initial ones,
all draws, and the two steps of `finished`, which changes nothing.
"""

from typing import Self

from modelcheck import Spec, action, const, goal, init, invariant, require, var


class CoffeeCan(Spec):
    """Draw beans from a can until one is left."""

    max_beans = const(1000)

    black = var(0)
    white = var(0)

    @init(
        black=lambda self: range(self.max_beans + 1),
        white=lambda self, black: range(black == 0, self.max_beans - black + 1),
    )
    def fill(self, n: Self, black: int, white: int) -> None:
        n.black, n.white = black, white

    @action
    def two_black(self, s: Self, n: Self) -> None:
        require(s.black >= 2, "two black beans are in the can")
        n.black = s.black - 1

    @action
    def two_white(self, s: Self, n: Self) -> None:
        require(s.white >= 2, "two white beans are in the can")
        n.black, n.white = s.black + 1, s.white - 2

    @action
    def one_of_each(self, s: Self, n: Self) -> None:
        require(s.black >= 1 and s.white >= 1, "a bean of each colour is in the can")
        n.black = s.black - 1

    @action
    def finished(self, s: Self, n: Self) -> None:
        require(s.black <= 1 and s.black + s.white == 1, "one bean is left")

    @invariant
    def never_empty(self, s: Self) -> bool:
        return s.black > 0 or s.white > 0

    @invariant
    def white_stays_odd_or_even(self, s: Self, n: Self) -> bool:
        return n.white % 2 == s.white % 2

    @goal
    def the_last_is_white(self, s: Self) -> bool:
        return s.black == 0 and s.white == 1
