"""The five bug reports as schedules: each goes through exactly its reporter's steps, on the spec that is searched.

A step of a report may be several actions of the spec:

* "restart nodes and let them resync" is one ``form``, which stops whoever else is still running; "restart one more"
  is a ``join``.
* "diverge a node" (stop the others, write, stop it) is one ``lone_write``, which asks for the leader: a follower
  that has lost its leader logs nothing. Where the reporter wrote to a follower, the step is a ``stop_all``.
* "shut down all" is a ``stop_all``. A search does not need it, since the next ``form`` stops everybody anyway, so it
  is added here and not in the spec; leaving every one of them out ends in the same state.
* A state that a report starts from is reached by steps of the spec, too: its *preparation*.

Two reports do not get to their own outcome by the steps that they list:

* **000** needs committed transactions in epoch 5 that no step issues; the zxids in its log excerpts show that there
  were three (5.1 to 5.3, most likely sessions opening and closing). They are three ``commit`` after step 8 without a
  user's write. Without them node 1 gets SNAP at step 10, named above the stale record, and all nodes agree. Node 2 must
  lead at first, too: otherwise step 1 logs nothing.
* **001**, step 9, stops node 0 and then writes to node 1, but node 1 follows node 0 at that point, so that the write
  is lost as in step 5. The reported values need it committed: it is an ordinary ``commit`` before both stop, after
  three without a user's write (the log excerpts have zxid 5.4, again). Taken literally, key 4 keeps its value on all
  nodes and the other twelve cells stay as reported.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, Self

from modelcheck import action, require
from specs.zookeeper.disk import Tree, Zxid, restore
from specs.zookeeper.episodes import Episodes


class Scripted(Episodes):
    """The spec of the episodes, and one step more for a reader's sake: everybody stops."""

    @action
    def stop_all(self, s: Self, n: Self) -> None:
        """Everybody stops."""
        require(self.running(s) > 0, "somebody runs")
        self.halt_all(n)


class Run(Protocol):
    """What ``Spec.run()`` gives, as far as it is used here."""

    @property
    def state(self) -> Any: ...

    def take(self, action: str, params: Mapping[str, Any]) -> "Run": ...

    def violated(self) -> list[tuple[str, dict[str, object]]]: ...


class Call(NamedTuple):
    """An action of the spec with its parameters."""

    action: str
    params: Mapping[str, Any]


def form(*members: int, fits: bool = False) -> Call:
    return Call("form", {"members": members, "fits": fits})


def join(node: int, fits: bool = False) -> Call:
    return Call("join", {"i": node, "fits": fits})


def stop(node: int) -> Call:
    return Call("stop", {"i": node})


def lose_power(node: int, *lost: Zxid) -> Call:
    return Call("lose_power", {"i": node, "lost": lost})


COMMIT = Call("commit", {})
LONE_WRITE = Call("lone_write", {})
STOP_ALL = Call("stop_all", {})


class Step(NamedTuple):
    """One step of a report, and the actions that it is made of."""

    description: str
    calls: tuple[Call, ...]


def step(description: str, *calls: Call) -> Step:
    return Step(description, calls)


class Write(NamedTuple):
    """What a transaction means to a user."""

    key: str
    value: str


@dataclass(frozen=True)
class Report:
    """A bug report as a schedule, and what its transactions mean."""

    name: str
    title: str
    reported: str
    era: str
    nodes: tuple[str, ...]  # the reporter's names, in the order of server ids
    writes: Mapping[Zxid, Write]
    steps: tuple[Step, ...]
    preparation: tuple[Call, ...] = ()
    fixes: tuple[str, ...] = ()
    constants: Mapping[str, object] = field(default_factory=dict)

    def spec(self) -> Scripted:
        """The spec that the report is played on: its own bounds are out of the way, every invariant is watched."""
        watch = tuple(f"I{number}" for number in range(1, 11))
        given = {"max_epoch": 99, "max_txns": 99, "watch": watch, **self.constants}
        return Scripted(nodes=len(self.nodes), era=self.era, fixes=self.fixes, **given)


