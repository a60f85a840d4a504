"""The example in `docs/trace-format.md` is a trace, and its tables name every tag that is written."""

from __future__ import annotations

import re
from pathlib import Path

from modelcheck.cli.main import main
from traces import codec
from traces.files import VERSION, load_trace

PAGE = Path(__file__).parents[2] / "docs" / "trace-format.md"


def test_the_example_replays(tmp_path: Path) -> None:
    (example,) = re.findall(r"```json\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    file = tmp_path / "example.json"
    file.write_text(example)
    stored = load_trace(file)
    assert stored.found.property == "big_is_never_on_target"
    assert main(["replay", str(file), "--spec", str(PAGE.parents[1] / "specs/toys/die_hard.py")]) == 0


def test_every_tag_and_the_version_are_described() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert f"## Version {VERSION}" in text
    for tag in [*codec._LOADERS, "#class", "#enum"]:
        assert f'"{tag}"' in text, tag
