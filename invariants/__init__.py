"""Reusable predicates over logs, snapshots and epochs, each with its reason and its source.

I1 to I11 of the ZooKeeper study, written over plain values so that other protocols can use them.
"""

from invariants.disks import (
    acknowledged_is_durable,
    diff_is_whole,
    no_snapshot_below_replayed,
    orders_can_be_followed,
    truncation_is_complete,
)
from invariants.histories import (
    committed_survives,
    identical_committed_prefixes,
    leader_is_complete,
    nothing_resurrected,
    one_leader_per_epoch,
    synced_means_equal,
)

__all__ = [
    "acknowledged_is_durable",
    "committed_survives",
    "diff_is_whole",
    "identical_committed_prefixes",
    "leader_is_complete",
    "no_snapshot_below_replayed",
    "nothing_resurrected",
    "one_leader_per_epoch",
    "orders_can_be_followed",
    "synced_means_equal",
    "truncation_is_complete",
]
