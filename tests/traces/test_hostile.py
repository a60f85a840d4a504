"""Hostile content breaks nothing: JSON, ITF, Markdown, generated tests, terminal text."""

from __future__ import annotations

import ast
import json
import re
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import pytest
from hypothesis import HealthCheck, example, given, settings
from markdown_it import MarkdownIt

from modelcheck.errors import ConfigError
from tests.traces.itf_rules import itf_problems
from tests.traces.material import HOSTILE, Point, delivered, hostile_texts, values
from traces.files import load_trace, save_trace, stored_of
from traces.markdown import markdown_report
from traces.pytest_case import pytest_case
from traces.replay import replay
from traces.replay_text import render_replay
from traces.safe import code_block, code_span, visible

Test = TypeVar("Test", bound=Callable[..., None])

ONE_FOLDER = settings(
    deadline=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


def every_hostile(test: Test) -> Test:
    for text in HOSTILE:
        test = example(value=text, note=text)(test)
    return example(value=Point(HOSTILE[0], HOSTILE[8]), note="")(test)


@every_hostile
@ONE_FOLDER
@given(value=values, note=hostile_texts)
def test_files_come_back_and_replay(value: object, note: str, tmp_path: Path) -> None:
    spec, found = delivered(value, note)
    for name in ("t.json", "t.itf.json"):
        save_trace(tmp_path / name, found, spec)
        raw = (tmp_path / name).read_bytes()
        assert raw.isascii()
        if name == "t.itf.json":
            assert itf_problems(json.loads(raw)) == []
        stored = load_trace(tmp_path / name)
        answer = replay(spec.program, stored.found)
        assert answer.identical
        assert answer.trace == found.trace
        assert hidden(render_replay(answer)) == []


@every_hostile
@ONE_FOLDER
@given(value=values, note=hostile_texts)
def test_generated_tests_are_plain_python_and_pass(value: object, note: str) -> None:
    spec, found = delivered(value, note)
    source = pytest_case(stored_of(found, spec))
    assert source.isascii()
    tree = ast.parse(source)
    (function,) = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    assert sum(isinstance(node, ast.Assert) for node in ast.walk(function)) == 1
    assert all(isinstance(node, ast.ImportFrom | ast.FunctionDef) for node in tree.body)
    names: dict[str, object] = {}
    exec(compile(tree, "<case>", "exec"), names)
    test = names[function.name]
    assert callable(test)
    test()


@every_hostile
@ONE_FOLDER
@given(value=values, note=hostile_texts)
def test_reports_keep_their_structure(value: object, note: str) -> None:
    spec, found = delivered(value, note)
    text = markdown_report(stored_of(found, spec), "trace.json")
    assert hidden(text) == []
    outside = list(outside_fences(text))
    headings = [line for line in outside if line.startswith("#")]
    assert [line.partition(" ")[0] for line in headings] == ["#", "##", "##", "##"]
    assert sum(line.startswith("**") for line in outside) == 4
    for line in outside:
        assert "<" not in without_code_spans(line), line
        assert len(line) < 1000


@every_hostile
@ONE_FOLDER
@given(value=values, note=hostile_texts)
def test_reports_read_by_a_markdown_parser_hold_no_html(value: object, note: str) -> None:
    spec, found = delivered(value, note)
    tokens = MarkdownIt().parse(markdown_report(stored_of(found, spec), "trace.json"))
    kinds = [token.type for token in tokens]
    inline = {child.type for token in tokens for child in token.children or ()}
    assert "html_block" not in kinds and "code_block" not in kinds and "blockquote_open" not in kinds
    assert kinds.count("heading_open") == 4
    assert kinds.count("fence") == 6
    assert kinds.count("bullet_list_open") == 1
    assert inline <= {"text", "code_inline", "strong_open", "strong_close"}


@settings(deadline=None)
@given(text=hostile_texts)
def test_code_spans_and_blocks_cannot_be_left(text: str) -> None:
    assert without_code_spans(code_span(text)).strip() == ""
    assert "\n" not in code_span(text)
    assert list(outside_fences(code_block(text))) == []
    assert hidden(visible(text)) == []


def test_what_python_cannot_write_is_refused() -> None:
    spec, found = delivered(1)
    trace = type(found.trace)("Courier", {"load": print}, found.trace.states, found.trace.steps)
    with pytest.raises(ConfigError, match="cannot be written"):
        pytest_case(stored_of(type(found)(found.kind, found.property, {}, trace), spec))


def hidden(text: str) -> list[str]:
    """Characters that cannot be seen, other than the ends of lines."""
    odd = ("Cc", "Cf", "Cs", "Zl", "Zp")
    return [char for char in text if char != "\n" and unicodedata.category(char) in odd]


def outside_fences(text: str) -> Iterator[str]:
    """The lines of Markdown that are in no fenced block; every block must be closed."""
    fence = ""
    for line in text.split("\n"):
        found = re.fullmatch(r"(`{3,})(\w*)", line)
        if fence:
            if found and not found[2] and len(found[1]) >= len(fence):
                fence = ""
        elif found:
            fence = found[1]
        else:
            yield line
    assert not fence, "a block is not closed"


def without_code_spans(line: str) -> str:
    """A line without its code spans, by Markdown's rule: equal runs of backticks belong together."""
    rest, at = "", 0
    while at < len(line):
        run = re.compile("`+").match(line, at)
        if run is None:
            rest += line[at]
            at += 1
            continue
        closing = next(
            (each for each in re.compile("`+").finditer(line, run.end()) if len(each[0]) == len(run[0])),
            None,
        )
        at = closing.end() if closing else run.end()
        rest += "" if closing else run[0]
    return rest
