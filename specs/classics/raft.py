"""Raft: elect a leader, replicate its log, and never lose what was committed.

An entry of a log is only the term in which it was appended: with one leader a term, term and place
say which entry it is. Some decisions keep the model small:

* at most `capacity` messages are under way from one server to another; any of them may be lost, and
  with two or more they may overtake each other;
* a leader may send entries from any place on, so how it finds the right one need not be modelled;
* a server that learns of a newer term first becomes a follower in it, and deals with the message
  in a later step.

The four invariants are those of the Raft paper (Ongaro and Ousterhout, 2014), told by the same
predicates as those of the ZooKeeper study. `bug` leaves out one rule of the protocol, and one of
them fails:

* "votes_twice": a server forgets whom it has voted for;
* "any_log": a server votes for candidates that lack entries of its own log;
* "old_terms": a leader commits entries of earlier terms by counting copies (figure 8 in the paper;
  it needs four terms, so it takes a while).

The counts in `models.toml` are our own: with one term the plain search agrees on them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self, TypeVar

from pyrsistent import PVector, pvector

import invariants as must
from modelcheck import (
    Channel,
    Per,
    Spec,
    Subset,
    action,
    channel,
    const,
    goal,
    invariant,
    per,
    require,
    subset,
    terminal,
)

Role = Literal["follower", "candidate", "leader"]
Pair = tuple[str, str]
Log = PVector[int]
Entry = tuple[int, int]  # its place, from 1 on, and its term: a position as in `invariants`


@dataclass(frozen=True)
class Ask:
    """A candidate asks for a vote, and says how its log ends."""

    term: int
    end: tuple[int, int]


@dataclass(frozen=True)
class Vote:
    """The answer, if it is yes."""

    term: int


@dataclass(frozen=True)
class Append:
    """A leader's entries after the first ``after`` ones, the last of which is of term ``fits``."""

    term: int
    after: int
    fits: int
    entries: Log
    committed: int


@dataclass(frozen=True)
class Stored:
    """The answer, if they fitted: so many entries are the same as the leader's."""

    term: int
    length: int


Message = Ask | Vote | Append | Stored
M = TypeVar("M", bound=Message)


def arriving(kind: type[M]) -> Callable[[Any, str, str], list[M]]:
    """A domain: the messages of one kind that are under way from j to i."""
    return lambda s, i, j: [m for m in s.net[j, i] if isinstance(m, kind)]


