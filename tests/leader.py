"""A small spec with a bit of everything, and how its variations fail: shared by the tests of the language."""

from __future__ import annotations

from typing import Any

from pyrsistent import pvector

from modelcheck import (
    Spec,
    Verdict,
    action,
    channel,
    check,
    const,
    invariant,
    per,
    require,
    subset,
    terminal,
    var,
)

__all__ = ["Leader", "failing"]


class Leader(Spec):
    """A small spec with a bit of everything."""

    servers = const(("s1", "s2"))
    most = const(2, check=lambda value: value > 0)
    epoch = var(0)
    leader = var(None)
    log = per("servers", pvector())
    votes = subset("servers")
    net = channel("servers", "servers")
    bag = channel("servers", kind="bag")
    wire = channel(kind="set")

    @action(i="servers")
    def elect(self, s, n, i):
        require(s.leader is None, "nobody leads")
        require(s.epoch < self.most, "an epoch is left")
        n.leader, n.epoch = i, s.epoch + 1

    @action(i="servers")
    def append(self, s, n, i):
        require(s.leader == i, "i leads")
        require(len(s.log[i]) < 2)
        n.log[i] = s.log[i].append(s.epoch)

    @action
    def crash(self, s, n):
        require(s.leader is not None, "somebody leads")
        n.leader = None

    @terminal
    def out_of_epochs(self, s):
        return s.epoch == self.most

    @invariant(i="servers")
    def short(self, s, i):
        return len(s.log[i]) <= 2

    @invariant
    def epochs_grow(self, s, n):
        return n.epoch >= s.epoch


def failing(body: Any, **members: Any) -> str:
    """How the error reads that an action with this body gives, in both engines."""
    spec = type("Failing", (Leader,), {"elect": None, "append": None, "crash": None, "fail": action(body), **members})
    texts = []
    for engine in ("oracle", "local"):
        result = check(spec(), engine=engine)
        assert result.verdict is Verdict.ERROR, result
        texts.append(result.violations[0].explanation)
        assert result.violations[0].property == "fail"
    assert texts[0] == texts[1]
    return texts[0]
