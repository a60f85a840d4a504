"""What the tests of pictures share: traces of hostile values, and a browser."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import strategies as st
from pyrsistent import PRecord, field, pmap, pvector

from modelcheck.result import Discovery
from modelcheck.trace import Event, Step, Trace

ROOT = Path(__file__).parents[2]
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--virtual-time-budget=4000",
    "--dump-dom",
)

HOSTILE = (
    "</script><script>document.title='broken'</script>",
    "<img src=x onerror=alert(1)>",
    "</text></svg><svg onload=alert(1)>",
    "]]><!-- --> <![CDATA[",
    '"]; evil [shape=box, label="',
    "\\N \\G \\L \\T \\E \\\\ \\",
    'a"b\\"c\\',
    "&amp; &#60; &lt;b&gt; &unknown;",
    "line\nline\r\nline\ttab",
    "\u202eright to left\u202c \u2066isolated\u2069",
    "שלום עולם مرحبا",
    "\x00\x07\x1b[31m\x7f\ufffe\u2028\u2029",
    "@@DATA@@ @@SCRIPT@@ ${x} {{x}}",
    "x" * 10_000,
    "界" * 10_000,
    "",
    "subgraph { a -> b }",
    "<TABLE><TR><TD>cell</TD></TR></TABLE>",
    "\ud800 alone",
)
texts = st.sampled_from(HOSTILE) | st.text(max_size=40)


class State(PRecord):
    note = field()
    box = field()


def hostile_trace(first: str, second: str) -> Discovery:
    """A behaviour in which everything that can be text is one of two texts."""
    lanes = ("a", first or "empty")
    start = State(note=first, box=pmap({lane: pvector([first]) for lane in lanes}))
    then = start.set(note=second).set(box=start["box"].set("a", pvector([first, second])))
    event = Event("send", first, lanes, second)
    steps = (
        Step("init", {}),
        Step("write", {"i": "a", "to": lanes[1], "text": second}, (event,)),
        Step("read", {"i": lanes[1]}, (Event("receive", first, lanes, second),)),
    )
    trace = Trace(first, {"limit": second}, (start, then, then), steps)
    return Discovery("invariant", second, {"i": "a"}, trace, explanation=f"  {first}\n{second}")


def need_dot() -> None:
    """Pictures cannot be tested without Graphviz: as root, which can install it, that is a failure."""
    _need("dot", "graphviz")


def browser() -> str:
    for name in BROWSERS:
        if shutil.which(name):
            return name
    _need(BROWSERS[0], "chromium")
    raise AssertionError("unreachable")


def _need(program: str, package: str) -> None:
    if shutil.which(program) is None:
        told = f"{program} is missing: apt-get install {package}"
        if os.geteuid() == 0:
            pytest.fail(f"{told} (.ci/setup does it)")
        pytest.skip(told)


def browsed(page: Path, folder: Path, fragment: str = "", window: str = "") -> str:
    """The document that a browser has made of a page after its scripts ran; ``window`` is its width and height."""
    profile = tempfile.mkdtemp(dir=folder)  # a browser that is still closing would hold an old one
    size = [f"--window-size={window}"] if window else []
    command = [browser(), *FLAGS, *size, f"--user-data-dir={profile}", f"{page.as_uri()}{fragment}"]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=90)
    assert ran.returncode == 0, ran.stderr[-2000:]
    return ran.stdout