class Raft(Spec):
    """Servers agree on a log by electing a leader."""

    servers = const(("s1", "s2", "s3"))
    max_term = const(2)
    max_length = const(1)
    capacity = const(1)
    bug = const("none", check=lambda bug: bug in ("none", "votes_twice", "any_log", "old_terms"))

    role: Per[str, Role] = per("servers", "follower")
    term: Per[str, int] = per("servers", 0)
    voted_for: Per[str, str | None] = per("servers", None)
    votes: Subset[Pair] = subset("pairs")  # for a candidate, by a voter
    log: Per[str, Log] = per("servers", pvector())
    committed: Per[str, int] = per("servers", 0)  # how many entries
    stored: Per[Pair, int] = per("pairs", 0)  # how many the leader knows to be on a follower
    net: Channel[Pair, Message] = channel("servers", "servers", kind="set")

    @property
    def pairs(self) -> list[Pair]:
        return [(i, j) for i in self.servers for j in self.servers]

    @property
    def lengths(self) -> range:
        return range(self.max_length + 1)

    def others(self, i: str) -> list[str]:
        return [j for j in self.servers if j != i]

    def is_majority(self, count: int) -> bool:
        return 2 * count > len(self.servers)

    def send(self, n: Self, i: str, j: str, message: Message) -> None:
        require(len(n.net[i, j]) < self.capacity, "there is room on the channel")
        n.net.send(i, j, message)

    def forget(self, n: Self, i: str) -> None:
        """Drop what i has counted as a candidate or as a leader."""
        for j in self.others(i):
            n.votes.discard((i, j))
            n.stored[i, j] = 0

    @action(i="servers", j="servers", m=lambda s, i, j: s.net[j, i])
    def lose(self, s: Self, n: Self, i: str, j: str, m: Message) -> None:
        n.net.receive(j, i, m)

    # Election

    @action(i="servers")
    def campaign(self, s: Self, n: Self, i: str) -> None:
        require(s.role[i] != "leader", "i does not lead")
        require(s.term[i] < self.max_term, "there is a term left")
        n.role[i], n.term[i], n.voted_for[i] = "candidate", s.term[i] + 1, i
        self.forget(n, i)
        for j in self.others(i):
            self.send(n, i, j, Ask(s.term[i] + 1, end_of(s.log[i])))

    @action(i="servers", j="servers", m=lambda s, i, j: s.net[j, i])
    def learn_term(self, s: Self, n: Self, i: str, j: str, m: Message) -> None:
        require(m.term > s.term[i], "the message is of a newer term")
        n.role[i], n.term[i], n.voted_for[i] = "follower", m.term, None
        self.forget(n, i)

    @action(i="servers", j="servers", m=arriving(Ask))
    def vote(self, s: Self, n: Self, i: str, j: str, m: Ask) -> None:
        require(m.term == s.term[i], "the candidate is in i's term")
        free = s.voted_for[i] is None or self.bug == "votes_twice"
        require(free, "i has not voted in this term")
        as_good = m.end >= end_of(s.log[i]) or self.bug == "any_log"
        require(as_good, "the candidate's log is as good as i's")
        n.voted_for[i] = j
        n.net.receive(j, i, m)
        self.send(n, i, j, Vote(m.term))

    @action(i="servers", j="servers", m=arriving(Vote))
    def count_vote(self, s: Self, n: Self, i: str, j: str, m: Vote) -> None:
        require(m.term == s.term[i], "the vote is for i's term")
        require(s.role[i] == "candidate", "i is a candidate")
        n.net.receive(j, i, m)
        n.votes.add((i, j))

    @action(i="servers")
    def lead(self, s: Self, n: Self, i: str) -> None:
        require(s.role[i] == "candidate", "i is a candidate")
        votes = sum((i, j) in s.votes for j in self.others(i))
        require(self.is_majority(1 + votes), "a majority votes for i")
        n.role[i] = "leader"
        self.forget(n, i)

    # Replication

    @action(i="servers")
    def propose(self, s: Self, n: Self, i: str) -> None:
        require(s.role[i] == "leader", "i leads")
        require(len(s.log[i]) < self.max_length, "there is room in the log")
        n.log[i] = s.log[i].append(s.term[i])

    @action(i="servers", j="servers", after="lengths")
    def replicate(self, s: Self, n: Self, i: str, j: str, after: int) -> None:
        require(i != j and s.role[i] == "leader", "i leads")
        log = s.log[i]
        require(after <= len(log), "i has so many entries")
        fits = log[after - 1] if after else 0
        self.send(n, i, j, Append(s.term[i], after, fits, log[after:], s.committed[i]))

    @action(i="servers", j="servers", m=arriving(Append))
    def store(self, s: Self, n: Self, i: str, j: str, m: Append) -> None:
        require(m.term == s.term[i], "the leader is in i's term")
        log = s.log[i]
        fits = m.after == 0 or (m.after <= len(log) and log[m.after - 1] == m.fits)
        require(fits, "the entries fit to i's log")
        known = m.after + len(m.entries)
        if log[m.after : known] != m.entries:
            n.log[i] = log[: m.after] + m.entries
        n.role[i] = "follower"
        n.committed[i] = max(s.committed[i], min(m.committed, known))
        n.net.receive(j, i, m)
        self.send(n, i, j, Stored(m.term, known))

    @action(i="servers", j="servers", m=arriving(Stored))
    def count_copy(self, s: Self, n: Self, i: str, j: str, m: Stored) -> None:
        require(m.term == s.term[i], "the answer is to i's term")
        n.net.receive(j, i, m)
        n.stored[i, j] = max(s.stored[i, j], m.length)

    @action(i="servers", length="lengths")
    def commit(self, s: Self, n: Self, i: str, length: int) -> None:
        require(s.role[i] == "leader", "i leads")
        require(s.committed[i] < length <= len(s.log[i]), "there is more to commit")
        own = s.log[i][length - 1] == s.term[i] or self.bug == "old_terms"
        require(own, "the entry is of i's own term")
        copies = sum(s.stored[i, j] >= length for j in self.others(i))
        require(self.is_majority(1 + copies), "a majority has stored it")
        n.committed[i] = length

    # What must hold

    # NOTE(few-slots): the engine keeps answers by the slots that were read, so roles and counts are
    # asked first: in most states nothing else is read.

    @invariant(i="servers", j="servers")
    def election_safety(self, s: Self, i: str, j: str) -> bool:
        """A term has one leader at most."""
        if i >= j or not s.role[i] == s.role[j] == "leader":
            return True
        return must.one_leader_per_epoch([(s.term[i], i), (s.term[j], j)])

    @invariant(i="servers", j="servers")
    def log_matching(self, s: Self, i: str, j: str) -> bool:
        """Logs that agree on an entry agree on all before it."""
        return i >= j or matching(entries(s.log[i]), entries(s.log[j]))

    @invariant(i="servers", j="servers")
    def leader_completeness(self, s: Self, i: str, j: str) -> bool:
        """A leader has all entries that were committed in earlier terms, and in its own."""
        if s.role[i] != "leader" or s.committed[j] == 0 or s.term[j] > s.term[i]:
            return True
        return must.leader_is_complete(entries(s.log[j])[: s.committed[j]], entries(s.log[i]))

    @invariant(i="servers", j="servers")
    def state_machine_safety(self, s: Self, i: str, j: str) -> bool:
        """Servers apply the same entries in the same order."""
        if i >= j or s.committed[i] == 0 or s.committed[j] == 0:
            return True
        return must.identical_committed_prefixes([self.applied(s, i), self.applied(s, j)])

    def applied(self, s: Self, i: str) -> tuple[tuple[Entry, ...], Entry]:
        """The log of i, and the last position that is committed, of whatever term its entry is."""
        return entries(s.log[i]), (s.committed[i], self.max_term)

    @goal
    def all_have_committed(self, s: Self) -> bool:
        return all(s.committed[i] == self.max_length for i in self.servers)

    @goal
    def the_last_term_has_a_leader(self, s: Self) -> bool:
        return any(s.role[i] == "leader" and s.term[i] == self.max_term for i in self.servers)

    @terminal
    def the_terms_are_used_up(self, s: Self) -> bool:
        return any(s.term[i] == self.max_term for i in self.servers)


def end_of(log: Log) -> tuple[int, int]:
    """The term of the last entry and the length: the greater, the better the log."""
    return (log[-1] if log else 0, len(log))


def entries(log: Log) -> tuple[Entry, ...]:
    """The entries of a log as positions: the log alone does not say at which place a term stands."""
    return tuple(enumerate(log, start=1))


def matching(a: Sequence[Entry], b: Sequence[Entry]) -> bool:
    """Whether two logs are the same up to the last entry that both have."""
    shared = [entry for entry in a if entry in b]
    return not shared or must.identical_committed_prefixes([(a, shared[-1]), (b, shared[-1])])
