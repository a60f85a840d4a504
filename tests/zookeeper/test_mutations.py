"""Breaking any one line of the decision table or of truncation changes what some model answers.

The models here are small copies of those in `models.toml`: the same eras and fixes, fewer epochs and transactions,
some only to a certain depth. Each mutant names the one that tells it from the real spec.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from modelcheck import Spec, check
from specs.zookeeper.episodes import Episodes
from tests.zookeeper.copies import import_copy
from tests.zookeeper.mutants import MUTANTS, Mutant

LINES = tuple(map(str, range(8)))
SEEN = ("I1", "I2", "I5")


class Answer(NamedTuple):
    """What a model answers: the verdict, how many states, and at which depth each line of the table is first taken."""

    verdict: str
    distinct: int
    generated: int
    lines: tuple[int | None, ...]


class Small(NamedTuple):
    """A small model, what it must answer, and how deep to search."""

    constants: dict[str, Any]
    answer: Answer
    depth: int | None = None


def small(
    era: str, *fixes: str, bounds: tuple[int, int], answer: Answer, depth: int | None = None, **more: Any
) -> Small:
    epochs, txns = bounds
    constants = {"era": era, "fixes": fixes, "max_epoch": epochs, "max_txns": txns, "watch": SEEN, **more}
    return Small({**constants, "decisions": LINES}, answer, depth)


_ = None  # a line that is never taken
MODELS = {
    "3.4.11 short": small(
        "3.4.11", bounds=(3, 2), base=2,
        answer=Answer("UNREACHED", 1014, 2409, (_, 2, _, 5, 3, 6, _, _)),
    ),
    "3.8 short": small("3.8", bounds=(3, 1), base=2, answer=Answer("UNREACHED", 625, 1717, (_, 2, _, 5, 3, _, 4, _))),
    "3.5 short": small(
        "3.5", bounds=(3, 2), depth=8,
        answer=Answer("INCOMPLETE", 1719, 3917, (_, 2, _, 5, 3, 6, 4, _)),
    ),
    "3.4.11": small("3.4.11", bounds=(4, 2), answer=Answer("UNREACHED", 3428, 9758, (_, 2, 7, 5, 3, 6, 8, _))),
    "3.4.9": small(
        "3.4.9", bounds=(4, 1), depth=10,
        answer=Answer("INCOMPLETE", 5026, 9192, (_, 2, 4, _, 3, _, 4, _)),
    ),
    "3.8 idle": small("3.8", bounds=(4, 0), answer=Answer("UNREACHED", 447, 1501, (_, 2, _, _, 3, _, 4, 6))),
    "3.8": small("3.8", bounds=(4, 2), depth=8, answer=Answer("VIOLATED", 2810, 5657, (_, 2, _, 5, 3, 6, 4, 6))),
    "3.8 marker": small(
        "3.8", "gap-marker", bounds=(4, 2), depth=8,
        answer=Answer("INCOMPLETE", 11203, 25611, (_, 2, _, 5, 3, 6, 4, 6)),
    ),
    "3.8 wipe": small(
        "3.8", "wipe-on-snap", bounds=(4, 2), depth=8,
        answer=Answer("INCOMPLETE", 9510, 24199, (_, 2, _, 5, 3, 6, 4, 6)),
    ),
    "3.8 released": small(
        "3.8", "no-disk-sync", bounds=(5, 1), depth=7, watch=("I8",),
        answer=Answer("VIOLATED", 4532, 7587, (_, 2, _, 5, 3, 7, 4, 6)),
    ),
    # Of the invariants, only I1 reads what a truncated learner claims to have.
    "3.8 claiming": small(
        "3.8", "no-disk-sync", bounds=(5, 1), depth=7, watch=("I1",),
        answer=Answer("INCOMPLETE", 4532, 7587, (_, 2, _, 5, 3, 7, 4, 6)),
    ),
    "3.8 exact": small(
        "3.8", "no-disk-sync", "exact-trunc", bounds=(5, 1), depth=8, watch=(*SEEN, "I8"),
        answer=Answer("INCOMPLETE", 8261, 14192, (_, 2, _, 5, 3, 7, 4, 6)),
    ),
    "3.8 delete": small(
        "3.8", "no-disk-sync", "trunc-deletes-file", bounds=(5, 1), depth=8, watch=(*SEEN, "I8"),
        answer=Answer("INCOMPLETE", 8261, 14192, (_, 2, _, 5, 3, 7, 4, 6)),
    ),
    "3.8 stray exact": small(
        "3.8", "wipe-on-snap", "exact-trunc", bounds=(5, 2), depth=8, stray_writes=True,
        answer=Answer("INCOMPLETE", 48073, 131644, (_, 2, _, 5, 3, 6, 4, 6)),
    ),
    "3.8 stray delete": small(
        "3.8", "wipe-on-snap", "trunc-deletes-file", bounds=(5, 2), depth=8, stray_writes=True,
        answer=Answer("VIOLATED", 48082, 131644, (_, 2, _, 5, 3, 6, 4, 6)),
    ),
    "3.8 giving up": small(
        "3.8", "exact-trunc", bounds=(4, 1), depth=7, giving_up=True, watch=("I8",),
        answer=Answer("VIOLATED", 2551, 6165, (_, 2, _, 5, 3, _, 4, 6)),
    ),
    "3.8 dropping": small(
        "3.8", "exact-trunc", "drop-snapshots-above", bounds=(4, 1), depth=7, giving_up=True, watch=(*SEEN, "I8"),
        answer=Answer("INCOMPLETE", 3578, 9441, (_, 2, _, 5, 3, 7, 4, 6)),
    ),
    "3.8 logging": small(
        "3.8", "exact-trunc", "log-after-trunc", bounds=(4, 1), depth=7, giving_up=True, watch=("I8",),
        answer=Answer("VIOLATED", 2551, 6165, (_, 2, _, 5, 3, _, 4, 6)),
    ),
    "3.4.11 cut": small(
        "3.4.11", "cut-on-snap", "exact-trunc", bounds=(5, 2), depth=10,
        answer=Answer("INCOMPLETE", 7272, 21164, (_, 2, 7, 5, 3, 6, 7, _)),
    ),
    "3.4.11 logging": small(
        "3.4.11", "log-after-trunc", bounds=(3, 2),
        answer=Answer("UNREACHED", 968, 2333, (_, 2, _, 5, 3, 6, _, _)),
    ),
    "3.4.11 forcing": small(
        "3.4.11", "cut-on-snap", "exact-trunc", "fsync-trunc", bounds=(4, 2), depth=9, power_loss=True, watch=("I9",),
        answer=Answer("VIOLATED", 2346, 5548, (_, 2, 7, 5, 3, 6, 8, _)),
    ),
}


def answer(spec: type[Spec], model: Small) -> Answer:
    # A mutant may have many more states: a few too many are enough to know.
    result = check(spec(**model.constants), max_depth=model.depth, max_states=model.answer.distinct + 50)
    lines = tuple(result.goals[f"decision_is_taken(line={line!r})"] for line in LINES)
    return Answer(result.verdict.name, result.distinct, result.generated, lines)


Load = Callable[[Mutant | None], type[Spec]]


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Load]:
    """Loads a copy of the spec with one line changed, and forgets it afterwards."""
    package = f"mutant_{tmp_path.name.replace('-', '_')}"
    monkeypatch.syspath_prepend(str(tmp_path))

    def copy(mutant: Mutant | None) -> type[Spec]:
        spec: type[Spec] = import_copy(tmp_path, package, mutant).Episodes
        return spec

    yield copy
    for name in [name for name in sys.modules if name.partition(".")[0] == package]:
        del sys.modules[name]


@pytest.mark.parametrize("name", MODELS)
def test_a_small_model_answers_as_promised(name: str) -> None:
    assert answer(Episodes, MODELS[name]) == MODELS[name].answer


def test_a_copy_without_a_change_answers_the_same(load: Load) -> None:
    spec = load(None)
    assert spec is not Episodes and spec.__module__ != Episodes.__module__
    assert answer(spec, MODELS["3.4.11 short"]) == MODELS["3.4.11 short"].answer


@pytest.mark.parametrize("mutant", MUTANTS, ids=[f"{at}-{mutant.module}" for at, mutant in enumerate(MUTANTS)])
def test_a_mutant_is_caught(mutant: Mutant, load: Load) -> None:
    model = MODELS[mutant.caught_by]
    assert answer(load(mutant), model) != model.answer, f"survives: {mutant}"


def test_every_small_model_is_needed() -> None:
    assert {mutant.caught_by for mutant in MUTANTS} == set(MODELS)
