"""The learner's side of a synchronisation: what it does to its disk and memory with the leader's decision."""

from typing import NamedTuple

from pyrsistent import PVector, pmap, pvector

from modelcheck import operator
from specs.zookeeper.decision import Decision
from specs.zookeeper.disk import (
    Files,
    Snapshots,
    Tree,
    Zxid,
    appended,
    applied,
    cut,
    restore,
    snapped,
    truncated,
)
from specs.zookeeper.eras import Rules


class Server(NamedTuple):
    """A server while it runs: its disk, the log file open for writing, and its memory."""

    files: Files
    snapshots: Snapshots
    stream: Zxid | None
    tree: Tree
    last: Zxid
    marker: Zxid


class Source(NamedTuple):
    """What a learner receives with SNAP: the leader's live tree and last zxid, and the new epoch."""

    tree: Tree
    last: Zxid
    epoch: int


class Synced(NamedTuple):
    """The learner afterwards, the decision that was carried out, and what TRUNC left above its target."""

    server: Server
    decision: Decision
    left: PVector[Zxid]


NOTHING_LEFT: PVector[Zxid] = pvector()


@operator
def synchronised(rules: Rules, learner: Server, decision: Decision, source: Source) -> Synced | None:
    """Carry out a decision; None where the learner fails and the synchronisation never succeeds."""
    if decision.kind == "TRUNC" and _wants_snapshot_instead(rules, learner, decision.target):
        decision = Decision("SNAP", source.last, pvector(), 0)
    if decision.kind == "SNAP":
        return Synced(_take_snapshot(rules, learner, source), decision, NOTHING_LEFT)
    if decision.kind == "TRUNC":
        return _truncate(rules, learner, decision)
    return Synced(_take_diff(rules, learner, decision), decision, NOTHING_LEFT)


def _take_diff(rules: Rules, learner: Server, decision: Decision) -> Server:
    after = _in_memory(learner, decision.sent)
    if rules.logs_diff:
        return _logged(after, decision.sent)
    return _snapshot(rules, after, "DIFF")


def _take_snapshot(rules: Rules, learner: Server, source: Source) -> Server:
    name = max(source.last, Zxid(source.epoch, 0)) if rules.names_snap_after_epoch else source.last
    files, snapshots = learner.files, learner.snapshots
    if rules.on_snap == "cut":
        files = cut(files, name)
    if rules.on_snap == "wipe":
        files, snapshots = pvector(), pmap()
    marker = max(name, learner.marker) if rules.heeds_marker else learner.marker
    after = Server(files, snapshots, None, source.tree, name, marker)
    return _snapshot(rules, after, "SNAP")


def _truncate(rules: Rules, learner: Server, decision: Decision) -> Synced | None:
    """Cut the log, load the disk again, *claim the target* whatever was loaded, then take what follows."""
    target = decision.target
    files = truncated(learner.files, target, rules.truncates)
    if files is None:
        return None
    snapshots = _without_above(learner.snapshots, target) if rules.drops_snapshots else learner.snapshots
    loaded = restore(files, snapshots)
    left = [record for file in files for record in file if record > target]
    left += [name for name in snapshots if name > target]
    after = learner._replace(files=files, snapshots=snapshots, stream=None, tree=loaded.tree, last=target)
    after = _in_memory(after, decision.sent)
    if rules.logs_after_trunc:
        return Synced(_logged(after, decision.sent), decision, pvector(sorted(left)))
    return Synced(_snapshot(rules, after, "TRUNC"), decision, pvector(sorted(left)))


def _wants_snapshot_instead(rules: Rules, learner: Server, target: Zxid) -> bool:
    """The fixes by which a learner refuses TRUNC and asks for SNAP."""
    holds_target = any(target in file for file in learner.files)
    if rules.snap_if_target_missing and not holds_target:
        return True
    if not rules.snap_if_no_base:
        return False
    files = truncated(learner.files, target, rules.truncates)
    snapshots = _without_above(learner.snapshots, target) if rules.drops_snapshots else learner.snapshots
    return files is None or restore(files, snapshots).last != target


def _without_above(snapshots: Snapshots, zxid: Zxid) -> Snapshots:
    return pmap({name: snapshot for name, snapshot in snapshots.items() if name <= zxid})


def _in_memory(server: Server, records: PVector[Zxid]) -> Server:
    last = records[-1] if records else server.last
    return server._replace(tree=applied(server.tree, records), last=last)


def _logged(server: Server, records: PVector[Zxid]) -> Server:
    files, stream = server.files, server.stream
    for record in records:
        files, stream = appended(files, stream, record)
    return server._replace(files=files, stream=stream)


def _snapshot(rules: Rules, server: Server, after: str) -> Server:
    synced = after in rules.syncs
    return server._replace(snapshots=snapped(server.snapshots, server.last, server.tree, synced))
