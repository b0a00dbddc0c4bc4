"""Colours, where a person sees them."""

import sys
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from workbench.settings import is_colour_wanted


class Tone(StrEnum):
    """What a stretch of output is, and so how it is coloured."""

    PROSE = "0"
    QUIET = "2"
    CALL = "32"
    THOUGHT = "2;3"
    FIX = "33"
    BAD = "31"
    TITLE = "1"


CONTROLS: Final = {
    **{code: 0x2400 + code for code in range(0x20) if code != ord("\n")},
    **dict.fromkeys(range(0x7F, 0xA0), 0xFFFD),
}
"""Control characters and the signs that stand for them: a model's text must not command the terminal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Paint:
    """Paints, or does not."""

    is_coloured: bool
    """False writes the bare text."""

    def __call__(self, text: str, tone: Tone) -> str:
        """`text` in its colour."""
        return f"\x1b[{tone}m{text}\x1b[0m" if self.is_coloured and text else text


def terminal_paint() -> Paint:
    """Colours on a terminal only, and only where the environment does not speak against them."""
    return Paint(is_coloured=sys.stdout.isatty() and is_colour_wanted())


def shown(text: str) -> str:
    """`text` with its control characters as signs; line breaks stay.

    >>> shown("a\\x1b[31m\\tb")
    'a␛[31m␉b'
    """
    return text.translate(CONTROLS)
