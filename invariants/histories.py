"""What must hold of replicated histories: sequences of transactions, in any protocol with a total order of positions.

Every function takes plain frozen values, so that specs at any level of detail can use it: a ZooKeeper zxid (epoch and
counter) and an entry of a Raft log (place and term) are both just positions that can be compared.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Sequence
from itertools import combinations
from typing import Any

__all__ = [
    "committed_survives",
    "identical_committed_prefixes",
    "leader_is_complete",
    "nothing_resurrected",
    "one_leader_per_epoch",
    "synced_means_equal",
]


def identical_committed_prefixes(replicas: Iterable[tuple[Sequence[Any], Any]]) -> bool:
    """I1. Any two replicas agree on everything up to the smaller of their positions.

    A replica is (history, position). *Reason*: a client that reads from two servers must not see two pasts; this is
    the "single system image" that ZooKeeper promises, PrefixConsistency in the Zab specifications, and State Machine
    Safety in Raft. (With the last entry that two logs share as the position of both, it is Raft's Log Matching.)
    *Source*: all five bug reports of the study end in a violation of it.

    >>> identical_committed_prefixes([((1, 2, 3), 3), ((1, 2), 2)])
    True
    >>> identical_committed_prefixes([((1, 3), 3), ((1, 2, 3), 3)])
    False
    """
    return all(
        [x for x in first if x <= min(here, there)] == [x for x in second if x <= min(here, there)]
        for (first, here), (second, there) in combinations(list(replicas), 2)
    )


def synced_means_equal(leader: Sequence[Any], learner: Sequence[Any]) -> bool:
    """I2. Once a learner has been told that it is up to date, it holds what its leader holds.

    *Reason*: from then on it only receives what is new, so a difference stays for ever.
    *Source*: Zab's synchronisation phase; broken by all five reports.

    >>> synced_means_equal((1, 2), (1, 2)), synced_means_equal((1, 2), (2,))
    (True, False)
    """
    return tuple(leader) == tuple(learner)


def committed_survives(committed: Collection[Hashable], restored: Sequence[Collection[Hashable]], quorum: int) -> bool:
    """I4. In every quorum at least one member has all that was committed on its disk.

    ``restored`` is, for each server, what a restart would bring back. Fewer than ``quorum`` servers may lack any part
    of ``committed``; that each item by itself is on enough disks is not enough. *Reason*: after a crash any quorum may
    elect, and the history of the one member that it elects becomes everybody's. *Source*: the durability assumption of
    Zab and Paxos; reports 003 and 004.

    >>> committed_survives({1}, [{1}, {1}, set()], quorum=2)
    True
    >>> committed_survives({1}, [{1}, set(), set()], quorum=2)
    False
    >>> committed_survives({1, 2}, [{1}, {2}, {1, 2}], quorum=2)  # neither of the first two has both
    False
    """
    return sum(1 for disk in restored if not leader_is_complete(committed, disk)) < quorum


def leader_is_complete(committed: Collection[Hashable], leader: Collection[Hashable]) -> bool:
    """I5. An established leader holds everything that was ever committed.

    ``committed`` may also be what one server knows to be committed; the question is then asked for every server.
    *Reason*: a leader's history becomes everybody's. *Source*: Leader Completeness in Raft, the same in Zab.

    >>> leader_is_complete({1, 2}, (1, 2, 3)), leader_is_complete({1, 2}, (1, 3))
    (True, False)
    """
    return all(item in leader for item in committed)


def nothing_resurrected(discarded: Collection[Hashable], histories: Iterable[Collection[Hashable]]) -> bool:
    """I6. A transaction that was left out when an epoch was established never comes back.

    *Reason*: clients were told that it failed, and later writes were decided without it.
    *Source*: reports 000, 001 and 002; ZOOKEEPER-1549 and 2845.

    >>> nothing_resurrected({9}, [(1, 2), (1,)]), nothing_resurrected({9}, [(1, 9)])
    (True, False)
    """
    return not any(item in history for history in histories for item in discarded)


def one_leader_per_epoch(leaders: Iterable[tuple[int, Hashable]]) -> bool:
    """I10. No epoch (term) has two leaders. ``leaders`` are (epoch, server) pairs.

    *Reason*: positions are unique only because one server hands them out in an epoch.
    *Source*: Zab's and Raft's election safety.

    >>> one_leader_per_epoch([(1, "a"), (2, "a"), (1, "a")]), one_leader_per_epoch([(1, "a"), (1, "b")])
    (True, False)
    """
    seen: dict[int, Hashable] = {}
    return all(seen.setdefault(epoch, server) == server for epoch, server in leaders)
