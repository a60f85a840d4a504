"""Picture files: the dot source, always, and what Graphviz makes of it, where it is installed."""

from __future__ import annotations

import platform
import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from xml.sax.saxutils import escape

from modelcheck.errors import ConfigError, suggest

__all__ = ["FORMATS", "DotMissing", "check_formats", "how_to_install", "svg_text", "write_picture"]

FORMATS = ("svg", "pdf", "png", "dot")
_PAGE = '  graph [size="7.6,10.35", margin="0.3,0.3"];'  # with its margins no larger than A4 or US Letter
_FONTS = 'font-family="Arial,Helvetica,sans-serif"'
_INSTALL = {
    "Linux": "sudo apt-get install graphviz   (Fedora: sudo dnf install graphviz; Alpine: apk add graphviz)",
    "Darwin": "brew install graphviz",
    "Windows": "winget install graphviz",
}


class DotMissing(ConfigError):
    """Graphviz's program `dot` is not installed."""

    def __init__(self) -> None:
        super().__init__(f"Graphviz is not installed, so no picture can be drawn.\n{how_to_install()}")


def how_to_install(system: str | None = None) -> str:
    """The command that installs Graphviz on a platform (this one, if none is named)."""
    command = _INSTALL.get(system or platform.system())
    return f"Install it with: {command}" if command else "Install it from https://graphviz.org/download/"


def check_formats(formats: Sequence[str]) -> list[str]:
    """The formats, if all are known."""
    for wanted in formats:
        if wanted not in FORMATS:
            known = ", ".join(FORMATS)
            raise ConfigError(f"there is no format {wanted!r}{suggest(wanted, FORMATS)}; the formats are {known}")
    return list(dict.fromkeys(formats))


def write_picture(source: str, folder: Path, name: str, formats: Sequence[str] = ("svg",)) -> tuple[list[Path], str]:
    """Write the picture in each format, and the dot source in any case.

    Gives the files written, and a sentence if Graphviz is missing (otherwise an empty text).
    """
    check_formats(formats)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        written = [_write(folder / f"{name}.dot", source.encode())]
        if shutil.which("dot") is None:
            return written, str(DotMissing()) if set(formats) - {"dot"} else ""
        for wanted in formats:
            if wanted == "svg":
                written.append(_write(folder / f"{name}.svg", svg_text(source).encode()))
            elif wanted != "dot":
                written.append(_write(folder / f"{name}.{wanted}", _drawn(source, wanted)))
    except OSError as error:
        raise ConfigError(f"{folder} cannot be written to: {error.strerror}.") from error
    return written, ""


def _write(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


def svg_text(source: str, title: str = "") -> str:
    """The picture as SVG. The names that Graphviz gives its parts are taken out: browsers show them as hints."""
    text = _drawn(source, "svg").decode("utf-8")
    text = re.sub(r"<!-- .*? -->\n", "", text, flags=re.DOTALL)
    text = re.sub(r"<title>[^<]*</title>\n?", "", text)
    text = re.sub(r'<g id="a_[^"]*"><a [^>]*>\n?|\n?</a>\n?</g>', "", text)
    text = text.replace('font-family="Arial Bold"', f'{_FONTS} font-weight="bold"')
    text = text.replace('font-family="Arial"', _FONTS)
    label = f"<title>{escape(title)}</title>" if title else ""
    return re.sub(r"(<svg [^>]*)>", lambda found: f'{found[1]} role="img">{label}', text, count=1)


def _drawn(source: str, wanted: str) -> bytes:
    if shutil.which("dot") is None:
        raise DotMissing
    import graphviz  # only where something is drawn: a check must not pay for it

    if wanted == "pdf":  # one page, if it can be read at that size
        source = source.replace("{\n", "{\n" + _PAGE + "\n", 1)
    if wanted == "png":
        source = source.replace("{\n", "{\n  graph [dpi=110];\n", 1)
    data: bytes = graphviz.Source(source).pipe(format=wanted, quiet=True)
    return data
