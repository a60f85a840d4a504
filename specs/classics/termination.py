"""Termination detection in a ring (Dijkstra, Feijen and van Gasteren, EWD840).

Active nodes wake others up by messages, which arrive at once. Has everything come to rest? Node 0
sends a token around the ring, against the numbering, which idle nodes pass on. A node that has sent
a message to a higher number, where the token has already been, is black; it blackens the token, and
a black token that comes home is sent around once more. A white one means: all is quiet.

With `blacken` off that rule is gone, and node 0 believes that all is quiet while somebody works:
the token passes an idle node, which is then woken up behind its back.

The counts in `models.toml` are our own: they begin with all nodes active and white.
"""

from typing import Self

from modelcheck import (
    Spec,
    Subset,
    action,
    assume,
    const,
    goal,
    invariant,
    require,
    subset,
    terminal,
    var,
)


class Termination(Spec):
    """A token in a ring detects that all nodes are idle."""

    nodes = const(5)
    blacken = const(True)

    active: Subset[int] = subset("ring", lambda self: self.ring)
    black: Subset[int] = subset("ring")
    token = var(0)  # where it is
    token_is_black = var(True)

    @assume
    def there_is_a_ring(self) -> bool:
        return self.nodes >= 2

    @property
    def ring(self) -> range:
        return range(self.nodes)

    @action(i="ring", j="ring")
    def wake(self, s: Self, n: Self, i: int, j: int) -> None:
        require(i != j and i in s.active, "i is active and writes to somebody else")
        n.active.add(j)
        if self.blacken and j > i:
            n.black.add(i)

    @action(i="ring")
    def rest(self, s: Self, n: Self, i: int) -> None:
        require(i in s.active, "i is active")
        n.active.discard(i)

    @action
    def start_round(self, s: Self, n: Self) -> None:
        require(s.token == 0, "the token is home")
        require(s.token_is_black or 0 in s.black, "the last round was not good enough")
        n.token, n.token_is_black = self.nodes - 1, False
        n.black.discard(0)

    @action
    def pass_on(self, s: Self, n: Self) -> None:
        i = s.token
        require(i != 0, "the token is on its way")
        # A round that has failed already may as well hurry home.
        require(s.token_is_black or i in s.black or i not in s.active, "its holder is idle")
        n.token, n.token_is_black = i - 1, s.token_is_black or i in s.black
        n.black.discard(i)

    def detected(self, s: Self) -> bool:
        """What node 0 sees, and takes for termination."""
        home_and_white = s.token == 0 and not s.token_is_black
        return home_and_white and 0 not in s.black and 0 not in s.active

    @invariant
    def detected_means_terminated(self, s: Self) -> bool:
        return not self.detected(s) or not any(i in s.active for i in self.ring)

    @goal
    def termination_is_detected(self, s: Self) -> bool:
        return self.detected(s)

    @terminal
    def knows_it(self, s: Self) -> bool:
        return self.detected(s)
