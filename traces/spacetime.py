"""The space-time diagram: one lane for each node, time downward, messages as arrows.

`modelcheck.picture` says what is on it; here is where everything goes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from modelcheck.picture import Arrow, Box, Chip, Line, Mark, Row, Scene

from .canvas import Canvas, Ink
from .lettering import shortened, width_of, wrapped

__all__ = ["spacetime"]

NARROWEST = 620.0  # no sheet is narrower: what is told of the steps goes across it
ASIDE = 230.0  # of a column beside the lanes: there it goes if the sheet would be too tall for a page
PAGE = (555.0, 752.0)  # A4 or letter, without margins
GAP = 26.0  # between lanes
SIZE = 10.0  # of nearly all letters: a diagram of twelve steps on one page of paper has no room for small print
LINE = 14.0  # height of a line in a box
TOLD = 13.0  # height of a line that tells a step
MARK, MARK_GAP = 16.0, 4.0  # height of a line of marks, and what is between two in it
PAD = 6.0
NOTE = 4.5  # from an arrow to the note below it: the paper of a long one must not cover the arrowhead
MOST_CHIPS = 10
LONG = 60  # rows
FIRST, LAST = 3, 4  # of more chips than that: those at the ends are shown, and the guilty ones

RED, BLUE, GREEN, GREY, INK = "#cf222e", "#0969da", "#1a7f37", "#8c959f", "#1f2328"
BOLD = Ink("text", text=INK, bold=True)
TEXT = Ink("text", text=INK)
MUTED = Ink("muted", text="#57606a")
STRIPE = Ink("stripe", line="#eef1f4", fill="#eef1f4")
UP = Ink("up", line="#57606a", pen=1.6)
DOWN = Ink("down", line="#c4cbd3", style="dashed")
FRAME = Ink("frame", line="#8c959f", fill="#ffffff")
HEAD = Ink("head", line="#57606a", fill="#eaeef2", bold=True)
BAD_FRAME = Ink("badframe", line=RED, fill="#ffffff", pen=1.6)
BAD_TEXT, GOOD_TEXT = Ink("bad", text=RED, bold=True), Ink("good", text=GREEN, bold=True)
CHIPS = {
    "plain": Ink("chip", line="#afb8c1", fill="#f6f8fa"),
    "faint": Ink("faint", line="#d8dee4", fill="#ffffff", text="#6e7781"),
    "new": Ink("new", line=BLUE, fill="#ddf4ff", text="#0550ae"),
    "gone": Ink("gone", line="#afb8c1", fill="#ffffff", text="#6e7781", style="dashed"),
    "guilty": Ink("guilty", line=RED, fill=RED, text="#ffffff", bold=True),
    "missing": Ink("missing", line=RED, fill="#ffffff", text=RED, bold=True, pen=1.4),
}
MARKS = {
    "start": ("▲ ", Ink("start", line=GREEN, fill="#dafbe1", text="#116329")),
    "elect": ("★ ", Ink("elect", line=BLUE, fill=BLUE, text="#ffffff", bold=True)),
    "stop": ("■ ", Ink("stop", line="#6e7781", fill="#eaeef2", text="#424a53")),
    "crash": ("✖ ", Ink("crash", line="#424a53", fill="#424a53", text="#ffffff", bold=True)),
    "write": ("✎ ", Ink("write", line="#9a6700", fill="#fff8c5", text="#633c01")),
    "guilty": ("", Ink("guilty", line=RED, fill=RED, text="#ffffff", bold=True)),
    "note": ("", Ink("note", line="#afb8c1", fill="#ffffff", text="#424a53")),
}
ARROWS = {
    "plain": Ink("arrow", line="#424a53", text=INK, pen=1.4),
    "guilty": Ink("badarrow", line=RED, text=RED, bold=True, pen=2.0),
    "faint": Ink("faintarrow", line="#afb8c1", text="#57606a"),
}


@dataclass(frozen=True)
class Lane:
    """Where a lane is: its left edge, its width, and the line in its middle."""

    left: float
    width: float

    @property
    def middle(self) -> float:
        return self.left + self.width / 2


def spacetime(scene: Scene) -> str:
    """The diagram as dot source. In a long one, boxes have only the lines in which something is new, gone or guilty."""
    if len(scene.rows) > LONG:
        later = (replace(row, boxes=tuple(map(_news, row.boxes))) for row in scene.rows[1:])
        scene = replace(scene, rows=(scene.rows[0], *later))
    across, beside = _Sheet(scene), _Sheet(scene, ASIDE)
    # On a screen the narrow sheet is the larger one; on paper a tall one shrinks.
    chosen = beside if beside.draw() > 1.1 * across.draw() else across
    return chosen.canvas.source()


def _news(box: Box) -> Box:
    lines = [line for line in box.lines if any(chip.tone not in ("plain", "faint") for chip in line.chips)]
    return replace(box, lines=tuple(lines or box.lines[:1]))


class _Sheet:
    """One drawing in the making: ``top`` is the height reached so far, ``aside`` the width of the column of texts."""

    def __init__(self, scene: Scene, aside: float = 0.0) -> None:
        self.scene = scene
        self.aside = aside
        self.canvas = Canvas(scene.title)
        self.lanes: dict[str, Lane] = {}
        self.top = 0.0
        self.marked: list[tuple[float, float]] = []  # from where to where there are marks beside the next arrow's text
        self.landing: dict[int, list[tuple[Arrow, float]]] = {}  # by row: arrows under way, with where they began
        needed = [_lane_width(name, scene) for name in scene.lanes]
        left = self.aside
        spare = max(0.0, NARROWEST - left - sum(needed) - GAP * (len(needed) - 1))
        for name, least in zip(scene.lanes, needed, strict=True):
            self.lanes[name] = Lane(left, least + spare / len(needed))
            left += self.lanes[name].width + GAP
        self.right = self.canvas.right = max(left - GAP, NARROWEST)

    def draw(self) -> float:
        """Draw everything; gives the scale at which it fits on a page of paper."""
        self._heading()
        up: frozenset[str] = frozenset()
        for number, row in enumerate(self.scene.rows):
            self.canvas.group = f"step step-{number}"
            self._row(number, row, up)
            up = row.up
        self.canvas.group = ""
        self._ending(up)
        return min(PAGE[0] / self.right, PAGE[1] / self.top)

    def _heading(self) -> None:
        for text in wrapped(self.scene.title, 15, self.right, bold=True, most=2):
            self.canvas.text(0, self.top, text, 15, BOLD)
            self.top += 20
        for text in wrapped(self.scene.subtitle, 9, self.right, most=3):
            self.canvas.text(0, self.top, text, 9, MUTED)
            self.top += 13
        self._legend()
        self.top += 6
        for name, lane in self.lanes.items():
            self.canvas.box(lane.left, self.top, lane.width, 20, HEAD, rounded=True)
            self.canvas.text(lane.left, self.top + 3, shortened(name, 40), 11, BOLD, width=lane.width)
        self.top += 24

    def _legend(self) -> None:
        if not self.scene.legend:
            return
        left = 0.0
        self.top += 4
        for tone, meaning in self.scene.legend:
            self.canvas.box(left, self.top + 1, 16, 11, CHIPS.get(tone, CHIPS["plain"]))
            self.canvas.text(left + 20, self.top, meaning, 9, MUTED)
            left += 20 + width_of(meaning, 9) + 18
        self.top += 16

    def _row(self, number: int, row: Row, up: frozenset[str]) -> None:
        began = self.top
        told = self._told(number, row)
        self.top += 4
        turns = self._marks(row.marks)
        landed = [(arrow, start, self.top + 8) for arrow, start in self.landing.pop(number, [])]
        for arrow, start, end in landed:
            self._under_way(arrow, start, end)
        if landed:
            self.top, self.marked = self.top + 14, []
        for arrow in row.arrows:
            if arrow.arrives is None:
                self._arrow(arrow)
        self._boxes(row.boxes)
        self._departures([arrow for arrow in row.arrows if arrow.arrives is not None])
        self.top = max(self.top, told) + 3
        self._lifelines(began, turns, up, row.up)

    def _told(self, number: int, row: Row) -> float:
        """What happens: the title, and behind it what there is to note. Gives where that ends beside the lanes."""
        left = PAD + width_of(str(len(self.scene.rows)), 13, True) + 8
        room = (self.aside or self.right) - left - PAD
        titles = wrapped(row.title, SIZE, room, bold=True, most=4)
        taken = width_of(titles[-1], SIZE, True) + 10 if titles and not self.aside else room
        notes = wrapped(row.note, SIZE, room, most=9, taken=taken) if row.note else []
        last = max(len(titles) - 1, 0)
        height = TOLD * max(1, last + len(notes)) + 3
        self.canvas.stripe(self.top, 2.0 if self.aside else height, STRIPE)
        self.canvas.text(PAD, self.top, str(number + 1), 13, BOLD)
        for index, text in enumerate(titles):
            self._on_stripe(text, left, TOLD * index, BOLD)
        for index, text in enumerate(notes):
            if text:  # the line of the title may have no room for it
                self._on_stripe(text, left if index else left + taken, TOLD * (last + index), MUTED)
        if self.aside:
            return self.top + height
        self.top += height
        return self.top

    def _on_stripe(self, text: str, left: float, down: float, ink: Ink) -> None:
        """Text that covers the lines and arrows that cross the stripe."""
        if not self.aside:
            self.canvas.box(left - 2, self.top + down + 1.5, width_of(text, SIZE, ink.bold) + 2, SIZE * 1.3, STRIPE)
        self.canvas.text(left, self.top + down + 2, text, SIZE, ink)

    def _marks(self, marks: Sequence[Mark]) -> dict[str, float]:
        """Marks of a lane stand side by side where they fit; gives where those of each lane end."""
        ends: dict[str, float] = {}
        self.marked = []
        for name, lane in self.lanes.items():
            top = self.top
            for line in _mark_lines([mark for mark in marks if mark.lane == name], lane.width):
                left = lane.middle - (sum(wide for *_, wide in line) + MARK_GAP * (len(line) - 1)) / 2
                for text, ink, wide in line:
                    self.marked.append((left, left + wide))
                    self.canvas.box(left, top, wide, 14, ink, rounded=True)
                    self.canvas.text(left, top + 0.5, text, SIZE, ink, width=wide)
                    left += wide + MARK_GAP
                top += MARK
                ends[name] = top
        self.top = max(ends.values(), default=self.top)
        return ends

    def _lifted(self, text: str, left: float, right: float, ink: Ink) -> float:
        """How far up the first arrow below marks may go because its text fits between them; a little down if not."""
        half, middle = width_of(text, SIZE, ink.bold) / 2 + 6, (left + right) / 2
        clear = all(end < middle - half or middle + half < start for start, end in self.marked)
        lift = (9.0 if clear else -2.0) if self.marked else 0.0
        self.marked = []
        return lift

    def _arrow(self, arrow: Arrow) -> None:
        """An arrow of this row: its text above the line, its note below."""
        source, target = self.lanes.get(arrow.source), self.lanes.get(arrow.target)
        if source is None or target is None:
            return
        ink = ARROWS.get(arrow.tone, ARROWS["plain"])
        text = shortened(arrow.text, 60)
        end = target.middle if source is not target else source.middle + source.width / 2
        left, right = sorted((source.middle, end))
        self.top -= self._lifted(text, left, right, ink)
        level = self.top + 15
        self._on_line(text, left, right, self.top, ink, SIZE)
        self.canvas.line((source.middle, level), (end, level), ink, "normal")
        if arrow.note:
            self._on_line(shortened(arrow.note, 60), left, right, level + NOTE, ink, SIZE)
        self.top = level + (NOTE + 13 if arrow.note else 5)

    def _departures(self, arrows: Sequence[Arrow]) -> None:
        """Messages that are under way after their row leave after the change that they tell of.

        Their texts stand beside their beginnings. Those that are never received come first, and the others leave
        together below all texts, so that no text lies on an arrow.
        """
        leaving = [arrow for arrow in arrows if arrow.source in self.lanes and arrow.target in self.lanes]
        for arrow in sorted(leaving, key=lambda arrow: arrow.arrives != -1):
            source, target = self.lanes[arrow.source], self.lanes[arrow.target]
            ink, level = ARROWS.get(arrow.tone, ARROWS["plain"]), self.top + 15
            toward = 1 if target.middle >= source.middle else -1
            to = f"to {shortened(arrow.target, 20)}: " if len(leaving) > 1 else ""
            text = shortened(to + arrow.text, 60) + (" (never received)" if arrow.arrives == -1 else "")
            edge = source.middle + toward * (width_of(text, SIZE, ink.bold) + 14)
            left, right = sorted((source.middle + toward * 4, edge))
            self._on_line(text, left, right, self.top, ink, SIZE)
            if arrow.arrives == -1:
                self.canvas.line((source.middle, level), (source.middle + toward * 40, level), ink, "tee")
            self.top = level + (5 if arrow.arrives == -1 else 0)
        for arrow in leaving:
            if arrow.arrives is not None and arrow.arrives != -1:
                self.landing.setdefault(arrow.arrives, []).append((arrow, self.top))
        self.top += 6 if leaving else 0

    def _on_line(self, text: str, left: float, right: float, top: float, ink: Ink, size: float) -> None:
        """Text in the middle between two places, on paper of its own so that lines behind it do not disturb."""
        wide = width_of(text, size, ink.bold) + 6
        start = (left + right) / 2 - wide / 2
        self.canvas.box(start, top, wide, size * 1.3, Ink("paper", line="#ffffff", fill="#ffffff"))
        self.canvas.text(start, top, text, size, Ink(ink.name, text=ink.text, bold=ink.bold), width=wide)

    def _under_way(self, arrow: Arrow, start: float, end: float) -> None:
        ink = ARROWS.get(arrow.tone, ARROWS["plain"])
        source, target = self.lanes[arrow.source], self.lanes[arrow.target]
        self.canvas.line((source.middle, start), (target.middle, end), ink, "normal")

    def _boxes(self, boxes: Sequence[Box]) -> None:
        tallest = 0.0
        for box in boxes:
            lane = self.lanes.get(box.lane)
            if lane is not None:
                tallest = max(tallest, self._box(box, lane, self.top + 2))
        self.top += tallest + 4 if tallest else 0

    def _box(self, box: Box, lane: Lane, top: float) -> float:
        """A box in the middle of its lane; gives its height."""
        wide = _box_width(box)
        left = lane.middle - wide / 2
        title = 14 if box.title else 0
        height = LINE * len(box.lines) + PAD + title
        self.canvas.box(left, top, wide, height, BAD_FRAME if box.tone == "guilty" else FRAME)
        if box.title:
            self.canvas.text(left + PAD, top + 3, shortened(box.title, 60), SIZE, BOLD)
        for index, line in enumerate(box.lines):
            self._line(line, left + PAD, top + PAD / 2 + title + LINE * index, _label_width(box))
        return height

    def _line(self, line: Line, left: float, top: float, labels: float) -> None:
        if line.label:
            self.canvas.text(left, top + 1, shortened(line.label, 24), SIZE, MUTED)
        left += labels
        for chip in _fitting(line.chips):
            ink = CHIPS.get(chip.tone, CHIPS["plain"])
            text = shortened(chip.text, 40)
            wide = _chip_width(chip)
            if not chip.bare:
                self.canvas.box(left, top + 1, wide, LINE - 2, ink)
            plain = Ink(ink.name if not chip.bare else "muted", text=ink.text, bold=ink.bold)
            self.canvas.text(left, top + 0.5, text, SIZE, plain, width=wide)
            left += wide + 3

    def _lifelines(self, began: float, turns: Mapping[str, float], before: frozenset[str], now: frozenset[str]) -> None:
        """The line of each lane down to here: solid while it runs; ``turns`` is where its marks say that it changes."""
        for name, lane in self.lanes.items():
            top = began
            if (name in before) != (name in now):
                top = turns.get(name, began)
                self.canvas.line((lane.middle, began), (lane.middle, top), UP if name in before else DOWN)
            self.canvas.line((lane.middle, top), (lane.middle, self.top), UP if name in now else DOWN)

    def _ending(self, up: frozenset[str]) -> None:
        if not (self.scene.verdict or self.scene.final):
            return
        told = BAD_TEXT if self.scene.tone == "guilty" else GOOD_TEXT
        self.canvas.line((0, self.top), (self.right, self.top), Ink(told.name, line=told.text, pen=2.0))
        self.top += 8
        for text in wrapped(self.scene.verdict, 12, self.right, bold=True, most=3):
            self.canvas.text(0, self.top, text, 12, told)
            self.top += 17
        began = self.top
        self._boxes(self.scene.final)
        if self.scene.final:
            self._lifelines(began, {}, up, up)
        for sentence in self.scene.story:
            indent = 6.0 * min(len(sentence) - len(sentence.lstrip()), 20)
            for text in wrapped(sentence.strip(), SIZE, self.right - indent, most=6):
                self.canvas.text(indent, self.top + 2, text, SIZE, TEXT)
                self.top += 14


def _mark_lines(marks: Sequence[Mark], room: float) -> list[list[tuple[str, Ink, float]]]:
    """The marks of one lane in lines of (text, ink, width) that fit into it."""
    lines: list[list[tuple[str, Ink, float]]] = []
    used = room
    for mark in marks:
        sign, ink = MARKS.get(mark.kind, MARKS["note"])
        text = shortened(sign + mark.text, 44)
        wide = width_of(text, SIZE, True) + 12
        if used + MARK_GAP + wide > room:
            lines.append([])
            used = -MARK_GAP
        lines[-1].append((text, ink, wide))
        used += MARK_GAP + wide
    return lines


def _fitting(chips: Sequence[Chip]) -> Sequence[Chip]:
    """The chips that are shown: all, or both ends and what must be followed with the eyes, with gaps that count."""
    if len(chips) <= MOST_CHIPS:
        return chips
    shown: list[Chip] = []
    left_out = 0
    for at, chip in enumerate(chips):
        if at < FIRST or at >= len(chips) - LAST or chip.tone in ("guilty", "missing"):
            shown += [Chip(f"… {left_out} more …", "faint", True)] if left_out else []
            shown.append(chip)
            left_out = 0
        else:
            left_out += not chip.bare  # what is between two chips is none
    return shown


def _chip_width(chip: Chip) -> float:
    text = shortened(chip.text, 40)
    return width_of(text, SIZE, CHIPS.get(chip.tone, CHIPS["plain"]).bold) + (4 if chip.bare else 8)


def _box_width(box: Box) -> float:
    widths = [sum(_chip_width(chip) + 3 for chip in _fitting(line.chips)) for line in box.lines]
    content = _label_width(box) + max(widths, default=0.0)
    return max(60.0, width_of(shortened(box.title, 60), SIZE, True), content) + 2 * PAD


def _lane_width(name: str, scene: Scene) -> float:
    boxes = [box for row in scene.rows for box in row.boxes if box.lane == name]
    boxes += [box for box in scene.final if box.lane == name]
    return max([150.0, width_of(shortened(name, 40), 11, True) + 24, *map(_box_width, boxes)])


def _label_width(box: Box) -> float:
    labels = [width_of(shortened(line.label, 24), SIZE) + 6 for line in box.lines if line.label]
    return max(labels, default=0.0)
