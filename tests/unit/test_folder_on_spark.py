"""`check FOLDER` with the options of `--engine spark`: they reach the models that run on it, or are refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from modelcheck.cli import folder
from modelcheck.cli.main import main

pytest.importorskip("pyspark")

SPEC = """
from modelcheck import Spec, action, var

class Ticker(Spec):
    count = var(0)

    @action
    def tick(self, s, n):
        n.count = (s.count + 1) % 5
"""
MODELS = """
[plain]
spec = "ticker.py"
[distributed]
spec = "ticker.py"
engine = "spark"
"""
ON_SPARK = ["--master", "local[1]", "--partitions", "3", "--wide", "0", "--cut-every", "5"]


@pytest.fixture(autouse=True)
def _own_folder(own_folder: Path) -> None:
    Path("ticker.py").write_text(SPEC, encoding="utf-8")
    Path("models.toml").write_text(MODELS, encoding="utf-8")


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """With which options of its engine each model was run."""
    ran: dict[str, Any] = {}
    real = folder.run_model

    def run_model(model: Any, *, keep_going: bool, progress: Any, **options: Any) -> Any:
        ran[model.name] = model.engine, options
        return real(folder.dataclasses.replace(model, engine="local"), progress=progress)

    monkeypatch.setattr(folder, "run_model", run_model)
    return ran


OPTIONS = {"master": "local[1]", "partitions": 3, "wide": 0, "cut_every": 5}


def test_a_folder_run_passes_the_options_of_spark_on(given: dict[str, Any]) -> None:
    assert main(["check", ".", "--engine", "spark", *ON_SPARK]) == 0
    assert given == {"plain": ("spark", OPTIONS), "distributed": ("spark", OPTIONS)}


def test_a_folder_run_leaves_models_of_other_engines_alone(given: dict[str, Any]) -> None:
    assert main(["check", ".", *ON_SPARK]) == 0
    assert given == {"plain": ("local", {}), "distributed": ("spark", OPTIONS)}


def test_side_by_side_the_options_of_spark_reach_each_process(capfd: pytest.CaptureFixture[str]) -> None:
    """A port that answers until the options are checked, and not any more when the models run."""
    import socket
    import threading

    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]

        def answer_once() -> None:
            server.accept()[0].close()
            server.close()

        threading.Thread(target=answer_once, daemon=True).start()
        code = main(["check", ".", "--jobs", "2", "--master", f"spark://127.0.0.1:{port}"])
    out = capfd.readouterr().out
    assert code == 23
    assert f"distributed: expected holds, got config: no Spark master answers at spark://127.0.0.1:{port}" in out
    assert "plain: " not in out


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--engine", "spark", "--master", "foo"], "--master 'foo' is no address of a cluster"),
        (["--engine", "spark", "--partitions", "0"], "partitions must be positive"),
        (["--engine", "local", "--master", "local[1]"], "the engine 'local' has no option 'master'"),
        (["--checkpoint", "saved"], "--checkpoint is about one search: say of which model with --model"),
        (["--resume", "--checkpoint", "saved"], "--checkpoint is about one search"),
        (["--history", "levels.parquet"], "--history is about one search"),
        (["--export", "states"], "--export is about one search"),
    ],
)
def test_a_folder_run_refuses_what_it_cannot_do_before_any_model_runs(
    given: dict[str, Any], capsys: pytest.CaptureFixture[str], options: list[str], said: str
) -> None:
    assert main(["check", ".", *options]) == 151
    assert said in capsys.readouterr().err
    assert not given