class Row(NamedTuple):
    """A node after a step. What a stopped node has in memory is what a restart would restore."""

    role: str
    files: tuple[tuple[Zxid, ...], ...]
    snapshots: tuple[Zxid, ...]
    epochs: tuple[int, int]  # currentEpoch, acceptedEpoch
    last: Zxid
    data: tuple[str, ...]  # the value of each key in turn, "." where there is none

    def __str__(self) -> str:
        files = " ".join(f"L{file[0]}[{spans(file)}]" for file in self.files)
        snapshots = " ".join(f"S{name}" for name in self.snapshots)
        epochs = f"{self.epochs[0]}/{self.epochs[1]}"
        return f"{self.role} | {files or '-'} | {snapshots or '-'} | {epochs} | {self.last} | {' '.join(self.data)}"


def spans(records: tuple[Zxid, ...]) -> str:
    """Records as a short text, consecutive ones together.

    >>> spans((Zxid(1, 1), Zxid(1, 2), Zxid(1, 3), Zxid(2, 1)))
    '1.1-1.3 2.1'
    """
    parts: list[list[Zxid]] = []
    for record in records:
        if parts and record == parts[-1][-1].next():
            parts[-1].append(record)
        else:
            parts.append([record])
    return " ".join(str(part[0]) if len(part) == 1 else f"{part[0]}-{part[-1]}" for part in parts)


def play(report: Report) -> list[tuple[str, Run]]:
    """The run after the preparation and after each step, with the step's description."""
    run: Run = report.spec().run()
    for call in report.preparation:
        run = run.take(*call)
    return [("init", run), *_played(run, report.steps)]


def _played(run: Run, steps: tuple[Step, ...]) -> Iterator[tuple[str, Run]]:
    for description, calls in steps:
        for call in calls:
            run = run.take(*call)
        yield description, run


def memory_of(run: Run, node: int) -> tuple[Tree, Zxid]:
    """The tree and the last zxid of a node: in memory if it runs, otherwise what a restart would restore."""
    state = run.state
    if state.role[node] != "down":
        return state.tree[node], state.last[node]
    restored = restore(state.files[node], state.snapshots[node])
    return restored.tree, restored.last


def data_of(report: Report, run: Run, node: int) -> dict[str, str]:
    """What a user reads on a node: its tree's transactions, in order, as writes of keys."""
    tree, _ = memory_of(run, node)
    written = [report.writes[record] for record in tree if record in report.writes]
    return {write.key: write.value for write in written}


def row_of(report: Report, run: Run, node: int) -> Row:
    """A node's line in the table after a step."""
    state = run.state
    data = data_of(report, run, node)
    keys = sorted({write.key for write in report.writes.values()})
    return Row(
        role=state.role[node],
        files=tuple(tuple(file) for file in state.files[node]),
        snapshots=tuple(sorted(state.snapshots[node])),
        epochs=(state.current_epoch[node], state.accepted_epoch[node]),
        last=memory_of(run, node)[1],
        data=tuple(data.get(key, ".") for key in keys),
    )


def _five_keys(later: Mapping[str, Zxid]) -> dict[Zxid, Write]:
    """The initial values of 000 and 001, created by five of the nine transactions of the base, and later writes.

    Which five is not known and does not matter: the others open sessions.
    """
    created = {Zxid(1, 2 + key): Write(f"k{key}", str(key)) for key in range(5)}
    return created | {zxid: Write(f"k{int(value) - 1000}", value) for value, zxid in later.items()}


