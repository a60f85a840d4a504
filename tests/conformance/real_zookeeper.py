"""Play the schedules of findings 1 and 2 on a real ensemble: Debian's zookeeper 3.8, three servers on loopback.

    python -m tests.conformance.real_zookeeper [finding1] [finding2] [workaround] [--keep DIRECTORY]

The model plays the same steps beside it, and after each step every server's files, snapshots, epochs, zxid and data
are compared with the model's. Exit code: 0 the ensemble did what the model says, 1 it did not, 2 nothing was played.
"""

import argparse
import importlib
import logging
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from specs.zookeeper.disk import KEPT_SNAPSHOTS, NOTHING, Zxid
from specs.zookeeper.episodes import Episodes

JARS = Path("/usr/share/java")
CLASSPATH = f"{JARS / 'zookeeper.jar'}:{JARS / 'slf4j-simple.jar'}"
TELLING = re.compile(
    r"Synchronizing with Learner|Sending (DIFF|TRUNC|SNAP|snapshot)|Use txnlog|Using committedLog|exceeds sizeLimit"
    r"|Detected gap|Unhandled scenario|Truncating log|Getting a |digest mismatch|Got zxid|Unable to find proposals"
)
LARGE, SMALL = 400_000, 10  # bytes of data in a znode


class NotPlayed(Exception):
    """The schedule could not be played: something is missing, or the servers did not get there in time."""


class Step(NamedTuple):
    """An action of the model with its parameters; for a write, how much data the znode gets."""

    action: str
    params: dict[str, Any]
    size: int = 0


class Schedule(NamedTuple):
    """A finding: how it is configured, the steps to the violation, and the steps that show that it stays."""

    title: str
    fixes: tuple[str, ...]
    settings: dict[str, str]
    steps: tuple[Step, ...]
    afterwards: tuple[Step, ...]


def form(*members: int, fits: bool = False) -> Step:
    return Step("form", {"members": members, "fits": fits})


def join(i: int, fits: bool = False) -> Step:
    return Step("join", {"i": i, "fits": fits})


COMMIT = Step("commit", {}, SMALL)


# The size limit is a third of the snapshot, as released. Two large znodes make a snapshot of 800 kB: a log file with
# one of them (step 3) is over the limit, one with a small write (step 5) is under it. Log files grow by 64 kB.
HOLE = Schedule(
    "Finding 1: a log with a hole is served, and the gap check of ZOOKEEPER-2418 lets it through",
    (),
    {"preAllocSize": "64"},
    (form(0, 1), Step("lone_write", {}, LARGE), form(0, 1), COMMIT, form(0, 2, fits=True)),
    (form(0, 2, fits=True), join(1, fits=True)),
)
KEPT = Schedule(
    "Finding 2: TRUNC to the start of an epoch keeps a record (snapshotSizeFactor=-1: no size limit is involved)",
    ("no-disk-sync",),
    {"preAllocSize": "64", "snapshotSizeFactor": "-1"},
    (form(0, 1), form(0, 1), join(2), Step("lone_write", {}, SMALL), form(0, 2), form(0, 1)),
    (COMMIT, form(0, 1), join(2)),
)
# The same steps as in finding 1, where the last one sends SNAP.
WORKAROUND = HOLE._replace(
    title="Finding 1 with its workaround, snapshotSizeFactor=-1: nothing is lost",
    fixes=("no-disk-sync",),
    settings={"preAllocSize": "64", "snapshotSizeFactor": "-1"},
    steps=(*HOLE.steps[:-1], form(0, 2)),
    afterwards=(form(0, 2), join(1)),
)
SCHEDULES = {"finding1": HOLE, "finding2": KEPT, "workaround": WORKAROUND}


class Held(NamedTuple):
    """What a server holds. In memory: nothing while it is stopped."""

    role: str
    last: Zxid
    data: tuple[Zxid, ...]  # the transactions that created the znodes there are
    files: tuple[tuple[Zxid, ...], ...]
    snapshots: tuple[Zxid, ...]
    epochs: tuple[int, int]  # current, accepted

    def __str__(self) -> str:
        def shown(zxids: tuple[Zxid, ...]) -> str:
            return " ".join(map(str, zxids)) or "-"

        memory = "" if self.role == "down" else f" claims {self.last}, holds {shown(self.data)};"
        files = " ".join(f"[{shown(file)}]" for file in self.files)
        epochs = "/".join(map(str, self.epochs))
        return f"{self.role:8}{memory} log {files}, snapshots {shown(self.snapshots)}, epochs {epochs}"


