"""The state space as data: what is exported is what was searched, however it was divided."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from modelcheck import Result, Spec, check
from modelcheck.errors import ConfigError, Refused
from modelcheck.limits import Limits
from modelcheck.oracle import Oracle
from modelcheck.result import Progress
from modelcheck.values import show
from spark.export import column_names
from specs.classics.two_phase import TwoPhase
from specs.toys.die_hard import DieHard
from specs.zookeeper.episodes import Episodes

from .test_engine import Mixed, Raises

pytestmark = pytest.mark.usefixtures("context")
pytest.importorskip("pyarrow")


def rows(folder: Path, kind: str) -> list[dict[str, Any]]:
    from pyarrow import dataset

    made: list[dict[str, Any]] = dataset.dataset(folder / kind, partitioning="hive").to_table().to_pylist()
    return made


def export(spec: Spec, folder: Path, **options: Any) -> Result:
    return check(spec, engine="spark", export=str(folder), **{"wide": 0, "partitions": 3, **options})


def everything(folder: Path) -> tuple[Any, Any]:
    """States and edges without an order."""
    return [sorted(map(repr, rows(folder, kind))) for kind in ("states", "edges")]  # type: ignore[return-value]


def test_exports_are_whole_and_do_not_depend_on_how_states_were_divided(tmp_path: Path) -> None:
    ways: dict[str, dict[str, Any]] = {
        "one": {"partitions": 1},
        "three": {"partitions": 3},
        "driver": {"wide": 10**9},
        "both": {"wide": 8},
    }
    for name, options in ways.items():
        result = export(TwoPhase(rms=2), tmp_path / name, **options)
    first = everything(tmp_path / "one")
    assert all(everything(tmp_path / name) == first for name in ways)
    states, edges = rows(tmp_path / "one", "states"), rows(tmp_path / "one", "edges")
    levels = {state["fingerprint"]: state["level"] for state in states}
    assert len(levels) == len(states) == result.distinct
    assert max(levels.values()) == result.depth
    initial = [state for state in states if state["parent"] is None]
    assert len(edges) + len(initial) == result.generated
    steps = {(edge["source"], edge["target"], edge["action"]) for edge in edges}
    for state in states:
        if state["parent"] is None:
            assert state["level"] == 1 and state["action"] is None
        else:
            assert levels[state["parent"]] == state["level"] - 1
            assert (state["parent"], state["fingerprint"], state["action"]) in steps
    assert all(edge["level"] == levels[edge["source"]] for edge in edges)
    assert {edge["target"] for edge in edges} <= set(levels)
    assert sorted(path.name for path in (tmp_path / "three").iterdir()) == ["edges", "levels.parquet", "states"]
    assert len(list((tmp_path / "three" / "states").glob("level=000004/part-0000?.parquet"))) > 1


def of_oracle(spec: Spec) -> tuple[list[tuple[str, ...]], Any]:
    """Every state of a spec as text, from a search that knows neither ids nor fingerprints."""
    search = Oracle(spec.program, Limits(), keep_going=True)
    search.run()
    layout = spec.program.layout
    return sorted(tuple(map(show, layout.values(s))) for s in search.parents if s not in search.outside), layout


@pytest.mark.parametrize("spec", [DieHard(), Mixed(limit=3)], ids=["die hard", "constraints"])
def test_values_are_those_of_the_oracle(spec: Spec, tmp_path: Path) -> None:
    result = export(spec, tmp_path, keep_going=True)
    expected, layout = of_oracle(spec)
    states = rows(tmp_path, "states")
    names = column_names(layout.names)
    assert sorted(tuple(state[name] for name in names) for state in states) == expected
    assert len(states) == result.distinct
    initial = sum(state["parent"] is None for state in states)
    edges = rows(tmp_path, "edges")
    cut = result.generated - initial - len(edges)
    assert cut > 0 if isinstance(spec, Mixed) else cut == 0
    assert {edge["source"] for edge in edges} <= {state["fingerprint"] for state in states}


def test_levels_are_the_history(tmp_path: Path) -> None:
    result = export(DieHard(), tmp_path / "x", keep_going=True, history=str(tmp_path / "history.parquet"))
    from pyarrow import parquet

    levels = parquet.read_table(tmp_path / "x" / "levels.parquet").to_pylist()
    assert levels == parquet.read_table(tmp_path / "history.parquet").to_pylist()
    assert levels[-1]["distinct"] == result.distinct


def test_an_export_is_not_mixed_with_another(tmp_path: Path) -> None:
    export(DieHard(), tmp_path, max_depth=2)
    before = everything(tmp_path)
    with pytest.raises(ConfigError, match=r"there is an export already.*\n.*another folder, delete this one"):
        export(DieHard(), tmp_path)
    assert everything(tmp_path) == before
    with pytest.raises(ConfigError, match="'local' has no option 'export'"):
        check(DieHard(), export=str(tmp_path))
    with pytest.raises(ConfigError, match="--export nosuch://x"):
        check(DieHard(), engine="spark", export="nosuch://x")


def test_a_resumed_search_exports_what_an_uninterrupted_one_does(tmp_path: Path) -> None:
    spec = TwoPhase(rms=2)
    saved = {"checkpoint": str(tmp_path / "saved"), "cut_every": 2}
    export(spec, tmp_path / "x", max_depth=4, **saved)
    with pytest.raises(ConfigError, match="does not have the levels up to"):
        export(spec, tmp_path / "other", resume=True, **saved)
    export(DieHard(), tmp_path / "of another", keep_going=True)
    with pytest.raises((ConfigError, Refused), match="of another search: spec was DieHard, now it is TwoPhase"):
        export(spec, tmp_path / "of another", resume=True, **saved)
    result = export(spec, tmp_path / "x", resume=True, **{**saved, "partitions": 2})
    export(spec, tmp_path / "whole", wide=10**9)
    for kind in ("states", "edges"):
        parts = [sorted(map(repr, rows(tmp_path / name, kind))) for name in ("x", "whole")]
        assert parts[0] == parts[1]
    assert [row["level"] for row in rows(tmp_path / "x", "levels.parquet")] == list(range(1, result.depth + 1))


def test_the_end_of_a_search_leaves_whole_levels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from spark.level import Cluster

    level = Cluster.level

    def interrupted(self: Cluster, stage: Any) -> Any:
        made = level(self, stage)
        if stage.level == 4:  # its files are written, and it is not taken
            raise KeyboardInterrupt
        return made

    monkeypatch.setattr(Cluster, "level", interrupted)
    result = export(TwoPhase(), tmp_path / "x")
    assert result.stopped == "interrupted (Ctrl-C)"
    assert len(rows(tmp_path / "x", "states")) == result.distinct
    assert max(edge["level"] for edge in rows(tmp_path / "x", "edges")) == 3
    assert [row["level"] for row in rows(tmp_path / "x", "levels.parquet")] == [1, 2, 3]
    assert not (tmp_path / "x" / "_unfinished").exists()


def test_an_error_of_the_spec_leaves_what_was_found_before(tmp_path: Path) -> None:
    result = export(Raises(), tmp_path)
    assert [state["x"] for state in rows(tmp_path, "states")] == ["0", "1", "2", "3"]
    assert result.distinct == 4


@pytest.mark.parametrize("wide", [0, 10**9], ids=["on the cluster", "on the driver"])
def test_an_export_that_cannot_be_written_any_more_ends_with_what_is_known(
    wide: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def spoil(progress: Progress) -> None:
        if progress.depth == 4:
            shutil.rmtree(tmp_path / "x" / "_unfinished")
            (tmp_path / "x" / "_unfinished").write_text("a file in the place of the folder")

    result = export(TwoPhase(), tmp_path / "x", wide=wide, progress=spoil)
    assert result.verdict.name == "INCOMPLETE" and result.depth == 4
    assert "_unfinished/edges/level=000004" in str(result.stopped) and "cannot be written" in str(result.stopped)
    assert "Traceback" not in str(result.stopped)
    assert len(rows(tmp_path / "x", "states")) == result.distinct
    assert [row["level"] for row in rows(tmp_path / "x", "levels.parquet")] == [1, 2, 3]
    assert "The result is not affected." in capsys.readouterr().err


def test_a_level_that_cannot_be_put_in_place_is_not_taken(tmp_path: Path) -> None:
    def spoil(progress: Progress) -> None:
        if progress.depth == 4:
            shutil.rmtree(tmp_path / "x" / "edges")
            (tmp_path / "x" / "edges").write_text("a file in the place of the folder")

    result = export(TwoPhase(), tmp_path / "x", wide=10**9, progress=spoil)
    assert result.verdict.name == "INCOMPLETE" and result.depth == 4
    assert len(rows(tmp_path / "x", "states")) == result.distinct
    assert [row["level"] for row in rows(tmp_path / "x", "levels.parquet")] == [1, 2, 3]
    assert not list((tmp_path / "x").glob("_*"))


def test_columns_have_names_of_their_own() -> None:
    assert column_names(["x", "level", "Action", "a[1]", "a[1]"]) == ["x", "level_", "Action_", "a[1]", "a[1]_"]


def test_questions_to_zookeeper_are_answered(tmp_path: Path, context: Any) -> None:
    from pyspark.sql import SparkSession

    from docs.examples.ask_zookeeper import QUESTIONS, views

    spec = Episodes(era="3.8", max_epoch=4, watch=())
    result = export(spec, tmp_path, wide=10**9)
    views(SparkSession(context), str(tmp_path))
    counts, actions, synchronisations = (SparkSession(context).sql(query).collect() for query in QUESTIONS.values())
    wrong = {state["fingerprint"]: state for state in rows(tmp_path, "states") if disagree(state)}
    assert tuple(counts[0]) == (result.distinct, len(wrong), min(state["level"] for state in wrong.values()))
    steps = [edge for edge in rows(tmp_path, "edges") if edge["target"] in wrong and edge["source"] not in wrong]
    assert dict(actions) == Counter(edge["action"].split("(")[0] for edge in steps)
    told = (state[f"sync[{i}]"] for state in wrong.values() for i in spec.servers)
    assert dict(synchronisations) == Counter(how.split()[0] for how in told if how != "None")


def disagree(state: dict[str, Any]) -> bool:
    pairs = [(i, j) for i, j in ((0, 1), (0, 2), (1, 2)) if state[f"last[{i}]"] == state[f"last[{j}]"]]
    running = [(i, j) for i, j in pairs if "'down'" not in (state[f"role[{i}]"], state[f"role[{j}]"])]
    return any(state[f"tree[{i}]"] != state[f"tree[{j}]"] for i, j in running)