SNAP_KEEPS_LOG = Report(
    name="000",
    title="SNAP leaves an uncommitted record in the learner's log",
    reported="Key 2 is 1002 on node 1 and 2 on nodes 0 and 2, for ever.",
    era="3.4.11",
    nodes=("0", "1", "2"),
    constants={"base": 9, "first_leader": 2},
    writes=_five_keys(
        {"1000": Zxid(1, 10), "1001": Zxid(2, 1), "1002": Zxid(3, 1), "1003": Zxid(4, 1), "1004": Zxid(5, 4)}
    ),
    steps=(
        step("1: diverge 2, which leads: 1000 to key 0", LONE_WRITE),
        step("2: restart 0 and 1", form(0, 1)),
        step("3: diverge 1: 1001 to key 1", LONE_WRITE),
        step("4: restart 0 and 1", form(0, 1)),
        step("5: diverge 1: 1002 to key 2", LONE_WRITE),
        step("6: restart 0 and 2", form(0, 2)),
        step("7: diverge 0: 1003 to key 3", LONE_WRITE),
        step("8: restart 1 and 2; 5.1 to 5.3 commit, which no user issued", form(1, 2), COMMIT, COMMIT, COMMIT),
        step("9: diverge 2: 1004 to key 4", LONE_WRITE),
        step("10: restart 1 and 2", form(1, 2)),
        step("11: restart 0", join(0)),
    ),
)

TRUNC_MISSES_RECORD = Report(
    name="001",
    title="TRUNC to a zxid that is not in the log leaves the record after it",
    reported="Key 3 is 1003 on node 2 and 3 on nodes 0 and 1.",
    era="3.4.11",
    nodes=("0", "1", "2"),
    constants={"base": 9, "first_leader": 2},
    writes=_five_keys({"1000": Zxid(1, 10), "1001": Zxid(2, 1), "1003": Zxid(4, 1), "1004": Zxid(5, 4)}),
    steps=(
        step("1: diverge 2, which leads: 1000 to key 0", LONE_WRITE),
        step("2: restart 0 and 1", form(0, 1)),
        step("3: diverge 1: 1001 to key 1", LONE_WRITE),
        step("4: restart 0, 1 and 2", form(0, 1, 2)),
        step("5: diverge 2, which only follows: 1002 to key 2 is lost", STOP_ALL),
        step("6: restart 0 and 2", form(0, 2)),
        step("7: diverge 2: 1003 to key 3", LONE_WRITE),
        step("8: restart 0 and 1", form(0, 1)),
        step("9: 5.1 to 5.3, which no user issued, and 1004 to key 4 commit; all stop", *[COMMIT] * 4, STOP_ALL),
        step("10: restart 0 and 2", form(0, 2)),
        step("11: restart 1", join(1)),
    ),
)

# Zxid 11 of the report is 1.1 here, and so on: its first digit is the epoch.
SNAP_AFTER_EMPTY_DIFF = Report(
    name="002",
    title="An uncommitted transaction survives SNAP from a leader whose snapshot covers everything (ZOOKEEPER-2832)",
    reported="key0 is 1000 on B and 0 on C; key1 is 1001 on both.",
    era="3.4.9",
    nodes=("A", "B", "C"),
    constants={"base": 2},
    writes={
        Zxid(1, 1): Write("key0", "0"),
        Zxid(1, 2): Write("key1", "1"),
        Zxid(2, 1): Write("key0", "1000"),
        Zxid(4, 1): Write("key1", "1001"),
    },
    steps=(
        step("1: A and B start; B alone logs 21, both stop", form(0, 1), LONE_WRITE),
        step("2: A and C start; A leads by its epoch", form(0, 2)),
        step("3a: B and C start; C leads by its epoch", form(1, 2)),
        step("3b: 41 commits on B and C, both stop", COMMIT, STOP_ALL),
        step("4: B and C start", form(1, 2)),
    ),
)


def _numbered(zxids: Mapping[str, Zxid]) -> dict[Zxid, Write]:
    """Transactions that only need to be told apart: each writes its reported zxid to a key of its own."""
    return {zxid: Write(f"at {place:02}", number) for place, (number, zxid) in enumerate(zxids.items())}


