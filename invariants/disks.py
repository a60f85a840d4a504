"""What must hold of disks: logs and snapshots against what a server believes it has."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

__all__ = [
    "acknowledged_is_durable",
    "diff_is_whole",
    "no_snapshot_below_replayed",
    "orders_can_be_followed",
    "truncation_is_complete",
]


def no_snapshot_below_replayed(memory: Sequence[Any], restored: Sequence[Any]) -> bool:
    """I3. No snapshot lies below records that a restart would wrongly replay: restoring now yields what is in memory.

    *Reason*: a record above the newest snapshot is replayed whether it was ever committed or not, so a stale one comes
    back with the next restart. *Source*: reports 000 and 002, where it breaks at the SNAP itself, one restart before
    any client can see a difference.

    >>> no_snapshot_below_replayed((1, 2), (1, 2)), no_snapshot_below_replayed((1, 2), (1, 2, 3))
    (True, False)
    """
    return tuple(memory) == tuple(restored)


def diff_is_whole(sent: Collection[Any], applied: Sequence[Any], after: Any, upto: Any) -> bool:
    """I7. A served DIFF holds everything that the leader has applied above the learner's position.

    It checks what is sent with a DIFF: every item of ``applied`` that is above ``after`` and not above ``upto`` is in
    ``sent``. It does not check the order, nor that nothing else is sent, nor what the learner has afterwards (that is
    I2), nor that a DIFF was the right decision; and a SNAP or a TRUNC is none of its business.

    *Reason*: a learner applies what it is sent and then claims the last position. *Source*: report 004
    (ZOOKEEPER-2418): a log with a hole is served as if it were whole.

    >>> diff_is_whole({2, 3}, (1, 2, 3), after=1, upto=3), diff_is_whole({3}, (1, 2, 3), after=1, upto=3)
    (True, False)
    """
    return all(item in sent for item in applied if after < item <= upto)


def truncation_is_complete(left: Collection[Any]) -> bool:
    """I8. After a truncation to a target, no record and no snapshot above the target is left.

    *Reason*: the server then claims the target, and loads whatever is left at the next start.
    *Source*: report 001 (records), ZOOKEEPER-1549 (snapshots).

    >>> truncation_is_complete(()), truncation_is_complete((4,))
    (True, False)
    """
    return not left


def acknowledged_is_durable(memory: Sequence[Any], forced: Collection[Any]) -> bool:
    """I9. What a server has acknowledged to a new leader is there after a power loss, however unlucky.

    ``forced`` is what a restart restores from synced files alone. It checks that all of ``memory`` is in it, and no
    more: not that transactions and epochs were written in the right order, nor that the epochs were written at all,
    nor that the restart restores nothing else (that is I3).

    *Reason*: the leader counts the acknowledgement towards a commit. *Source*: report 003 (ZOOKEEPER-2310),
    ZOOKEEPER-3911, 4643 and 4646.

    >>> acknowledged_is_durable((1, 2), {1, 2}), acknowledged_is_durable((1, 2), {1})
    (True, False)
    """
    return all(item in forced for item in memory)


def orders_can_be_followed(refused: Collection[Any]) -> bool:
    """I11. Whatever a leader orders a learner to do, the learner can do. ``refused`` are the orders that it cannot.

    *Reason*: a learner that fails exits, and meets the same order at its next start: it stays out of the ensemble until
    the leader orders something else, or somebody deletes its disk. *Source*: the code: ``truncate`` throws where the
    log has nothing at or above the target, and the server ends with "Not able to truncate the log".

    >>> orders_can_be_followed(()), orders_can_be_followed(("TRUNC 3.1",))
    (True, False)
    """
    return not refused
