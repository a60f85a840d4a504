"""The text of a small spec on which the command line is tried."""

SPEC = """
from modelcheck import Spec, action, assume, const, goal, invariant, per, require, var

class Ticker(Spec):
    '''A counter that wraps around.'''

    limit = const(3)
    bad = const(99)
    stuck = const(False)
    names = const(("a", "b"))
    count = var(0)
    seen = per("names", 0)

    @assume
    def limit_is_positive(self):
        return self.limit > 0

    @action
    def tick(self, s, n):
        require(s.count < self.limit, "below the limit")
        n.count = s.count + 1

    @action(i="names")
    def look(self, s, n, i):
        require(s.count > s.seen[i], "something new")
        n.seen[i] = s.count

    @action
    def reset(self, s, n):
        require(s.count == self.limit and not self.stuck, "at the limit")
        n.count = 0
        n.seen = {i: 0 for i in self.names}

    @invariant
    def never_bad(self, s):
        return s.count != self.bad

    @goal
    def gets_to_three(self, s):
        return s.count == 3
"""