# The report counts zxids from 10 to 31 without epochs. Here 1 to 10 are 1.1 to 1.10, 11 to 30 are 2.1 to 2.20, and 31,
# which a newly elected leader issues, is 3.1; so it opens a new file: the report says that this changes nothing.
# F gets its snapshot.10 at the start of epoch 2 and is stopped while 21 to 30 commit.
SNAPSHOT_NOT_SYNCED = Report(
    name="003",
    title="Transactions received by DIFF live in a snapshot that is never forced to disk (ZOOKEEPER-2310)",
    reported="After a power loss F has 31, but not 21 to 30, and no later synchronisation notices.",
    era="3.4.9",
    nodes=("F", "M", "L"),
    constants={"base": 10, "power_loss": True},
    preparation=(form(0, 1), join(2)),
    writes=_numbered(
        {"10": Zxid(1, 10), "20": Zxid(2, 10), "21": Zxid(2, 11), "30": Zxid(2, 20), "31": Zxid(3, 1)}
    ),
    steps=(
        step("1-2: F has snapshot.10 and log.11 up to 20", *[COMMIT] * 10),
        step("3: F loses its connection; 21 to 30 commit without it", stop(0), *[COMMIT] * 10),
        step("4-5: a new leader, L; F gets 21 to 30 as DIFF and writes snapshot.30", form(0, 1, 2)),
        step("6: 31 commits and is logged by F", COMMIT),
        step("7-8: F's machine loses power and snapshot.30", lose_power(0, Zxid(2, 20))),
        step("9-10: F recovers and joins", join(0)),
    ),
)

# The same report's second half: how its authors reproduced it.
SNAPSHOT_NOT_SYNCED_REPRODUCED = Report(
    name="003 reproduced",
    title="The steps by which the reporters of 003 reproduced it",
    reported="/test1 does not exist on A; it exists on B and C.",
    era="3.4.9",
    nodes=("A", "B", "C"),
    constants={"base": 1, "power_loss": True},
    preparation=(form(0, 1), join(2)),
    writes={Zxid(2, 1): Write("/test1", "1"), Zxid(2, 2): Write("/test2", "2")},
    steps=(
        step("3: A stops", stop(0)),
        step("5: /test1 is created", COMMIT),
        step("6-7: A starts and writes a snapshot; it has /test1", join(0)),
        step("8: /test2 is created", COMMIT),
        step("9-10: cold reboot of A; its last snapshot is gone", lose_power(0, Zxid(2, 1))),
        step("11: A starts", join(0)),
    ),
)

# H1 has the highest server id, so that it is elected at step 6. The report's leader H3 lacks Z1 in memory because
# committedLog is limited; here because H3 was restarted on a snapshot (start-up snapshots: two elections do it).
# Z1 is 1.3, the last transaction of the base, and Z2 is 3.3.
LOG_WITH_A_HOLE = Report(
    name="004",
    title="A leader serves DIFF from a log in which SNAP has left a hole (ZOOKEEPER-2418)",
    reported="H2 lacks every transaction between Z1 and Z2.",
    era="3.5",
    nodes=("H5", "H4", "H3", "H2", "H1"),
    constants={"base": 3},
    preparation=(form(0, 1, 2), form(0, 1, 2), join(3, fits=True), join(4, fits=True)),
    writes=_numbered(
        {"Z1": Zxid(1, 3), "Z1+1": Zxid(3, 1), "Z1+2": Zxid(3, 2), "Z2": Zxid(3, 3), "Z2+1": Zxid(3, 4)}
    ),
    steps=(
        step("1: H1 and H2 lose their connection to the leader, H3", stop(4), stop(3)),
        step("2: transactions up to Z2 commit", COMMIT, COMMIT, COMMIT),
        step("3-4: H1 recovers; the log is too large to be sent: SNAP", join(4, fits=False)),
        step("5: H1 logs what follows Z2", COMMIT),
        step("6: H3 fails; H1 is elected", form(0, 1, 4)),
        step("7-9: H2 recovers; the log is small enough: DIFF", join(3, fits=True)),
    ),
)

REPORTS: tuple[Report, ...] = (
    SNAP_KEEPS_LOG,
    TRUNC_MISSES_RECORD,
    SNAP_AFTER_EMPTY_DIFF,
    SNAPSHOT_NOT_SYNCED,
    LOG_WITH_A_HOLE,
)
