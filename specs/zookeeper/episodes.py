"""Level 1 of the ZooKeeper study: episodes of leader/learner synchronisation.

A step is an episode: a quorum forms and synchronises, a write commits everywhere, one server logs alone and all stop, a
server joins late, stops, or loses power. Disks are real: log files, snapshots with the zxid that they are named
after and whether they were forced, the two epoch files. Eras and fixes are constants (``eras.py``), the leader's
decision is a table (``decision.py``), the learner's side is ``learner.py``.

A forming quorum restarts its members from disk, and whoever else is running stops first: that is one step here.
"""

from itertools import combinations
from typing import Literal, NamedTuple, Self

from pyrsistent import PVector, pmap, pset, pvector
from pyrsistent.typing import PSet

import invariants as must
from modelcheck import Const, Per, Spec, Var, action, assume, const, goal, init, invariant, per, require, terminal, var
from specs.zookeeper.decision import Decision, Leader, decide
from specs.zookeeper.disk import (
    EMPTY_TREE,
    NOTHING,
    Files,
    Snapshot,
    Snapshots,
    Tree,
    Zxid,
    appended,
    applied,
    restore,
    snapped,
)
from specs.zookeeper.eras import ERAS, FIXES, Rules, rules_of
from specs.zookeeper.learner import NOTHING_LEFT, Server, Source, synchronised

Role = Literal["down", "follower", "leader"]
OBSERVABLE = ("I1", "I2", "I5")


class Sync(NamedTuple):
    """How a learner was synchronised: the zxid it came with, the decision, and what TRUNC left above its target."""

    peer: Zxid
    decision: Decision
    left: PVector[Zxid]
    fails: bool = False  # the learner cannot carry it out, and exits

    @property
    def decided_by(self) -> tuple[str, str]:
        """The line of the decision table that decided: ``5``, ``5 TRUNC``."""
        rule, kind = self.decision.rule, self.decision.kind
        return f"{rule}", f"{rule} {kind}"

    def __str__(self) -> str:
        left = f", left {' '.join(map(str, self.left))}" if self.left else ""
        return f"{self.decision} for {self.peer}{left}{' fails' if self.fails else ''}"


