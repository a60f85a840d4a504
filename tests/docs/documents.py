"""The examples of the documentation as programs: files to write, changes to make, commands to run.

A fenced block is an example if its language is one of these:

* ``python`` or ``toml`` whose first line is ``# name.py`` (or another file name): the block is that
  file. With ``# name.py, continued`` it goes to the end of the file that is there already.
* ``python`` without such a line: a program of its own, which must run.
* ``diff`` whose first line is ``--- name.py``: a change of that file. The lines that are not added
  must stand in it, once.
* ``console``: commands after ``$``, each followed by what it prints. A line ``...`` stands for any
  lines. Times are not compared, and progress is left out.

Blocks in any other language (``sh``, ``text``) are for people only. A document is played from top
to bottom in one empty folder, which has the project's ``specs`` beside it.

``python -m tests.docs.documents`` plays all documents and writes into them what the commands print
now; read the difference before you keep it.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["DOCUMENTS", "ROOT", "Block", "Mismatch", "blocks", "play", "same"]

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = ("README.md", "docs/tutorial.md", "docs/language.md", "docs/GOTCHAS.md")

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_FILE = re.compile(r"# ([\w/]+\.(?:py|toml))(, continued)?$")
# A slow machine, or the first search after an installation, shows progress where none is expected.
_PROGRESS = re.compile(r"^depth \d+ \| .*\n", re.MULTILINE)
_TIMES = (
    (re.compile(r"\b[\d,]+\.\d+ ?s\b"), "N s"),
    (re.compile(r"\b[\d,]+ distinct states/s"), "N distinct states/s"),
    (re.compile(r" +\d+\.\d\d(?=  (?:yes|NO)\b)"), "  N"),
)


@dataclass(frozen=True)
class Block:
    """A fenced block and the line of the document on which its text begins."""

    language: str
    text: str
    line: int


@dataclass(frozen=True)
class Mismatch:
    """A command whose output is not what the document shows."""

    line: int
    command: str
    shown: str
    printed: str

    def __str__(self) -> str:
        return f"line {self.line}: $ {self.command}\nshown:\n{self.shown}\nprinted:\n{self.printed}"


def blocks(text: str) -> list[Block]:
    """The fenced blocks of a document."""
    return [
        Block(match[1], match[2], text.count("\n", 0, match.start(2)) + 1)
        for match in _FENCE.finditer(text)
    ]


def play(text: str, folder: Path) -> Iterator[Mismatch]:
    """Do what a document says, in a folder; every command that prints something else."""
    stage = _Stage(folder)
    for block in blocks(text):
        if block.language == "console":
            yield from stage.console(block)
        elif block.language == "diff":
            stage.change(block)
        elif block.language in ("python", "toml"):
            stage.file_or_program(block)


def same(shown: str, printed: str) -> bool:
    """Whether the output shown is the one printed, times and lines left out aside."""
    parts = [re.escape(part.strip("\n")) for part in re.split(r"^\.\.\.$", _timeless(shown), flags=re.M)]
    return re.fullmatch(r"(?s:.*)".join(parts), _timeless(printed).strip("\n")) is not None


def _timeless(text: str) -> str:
    for pattern, instead in _TIMES:
        text = pattern.sub(instead, text)
    return re.sub(r"[ \t]+$", "", text, flags=re.MULTILINE)


@dataclass
class _Stage:
    """The folder in which a document is played."""

    folder: Path
    last_code: int = 0
    environment: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        (self.folder / "specs").symlink_to(ROOT / "specs")
        path = os.pathsep.join([str(ROOT), str(self.folder)])
        self.environment = {**os.environ, "PYTHONPATH": path, "NO_COLOR": "1", "COLUMNS": "100"}

    def file_or_program(self, block: Block) -> None:
        named = _FILE.match(block.text.partition("\n")[0])
        if named is None:
            done = self._run([sys.executable, "-c", block.text])
            assert self.last_code == 0, f"the program in line {block.line} fails:\n{done}"
            return
        file = self.folder / named[1]
        before = f"{file.read_text(encoding='utf-8')}\n" if named[2] else ""
        body = block.text.partition("\n")[2].lstrip("\n") if named[2] else block.text
        file.write_text(before + body, encoding="utf-8")

    def change(self, block: Block) -> None:
        head, *lines = block.text.splitlines()
        file = self.folder / head.removeprefix("--- ")
        old, new = (
            "\n".join(line[1:] for line in lines if line[:1] != unwanted) for unwanted in "+-"
        )
        text = file.read_text(encoding="utf-8")
        assert text.count(old) == 1, f"the change in line {block.line} does not fit {file.name}"
        file.write_text(text.replace(old, new), encoding="utf-8")

    def console(self, block: Block) -> Iterator[Mismatch]:
        line = block.line
        for part in re.split(r"^(?=\$ )", block.text, flags=re.MULTILINE):
            if part:
                command, _, shown = part[2:].partition("\n")
                printed = self._command(command)
                if not same(shown, printed):
                    yield Mismatch(line, command, shown, printed)
                line += part.count("\n")

    def _command(self, text: str) -> str:
        if text == "echo $?":
            return f"{self.last_code}\n"
        words = shlex.split(text)
        programs = {
            "modelcheck": [sys.executable, "-m", "modelcheck"],
            "pytest": [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-c", os.devnull],
        }
        assert words[0] in programs, f"{text!r}: only modelcheck and pytest are played"
        return self._run([*programs[words[0]], *words[1:]])

    def _run(self, command: list[str]) -> str:
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=300,
        )
        self.last_code = done.returncode
        return _PROGRESS.sub("", done.stdout)


def _rewrite(document: Path) -> None:
    """Put what the commands print now into the document."""
    text = document.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        mismatches = list(play(text, Path(folder)))
    lines = text.splitlines()
    for mismatch in reversed(mismatches):
        print(f"{document.relative_to(ROOT)}: {mismatch}\n")
        if re.search(r"^\.\.\.$", mismatch.shown, re.MULTILINE):
            print("(not written: the document leaves lines out)\n")
            continue
        end = mismatch.line + len(mismatch.shown.splitlines())
        lines[mismatch.line : end] = mismatch.printed.rstrip().splitlines()
    document.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    for name in sys.argv[1:] or DOCUMENTS:
        _rewrite(ROOT / name)
