"""Paxos for one decision: acceptors agree on a value although messages get lost and leaders vie.

Each ballot has its own leader. Phase 1: the leader asks for promises; an acceptor promises to
ignore lower ballots and tells what it last accepted. Phase 2: with promises of a majority the
leader proposes the value accepted in the highest ballot among them, or any value if there is none;
an acceptor accepts unless it has promised otherwise. What a majority has accepted is chosen.

Messages are never taken away, so loss, delay and repetition need no actions of their own. They are
spread over small slots: what a ballot can send at most once is one slot for that ballot.

With `careless` a leader proposes any value it likes, and two values can be chosen: 13 states.

The counts in `models.toml` are our own: with two ballots the plain search agrees on them.
"""

from itertools import combinations, product
from typing import Self

from modelcheck import (
    Per,
    Spec,
    Subset,
    action,
    const,
    goal,
    invariant,
    per,
    require,
    subset,
    terminal,
)

Accepted = tuple[int, str]  # ballot and value; (0, "") stands for nothing yet
Post = tuple[str, int]  # an acceptor and a ballot


class Paxos(Spec):
    """Acceptors choose at most one value."""

    acceptors = const(("a1", "a2", "a3"))
    values = const(("x", "y"))
    ballots = const(3)  # how many
    careless = const(False)

    # What each acceptor remembers
    highest: Per[str, int] = per("acceptors", 0)  # no ballot below it is served any more
    accepted: Per[str, Accepted] = per("acceptors", (0, ""))
    # What has been sent
    asked: Subset[int] = subset("numbers")  # 1a: the ballots that were started
    promise: Per[Post, Accepted | None] = per("posts", None)  # 1b
    proposal: Per[int, str] = per("numbers", "")  # 2a
    votes: Subset[Post] = subset("posts")  # 2b: the value is that of the proposal

    @property
    def numbers(self) -> range:
        return range(1, self.ballots + 1)

    @property
    def posts(self) -> list[Post]:
        return list(product(self.acceptors, self.numbers))

    @property
    def quorums(self) -> list[tuple[str, ...]]:
        return list(combinations(self.acceptors, len(self.acceptors) // 2 + 1))

    @action(b="numbers")
    def open_ballot(self, s: Self, n: Self, b: int) -> None:
        require(b not in s.asked, "the ballot has not been started")
        n.asked.add(b)

    @action(a="acceptors", b="numbers")
    def make_promise(self, s: Self, n: Self, a: str, b: int) -> None:
        require(b in s.asked, "the ballot has been started")
        require(b > s.highest[a], "a has not promised to ignore it")
        n.highest[a] = b
        n.promise[a, b] = s.accepted[a]

    @action(b="numbers", v="values", q="quorums")
    def propose(self, s: Self, n: Self, b: int, v: str, q: tuple[str, ...]) -> None:
        require(s.proposal[b] == "", "nothing was proposed in this ballot")
        promises = [p for a in q if (p := s.promise[a, b]) is not None]
        require(len(promises) == len(q), "everybody in the quorum has promised")
        _, value = max(promises)
        require(value in ("", v) or self.careless, "no other value may have been chosen")
        n.proposal[b] = v

    @action(a="acceptors", b="numbers")
    def accept(self, s: Self, n: Self, a: str, b: int) -> None:
        value = s.proposal[b]
        require(value != "", "a value was proposed")
        require((a, b) not in s.votes, "a has not voted yet")
        require(b >= s.highest[a], "a has not promised to ignore it")
        n.highest[a] = b
        n.accepted[a] = b, value
        n.votes.add((a, b))

    def chosen(self, s: Self, b: int) -> str:
        """The value that a majority has accepted in a ballot, or nothing."""
        value = s.proposal[b]
        votes = sum((a, b) in s.votes for a in self.acceptors) if value else 0
        return value if 2 * votes > len(self.acceptors) else ""

    @invariant(b="numbers", c="numbers")
    def one_value_is_chosen(self, s: Self, b: int, c: int) -> bool:
        first = self.chosen(s, b) if b < c else ""
        return first == "" or self.chosen(s, c) in ("", first)

    @invariant(a="acceptors")
    def memory_is_in_order(self, s: Self, a: str) -> bool:
        return s.accepted[a][0] <= s.highest[a]

    @goal
    def chosen_in_two_ballots(self, s: Self) -> bool:
        return sum(self.chosen(s, b) != "" for b in self.numbers) > 1

    @terminal
    def no_ballot_is_left(self, s: Self) -> bool:
        return all(b in s.asked for b in self.numbers)