class Episodes(Spec):
    """ZooKeeper leader/learner synchronisation, one episode a step."""

    __picture__ = "specs.zookeeper.picture:scene"

    nodes = const(3)
    era = const("3.4.9")
    fixes: Const[tuple[str, ...]] = const(())
    max_epoch = const(5)
    max_txns = const(2)  # transactions after the base
    base = const(1)  # committed transactions of epoch 1, on every disk from the start
    first_leader = const(-1)  # who leads epoch 1 at the start; -1: everybody is stopped
    power_loss = const(False)
    giving_up = const(False)  # leaders may give up before they are established
    stray_writes = const(False)  # a proposal may be logged by one follower alone
    watch = const(OBSERVABLE)  # which invariants are checked
    decisions: Const[tuple[str, ...]] = const(())  # lines of the decision table that must be reached: "5", "5 TRUNC"

    files: Per[int, Files] = per("servers", lambda self, key: self.base_files())
    snapshots: Per[int, Snapshots] = per("servers", lambda self, key: self.base_snapshots())
    current_epoch: Per[int, int] = per("servers", 1)
    accepted_epoch: Per[int, int] = per("servers", 1)
    marker: Per[int, Zxid] = per("servers", NOTHING)

    role: Per[int, Role] = per("servers", "down")
    tree: Per[int, Tree] = per("servers", EMPTY_TREE)
    last: Per[int, Zxid] = per("servers", NOTHING)
    stream: Per[int, Zxid | None] = per("servers", None)
    sync: Per[int, Sync | None] = per("servers", None)
    recent: Var[PVector[Zxid]] = var(pvector())  # the leader's committedLog

    epoch = var(1)  # ghost: the last epoch that was established
    committed: Var[PSet[Zxid]] = var(lambda self: pset(self.base_records()))  # ghost
    discarded: Var[PSet[Zxid]] = var(pset())  # ghost: left out when an epoch was established
    txns = var(0)

    @assume
    def era_is_known(self) -> bool:
        return self.era in ERAS

    @assume
    def fixes_are_known(self) -> bool:
        return all(fix in FIXES for fix in self.fixes)

    @assume
    def invariants_are_known(self) -> bool:
        return all(name in (f"I{k}" for k in range(1, 12)) for name in self.watch)

    @property
    def servers(self) -> range:
        return range(self.nodes)

    @property
    def majority(self) -> int:
        return self.nodes // 2 + 1

    @property
    def quorums(self) -> list[tuple[int, ...]]:
        sizes = range(self.majority, self.nodes + 1)
        return [members for size in sizes for members in combinations(self.servers, size)]

    @property
    def rules(self) -> Rules:
        return rules_of(self.era, self.fixes)

    @property
    def sizes(self) -> tuple[bool, ...]:
        """The free choice where a size limit decides: whether the log files are small enough to be sent."""
        return (True, False) if self.rules.reads_disk else (False,)

    def base_records(self) -> list[Zxid]:
        return [Zxid(1, counter) for counter in range(1, self.base + 1)]

    def base_files(self) -> Files:
        return pvector([pvector(self.base_records())])

    def base_snapshots(self) -> Snapshots:
        # From 3.5.3 on a server refuses to start on a log without any snapshot; a new one writes snapshot.0.
        return pmap({NOTHING: Snapshot(EMPTY_TREE, True)}) if self.rules.begins_with_snapshot else pmap()

    @init
    def start(self, n: Self) -> None:
        if self.first_leader >= 0:
            for i in self.servers:
                n.role[i] = "leader" if i == self.first_leader else "follower"
                n.tree[i] = pvector(self.base_records())
                n.last[i] = Zxid(1, self.base)
                n.stream[i] = Zxid(1, 1)
            n.recent = pvector(self.base_records())

    # Episodes

    @action(members="quorums", fits="sizes")
    def form(self, s: Self, n: Self, members: tuple[int, ...], fits: bool) -> None:
        """A quorum starts, elects a leader, and synchronises; everybody else is stopped."""
        epoch = 1 + max(s.accepted_epoch[i] for i in members)
        require(epoch <= self.max_epoch, "an epoch is left")
        leader = self.elected(s, members)
        server = self.restarted(s, leader)
        source = Source(server.tree, server.last, epoch)
        recent = restore(s.files[leader], s.snapshots[leader]).replayed
        serving = Leader(server.last, recent, server.files, server.marker)
        for i in members:
            if i != leader:
                self.synchronise(s, n, i, serving, source, fits)
        snapshots = server.snapshots
        if self.rules.start_snapshot:
            snapshots = snapped(snapshots, server.last, server.tree, "START" in self.rules.syncs)
        self.run_server(n, leader, "leader", server._replace(snapshots=snapshots, last=Zxid(epoch, 0)), epoch)
        for i in self.servers:
            if i not in members:
                self.halt(n, i)
        n.recent = recent
        self.establish(s, n, epoch, server.tree)

    @action(i="servers", fits="sizes")
    def join(self, s: Self, n: Self, i: int, fits: bool) -> None:
        """A stopped server joins the running ensemble."""
        require(s.role[i] == "down", "i is stopped")
        leader = self.leader(s)
        epoch = s.current_epoch[leader]
        require(s.accepted_epoch[i] <= epoch, "i has accepted no later epoch")
        source = Source(s.tree[leader], s.last[leader], epoch)
        serving = Leader(s.last[leader], s.recent, s.files[leader], s.marker[leader])
        self.synchronise(s, n, i, serving, source, fits)
        self.forget_syncs(n, but=i)

    @action
    def commit(self, s: Self, n: Self) -> None:
        """The leader's next transaction is logged and applied by all running servers."""
        require(s.txns < self.max_txns, "a transaction is left")
        leader = self.leader(s)
        record = s.last[leader].next()
        for i in self.servers:
            if s.role[i] != "down":
                n.files[i], n.stream[i] = appended(s.files[i], s.stream[i], record)
                n.tree[i] = applied(s.tree[i], pvector([record]))
                n.last[i] = record
                n.sync[i] = None
        n.recent = s.recent.append(record)
        n.txns = s.txns + 1
        n.committed = s.committed.add(record)

    @action
    def lone_write(self, s: Self, n: Self) -> None:
        """The followers stop; the leader, not yet aware of it, logs one more transaction and stops too."""
        require(s.txns < self.max_txns, "a transaction is left")
        leader = self.leader(s)
        n.files[leader], _ = appended(s.files[leader], s.stream[leader], s.last[leader].next())
        n.txns = s.txns + 1
        self.halt_all(n)

    @action(i="servers")
    def stray_write(self, s: Self, n: Self, i: int) -> None:
        """The leader proposes before it has logged; one follower logs the proposal, and all stop."""
        require(self.stray_writes, "proposals may stray")
        require(s.txns < self.max_txns, "a transaction is left")
        require(s.role[i] == "follower", "i follows")
        n.files[i], _ = appended(s.files[i], s.stream[i], s.last[self.leader(s)].next())
        n.txns = s.txns + 1
        self.halt_all(n)

    @action(i="servers")
    def stop(self, s: Self, n: Self, i: int) -> None:
        """A follower stops while a quorum goes on."""
        require(s.role[i] == "follower", "i follows")
        require(self.running(s) > self.majority, "a quorum goes on")
        self.halt(n, i)
        self.forget_syncs(n, but=i)

    @action(i="servers", lost=lambda self, s, i: self.losses(s, i))
    def lose_power(self, s: Self, n: Self, i: int, lost: tuple[Zxid, ...]) -> None:
        """A machine loses power, and some snapshots that were never forced to its disk; what is left is durable."""
        kept = {name: Snapshot(old.tree, True) for name, old in s.snapshots[i].items() if name not in lost}
        n.snapshots[i] = pmap(kept)
        if s.role[i] == "follower" and self.running(s) > self.majority:
            self.halt(n, i)
            self.forget_syncs(n, but=i)
        elif s.role[i] != "down":
            self.halt_all(n)

    @action(members="quorums")
    def give_up(self, s: Self, n: Self, members: tuple[int, ...]) -> None:
        """A leader is elected and proposes an epoch, but gives up before it is established."""
        require(self.giving_up, "leaders may give up")
        epoch = 1 + max(s.accepted_epoch[i] for i in members)
        require(epoch <= self.max_epoch, "an epoch is left")
        leader = self.elected(s, members)
        server = self.restarted(s, leader)
        if self.rules.start_snapshot:
            synced = "START" in self.rules.syncs
            n.snapshots[leader] = snapped(server.snapshots, server.last, server.tree, synced)
        for i in members:
            n.accepted_epoch[i] = epoch
        self.halt_all(n)

    # What the episodes are made of

    def elected(self, s: Self, members: tuple[int, ...]) -> int:
        """The winner of the election: the highest (currentEpoch, last zxid on disk, server id)."""

        def vote(i: int) -> tuple[int, Zxid, int]:
            return s.current_epoch[i], restore(s.files[i], s.snapshots[i]).last, i

        return max(members, key=vote)

    def restarted(self, s: Self, i: int) -> Server:
        """A server just after its start."""
        memory = restore(s.files[i], s.snapshots[i])
        return Server(s.files[i], s.snapshots[i], None, memory.tree, memory.last, s.marker[i])

    def synchronise(self, s: Self, n: Self, i: int, leader: Leader, source: Source, fits: bool) -> None:
        learner = self.restarted(s, i)
        decision = decide(self.rules, learner.last, leader, fits)
        synced = synchronised(self.rules, learner, decision, source)
        if synced is None:
            require("I11" in self.watch, "the learner can carry out the decision")
            self.halt(n, i, Sync(learner.last, decision, NOTHING_LEFT, fails=True))
            return
        self.run_server(n, i, "follower", synced.server, source.epoch)
        n.sync[i] = Sync(learner.last, synced.decision, synced.left)

    def run_server(self, n: Self, i: int, role: Role, server: Server, epoch: int) -> None:
        n.files[i], n.snapshots[i], n.stream[i] = server.files, server.snapshots, server.stream
        n.tree[i], n.last[i], n.marker[i] = server.tree, server.last, server.marker
        n.role[i] = role
        n.accepted_epoch[i] = n.current_epoch[i] = epoch
        if role == "leader":
            n.sync[i] = None

    def establish(self, s: Self, n: Self, epoch: int, history: Tree) -> None:
        """Ghosts: what the new epoch starts with is committed, what it leaves out is discarded."""
        n.epoch = epoch
        n.committed = s.committed.update(history)
        if "I6" in self.watch:
            n.discarded = s.discarded.update(record for record in self.everything(s) if record not in history)

    def everything(self, s: Self) -> set[Zxid]:
        on_disk = {record for i in self.servers for file in s.files[i] for record in file}
        return on_disk | {record for i in self.servers for snap in s.snapshots[i].values() for record in snap.tree}

    def forget_syncs(self, n: Self, but: int) -> None:
        """A state tells only how servers were synchronised in the very step that led to it."""
        for i in self.servers:
            if i != but:
                n.sync[i] = None

    def halt(self, n: Self, i: int, sync: Sync | None = None) -> None:
        n.role[i], n.tree[i], n.last[i], n.stream[i], n.sync[i] = "down", EMPTY_TREE, NOTHING, None, sync

    def halt_all(self, n: Self) -> None:
        for i in self.servers:
            self.halt(n, i)
        n.recent = pvector()

    def leader(self, s: Self) -> int:
        found = next((i for i in self.servers if s.role[i] == "leader"), None)
        require(found is not None, "somebody leads")
        assert found is not None
        return found

    def running(self, s: Self) -> int:
        return sum(1 for i in self.servers if s.role[i] != "down")

    def losses(self, s: Self, i: int) -> list[tuple[Zxid, ...]]:
        """Every non-empty set of snapshots that a power loss can take from a disk."""
        if not self.power_loss:
            return []
        loose = sorted(name for name, snapshot in s.snapshots[i].items() if not snapshot.synced)
        return [lost for size in range(1, len(loose) + 1) for lost in combinations(loose, size)]

    # What must hold

    @invariant(i="servers", j="servers")
    def identical_committed_prefixes(self, s: Self, i: int, j: int) -> bool:
        if "I1" not in self.watch or i >= j or "down" in (s.role[i], s.role[j]):
            return True
        return must.identical_committed_prefixes([(s.tree[i], s.last[i]), (s.tree[j], s.last[j])])

    @invariant(i="servers", j="servers")
    def synced_means_equal(self, s: Self, i: int, j: int) -> bool:
        if "I2" not in self.watch or i == j or s.role[i] != "leader" or s.role[j] != "follower":
            return True
        return must.synced_means_equal(leader=s.tree[i], learner=s.tree[j])

    @invariant(i="servers")
    def no_snapshot_below_replayed(self, s: Self, i: int) -> bool:
        if "I3" not in self.watch or s.role[i] == "down":
            return True
        restored = restore(s.files[i], s.snapshots[i]).tree
        return must.no_snapshot_below_replayed(memory=s.tree[i], restored=restored)

    @invariant
    def committed_survives(self, s: Self) -> bool:
        if "I4" not in self.watch:
            return True
        restored = [restore(s.files[i], s.snapshots[i]).tree for i in self.servers]
        return must.committed_survives(s.committed, restored, self.majority)

    @invariant(i="servers")
    def leader_is_complete(self, s: Self, i: int) -> bool:
        return "I5" not in self.watch or s.role[i] != "leader" or must.leader_is_complete(s.committed, s.tree[i])

    @invariant(i="servers")
    def nothing_resurrected(self, s: Self, i: int) -> bool:
        return "I6" not in self.watch or s.role[i] == "down" or must.nothing_resurrected(s.discarded, [s.tree[i]])

    @invariant(i="servers", j="servers")
    def diff_is_whole(self, s: Self, i: int, j: int) -> bool:
        if "I7" not in self.watch or i == j or s.role[i] != "leader":
            return True
        sync = s.sync[j]
        if sync is None or sync.decision.kind != "DIFF":
            return True
        return must.diff_is_whole(sync.decision.sent, s.tree[i], sync.peer, s.last[i])

    @invariant(i="servers")
    def truncation_is_complete(self, s: Self, i: int) -> bool:
        if "I8" not in self.watch:
            return True
        sync = s.sync[i]
        return sync is None or must.truncation_is_complete(sync.left)

    @invariant(i="servers")
    def acknowledged_is_durable(self, s: Self, i: int) -> bool:
        if "I9" not in self.watch or s.role[i] == "down":
            return True
        forced: Snapshots = pmap({name: snap for name, snap in s.snapshots[i].items() if snap.synced})
        return must.acknowledged_is_durable(s.tree[i], restore(s.files[i], forced).tree)

    @invariant
    def one_leader_per_epoch(self, s: Self, n: Self) -> bool:
        if "I10" not in self.watch:
            return True
        led = [i for i in self.servers if s.role[i] == "leader"]
        before: list[int | None] = [*led] or [None]  # whoever led the last epoch is gone
        after = [i for i in self.servers if n.role[i] == "leader"]
        return must.one_leader_per_epoch([*((s.epoch, i) for i in before), *((n.epoch, i) for i in after)])

    @invariant(i="servers")
    def orders_can_be_followed(self, s: Self, i: int) -> bool:
        if "I11" not in self.watch:
            return True
        sync = s.sync[i]
        return must.orders_can_be_followed([sync.decision] if sync is not None and sync.fails else ())

    @terminal
    def bounds_are_used_up(self, s: Self) -> bool:
        return max(s.accepted_epoch[i] for i in self.servers) == self.max_epoch

    # What must be possible, so that nothing holds for lack of trying

    @goal(line="decisions")
    def decision_is_taken(self, s: Self, line: str) -> bool:
        """Some learner is synchronised by this line of the decision table, and in this way if it names one."""
        taken = (s.sync[i] for i in self.servers)
        return any(sync is not None and line in sync.decided_by for sync in taken)

    @goal
    def a_write_commits(self, s: Self) -> bool:
        return len(s.committed) > self.base
