"""The leader's decision: DIFF, TRUNC or SNAP, as the decision table of each era.

p is the last zxid of the learner, l that of the leader; *recent* is the leader's committedLog with ends lo and hi.

| # | condition           | 3.4                    | 3.5                                       | 3.6 and later |
|---|---------------------|------------------------|-------------------------------------------|---------------|
| 1 | p = l               | DIFF, empty            | same                                      | same          |
| 2 | recent is empty     | SNAP                   | lo = hi = l, go on                        | same          |
| 3 | p > hi              | TRUNC(hi)              | same, unless p = x.0                      | same          |
| 4 | lo <= p <= hi, in   | DIFF with what follows | same                                      | same          |
| 5 | lo <= p <= hi, not  | TRUNC(predecessor)     | only within p's epoch, else SNAP;         | same          |
|   | in recent           | with the rest          | p = x.0: DIFF                             |               |
| 6 | p < lo              | SNAP                   | 4 and 5 on the files up to lo,            | SNAP if the   |
|   |                     |                        | then recent                               | files end     |
|   |                     |                        |                                           | below lo      |
| 7 | p = x.0 > hi        | TRUNC by line 3        | SNAP                                      | same          |
"""

from typing import NamedTuple

from pyrsistent import PVector, pvector

from modelcheck import operator
from specs.zookeeper.disk import Files, Zxid, files_from
from specs.zookeeper.eras import Rules

NO_RECORDS: PVector[Zxid] = pvector()


class Decision(NamedTuple):
    """What the leader sends: the kind, the zxid of DIFF or TRUNC, and the transactions that follow."""

    kind: str
    target: Zxid
    sent: PVector[Zxid]
    rule: int  # which line of the table decided

    def __str__(self) -> str:
        follows = f" + {' '.join(map(str, self.sent))}" if self.sent else ""
        return f"{self.kind} {self.target}{follows}"


class Leader(NamedTuple):
    """What a decision depends on, on the leader's side."""

    last: Zxid
    recent: PVector[Zxid]
    files: Files
    marker: Zxid  # below this zxid the log files may have a hole (0.0: nowhere)


@operator
def decide(rules: Rules, peer: Zxid, leader: Leader, fits: bool) -> Decision:
    """The decision for a learner whose last zxid is ``peer``. ``fits``: the log files are within the size limit."""
    low, high = (leader.recent[0], leader.recent[-1]) if leader.recent else (leader.last, leader.last)
    snap = Decision("SNAP", leader.last, NO_RECORDS, 7)
    if peer == leader.last:
        return Decision("DIFF", peer, NO_RECORDS, 1)
    if not leader.recent and rules.empty_log_means_snap:
        return snap._replace(rule=2)
    if peer > high and (peer.counter > 0 or rules.trunc_across_epochs):
        return Decision("TRUNC", high, NO_RECORDS, 3)
    if low <= peer <= high:
        return _from_records(rules, peer, leader.recent, high) or snap._replace(rule=5)
    if peer < low and rules.reads_disk and fits:
        return _from_disk(rules, peer, leader, low, high) or snap._replace(rule=6)
    return snap._replace(rule=6 if peer < low else 7)


def _from_records(rules: Rules, peer: Zxid, records: PVector[Zxid], high: Zxid) -> Decision | None:
    """Lines 4 and 5 on a sequence of records; None where nothing but SNAP will do."""
    following = pvector([record for record in records if record > peer])
    if peer in records:
        return Decision("DIFF", high, following, 4)
    if peer.counter == 0 and not rules.trunc_across_epochs:
        return Decision("DIFF", high, following, 5)
    before = [record for record in records if record < peer]
    if not before or not following:
        return None
    if following[0].epoch != peer.epoch and not rules.trunc_across_epochs:
        return None
    return Decision("TRUNC", before[-1], following, 5)


def _from_disk(rules: Rules, peer: Zxid, leader: Leader, low: Zxid, high: Zxid) -> Decision | None:
    """Line 6: the log files up to and including ``low``, then the committedLog. None: SNAP."""
    # A learner *at* the marker has all that the hole lacks, but the files do not know its zxid: lines 4 and 5 would
    # take it for a stranger and truncate what is committed.
    if rules.heeds_marker and peer <= leader.marker:
        return None
    records = [record for file in files_from(leader.files, peer) for record in file]
    if not records or records[0] > peer:
        return None
    old = pvector([record for record in records if record <= low])
    decision = _from_records(rules, peer, old, high)
    if decision is None:
        return None
    reached = decision.sent[-1] if decision.sent else peer
    if rules.checks_gap and reached < low:
        return None
    rest = [record for record in leader.recent if record > reached]
    return decision._replace(sent=decision.sent.extend(rest), rule=6)
