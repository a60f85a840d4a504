"""The invariants of Raft, told by the predicates of `invariants`, against the formulas of the paper.

All pairs of logs with up to three entries of three terms, however much of them is committed: far
more than the checker reaches, and most of it wrong.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from types import SimpleNamespace
from typing import Any

import pytest
from pyrsistent import pvector

from specs.classics.raft import Raft

Terms = tuple[int, ...]
TERMS = (1, 2, 3)
RAFT = Raft(max_term=3, max_length=3)


def logs() -> list[Terms]:
    return [log for length in range(4) for log in product(TERMS, repeat=length)]


def pairs() -> Iterator[tuple[Terms, Terms]]:
    return product(logs(), logs())


def state(first: Terms, second: Terms, committed: tuple[int, int] = (0, 0), **others: Any) -> Any:
    """Two servers; what is not given is not there, and must not be read."""
    log = {"s1": pvector(first), "s2": pvector(second)}
    return SimpleNamespace(log=log, committed=dict(zip(log, committed, strict=True)), **others)


def test_log_matching_is_that_of_the_paper() -> None:
    """If two logs have an entry with the same index and term, they are the same up to that index."""
    for first, second in pairs():
        places = range(min(len(first), len(second)))
        expected = all(first[:k] == second[:k] for k in places if first[k] == second[k])
        assert RAFT.log_matching(state(first, second), "s1", "s2") is expected, (first, second)


def test_state_machine_safety_is_that_of_the_paper() -> None:
    """If a server has applied an entry at an index, no other server applies another one there."""
    for first, second in pairs():
        for here, there in product(range(len(first) + 1), range(len(second) + 1)):
            expected = all(first[k] == second[k] for k in range(min(here, there)))
            found = RAFT.state_machine_safety(state(first, second, (here, there)), "s1", "s2")
            assert found is expected, (first, here, second, there)


def test_a_committed_entry_that_is_gone_is_not_the_same_entry() -> None:
    """No server may cut off what it has applied: what is missing counts as a difference."""
    assert not RAFT.state_machine_safety(state((1, 2), (1,), (2, 2)), "s1", "s2")


def test_leader_completeness_is_that_of_the_paper() -> None:
    """What is committed in a term is in the logs of the leaders of that term and of later ones."""
    role, term = {"s1": "leader", "s2": "follower"}, {"s1": 3, "s2": 3}
    for leader, other in pairs():
        for committed in range(len(other) + 1):
            expected = leader[:committed] == other[:committed]
            s = state(leader, other, (0, committed), role=role, term=term)
            assert RAFT.leader_completeness(s, "s1", "s2") is expected, (leader, other, committed)


@pytest.mark.parametrize(("roles", "terms"), [(("follower", "leader"), (3, 3)), (("leader", "leader"), (2, 3))])
def test_only_leaders_of_that_term_or_later_need_be_complete(roles: tuple[str, str], terms: tuple[int, int]) -> None:
    role, term = dict(zip(("s1", "s2"), roles, strict=True)), dict(zip(("s1", "s2"), terms, strict=True))
    assert RAFT.leader_completeness(state((), (1,), (0, 1), role=role, term=term), "s1", "s2")


def test_election_safety_is_that_of_the_paper() -> None:
    for first, second in product(("follower", "candidate", "leader"), repeat=2):
        for here, there in product(TERMS, repeat=2):
            expected = not (first == second == "leader" and here == there)
            s: Any = SimpleNamespace(role={"s1": first, "s2": second}, term={"s1": here, "s2": there})
            assert RAFT.election_safety(s, "s1", "s2") is expected
