"""Compare modelcheck with TLC and Spin: the same models, in the same run, wall clock end to end."""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

HERE = Path(__file__).resolve().parent
PROJECT = HERE.parent
TLC_JAR = "TLC_JAR"


class ToolFailed(Exception):
    """A tool did not run, or printed something that cannot be read."""


@dataclass(frozen=True)
class Counts:
    """The size of a state graph, in TLC's convention: the initial states are generated, depth 1."""

    distinct: int
    generated: int
    depth: int

    def __str__(self) -> str:
        return f"{self.distinct:,} distinct, {self.generated:,} generated, depth {self.depth}"


@dataclass(frozen=True)
class Outcome:
    """What one run of one tool said, and how long it took."""

    seconds: float
    counts: Counts
    counterexample: int | None = None

    def answer(self) -> str:
        """What must be the same in all tools: a search that stops early has no counts to compare."""
        if self.counterexample is not None:
            return f"counterexample of {self.counterexample} states"
        return str(self.counts)


@dataclass(frozen=True)
class Model:
    """One model, as each of the tools knows it, and what we promise about it."""

    name: str
    target: str
    module: str
    config: str
    answer: str  # what Outcome.answer must say
    constants: dict[str, int] = field(default_factory=dict)
    tlc_options: tuple[str, ...] = ()
    spin_size: int | None = None
    times_tlc: float | None = None
    times_spin: float | None = None


TWO_PHASE = {
    4: Counts(1_568, 8_258, 14),
    5: Counts(8_832, 58_146, 17),
    6: Counts(50_816, 402_306, 20),
    7: Counts(296_448, 2_744_706, 23),
    8: Counts(1_745_408, 18_507_778, 26),
    9: Counts(10_340_352, 123_558_402, 29),
}


def two_phase(
    rms: int, times_tlc: float | None = None, times_spin: float | None = None
) -> Model:
    """Two-phase commit, the one model that all three tools have."""
    return Model(
        f"two-phase commit {rms}", "specs/classics/two_phase.py", "TwoPhase", f"TwoPhase{rms}",
        str(TWO_PHASE[rms]), {"rms": rms}, (), rms, times_tlc, times_spin,
    )


DIE_HARD = Model("die hard", "specs/toys/die_hard.py", "DieHard", "DieHard",
                 "counterexample of 7 states", times_tlc=1)
TRANSACTION = Model("transaction commit 3", "specs/classics/transaction_commit.py",
                    "TransactionCommit", "TransactionCommit", str(Counts(34, 94, 7)),
                    tlc_options=("-deadlock",))
LAMPORT = Model("Lamport's mutex 6", "specs/classics/lamport_mutex.py", "LamportMutex",
                "LamportMutex", str(Counts(724_274, 2_729_079, 61)), times_tlc=8)
COFFEE = Model("coffee can 1000", "specs/toys/coffee_can.py", "CoffeeCan", "CoffeeCan",
               str(Counts(501_500, 2_000_002, 1)), {"max_beans": 1000})

FULL = (
    DIE_HARD, TRANSACTION, COFFEE, LAMPORT,
    two_phase(8, times_tlc=15, times_spin=1),
)
# Small sizes measure little more than start-up, so only die hard keeps its promise.
QUICK = (
    DIE_HARD, TRANSACTION,
    replace(COFFEE, name="coffee can 100", config="CoffeeCanSmall", constants={"max_beans": 100},
            answer=str(Counts(5_150, 20_002, 1))),
    replace(LAMPORT, name="Lamport's mutex 3", config="LamportMutexSmall",
            constants={"max_clock": 3}, answer=str(Counts(10_209, 41_533, 31)), times_tlc=None),
    two_phase(6),
)


class Tool(Protocol):
    """A checker that can be run on some of the models."""

    name: str

    def knows(self, model: Model) -> bool: ...

    def run(self, model: Model) -> Outcome: ...


def timed(command: Sequence[str], cwd: Path) -> tuple[float, str]:
    """Run a command; return wall-clock seconds and its standard output."""
    start = time.perf_counter()
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - start
    if not done.stdout.strip():
        raise ToolFailed(f"{' '.join(command)}\nexit code {done.returncode}\n{done.stderr[-2000:]}")
    return seconds, done.stdout


class ModelCheck:
    """This project, run as its users run it."""

    name = "modelcheck"

    def __init__(self, *options: str) -> None:
        script = Path(sys.executable).with_name("modelcheck")
        self.start = [str(script)] if script.exists() else [sys.executable, "-m", "modelcheck"]
        self.options = options

    def knows(self, model: Model) -> bool:
        return True

    def run(self, model: Model) -> Outcome:
        seconds, said = self.ask(model.target, model.constants)
        counts = Counts(said["distinct"], said["generated"], said["depth"])
        verdict = str(said["verdict"]).lower()
        if verdict == "violated":
            return Outcome(seconds, counts, len(said["violations"][0]["trace"]["states"]))
        if verdict != "holds":
            raise ToolFailed(f"{model.name}: our verdict is {verdict}")
        return Outcome(seconds, counts)

    def ask(self, target: str, constants: dict[str, int]) -> tuple[float, dict[str, Any]]:
        """Check a target; return wall-clock seconds and the result as the command writes it."""
        command = [*self.start, "check", target, *self.options, "--json", "-", "--quiet"]
        for name, value in constants.items():
            command += ["--set", f"{name}={value}"]
        seconds, text = timed(command, PROJECT)
        try:
            said: dict[str, Any] = json.loads(text)
        except ValueError:
            raise ToolFailed(f"{' '.join(command)} printed no JSON: {text[:500]!r}") from None
        return seconds, said


