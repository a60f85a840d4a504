"""How an episode is drawn: servers as lanes, synchronisations as arrows, disks as boxes, one record to follow.

The *guilty* records are those that the two sides of the violated invariant disagree about. ``story.py`` tells what
became of them; here every step becomes a row of the diagram.
"""

from collections.abc import Mapping
from typing import Any, Protocol, TypeAlias

from modelcheck import picture
from specs.zookeeper.disk import NOTHING, Zxid, restore
from specs.zookeeper.episodes import Episodes, Sync
from specs.zookeeper.story import Found, Plot, missing_at_the_end

Chip: TypeAlias = picture.Chip
Line: TypeAlias = picture.Line
Box: TypeAlias = picture.Box
LEGEND = (("new", "new in this step"), ("gone", "removed in this step"))


class Step(Protocol):
    """A step of a trace, as far as it is used here."""

    @property
    def action(self) -> str: ...

    @property
    def params(self) -> Mapping[str, Any]: ...


def scene(spec: Episodes, found: Found) -> picture.Scene:
    """The diagram of a behaviour of the episodes."""
    plot = Plot(spec, found)
    rows = tuple(_Row(plot, at).drawn() for at in range(len(plot.states)))
    records = " and ".join(map(str, sorted(plot.guilty)))
    legend = [("guilty", f"record {records}: follow it")] if plot.guilty else []
    return picture.Scene(
        title=plot.title,
        subtitle=f"ZooKeeper {spec.era}{_fixes(spec)}. A record e.c is transaction c of epoch e. A leader brings a"
        " learner up to date by DIFF (send what it lacks), TRUNC (make it cut its log back) or SNAP (send a copy of the"
        " whole state). e.0 is the start of epoch e, before its first record. | stands between two files of a log."
        " Numbers on the left count states as in the text of the trace.",
        lanes=tuple(_lane(i) for i in spec.servers),
        rows=rows,
        verdict=f"Violated: {plot.verdict}. {plot.end}" if plot.verdict else "",
        story=tuple(plot.story()),
        final=tuple(_final(plot)),
        legend=(*legend, *LEGEND),
    )


def _fixes(spec: Episodes) -> str:
    return f" with {', '.join(spec.fixes)}" if spec.fixes else " as released"


def _lane(server: int) -> str:
    return f"server {server}"


def _final(plot: Plot) -> list[Box]:
    """The servers that disagree, with what each has in memory."""
    state = plot.states[-1]
    boxes = []
    for i in plot.accused:
        absent = missing_at_the_end(plot, i)
        records = sorted({*state.tree[i], *absent}) if absent else list(state.tree[i])
        chips = tuple(
            Chip(f"{r} missing", "missing") if r in absent else Chip(str(r), "guilty" if r in plot.guilty else "plain")
            for r in records
        )
        title = f"{_lane(i)}: {state.role[i]}, at {state.last[i]}"
        boxes.append(Box(_lane(i), (Line("has", chips),), title, "guilty"))
    return boxes


