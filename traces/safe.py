"""Text of unknown origin made safe to show: nothing invisible, nothing that reorders what is read."""

from __future__ import annotations

import re
import unicodedata

__all__ = ["code_block", "code_span", "visible"]

# Control and format characters (writing direction among them), lone surrogates, odd line ends.
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def visible(text: str, *, lines: bool = False) -> str:
    r"""The text with every character that cannot be seen written as an escape.

    >>> visible("a\nb")
    'a\\nb'
    >>> visible("a\nb", lines=True)
    'a\nb'
    """
    return "".join(
        char
        if unicodedata.category(char) not in _HIDDEN or (lines and char == "\n")
        else char.encode("unicode_escape").decode("ascii")
        for char in text
    )


def code_span(text: str) -> str:
    """Markdown's inline code that holds exactly this text, whatever backticks are in it.

    >>> code_span("a `quoted` word")
    '`` a `quoted` word ``'
    """
    text = visible(text) or " "
    fence = "`" * (_longest_run(text) + 1)
    pad = " " if text[0] in "` " or text[-1] in "` " or len(fence) > 1 else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def code_block(text: str, language: str = "text") -> str:
    """Markdown's fenced code with a fence that the text cannot close."""
    text = visible(text, lines=True)
    fence = "`" * max(3, _longest_run(text) + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def _longest_run(text: str) -> int:
    return max((len(run) for run in re.findall("`+", text)), default=0)