class Server:
    """One real server: its directory, its process, and what can be read from both."""

    def __init__(self, home: Path, sid: int) -> None:
        self.home, self.sid = home, sid
        self.files, self.log = home / "version-2", home / "server.log"
        self.process: subprocess.Popen[bytes] | None = None
        self.port = 0

    def configure(self, port: int, members: list[str], settings: dict[str, str]) -> None:
        self.home.mkdir(parents=True)
        self.port = port
        (self.home / "myid").write_text(str(self.sid))
        # With local sessions a client that comes or goes leaves no transaction behind.
        lines = ["tickTime=2000", "initLimit=10", "syncLimit=5", f"dataDir={self.home}", f"clientPort={port}"]
        lines += ["clientPortAddress=127.0.0.1", "admin.enableServer=false", "localSessionsEnabled=true"]
        lines += ["4lw.commands.whitelist=srvr", *(f"{key}={value}" for key, value in settings.items()), *members]
        (self.home / "zoo.cfg").write_text("\n".join(lines) + "\n")

    def start(self) -> None:
        options = ["-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Djava.net.preferIPv4Stack=true"]
        logger = "-Dorg.slf4j.simpleLogger."
        options += [logger + "showThreadName=false", logger + "showShortLogName=true"]
        options += [logger + "showDateTime=true", logger + "dateTimeFormat=HH:mm:ss.SSS"]
        options += [logger + "log.org.apache.zookeeper.server.quorum.LearnerHandler=debug"]
        main = "org.apache.zookeeper.server.quorum.QuorumPeerMain"
        with self.log.open("ab") as log:
            command = ["java", *options, "-cp", CLASSPATH, main, str(self.home / "zoo.cfg")]
            self.process = subprocess.Popen(command, stdout=log, stderr=log, cwd=self.home)

    def freeze(self) -> None:
        if self.process:
            self.process.send_signal(signal.SIGSTOP)

    def kill(self) -> None:
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process = None

    def status(self) -> tuple[str, Zxid]:
        """The role and the last zxid, as the command ``srvr`` tells them; ``down`` while it does not serve."""
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=2) as connection:
                connection.sendall(b"srvr")
                answer = b"".join(iter(lambda: connection.recv(4096), b"")).decode()
        except OSError:
            return "down", NOTHING
        told = dict(line.split(": ", 1) for line in answer.splitlines() if ": " in line)
        return told.get("Mode", "down"), zxid_of(told.get("Zxid", "0x0"))

    def data(self) -> tuple[Zxid, ...]:
        with connected(self) as client:
            names = [name for name in client.get_children("/") if name != "zookeeper"]
            return tuple(sorted(zxid_of(hex(client.get(f"/{name}")[1].czxid)) for name in names))

    def held(self) -> Held:
        role, last = self.status() if self.process else ("down", NOTHING)
        files = tuple(tuple(records(path)) for path in self.named("log"))
        # A snapshot of the empty tree is named 1.0 instead of 0.0 on a server that came last to the very first quorum.
        empty = Zxid(1, 0)
        snapshots = {zxid_of(path.suffix[1:]) for path in self.named("snapshot")}
        named = sorted({NOTHING if name <= empty else name for name in snapshots})[-KEPT_SNAPSHOTS:]
        epochs = [int((self.files / f"{which}Epoch").read_text()) for which in ("current", "accepted")]
        data = self.data() if role != "down" else ()
        return Held(role, last, data, tuple(file for file in files if file), tuple(named), (epochs[0], epochs[1]))

    def named(self, kind: str) -> list[Path]:
        return sorted(self.files.glob(f"{kind}.*"), key=lambda path: int(path.suffix[1:], 16))

    def written(self) -> int:
        return sum(1 for path in self.named("log") for _ in records(path))

    def dump(self) -> str:
        """The log files in the words of ZooKeeper's own tool, without the data."""
        tool = "org.apache.zookeeper.server.persistence.TxnLogToolkit"
        lines = []
        for path in self.named("log"):
            command = ["java", "-cp", CLASSPATH, tool, "-d", str(path)]
            told = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False).stdout
            lines += [f"    {path.name}: {line[:110]}" for line in told.splitlines() if " zxid 0x" in line]
        return "\n".join(lines)