class _Row:
    """One step on its way to a row: the state before (itself, for the first) and the state after."""

    def __init__(self, plot: Plot, at: int) -> None:
        self.plot, self.at = plot, at
        self.spec = plot.spec
        self.step: Step = plot.steps[at]
        self.before = plot.states[max(at - 1, 0)]
        self.after = plot.states[at]

    def drawn(self) -> picture.Row:
        title, note = self._told()
        return picture.Row(
            title=title,
            note=note,
            marks=tuple(self._marks()),
            arrows=tuple(self._arrows()),
            boxes=tuple(self._box(i) for i in self.spec.servers if self.at == 0 or self._changed(i)),
            up=frozenset(_lane(i) for i in self.spec.servers if self.after.role[i] != "down"),
        )

    def _told(self) -> tuple[str, str]:
        params = self.step.params
        if self.step.action == "form":
            return f"{_servers(params['members'])} start together", f"{self._election()} {self._reasons()}"
        if self.step.action == "join":
            return f"server {params['i']} joins", self._reasons()
        if self.step.action == "commit":
            return "a write commits", "All running servers log it and apply it."
        if self.step.action == "lone_write":
            note = "The followers are gone; the leader logs one more write and stops."
            return "a write that only the leader logs", note
        if self.step.action == "stray_write":
            note = "It is proposed before the leader itself has logged it. Nobody else has it, and everybody stops."
            return f"a write that only server {params['i']} logs", note
        if self.step.action == "lose_power":
            lost = " and ".join(map(str, params["lost"]))
            rest = "" if any(role != "down" for role in self.after.role.values()) else " No quorum is left: all stop."
            return f"server {params['i']} loses power", f"Snapshot {lost} was not forced to disk, and is gone.{rest}"
        if self.step.action == "give_up":
            note = f"{self._election()} It proposes epoch {self._proposed()} and gives up before it is established."
            return f"{_servers(params['members'])} elect a leader that gives up", note
        if self.step.action == "init":
            return "at the start", "What is on every disk."
        texts = {"stop": f"server {params.get('i')} stops", "stop_all": "everybody stops"}
        return texts.get(self.step.action, self.step.action), ""

    def _election(self) -> str:
        """Why the leader was elected."""
        members = self.step.params["members"]
        votes = {i: (self.before.current_epoch[i], self._on_disk(i)) for i in members}
        leader = self._winner()
        rival = max((i for i in members if i != leader), key=lambda i: (votes[i], i))
        mine, other = votes[leader], votes[rival]
        if mine[0] != other[0]:
            why = f"its epoch {mine[0]} beats {other[0]}"
        elif mine[1] != other[1]:
            why = f"its log reaches {mine[1]}, the other's {other[1]}"
        else:
            why = "a tie, so the higher id"
        return f"Server {leader} leads: {why}."

    def _winner(self) -> int:
        state: Any = self.before
        return self.spec.elected(state, self.step.params["members"])

    def _proposed(self) -> int:
        return int(self.after.accepted_epoch[self._winner()])

    def _on_disk(self, i: int) -> Zxid:
        return restore(self.before.files[i], self.before.snapshots[i]).last

    def _reasons(self) -> str:
        return " ".join(_reason(i, sync) for i, sync in self._syncs().items())

    def _syncs(self) -> dict[int, Sync]:
        if self.step.action not in ("form", "join"):
            return {}
        return {i: self.after.sync[i] for i in self.spec.servers if self.after.sync[i] is not None}

    def _leader(self) -> int:
        roles = self.after.role if self.step.action in ("form", "join") else self.before.role
        return next((i for i in self.spec.servers if roles[i] == "leader"), 0)

    def _writer(self) -> int | None:
        """Whose lane says that a new record is logged."""
        if self.step.action == "stray_write":
            return int(self.step.params["i"])
        return self._leader() if self.step.action in ("commit", "lone_write") else None

    def _marks(self) -> list[picture.Mark]:
        marks = []
        restarted = set(self._syncs()) | (set(self.step.params["members"]) if self.step.action == "form" else set())
        for i in self.spec.servers:
            was, role = self.before.role[i], self.after.role[i]
            if self.at == 0:
                continue
            if i == self._writer():
                alone = "" if self.step.action == "commit" else " alone"
                record = self.before.last[self._leader()].next()
                marks.append(picture.Mark(_lane(i), f"logs {record}{alone}", "write"))
            if self.step.action == "give_up" and i in self.step.params["members"]:
                told = f"proposes epoch {self._proposed()}, gives up" if i == self._winner() else "starts, stops"
                marks.append(picture.Mark(_lane(i), told, "stop"))
            elif i in restarted and role == "leader":
                marks.append(picture.Mark(_lane(i), f"leads epoch {self.after.current_epoch[i]}", "elect"))
            elif i in restarted:
                marks.append(picture.Mark(_lane(i), "starts" if was == "down" else "restarts", "start"))
            elif was != "down" and role == "down":
                power = self.step.action == "lose_power" and i == self.step.params["i"]
                marks.append(picture.Mark(_lane(i), "loses power" if power else "stops", "crash" if power else "stop"))
            marks += [picture.Mark(_lane(i), text, "guilty") for text in self.plot.marks(self.at, i)]
        return marks

    def _arrows(self) -> list[picture.Arrow]:
        leader = self._leader()
        arrows = []
        for i, sync in self._syncs().items():
            note = self.plot.verdict_on_sync(self.at, i)
            carried = bool(self.plot.guilty & set(sync.decision.sent))
            tone = "guilty" if note or carried else "plain"
            arrows.append(picture.Arrow(_lane(leader), _lane(i), _sync_text(sync), note, tone))
        if self.step.action == "commit":
            record = self.after.last[leader]
            tone = "guilty" if record in self.plot.guilty else "plain"
            followers = [i for i in self.spec.servers if i != leader and self.after.role[i] != "down"]
            arrows += [picture.Arrow(_lane(leader), _lane(i), f"commit {record}", "", tone) for i in followers]
        return arrows

    def _changed(self, i: int) -> bool:
        parts = ("files", "snapshots", "current_epoch", "accepted_epoch")
        if any(self.before[part][i] != self.after[part][i] for part in parts):
            return True
        return bool(self.after.role[i] != "down" and self.before.tree[i] != self.after.tree[i])

    def _box(self, i: int) -> Box:
        before, after = self.before, self.after
        lines = [Line("log", (*self._log(i), *self._epoch(i)))]
        for name in sorted({*before.snapshots[i], *after.snapshots[i]}):
            if name != NOTHING:
                lines.append(Line(f"snapshot {name}", self._snapshot(i, name)))
        if after.role[i] != "down":
            lines.append(Line("memory", self._chips(restore(before.files[i], before.snapshots[i]).tree, after.tree[i])))
        return Box(_lane(i), tuple(lines))

    def _epoch(self, i: int) -> tuple[Chip, ...]:
        """The epoch where it is new: beside the log, so that a long trace still fits on a page."""
        now, before = self.after.current_epoch[i], self.before.current_epoch[i]
        accepted = self.after.accepted_epoch[i]
        if self.at > 0 and (now, accepted) == (before, self.before.accepted_epoch[i]):
            return ()
        text = f"{now}" if accepted == now else f"{now}, accepted {accepted}"
        return Chip("epoch", "faint", True), Chip(text, "new" if self.at > 0 else "plain")

    def _log(self, i: int) -> tuple[Chip, ...]:
        """The records, file by file; those that a truncation took are shown as gone."""
        old = [record for file in self.before.files[i] for record in file]
        chips: list[Chip] = []
        for file in self.after.files[i]:
            chips += [Chip("|", "faint", True)] if chips else []
            chips += self._chips(old, file)
        left = {record for file in self.after.files[i] for record in file}
        chips += [Chip(f"{record} cut", self._gone(record)) for record in old if record not in left]
        return tuple(chips) or (Chip("empty", "faint", True),)

    def _snapshot(self, i: int, name: Zxid) -> tuple[Chip, ...]:
        old, new = self.before.snapshots[i].get(name), self.after.snapshots[i].get(name)
        if new is None:
            how = "lost" if self.step.action == "lose_power" else "deleted"
            return (*(Chip(str(r), self._gone(r)) for r in old.tree), Chip(how, "faint", True))
        chips = self._chips(old.tree if old else [], new.tree)
        if not self.spec.power_loss or new.synced:
            return chips
        told = "overwritten, not forced" if old and old.synced else "not forced"
        return (*chips, Chip(told, "faint", True))

    def _chips(self, old: Any, new: Any) -> tuple[Chip, ...]:
        return tuple(Chip(str(record), self._tone(record, old)) for record in new) or (Chip("empty", "faint", True),)

    def _tone(self, record: Zxid, old: Any) -> str:
        if record in self.plot.guilty:
            return "guilty"
        return "plain" if self.at == 0 or record in old else "new"

    def _gone(self, record: Zxid) -> str:
        return "missing" if record in self.plot.guilty else "gone"


