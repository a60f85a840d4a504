"""The story of the guilty records: who wrote them, which synchronisation went wrong, who disagrees in the end."""

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from specs.zookeeper.disk import Zxid, restore
from specs.zookeeper.episodes import Episodes, Sync


class Found(Protocol):
    """What a search found, as far as it is used here."""

    @property
    def params(self) -> Mapping[str, Any]: ...

    @property
    def trace(self) -> Any: ...

    @property
    def property(self) -> str: ...  # the last one: below it, the decorator is out of reach


class Plot:
    """A behaviour with its guilty records: those that the violated invariant is about."""

    def __init__(self, spec: Episodes, found: Found) -> None:
        self.spec, self.found = spec, found
        self.states, self.steps = found.trace.states, found.trace.steps
        self.accused = self._accused()
        self.guilty = frozenset(self._guilty())

    @property
    def verdict(self) -> str:
        """The invariant with its bindings, and nothing where a behaviour violates nothing."""
        if not self.found.property:
            return ""
        bindings = ", ".join(f"{name}={value}" for name, value in self.found.params.items())
        return f"{self.found.property}({bindings})" if bindings else self.found.property

    @property
    def title(self) -> str:
        if not self.guilty:
            return "ZooKeeper: leader and learners synchronise"
        records = _listed(self.guilty)
        lacks = any(missing_at_the_end(self, i) for i in self.accused)
        came_back = any(self.guilty & set(self.states[-1].tree[i]) for i in self.accused)
        first = min(self.guilty)
        if came_back and self._lone(first) and not self._was_committed(first):
            return f"A write that was never committed comes back: {records}"
        return f"A committed write is lost: {records}" if lacks else f"Servers disagree about {records}"

    def _accused(self) -> tuple[int, ...]:
        named = [self.found.params[name] for name in ("i", "j") if name in self.found.params]
        running = [i for i in self.spec.servers if self.states[-1].role[i] != "down"]
        if not self.found.property or (named and len(named) == 2):
            return tuple(named)
        return tuple(dict.fromkeys([*named, *running]))

    def _guilty(self) -> set[Zxid]:
        state, name = self.states[-1], self.found.property
        trees = [set(state.tree[i]) for i in self.accused]
        if name == "leader_is_complete":
            return set(state.committed) - trees[0]
        if name == "nothing_resurrected":
            return set(state.discarded) & trees[0]
        if name == "truncation_is_complete":
            return set(state.sync[self.accused[0]].left)
        if name in ("no_snapshot_below_replayed", "acknowledged_is_durable"):
            i = self.accused[0]
            return trees[0] ^ set(restore(state.files[i], state.snapshots[i]).tree)
        if name == "identical_committed_prefixes":
            common = min(state.last[i] for i in self.accused)
            return {record for record in trees[0] ^ trees[1] if record <= common}
        return trees[0] ^ trees[1] if len(trees) > 1 else set()

    # What happens to the guilty records at a step

    def marks(self, at: int, i: int) -> Iterator[str]:
        """What is worth a mark on a server's lane: that it replays a guilty record which it had not in memory."""
        if self.steps[at].action not in ("form", "join") or self.states[at].role[i] == "down":
            return
        before = self.states[at - 1]
        replayed = [r for r in restore(before.files[i], before.snapshots[i]).replayed if r in self.guilty]
        stale = [r for r in replayed if not self._was_in_memory_when_stopped(at, i, r)]
        kept = [r for r in stale if r in self.states[at].tree[i]]
        if kept:
            yield f"replays {_listed(kept)} from its log"

    def _was_in_memory_when_stopped(self, at: int, i: int, record: Zxid) -> bool:
        """Whether the server had applied a record when it last ran, or had it from the start."""
        for state in reversed(self.states[:at]):
            if state.role[i] != "down":
                return record in state.tree[i]
        return any(record in file for file in self.states[0].files[i])

    def verdict_on_sync(self, at: int, i: int) -> str:
        """What a synchronisation did wrong with a guilty record, in a few words; empty if nothing."""
        before, after = self.states[at - 1], self.states[at]
        sync: Sync = after.sync[i]
        kind, target = sync.decision.kind, sync.decision.target
        disk = restore(before.files[i], before.snapshots[i]).tree
        log = {record for file in after.files[i] for record in file}
        for record in sorted(self.guilty):
            had = any(record in file for file in before.files[i])
            if record in log and (record in sync.left if kind == "TRUNC" else had and record not in after.tree[i]):
                return f"{record} is not cut: it stays in the log"
            if kind == "TRUNC" and record in sync.left:
                return f"{record} is cut from the log, but a snapshot keeps it"
            if kind == "TRUNC" and record in disk and record not in after.tree[i] and self._was_committed(record):
                return f"{record} is cut, though it was committed" if had else f"the snapshot with {record} is dropped"
            if kind == "SNAP" and had and record not in log and self._loses_later(at, i, record):
                return f"the log goes: {record} is in a snapshot alone"
            if record in after.tree[i] and record not in log and not had and (kind == "SNAP" or sync.decision.sent):
                return f"{record} goes to a snapshot, not to the log"
            if kind == "DIFF" and record not in sync.decision.sent and sync.peer < record <= target:
                return f"{record} ought to be sent, and is not"
        return ""

    def _loses_later(self, at: int, i: int, record: Zxid) -> bool:
        later = self.states[at + 1 :]
        return any(record not in restore(state.files[i], state.snapshots[i]).tree for state in later)

    def _was_committed(self, record: Zxid) -> bool:
        return any(record in state.committed for state in self.states[:-1])

    def _lone(self, record: Zxid) -> bool:
        return self.steps[self._written(record)].action in ("lone_write", "stray_write")

    def _written(self, record: Zxid) -> int:
        """The step in which a record was first logged."""
        for at, state in enumerate(self.states):
            if any(record in file for i in self.spec.servers for file in state.files[i]):
                return at
        return 0

    # In words

    def story(self) -> Iterator[str]:
        """Sentences, each beginning with the number of the step that it is about."""
        for record in sorted(self.guilty)[:2]:
            at = self._written(record)
            holders = [i for i in self.spec.servers if any(record in file for file in self.states[at].files[i])]
            if at == 0:
                yield f"1: {_named(holders, 'has')} {record} from the start."
            else:
                yield f"{at + 1}: {_named(holders)} {'alone logs' if len(holders) == 1 else 'log'} {record}."
        for at in range(1, len(self.states)):
            yield from self._told(at)

    def _told(self, at: int) -> Iterator[str]:
        state, step = self.states[at], self.steps[at]
        for i in self.spec.servers:
            for mark in self.marks(at, i):
                fresh = set(state.committed) - set(self.states[at - 1].committed)
                so = self.guilty & fresh and state.role[i] == "leader"
                yield f"{at + 1}: server {i} {mark}{' and leads: now it counts as committed' if so else ''}."
        for i in self.spec.servers:
            if step.action in ("form", "join") and state.sync[i] is not None and self.verdict_on_sync(at, i):
                yield f"{at + 1}: {self._sync_sentence(at, i)}."
        for i in self.spec.servers if self.spec.power_loss else ():
            for name in self._loosened(at, i):
                yield f"{at + 1}: server {i} writes its snapshot {name} anew: the copy that was forced to disk is gone."
        if step.action == "lose_power" and self._lost(at):
            yield f"{at + 1}: server {step.params['i']} loses the snapshot, its only copy of {_listed(self.guilty)}."

    def _loosened(self, at: int, i: int) -> list[Zxid]:
        """The snapshots with guilty records that were safe on the disk of a server and no longer are."""
        before, after = self.states[at - 1].snapshots[i], self.states[at].snapshots[i]
        names = [name for name in after if self.guilty & set(after[name].tree) and not after[name].synced]
        return sorted(name for name in names if name in before and before[name].synced)

    def _sync_sentence(self, at: int, i: int) -> str:
        sync: Sync = self.states[at].sync[i]
        leader = next(j for j in self.spec.servers if self.states[at].role[j] == "leader")
        wrong = self.verdict_on_sync(at, i).replace("the log", f"the log of server {i}")
        before = self.states[at - 1]
        kind, target, sent = sync.decision.kind, sync.decision.target, sync.decision.sent
        if kind == "TRUNC" and "snapshot" not in wrong and not any(target in file for file in before.files[i]):
            wrong += f" (there is no {target} in it to cut at)"
        what = {"SNAP": f"SNAP {target}", "TRUNC": f"TRUNC to {target}", "DIFF": f"a DIFF to {target}"}[kind]
        if kind == "DIFF" or sent:
            what += f" with {_listed(sent) or 'nothing'}"
        return f"server {leader} sends server {i} {what}: {wrong}"

    def _lost(self, at: int) -> bool:
        """Whether a power loss took a snapshot with a guilty record."""
        params, before = self.steps[at].params, self.states[at - 1]
        return any(self.guilty & set(before.snapshots[params["i"]][name].tree) for name in params["lost"])

    @property
    def end(self) -> str:
        """Who disagrees in the last state."""
        if not self.guilty:
            return ""
        state, records = self.states[-1], _listed(self.guilty)
        have = [i for i in self.accused if set(state.tree[i]) & self.guilty]
        lack = [i for i in self.accused if i not in have]
        if have and lack:
            return f"{_named(have, 'has')} {records}, {_named(lack, 'has')} not.".capitalize()
        return f"Nobody who runs has {records}, which was committed." if lack else ""


def missing_at_the_end(plot: Plot, i: int) -> frozenset[Zxid]:
    """The guilty records that a server has not in memory in the last state."""
    return plot.guilty - set(plot.states[-1].tree[i])


def _listed(records: Any) -> str:
    return " and ".join(map(str, sorted(records)))


def _named(servers: list[int], verb: str = "") -> str:
    if len(servers) == 1:
        return f"server {servers[0]} {verb}".strip()
    names = f"{', '.join(map(str, servers[:-1]))} and {servers[-1]}"
    return f"servers {names} {'have' if verb == 'has' else verb}".strip()