def zxid_of(text: str) -> Zxid:
    value = int(text, 16)
    return Zxid(value >> 32, value & 0xFFFFFFFF)


def records(path: Path) -> Iterator[Zxid]:
    """The zxids in a log file: a header of 16 bytes, then checksum, length, record and an end mark, again and again."""
    content, at = path.read_bytes(), 16
    while at + 12 <= len(content):
        (length,) = struct.unpack_from(">i", content, at + 8)
        if length <= 0 or at + 12 + length >= len(content):
            return
        epoch, counter = struct.unpack_from(">II", content, at + 12 + 12)  # after the session and its counter
        yield Zxid(epoch, counter)
        at += 12 + length + 1


@contextmanager
def connected(server: Server) -> Iterator[Any]:
    """A client of this one server."""
    client = importlib.import_module("kazoo.client").KazooClient(f"127.0.0.1:{server.port}", timeout=10)
    client.start(timeout=20)
    try:
        yield client
    finally:
        client.stop()
        client.close()


def eventually(what: str, true: Callable[[], bool], seconds: float = 40) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        if time.monotonic() > deadline:
            raise NotPlayed(f"waited {seconds:.0f} s in vain: {what}")
        time.sleep(0.1)


class Ensemble:
    """Three real servers that take the model's steps."""

    def __init__(self, home: Path, settings: dict[str, str]) -> None:
        self.servers = [Server(home / f"server{i}", sid=i + 1) for i in range(3)]
        self.writes = 0
        ports = free_ports(9)
        # Participants get their ids in the model's order, because the highest one wins a tie.
        members = [f"server.{i + 1}=127.0.0.1:{ports[3 * i + 1]}:{ports[3 * i + 2]}" for i in range(3)]
        for i, server in enumerate(self.servers):
            server.configure(ports[3 * i], members, settings)

    def take(self, step: Step) -> None:
        given = [value for name, value in step.params.items() if name != "fits"]
        getattr(self, step.action)(*given or [step.size])

    def prepare(self) -> None:
        """The model's first state: 1.1 on every disk, and everybody stopped."""
        self.form((0, 1, 2))
        self.commit(LARGE)
        self.kill_all()

    def form(self, members: tuple[int, ...]) -> None:
        self.kill_all()
        self.join(*members)

    def join(self, *joining: int) -> None:
        for i in joining:
            self.servers[i].start()
        eventually("all started servers serve", lambda: all(s.status()[0] != "down" for s in self.running()))
        time.sleep(1)  # a follower applies what came by DIFF just after it began to serve

    def commit(self, size: int) -> None:
        leader = self.leader()
        with connected(leader) as client:
            client.create(self.fresh_name(), b"x" * size)
        reached = leader.status()[1]
        eventually("all apply a write", lambda: all(server.status()[1] == reached for server in self.running()))

    def lone_write(self, size: int) -> None:
        """The followers are frozen, so that the leader notices nothing while it logs; then everybody is killed."""
        leader = self.leader()
        before = leader.written()
        with connected(leader) as client:
            for server in self.running():
                if server is not leader:
                    server.freeze()
            client.create_async(self.fresh_name(), b"x" * size)
            eventually("the leader logs a write", lambda: leader.written() > before, seconds=8)
            self.kill_all()

    def fresh_name(self) -> str:
        """Every write creates another znode: which ones there are tells which writes were applied."""
        self.writes += 1
        return f"/write{self.writes}"

    def running(self) -> list[Server]:
        return [server for server in self.servers if server.process]

    def leader(self) -> Server:
        return next(server for server in self.running() if server.status()[0] == "leader")

    def kill_all(self) -> None:
        for server in self.running():
            server.kill()


def free_ports(count: int) -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [opened.getsockname()[1] for opened in sockets]
    for opened in sockets:
        opened.close()
    return ports


