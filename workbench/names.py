"""The rule for names that a person gives: contracts, toolsets, suites, presets, projects, tags, accounts.

A name identifies something, and often becomes a file. Two names that look the same must therefore be the same:

- A letter with an accent is one character (NFC). macOS may send two: `e` and a combining accent.
- Nothing in a name is invisible, or changes the direction of the text after it: `a<U+202E>b` and `ab` would look alike.
- Two names that differ only in case are one file on macOS and Windows, so the second one is refused. So is one that
  differs only in a joiner or an emoji variation selector, which many systems do not show.

Names from earlier versions are not changed. They can be read, and renamed.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from workbench.errors import BadInput

_INVISIBLE: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2065\u2800\u3164\uffa0\ufffc")
"""Characters without a shape, such as HANGUL FILLER. Format characters are found by their category."""
_JOINERS: Final = frozenset("\u200c\u200d\ufe0f")
"""Zero width (non-)joiner, and the variation selector for emoji: visible between certain characters."""
_SELECTORS: Final = (range(0x180B, 0x1810), range(0xFE00, 0xFE10), range(0xE0100, 0xE01F0))
"""Variation selectors."""
_UNASSIGNED: Final = (range(0xFDD0, 0xFDF0), range(0xFFF0, 0xFFF9), range(0xE0000, 0xE1000))
"""Noncharacters, without the last two code points of each plane, and unassigned code points that are not shown.

*Source:* Noncharacter_Code_Point and Default_Ignorable_Code_Point of Unicode
"""
_EMOJI: Final = re.compile(
    "[0-9#*]\ufe0f?\u20e3|\U0001f3f4\U000e0067\U000e0062(?:\U000e0065\U000e006e\U000e0067|\U000e0073\U000e0063\U000e0074"
    "|\U000e0077\U000e006c\U000e0073)\U000e007f"
)
"""Keycaps, such as 1️⃣, and the three recommended flags of a part of a country: England, Scotland and Wales.

*Source:* https://unicode.org/Public/emoji/latest/emoji-sequences.txt
"""
_CATEGORIES: Final = {
    "Cc": "a control character",
    "Cf": "an invisible character",
    "Co": "a private character",
    "Cs": "half of a surrogate pair",
    "Zl": "a line break",
    "Zp": "a line break",
    "Zs": "a special space",
}
_EMOJI_SYMBOLS: Final = frozenset("‼⁉ℹ↔⤴⤵◽◾〰〽")
"""Characters that a variation selector makes an emoji, and whose category is not that of other symbols."""
_BIDIRECTIONAL: Final = frozenset(("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"))
_VIRAMA: Final = 9
"""The combining class of marks after which a joiner changes how Indic letters are drawn."""


def hidden_character(text: str) -> str | None:
    """Return where a text has a character that nobody sees, or None if all are visible.

    >>> hidden_character("ab\\u202ec")
    'character 3 changes the direction of the text (U+202E RIGHT-TO-LEFT OVERRIDE)'
    >>> hidden_character("Prüfung 🦉")
    """
    for place, kind in _hidden(text):
        name = unicodedata.name(text[place], "")
        return f"character {place + 1} {kind} ({f'U+{ord(text[place]):04X} {name}'.rstrip()})"
    return None


def _hidden(text: str) -> Iterator[tuple[int, str]]:
    """Yield the place and the kind of each character that nobody sees."""
    if text.isascii() and text.isprintable():
        return
    shown = {place for found in _EMOJI.finditer(text) for place in range(*found.span())}
    for place, character in enumerate(text):
        kind = None if character == " " or place in shown else _kind(character)
        if kind is not None and not (character in _JOINERS and _joins(text, place)):
            yield place, kind


def _kind(character: str) -> str | None:
    category, code = unicodedata.category(character), ord(character)
    if unicodedata.bidirectional(character) in _BIDIRECTIONAL or code in (0x061C, 0x200E, 0x200F):
        return "changes the direction of the text"
    if character in _INVISIBLE or any(code in selectors for selectors in _SELECTORS):
        return "is an invisible character"
    if category == "Cn" and (code & 0xFFFE == 0xFFFE or any(code in codes for codes in _UNASSIGNED)):
        return "is not a character"
    return f"is {_CATEGORIES[category]}" if category in _CATEGORIES else None


def _joins(text: str, place: int) -> bool:
    """Whether a joiner is visible: in an emoji, after an Indic virama, or between Arabic letters.

    *Source:* https://www.rfc-editor.org/rfc/rfc5892#appendix-A.1
    """
    before, after = text[place - 1 : place], text[place + 1 : place + 2]
    if not before:
        return False
    if text[place] == "\ufe0f":
        return unicodedata.category(before) == "So" or before in _EMOJI_SYMBOLS
    if unicodedata.combining(before) == _VIRAMA:
        return True
    if text[place] == "\u200d" and (before == "\ufe0f" or unicodedata.category(before) in ("So", "Sk")):
        return bool(after) and unicodedata.category(after) == "So"
    return bool(after) and unicodedata.bidirectional(before) == unicodedata.bidirectional(after) == "AL"


def usable_name(name: str, where: str) -> str:
    """Return a name as it is stored: with one character for a letter and its accent (NFC).

    Args:
        where: What it names, for the error.

    Raises:
        BadInput: It has an invisible character.
    """
    problem = hidden_character(name)
    if problem:
        raise BadInput(where, problem, "remove it, for example by typing the name instead of pasting it")
    return unicodedata.normalize("NFC", name)


def usable_tags(tags: Iterable[str]) -> Sequence[str]:
    """Return tags as they are stored: without spaces around them, empty tags and repeated tags.

    Raises:
        BadInput: A tag has an invisible character.
    """
    cleaned = (usable_name(tag.strip(), f"tag {tag.strip()!r}") for tag in tags)
    return tuple(dict.fromkeys(tag for tag in cleaned if tag))


def shown_title(text: str) -> str:
    """Return a text without invisible characters, for titles that are made from somebody else's text."""
    hidden = {place for place, _ in _hidden(text)}
    return (
        "".join(character for place, character in enumerate(text) if place not in hidden) if hidden else text
    )


def name_key(name: str) -> str:
    """Return the same text for names that differ only in case, in joiners, or in how accents are spelled.

    >>> name_key("Minimal") == name_key("MINIMAL"), name_key("cafe\\u0301") == name_key("CAFÉ")
    (True, True)
    """
    joined = "".join(character for character in name if character not in _JOINERS)
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", joined).casefold())


def _difference(one: str, other: str) -> str:
    """Return in what two names with the same key differ."""
    keys = [unicodedata.normalize("NFD", name).casefold() for name in (one, other)]
    return "case" if keys[0] == keys[1] else "a character that joins others"


def known_name(name: str, known: Iterable[str], what: str) -> str:
    """Return the name under which something is stored: a known one, or a new one.

    Args:
        name: What a person wrote. A known name may have been stored by a version without these rules.
        known: The names in use.
        what: What it names, such as `contract`.

    Raises:
        BadInput: A new name has an invisible character, or differs from a known one only in case.
    """
    known = frozenset(known)
    if name in known:
        return name
    usable = usable_name(name, f"{what} {name!r}")
    for other in sorted(known):
        if unicodedata.normalize("NFC", other) == usable:
            return other
        if name_key(other) == name_key(usable):
            raise BadInput(
                f"{what} {usable!r}",
                f"it differs from {other!r} only in {_difference(other, usable)}",
                "choose another name",
            )
    return usable