def _servers(members: tuple[int, ...]) -> str:
    names = [str(i) for i in members]
    return f"servers {', '.join(names[:-1])} and {names[-1]}"


def _sync_text(sync: Sync) -> str:
    """What goes over the wire: ``SNAP 1.1``, ``TRUNC to 1.1, then 3.1``, ``DIFF to 3.1: sends 2.1, 3.1``."""
    kind, target = sync.decision.kind, sync.decision.target
    sent = ", ".join(map(str, sync.decision.sent))
    if kind == "DIFF":
        return f"DIFF to {target}: sends {sent or 'nothing'}"
    if kind == "TRUNC":
        return f"TRUNC to {target}, then {sent}" if sent else f"TRUNC to {target}"
    return str(sync.decision).replace(" + ", ", then ")


def _reason(i: int, sync: Sync) -> str:
    """Why the leader sends what it sends, from the line of its table that decided."""
    peer, kind = sync.peer, sync.decision.kind
    reasons = {
        0: f"Server {i} cannot carry out TRUNC and asks for SNAP.",
        1: f"Server {i} is at {peer} too: nothing to send.",
        2: f"Server {i} is at {peer}. The leader's list of recent commits is empty, so it sends its whole state.",
        3: f"Server {i} is ahead, at {peer}: it must cut its log back to {sync.decision.target}.",
        4: f"Server {i} is behind, at {peer}: it gets what follows.",
        5: f"Server {i} is at {peer}, which the leader does not know: cut back to {sync.decision.target}.",
        6: f"Server {i} is at {peer}, before the leader's recent commits: it gets "
        + ("a copy of the leader's state." if kind == "SNAP" else "what the leader finds in its log files."),
    }
    return reasons.get(sync.decision.rule, f"Server {i} is at {peer}.")
