"""Breaking any one line of the decision table or of truncation changes what some model answers.

The models here are small copies of those in `models.toml`: the same eras and fixes, fewer epochs and transactions,
some only to a certain depth. Each mutant names the one that tells it from the real spec.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from modelcheck import Spec, check
from specs.zookeeper.episodes import Episodes
from tests.zookeeper.mutants import MUTANTS, Mutant

SOURCES = Path(__file__).parents[2] / "specs" / "zookeeper"
MODULES = ("disk", "eras", "decision", "learner", "episodes")
LINES = tuple(range(8))
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
@@MODELS@@
}


def answer(spec: type[Spec], model: Small) -> Answer:
    # A mutant may have many more states: a few too many are enough to know.
    result = check(spec(**model.constants), max_depth=model.depth, max_states=model.answer.distinct + 50)
    lines = tuple(result.goals[f"decision_is_taken(line={line})"] for line in LINES)
    return Answer(result.verdict.name, result.distinct, result.generated, lines)


Load = Callable[[Mutant | None], type[Spec]]


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Load]:
    """Loads a copy of the spec, with one line changed, as a package of its own: operators remember per package."""
    package = f"mutant_{tmp_path.name.replace('-', '_')}"
    monkeypatch.syspath_prepend(str(tmp_path))

    def copy(mutant: Mutant | None) -> type[Spec]:
        (tmp_path / package).mkdir()
        for module in MODULES:
            text = (SOURCES / f"{module}.py").read_text(encoding="utf-8")
            if mutant is not None and module == mutant.module:
                assert text.count(mutant.old) == 1, "a mutant changes one place"
                text = text.replace(mutant.old, mutant.new)
            text = text.replace("from specs.zookeeper.", f"from {package}.")
            (tmp_path / package / f"{module}.py").write_text(text, encoding="utf-8")
        importlib.invalidate_caches()
        spec: type[Spec] = importlib.import_module(f"{package}.episodes").Episodes
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
