"""A sheet of paper: boxes, texts and lines at fixed places, written as Graphviz source.

Every place is chosen by us, so Graphviz only draws (its layout ``nop`` moves nothing), pictures look the same
whichever version or fonts are installed, and equal traces give equal source. Points, with y downward.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from .lettering import harmless, shortened, width_of

__all__ = ["Canvas", "Ink", "quoted"]

FONT = "Arial"


def quoted(text: str) -> str:
    """A text as a quoted label of dot, in which nothing has a meaning of its own.

    >>> print(quoted('say "\\\\N" & go'))
    "say \\"\\\\N\\" &amp; go"
    """
    clean = harmless(text).replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;")
    return f'"{clean}"'


@dataclass(frozen=True)
class Ink:
    """How something is drawn. ``name`` is its class in SVG, by which a style sheet may change it."""

    name: str
    line: str = "#57606a"
    fill: str = "none"
    text: str = "#1f2328"
    style: str = "solid"
    bold: bool = False
    pen: float = 1.0


@dataclass
class Canvas:
    """Collects what is drawn. ``group`` is added to the class of everything drawn from then on."""

    title: str
    group: str = ""
    right: float = 0.0  # where the paper ends: no room is kept beyond it
    _body: list[str] = field(default_factory=list)
    _count: int = 0

    def box(self, left: float, top: float, width: float, height: float, ink: Ink, rounded: bool = False) -> None:
        """An empty frame."""
        styles = [ink.style] if ink.style != "solid" else []
        styles += ["rounded"] if rounded else []
        styles += ["filled"] if ink.fill != "none" else []
        place = _place(left, top, width, height)
        self._node(place, ink, shape="box", style=",".join(styles) or "solid", label="")

    def text(self, left: float, top: float, text: str, size: float, ink: Ink, width: float = 0.0) -> None:
        """One line of text: flush left, or in the middle of ``width`` where that is given."""
        needed = width_of(text, size, ink.bold)
        wide = width or max(needed, min(1.3 * needed, self.right - left))  # room for a font that is wider
        place = _place(left, top, wide, size * 1.3)
        label = quoted(text) if width else quoted(text)[:-1] + '\\l"'
        self._node(place, ink, shape="none", fontsize=_number(size), label=label)

    def line(self, start: tuple[float, float], end: tuple[float, float], ink: Ink, arrow: str = "none") -> None:
        """A straight line; ``arrow`` is Graphviz's name of an arrowhead."""
        ends = [self._point(*start), self._point(*end)]
        about = {
            "color": f'"{ink.line}"',
            "penwidth": _number(ink.pen),
            "style": ink.style,
            "arrowhead": arrow,
            "class": f'"{self._class(ink)}"',
        }
        self._body.append(f"  {ends[0]} -> {ends[1]} [{_attributes(about)}];")

    def stripe(self, top: float, height: float, ink: Ink) -> None:
        """A stripe across the paper, behind the lines that are drawn from then on: a line itself, as thick as that."""
        middle = top + height / 2
        self.line((0, middle), (self.right, middle), replace(ink, pen=height))

    def source(self) -> str:
        """The whole picture as dot source, which `dot`, `neato` and every viewer of dot files can draw."""
        head = [
            "// Drawn by modelcheck. Every place is fixed: dot -Tsvg FILE",
            "digraph picture {",
            "  graph [layout=nop, splines=line, outputorder=edgesfirst, pad=0.2];",
            f"  graph [tooltip={quoted(shortened(self.title, 200))}];",
            f'  node [fixedsize=true, margin=0, fontname="{FONT}", fontsize=10, label=""];',
            "  edge [arrowsize=0.8];",
        ]
        return "\n".join([*head, *self._body, "}", ""])

    def _node(self, place: Mapping[str, str], ink: Ink, **more: str) -> None:
        style = f'"{more.pop("style")}"' if "style" in more else None
        label = more.pop("label") or '""'
        font = '"Arial Bold"' if ink.bold else None
        about = {
            **place,
            "shape": more.pop("shape"),
            "style": style,
            "color": f'"{ink.line}"',
            "fillcolor": f'"{ink.fill}"' if ink.fill != "none" else None,
            "fontcolor": f'"{ink.text}"',
            "fontname": font,
            "penwidth": _number(ink.pen) if ink.pen != 1 else None,
            "class": f'"{self._class(ink)}"',
            **more,
            "label": label,
        }
        self._body.append(f"  {self._name()} [{_attributes(about)}];")

    def _point(self, x: float, y: float) -> str:
        name = self._name()
        place = f'pos="{_number(x)},{_number(-y)}"'
        self._body.append(f"  {name} [shape=point, style=invis, width=0.01, height=0.01, {place}];")
        return name

    def _name(self) -> str:
        self._count += 1
        return f"n{self._count}"

    def _class(self, ink: Ink) -> str:
        return f"{ink.name} {self.group}".strip()


def _place(left: float, top: float, width: float, height: float) -> dict[str, str]:
    return {
        "pos": f'"{_number(left + width / 2)},{_number(-(top + height / 2))}"',
        "width": _number(width / 72, 4),
        "height": _number(height / 72, 4),
    }


def _attributes(about: Mapping[str, str | None]) -> str:
    return ", ".join(f"{name}={value}" for name, value in about.items() if value is not None)


def _number(value: float, digits: int = 2) -> str:
    return f"{value:.{digits}f}".rstrip("0").rstrip(".") or "0"
