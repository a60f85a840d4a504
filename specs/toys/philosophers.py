"""Dining philosophers: everybody takes one fork, nobody gets a second one.

Between two neighbours lies one fork, and eating takes two. If all take the fork on their left
first, all can end up holding one and waiting for ever: a deadlock after 1 + philosophers states,
which the checker looks for without being asked. `fix` chooses a way out:

* "ordered": the last one takes the right fork first, so there is no circle of waiting;
* "waiter": a waiter lets all but one hold forks at a time.

Nothing here stops for a good reason, so the spec has no @terminal state. The counts in
`models.toml` are our own.
"""

from typing import Literal, Self

from modelcheck import (
    Per,
    Spec,
    Subset,
    action,
    assume,
    const,
    goal,
    invariant,
    per,
    require,
    subset,
)

Stage = Literal["thinking", "hungry", "eating"]


class Philosophers(Spec):
    """Philosophers share forks with their neighbours."""

    count = const(5)
    fix = const("none", check=lambda fix: fix in ("none", "ordered", "waiter"))

    stage: Per[int, Stage] = per("seats", "thinking")
    table: Subset[int] = subset("seats", lambda self: self.seats)  # the forks that lie there

    @assume
    def there_is_company(self) -> bool:
        return self.count >= 2

    @property
    def seats(self) -> range:
        return range(self.count)

    def forks(self, i: int) -> tuple[int, int]:
        """The forks of a philosopher in the order of taking: fork i lies to the left of seat i."""
        left, right = i, (i + 1) % self.count
        return (right, left) if self.fix == "ordered" and right == 0 else (left, right)

    @action(i="seats")
    def take_first(self, s: Self, n: Self, i: int) -> None:
        first, _ = self.forks(i)
        require(s.stage[i] == "thinking", "i is thinking")
        require(first in s.table, "the first fork is on the table")
        if self.fix == "waiter":
            others = sum(s.stage[j] != "thinking" for j in self.seats)
            require(others < self.count - 1, "the waiter allows it")
        n.stage[i] = "hungry"
        n.table.discard(first)

    @action(i="seats")
    def take_second(self, s: Self, n: Self, i: int) -> None:
        _, second = self.forks(i)
        require(s.stage[i] == "hungry", "i holds one fork")
        require(second in s.table, "the second fork is on the table")
        n.stage[i] = "eating"
        n.table.discard(second)

    @action(i="seats")
    def put_back(self, s: Self, n: Self, i: int) -> None:
        require(s.stage[i] == "eating", "i is eating")
        n.stage[i] = "thinking"
        for fork in self.forks(i):
            n.table.add(fork)

    @invariant(i="seats")
    def neighbours_never_eat_together(self, s: Self, i: int) -> bool:
        return s.stage[i] != "eating" or s.stage[(i + 1) % self.count] != "eating"

    @goal
    def somebody_eats(self, s: Self) -> bool:
        return any(s.stage[i] == "eating" for i in self.seats)
