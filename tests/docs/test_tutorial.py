"""The documentation is true: its examples run and print what it shows, and it leaves nothing out."""

from __future__ import annotations

import argparse
import inspect
import re
from pathlib import Path

import pytest

import modelcheck
from modelcheck import Verdict
from modelcheck.cli.main import INTERNAL_ERROR, build_parser
from tests.docs.documents import DOCUMENTS, ROOT, blocks, play, same

PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("document", DOCUMENTS)
def test_examples_print_what_is_shown(document: str, tmp_path: Path) -> None:
    wrong = [str(mismatch) for mismatch in play(text_of(document), tmp_path)]
    advice = "\n\nIf the new output is right: python -m tests.docs.documents"
    assert not wrong, f"{document}:\n" + "\n\n".join(wrong) + advice


def test_examples_are_found() -> None:
    languages = {name: [block.language for block in blocks(text_of(name))] for name in DOCUMENTS}
    assert languages["docs/tutorial.md"].count("console") > 10
    assert all("console" in found and "python" in found for found in languages.values())


def test_times_and_left_out_lines_are_not_compared() -> None:
    printed = "HOLDS\n\n3 distinct states, 5 generated, depth 2, 0.01 s\nend\n"
    assert same("HOLDS\n...\nend\n", printed)
    assert same("HOLDS\n\n3 distinct states, 5 generated, depth 2, 1.7 s\nend\n", printed)
    assert not same("HOLDS\n\n4 distinct states, 5 generated, depth 2, 0.01 s\nend\n", printed)
    assert not same("HOLDS\n", printed)


def test_every_public_name_is_in_the_reference() -> None:
    reference = text_of("docs/language.md")
    words = [name for name in modelcheck.__all__ if not inspect.ismodule(getattr(modelcheck, name))]
    assert [name for name in words if not re.search(rf"`@?{name}\b", reference)] == []


def test_every_exit_code_is_in_the_readme() -> None:
    readme = text_of("README.md")
    rows = dict(re.findall(r"^\| (\d+) \| `?(\w+)", readme, re.MULTILINE))
    wanted = {str(verdict.exit_code): verdict.name for verdict in Verdict}
    assert rows == {**wanted, str(INTERNAL_ERROR): "internal"}


def test_every_option_of_a_described_command_is_in_the_readme() -> None:
    readme = text_of("README.md")
    described = set(re.findall(r"^modelcheck (\S+) TARGET", readme, re.MULTILINE))
    assert {"check", "simulate", "profile", "show"} <= described
    missing = [
        f"{command} {option}"
        for command, options in options_by_command().items()
        for option in options
        if command in described and f"`{option}" not in readme
    ]
    assert not missing


def options_by_command() -> dict[str, list[str]]:
    parsers = next(
        action.choices
        for action in build_parser()._actions
        if isinstance(action, argparse._SubParsersAction)
    )
    return {
        name: [text for action in parser._actions for text in action.option_strings if text[:2] == "--"]
        for name, parser in parsers.items()
    }


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    found = re.findall(r"\]\((?!https?:)([^)#\s]*)(#[^)\s]*)?\)", page.read_text(encoding="utf-8"))
    for place, anchor in found:
        target = (page.parent / place) if place else page
        assert target.exists(), f"{page.name}: {place}"
        if anchor:
            assert anchor[1:] in anchors(target), f"{page.name}: {place}{anchor}"


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, made as the usual web front ends make them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
