"""What Spark forks its Python workers from, in local mode: everything is loaded before the first fork."""

from __future__ import annotations

from modelcheck import Spec, action, const, constraint, invariant, var

__all__ = ["warm_up"]


class _Warmth(Spec):
    """A few states that use every kernel."""

    size = const(3)
    count = var(0)
    other = var(0)

    @action
    def tick(self, s, n):  # type: ignore[no-untyped-def]
        n.count = (s.count + 1) % (self.size + 5)

    @action
    def blind(self, s, n):  # type: ignore[no-untyped-def]
        n.other = 1

    @invariant
    def small(self, s):  # type: ignore[no-untyped-def]
        return s.count < 100

    @invariant
    def steady(self, s, n):  # type: ignore[no-untyped-def]
        return n.count < 100

    @constraint
    def within(self, s):  # type: ignore[no-untyped-def]
        return s.count < 90


def warm_up() -> None:
    """Load the kernels by exploring a toy with them."""
    from .driver import Driver, initial_level
    from .expander import expander_for
    from .partition import Stage
    from .recipe import recipe_for

    recipe = recipe_for(_Warmth().program, deadlock=True)
    driver = Driver()
    level = 1
    initial_level(expander_for(recipe), Stage(recipe, 0, frozenset(), 1), driver)
    while driver.frontier and level < 12:
        driver.level(Stage(recipe, level, frozenset(), 1))
        level += 1


if __name__ == "__main__":
    from pyspark.daemon import manager

    warm_up()
    manager()
