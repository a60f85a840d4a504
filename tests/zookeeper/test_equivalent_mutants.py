"""Mutants that `mutants.py` leaves out make no difference: compared on every input of a small universe.

Each is compared with the original on all inputs that meet its precondition. The universe: records 1.1, 1.2, 2.1, 3.1
and 3.2 in any log of ascending files, a committedLog that is the tail of that log above some snapshot, learners at any
zxid of three epochs with counters 0 to 2, or at the start of the leader's own fourth epoch. Controls show that the
comparisons can fail: a mutant that does matter is told apart, and so is one of these where its precondition is not met.

Preconditions, and who guarantees them:

* Files ascend and do not overlap, and the committedLog is the tail of the leader's files above a snapshot. ``restore``
  makes it so at a start, ``commit`` appends to both, and the last tests search for a state where it is otherwise.
* ``fits`` is False where the rules do not read the disk: ``Episodes.sizes`` offers nothing else.
* A learner has no file open: ``Episodes.synchronise`` restarts it first.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import cache
from itertools import combinations, pairwise, product
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, NamedTuple, Self

import pytest
from pyrsistent import pmap, pvector

from modelcheck import Verdict, check, invariant
from specs.zookeeper import disk
from specs.zookeeper.decision import Decision, Leader, decide
from specs.zookeeper.disk import NOTHING, Files, Snapshot, Zxid, records_above, truncated
from specs.zookeeper.episodes import Episodes
from specs.zookeeper.eras import ERAS, Rules, rules_of
from specs.zookeeper.learner import Server, Source, synchronised
from tests.zookeeper.copies import import_copy
from tests.zookeeper.mutants import Mutant
from tests.zookeeper.notation import log, records

RECORDS = tuple(records("1.1 1.2 2.1 3.1 3.2"))
ZXIDS = tuple(Zxid(epoch, counter) for epoch in (1, 2, 3) for counter in (0, 1, 2))
ESTABLISHED = Zxid(4, 0)  # the zxid of a leader whose epoch has begun, and of who got SNAP from it
RULES = (*(rules_of(era, ()) for era in ERAS), rules_of("3.8", ("gap-marker",)))


class Question(NamedTuple):
    """What a leader is asked."""

    rules: Rules
    peer: Zxid
    leader: Leader
    fits: bool


def all_files() -> Iterator[Files]:
    """Every log: any of the records, in order, cut into files in any way."""
    for size in range(len(RECORDS) + 1):
        for held in combinations(RECORDS, size):
            for cuts in product((False, True), repeat=max(size - 1, 0)):
                bounds = [0, *(at for at, cut in enumerate(cuts, start=1) if cut), size]
                parts = [held[start:end] for start, end in pairwise(bounds)]
                yield pvector([pvector(part) for part in parts if part])


def leaders() -> set[tuple[Zxid, Any, Files]]:
    """Leaders as they start (with the zxid they restored) and once established (with that of an epoch)."""
    found = set()
    for files, base in product(all_files(), (NOTHING, *ZXIDS)):
        recent = records_above(files, base)
        found |= {(max([base, *recent]), recent, files), (ESTABLISHED, recent, files)}
    return found


@cache
def questions() -> tuple[Question, ...]:
    found = []
    for rules, (last, recent, files) in product(RULES, leaders()):
        markers = (NOTHING, Zxid(2, 0)) if rules.heeds_marker else (NOTHING,)
        sizes = (True, False) if rules.reads_disk else (False,)
        for marker, peer, fits in product(markers, (*ZXIDS, ESTABLISHED), sizes):
            found.append(Question(rules, peer, Leader(last, recent, files, marker), fits))
    return tuple(found)


@cache
def answers() -> tuple[Decision, ...]:
    return tuple(decide.__wrapped__(*question) for question in questions())  # type: ignore[attr-defined]


Load = Callable[..., SimpleNamespace]


@pytest.fixture
def mutated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Load]:
    """Gives the modules of a copy in which one line is changed."""
    package = f"equivalent_{tmp_path.name.replace('-', '_')}"
    monkeypatch.syspath_prepend(str(tmp_path))

    def load(module: str, old: str, new: str) -> SimpleNamespace:
        import_copy(tmp_path, package, Mutant(module, old, new, ""))
        return SimpleNamespace(**{name: sys.modules[f"{package}.{name}"] for name in ("disk", "decision", "learner")})

    yield load
    for name in [name for name in sys.modules if name.partition(".")[0] == package]:
        del sys.modules[name]


def differences(module: ModuleType, seen: Callable[[Any], object] = lambda answer: answer) -> int:
    """To how many questions a copy of the table has another answer, as far as it is seen."""
    ask = module.decide.__wrapped__
    pairs = zip(questions(), answers(), strict=True)
    return sum(1 for question, answer in pairs if seen(ask(*question)) != seen(answer))


def without_label(answer: Decision) -> object:
    """What a learner acts on: the zxid of SNAP and DIFF is not read, nor is the line of the table."""
    return answer.kind, answer.target if answer.kind == "TRUNC" else None, answer.sent


# The decision


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("if peer < low and rules.reads_disk and fits:", "if peer <= low and rules.reads_disk and fits:"),
        ("if peer < low and rules.reads_disk and fits:", "if peer < low and fits:"),
        ("rule=6 if peer < low else 7", "rule=6 if peer <= low else 7"),
        ("for record in records if record < peer]", "for record in records if record <= peer]"),
        ("if not before or not following:", "if not following:"),
        ("pvector([record for record in records if record <= low])", "pvector(records)"),
    ],
)
def test_the_same_decision(mutated: Load, old: str, new: str) -> None:
    assert differences(mutated("decision", old, new).decision) == 0


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('Decision("SNAP", leader.last,', 'Decision("SNAP", peer,'),
        ('Decision("DIFF", peer, NO_RECORDS, 1)', 'Decision("DIFF", high, NO_RECORDS, 1)'),
        ('Decision("DIFF", high, following, 4)', 'Decision("DIFF", peer, following, 4)'),
        ('Decision("DIFF", high, following, 5)', 'Decision("DIFF", peer, following, 5)'),
        # Two of `mutants.py`: small models see at which depth a line is first taken, the table does not.
        ("leader.recent, high) or snap._replace(rule=5)", "leader.recent, low) or snap._replace(rule=6)"),
        ("sent=decision.sent.extend(rest), rule=6", "sent=decision.sent.extend(rest)"),
    ],
)
def test_the_same_decision_but_for_its_label(mutated: Load, old: str, new: str) -> None:
    copy = mutated("decision", old, new).decision
    assert differences(copy, without_label) == 0
    assert differences(copy) > 0


def test_fits_and_not_fits_are_exchanged(mutated: Load) -> None:
    """Both are offered where they matter, so that only their names are exchanged."""
    loaded = mutated("decision", "rules.reads_disk and fits:", "rules.reads_disk and not fits:")
    ask = loaded.decision.decide.__wrapped__
    pairs = zip(questions(), answers(), strict=True)
    assert all(ask(*question._replace(fits=not question.fits)) == answer for question, answer in pairs)
    for era, rules in ERAS.items():
        assert Episodes(era=era).sizes == ((True, False) if rules.reads_disk else (False,))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("if low <= peer <= high:", "if low < peer <= high:"),
        ("if following[0].epoch != peer.epoch and not", "if following[0].epoch < peer.epoch and not"),
        ("for record in records if record <= low]", "for record in records if record < low]"),
    ],
)
def test_a_mutant_that_matters_is_told_apart(mutated: Load, old: str, new: str) -> None:
    assert differences(mutated("decision", old, new).decision, without_label) > 0


def test_the_precondition_on_the_committed_log_is_needed(mutated: Load) -> None:
    """A committedLog that is not the tail of the files would make the limit ``low`` matter."""
    copy = mutated("decision", "pvector([record for record in records if record <= low])", "pvector(records)")
    odd = Leader(Zxid(2, 1), records("2.1"), log("1.1 2.1 3.1"), NOTHING)
    question = (rules_of("3.8", ()), Zxid(1, 1), odd, True)
    assert copy.decision.decide(*question) != decide(*question)


# Truncation and the learner


def test_truncation_may_as_well_begin_with_the_first_file(mutated: Load) -> None:
    copy = mutated("disk", "older = len(files) - len(files_from(files, target))", "older = 0").disk
    for files, target, way in product(all_files(), ZXIDS, ("released", "exact", "delete")):
        assert copy.truncated(files, target, way) == truncated(files, target, way)
    overlapping = pvector([records("1.1 3.1"), records("2.1")])
    assert copy.truncated(overlapping, Zxid(2, 1)) != truncated(overlapping, Zxid(2, 1))


def learners(files: Files) -> Iterator[Server]:
    for base in (NOTHING, Zxid(2, 0), Zxid(3, 1)):
        tree = pvector([record for record in RECORDS if record <= base])
        restored = disk.restore(files, pmap({base: Snapshot(tree, True)}))
        yield Server(files, pmap({base: Snapshot(tree, True)}), None, restored.tree, restored.last, NOTHING)


LEARNING = tuple(rules_of("3.8", fixes) for fixes in ((), ("exact-trunc", "log-after-trunc"), ("wipe-on-snap",)))
SOURCE = Source(records("1.1 2.1"), Zxid(2, 1), 4)


def test_a_truncating_learner_has_no_file_open_anyway(mutated: Load) -> None:
    copy = mutated("learner", "snapshots=snapshots, stream=None, tree", "snapshots=snapshots, tree").learner
    sent = records("3.1 3.2")
    for files, target, rules in product(all_files(), ZXIDS, LEARNING):
        for server in learners(files):
            given = (rules, server, Decision("TRUNC", target, sent, 5), SOURCE)
            assert copy.synchronised(*given) == synchronised(*given)
    opened = next(learners(log("1.1 2.1")))._replace(stream=Zxid(1, 1))
    given = (LEARNING[1], opened, Decision("TRUNC", Zxid(1, 1), sent, 5), SOURCE)
    assert copy.synchronised(*given) != synchronised(*given), "the precondition is needed"


@pytest.mark.parametrize("kind", ["SNAP", "DIFF"])
def test_a_learner_does_not_read_the_zxid_of_snap_and_diff(kind: str) -> None:
    sent = records("3.2") if kind == "DIFF" else pvector()
    for files, rules in product(all_files(), (*LEARNING, *RULES)):
        for server in learners(files):
            done = [synchronised(rules, server, Decision(kind, zxid, sent, 4), SOURCE) for zxid in ZXIDS]
            assert len({outcome.server for outcome in done if outcome}) == 1 and None not in done


# The preconditions hold in every state that a search meets


class Guarded(Episodes):
    """The episodes, which also promise what the comparisons take for granted."""

    @invariant(i="servers")
    def files_ascend(self, s: Self, i: int) -> bool:
        held = [record for file in s.files[i] for record in file]
        return all(s.files[i]) and all(one < next_one for one, next_one in pairwise(held))

    @invariant(i="servers")
    def committed_log_is_a_tail(self, s: Self, i: int) -> bool:
        held = [record for file in s.files[i] for record in file]
        return s.role[i] != "leader" or list(s.recent) == held[len(held) - len(s.recent) :]


@pytest.mark.parametrize(
    ("era", "fixes", "bounds"),
    [
        ("3.4.9", (), (3, 2)), ("3.4.11", (), (4, 2)), ("3.5", (), (3, 2)), ("3.8", (), (3, 2)),
        ("3.8", ("wipe-on-snap", "exact-trunc"), (4, 1)), ("3.4.11", ("log-after-trunc",), (4, 2)),
    ],
)  # fmt: skip
def test_files_ascend_and_the_committed_log_is_their_tail(
    era: str, fixes: tuple[str, ...], bounds: tuple[int, int]
) -> None:
    """Whatever the other invariants say: those are not watched here."""
    constants: dict[str, Any] = {"max_epoch": bounds[0], "max_txns": bounds[1], "stray_writes": True, "watch": ()}
    result = check(Guarded(era=era, fixes=fixes, **constants))
    assert result.verdict is Verdict.HOLDS and result.distinct > 1000
