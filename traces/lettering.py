"""Text on a picture: made harmless, cut to a length, measured and wrapped.

Values in a trace may hold anything. Characters that XML forbids, that end a line, or that turn the direction of
writing are replaced by a visible name, so that no value can break a picture or disguise itself in it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

__all__ = ["harmless", "shortened", "width_of", "wrapped"]

# Control and format characters (which include the directional overrides), surrogates, unassigned and private ones,
# line and paragraph separators.
_ODD = frozenset({"Cc", "Cf", "Cs", "Cn", "Co", "Zl", "Zp"})
_NAMED = {"\n": "⏎", "\r": "␍", "\t": "⇥"}
_NARROW = frozenset("iljtfrI.,:;'|!()[]{}/\\ -`\"")
_BROAD = frozenset("mwMW@%")


def harmless(text: str) -> str:
    """The text with every character that is invisible or has powers shown by name.

    >>> harmless("a\\u202eb\\x00")
    'a⟨U+202E⟩b⟨U+0000⟩'
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_shown, text))


def _shown(character: str) -> str:
    if character in _NAMED:
        return _NAMED[character]
    return f"⟨U+{ord(character):04X}⟩" if unicodedata.category(character) in _ODD else character


def shortened(text: str, limit: int) -> str:
    """Harmless text of at most ``limit`` characters.

    >>> shortened("abcdefghij", 6)
    'abcde…'
    """
    text = harmless(text[: 4 * limit]) if len(text) > 4 * limit else harmless(text)
    return text if len(text) <= limit else text[: limit - 1] + "…"


def width_of(text: str, size: float, bold: bool = False) -> float:
    """Roughly how wide a text is in points, in a font like Helvetica; rather too wide than too narrow."""
    return size * sum(map(_em, text)) * (1.07 if bold else 1.0)


def _em(character: str) -> float:
    if character in _NARROW:
        return 0.33
    if character in _BROAD:
        return 0.92
    if character.isascii():
        return 0.70 if character.isupper() else 0.56
    return 1.0 if unicodedata.east_asian_width(character) in "WF" else 0.70


def wrapped(
    text: str, size: float, width: float, bold: bool = False, most: int = 8, taken: float = 0.0
) -> list[str]:
    """The text in lines that fit a width, of which the first has some ``taken``; beyond ``most`` lines it is cut.

    >>> wrapped("one two three", 10, 45)
    ['one two', 'three']
    >>> wrapped("one two three", 10, 45, taken=20)
    ['one', 'two three']
    """
    most_characters = int(most * width / (0.3 * size)) + 1  # no text of narrower letters fits
    lines = list(_lines(text[:most_characters], size, width, bold, width - taken))
    return lines if len(lines) <= most else [*lines[: most - 1], lines[most - 1][:-1] + "…"]


def _lines(text: str, size: float, width: float, bold: bool, room: float) -> Iterator[str]:
    line = ""
    for word in re.split(r"\s+", harmless(text)):
        while width_of(word, size, bold) > width:  # a word longer than a line is broken anywhere
            if line or room < width:
                yield line
                line, room = "", width
            fits = max(1, int(len(word) * width / width_of(word, size, bold)) - 1)
            yield word[:fits]
            word = word[fits:]
        longer = f"{line} {word}" if line else word
        if width_of(longer, size, bold) > room:
            yield line
            line, room = word, width
        else:
            line = longer
    if line:
        yield line