class Tlc:
    """TLC, with one worker unless told otherwise, in a scratch folder because it leaves files beside the module."""

    name = "TLC"
    HEAP = "-Xmx4g"

    def __init__(self, java: str, jar: Path, scratch: Path, workers: int = 1) -> None:
        self.start = [java, "-XX:+UseParallelGC", self.HEAP, "-cp", str(jar), "tlc2.TLC",
                      "-workers", str(workers)]
        self.scratch = scratch / "tlc"
        shutil.copytree(HERE / "tla", self.scratch)

    def knows(self, model: Model) -> bool:
        return True

    def run(self, model: Model) -> Outcome:
        command = [*self.start, *model.tlc_options, "-config", f"{model.config}.cfg",
                   f"{model.module}.tla"]
        seconds, text = timed(command, self.scratch)
        counts = Counts(
            distinct=found(r"(\d+) distinct states found, ", text, "TLC"),
            generated=found(r"(\d+) states generated, \d+ distinct", text, "TLC"),
            depth=found(r"depth of the complete state graph search is (\d+)", text, "TLC"),
        )
        if "No error has been found" in text:
            return Outcome(seconds, counts)
        if re.search(r"Error: Invariant \w+ is violated", text):
            return Outcome(seconds, counts, len(re.findall(r"^State \d+:", text, re.MULTILINE)))
        raise ToolFailed(f"TLC on {model.config}: {text[-2000:]}")