def expected(state: Any, i: int) -> Held:
    """What the model says that a server holds."""
    files, data = tuple(tuple(file) for file in state.files[i]), tuple(sorted(state.tree[i]))
    epochs = state.current_epoch[i], state.accepted_epoch[i]
    return Held(state.role[i], state.last[i], data, files, tuple(sorted(state.snapshots[i])), epochs)


def play(schedule: Schedule, home: Path) -> bool:
    """Play a schedule on the model and on real servers; whether they agree after every step."""
    print(f"\n{schedule.title}")
    run = Episodes(era="3.8", fixes=schedule.fixes, max_epoch=9, max_txns=9).run()
    ensemble, agree = Ensemble(home, schedule.settings), True
    try:
        ensemble.prepare()
        agree = compare("1.1 is on every disk", ensemble, run.state, {})
        for number, step in enumerate([*schedule.steps, *schedule.afterwards], 1):
            seen = {server.sid: server.log.stat().st_size for server in ensemble.servers}
            run = run.take(step.action, step.params)
            ensemble.take(step)
            later = " (afterwards)" if number > len(schedule.steps) else ""
            title = f"step {number}{later}: {run.trace.steps[-1].label}"
            agree &= compare(title, ensemble, run.state, seen)
            for name, params in run.violated():
                print(f"    the model: {name} is violated {dict(params)}")
        for i, server in enumerate(ensemble.servers):
            print(f"  server {i}, TxnLogToolkit:\n{server.dump()}")
    finally:
        ensemble.kill_all()
    return agree


def compare(title: str, ensemble: Ensemble, state: Any, seen: dict[int, int]) -> bool:
    """Print what each server holds and its telling log lines; whether it is what the model says."""
    print(f"  {title}")
    held = [server.held() for server in ensemble.servers]
    said = [expected(state, i) for i in range(len(held))]
    for i, (real, model) in enumerate(zip(held, said, strict=True)):
        print(f"    server {i}: {real}" + ("" if real == model else f"\n    MODEL  {i}: {model}"))
    if len({real.data for real in held if real.role != "down"}) > 1:
        print("    THE SERVERS HOLD DIFFERENT DATA")
    for server in ensemble.servers:
        fresh = server.log.read_bytes()[seen.get(server.sid, 1 << 60) :].decode(errors="replace")
        for line in filter(TELLING.search, fresh.splitlines()):
            print(f"      | server {server.sid - 1} {line[:260]}")
    return held == said


def missing() -> str:
    """What has to be installed first; empty if nothing has."""
    if not (JARS / "zookeeper.jar").exists() or shutil.which("java") is None:
        return "zookeeper is not installed: apt-get install --no-install-recommends zookeeper"
    try:
        importlib.import_module("kazoo.client")
    except ImportError:
        return "the client library kazoo is missing: pip install --target DIRECTORY kazoo, DIRECTORY on PYTHONPATH"
    return ""


def main() -> int:
    parser = argparse.ArgumentParser(prog="real_zookeeper", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("schedules", nargs="*", help=f"of {', '.join(SCHEDULES)} (default: all)")
    parser.add_argument("--keep", type=Path, help="keep the servers' directories and logs here")
    given = parser.parse_args()
    if unknown := set(given.schedules) - set(SCHEDULES):
        parser.error(f"no such schedule: {', '.join(sorted(unknown))}")
    if wanted := missing():
        print(wanted, file=sys.stderr)
        return 2
    logging.getLogger("kazoo").setLevel(logging.CRITICAL)  # that its servers are killed is no news
    agree = True
    with tempfile.TemporaryDirectory(prefix="real-zookeeper-") as scratch:
        home = given.keep.resolve() if given.keep else Path(scratch)
        for name in given.schedules or SCHEDULES:
            began = time.monotonic()
            try:
                agree &= play(SCHEDULES[name], home / name)
            except NotPlayed as reason:
                print(f"{name} was not played to its end: {reason}", file=sys.stderr)
                return 2
            print(f"  {time.monotonic() - began:.0f} s")
    print("\nThe servers did what the model says." if agree else "\nThe servers and the model DIFFER.")
    return 0 if agree else 1


if __name__ == "__main__":
    sys.exit(main())