class Spin:
    """Spin's breadth-first search; generating and compiling the verifier is not timed."""

    name = "Spin"
    FLAGS = ("-O2", "-DSAFETY", "-DNOREDUCE", "-DBFS")

    def __init__(self, spin: str, gcc: str, scratch: Path) -> None:
        self.spin, self.gcc, self.scratch = spin, gcc, scratch / "spin"

    def knows(self, model: Model) -> bool:
        return model.spin_size is not None

    def run(self, model: Model) -> Outcome:
        seconds, text = timed([str(self.verifier(model.spin_size or 0))], self.scratch)
        if found(r"errors: (\d+)", text, "Spin"):
            raise ToolFailed(f"Spin on {model.name}: {text[:2000]}")
        # Spin calls the initial state depth 0 and counts it among its transitions.
        return Outcome(seconds, Counts(
            found(r"(\d+) states, stored", text, "Spin"),
            found(r"(\d+) transitions", text, "Spin"),
            found(r"depth reached (\d+)", text, "Spin") + 1,
        ))

    def verifier(self, size: int) -> Path:
        """The compiled verifier for that many managers, made when first asked for."""
        folder = self.scratch / str(size)
        if not folder.exists():
            folder.mkdir(parents=True)
            model = HERE / "promela" / "two_phase.pml"
            for command in ([self.spin, f"-DN={size}", "-a", str(model)],
                            [self.gcc, *self.FLAGS, "-o", "pan", "pan.c"]):
                done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
                if done.returncode:
                    raise ToolFailed(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
        return folder / "pan"


def found(pattern: str, text: str, tool: str) -> int:
    """The number that a pattern finds in a tool's output."""
    match = re.search(pattern, text)
    if match is None:
        raise ToolFailed(f"{tool} printed nothing like {pattern!r}:\n{text[-2000:]}")
    return int(match[1])


def available_tools(scratch: Path) -> list[Tool]:
    """Ours and those of the others that this machine has; says why when one is left out."""
    tools: list[Tool] = [ModelCheck()]
    jar, java = os.environ.get(TLC_JAR), shutil.which("java")
    if not jar:
        print(f"TLC skipped: set {TLC_JAR}=path/to/tla2tools.jar (benchmarks/README.md says where "
              "one comes from)")
    elif not Path(jar).is_file():
        raise ToolFailed(f"{TLC_JAR}={jar}: there is no such file")
    elif java is None:
        print("TLC skipped: no `java` on PATH (apt-get install default-jre-headless)")
    else:
        tools.append(Tlc(java, Path(jar).resolve(), scratch))
    spin, gcc = shutil.which("spin"), shutil.which("gcc")
    if spin and gcc:
        tools.append(Spin(spin, gcc, scratch))
    else:
        print("Spin skipped: it needs `spin` and `gcc` on PATH (apt-get install spin gcc)")
    return tools


def measure(
    model: Model, tools: Sequence[Tool], repeat: int, wrong: list[str]
) -> dict[str, Outcome]:
    """The fastest run of each tool; the tools take turns, so that a busy machine hits them alike.

    Adds to `wrong` what any run, fastest or not, gets wrong.
    """
    best: dict[str, Outcome] = {}
    for _ in range(repeat):
        for tool in tools:
            if not tool.knows(model):
                continue
            outcome = tool.run(model)
            if outcome.answer() != model.answer:
                wrong.append(f"{model.name}: {tool.name} says {outcome.answer()}, "
                             f"expected {model.answer}")
            if tool.name not in best or outcome.seconds < best[tool.name].seconds:
                best[tool.name] = outcome
    return best


def ratio(ours: Outcome, theirs: Outcome | None, promised: float | None) -> str:
    """How many times as fast we are, and whether that is what was promised."""
    if theirs is None:
        return "-"
    times = theirs.seconds / ours.seconds
    if promised is None:
        return f"{times:.1f}x"
    verdict = "ok" if times >= promised else "MISSED"
    return f"{times:.1f}x (>= {promised:g}x: {verdict})"


def seconds(outcome: Outcome | None) -> str:
    return "-" if outcome is None else f"{outcome.seconds:.2f}"


ROW = "{:<21} {:>10} {:>10} {:>9} {:>8} {:>20} {:>8} {:>20}"


def compare(
    models: Sequence[Model], tools: Sequence[Tool], repeat: int, wrong: list[str]
) -> None:
    """Print a row for each model."""
    print(ROW.format("model", "distinct", "generated", "ours s", "TLC s", "ratio", "Spin s", "ratio"))
    for model in models:
        best = measure(model, tools, repeat, wrong)
        ours, tlc, spin = (best.get(name) for name in (ModelCheck.name, Tlc.name, Spin.name))
        assert ours is not None, "our own tool knows every model"
        print(ROW.format(
            model.name, f"{ours.counts.distinct:,}", f"{ours.counts.generated:,}",
            seconds(ours), seconds(tlc), ratio(ours, tlc, model.times_tlc),
            seconds(spin), ratio(ours, spin, model.times_spin),
        ), flush=True)


NOISE = 0.1
GROWTH_ROW = "{:<21} {:>10} {:>12} {:>9} {:>13} {:>16}"


def growth(sizes: Sequence[int], repeat: int, wrong: list[str]) -> None:
    """Print how our time grows with the size of two-phase commit."""
    print("\ngrowth (ours alone; marginal: extra time for each extra generated state)")
    print(GROWTH_ROW.format("model", "distinct", "generated", "seconds", "ns/generated", "marginal ns"))
    before: Outcome | None = None
    linear = True
    for size in sizes:
        model = two_phase(size)
        now = measure(model, [ModelCheck()], repeat, wrong)[ModelCheck.name]
        each, marginal = now.seconds / now.counts.generated, "-"
        if before is not None:
            states = now.counts.generated - before.counts.generated
            marginal = f"{(now.seconds - before.seconds) / states * 1e9:.0f}"
            linear = linear and each <= before.seconds / before.counts.generated * (1 + NOISE)
        print(GROWTH_ROW.format(model.name, f"{now.counts.distinct:,}", f"{now.counts.generated:,}",
                                seconds(now), f"{each * 1e9:.0f}", marginal), flush=True)
        before = now
    print(f"no worse than linear in generated states, within {NOISE:.0%}: "
          f"{'ok' if linear else 'MISSED'}")


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, epilog="Exit code 1: the tools disagree.")
    parser.add_argument("--quick", action="store_true", help="small sizes, under a minute")
    parser.add_argument("--only", metavar="NAME",
                        help="only the models whose name contains NAME, or 'growth'")
    parser.add_argument("--repeat", type=int, default=2, metavar="N",
                        help="runs of each tool, of which the fastest counts (default: %(default)s)")
    options = parser.parse_args(arguments)
    if options.repeat < 1:
        parser.error("--repeat must be at least 1")
    return options


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the comparison; 0 when all tools agree, 1 when they do not or one cannot be run."""
    options = parse(arguments)
    wanted = (options.only or "").lower()
    models = [model for model in (QUICK if options.quick else FULL) if wanted in model.name.lower()]
    with_growth = not wanted or wanted == "growth"
    if not models and not with_growth:
        print(f"no model is called {options.only!r}", file=sys.stderr)
        return 1
    wrong: list[str] = []
    try:
        with tempfile.TemporaryDirectory(prefix="modelcheck-bench-") as scratch:
            if models:
                tools = available_tools(Path(scratch))
                # Large enough for the compiled kernels, which small models do without.
                warm_up = ModelCheck().run(two_phase(7)).seconds
                print(f"ours, two-phase commit 7, before anything is timed (the first run after an "
                      f"installation compiles): {warm_up:.2f} s")
                print(f"best of {options.repeat}, wall clock end to end; TLC with 1 worker; "
                      "Spin breadth-first without its compile time\n")
                compare(models, tools, options.repeat, wrong)
        if with_growth:
            growth(range(4, 7) if options.quick else range(6, 10), options.repeat, wrong)
    except ToolFailed as failure:
        print(f"\nstopped: {failure}", file=sys.stderr)
        return 1
    for line in wrong:
        print(f"COUNTS DIFFER: {line}", file=sys.stderr)
    if not wrong:
        print("\ncounts: as expected in every run of every tool")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
