"""Find text that was damaged on its way: decoded with the wrong encoding, or with characters that were lost."""

import re
from collections.abc import Iterator
from typing import Final

from workbench.trajectory.row import RowFinding
from workbench.trajectory.validate.codes import row_finding
from workbench.trajectory.validate.parsed_row import ParsedRow
from workbench.trajectory.validate.text_rules import texts_of

REPLACEMENT: Final = "\ufffd"
"""What a decoder writes for bytes that it cannot decode."""
_SIGNS: Final = "€ƒ†‡ˆ‰ŠŒŽ•˜™š›œžŸ\x80-\xbf"
"""What the bytes 80 to BF become in Windows-1252 or Latin-1, without those that are punctuation."""
_PUNCTUATION: Final = "‚„…‹‘’“”–—"
_ANY: Final = f"[{_SIGNS}{_PUNCTUATION}]"
_MOJIBAKE: Final = re.compile(
    # `Ã©` for `é`, `Â°` for `°`. Before punctuation only inside a word, since a Portuguese “AMANHÃ” is written so.
    rf"Ã(?:[{_SIGNS}]|[{_PUNCTUATION}](?=[^\W_]))|Â[\x80-\xbf]"
    # `â€™` for `’`, `â‚¬` for `€`, `ðŸ˜€` for an emoji, and the mark at the start of a file.
    rf"|â[€†‡‚„ƒ™\x80-\x9f]{_ANY}|ð[Ÿ\x9f]|ï»¿"
    # `Å‚` for `ł`, only inside a word.
    rf"|[ÄÅÐÑ][{_SIGNS}‚„…‹](?=[^\W_])"
    # Two characters of any script, such as `ä¸­æ–‡` for `中文`. One alone may be French: `é »`.
    rf"|(?:[Â-ß]{_ANY}|[à-ï]{_ANY}{{2}}){{2}}"
)
"""UTF-8 that was decoded as Windows-1252 or Latin-1, in sequences that no language writes."""


def damage_findings(parsed: ParsedRow) -> Iterator[RowFinding]:
    """Yield `mojibake` and `replacement-character`, at most one of each per text."""
    for parsed_entry in parsed.entries:
        entry = parsed_entry.entry
        for text, pointer in texts_of(entry):
            if match := _mojibake(text):
                meant = _meant(match.group())
                hint = f", probably {meant!r}" if meant else ""
                message = (
                    f"{match.group()!r} at character {match.start()} was decoded with the wrong encoding"
                )
                yield row_finding("mojibake", f"{message}{hint}", entry=entry, pointer=pointer)
            if (place := text.find(REPLACEMENT)) >= 0:
                message = (
                    f"U+FFFD at character {place}, where a character was lost; restore it from the source"
                )
                yield row_finding("replacement-character", message, entry=entry, pointer=pointer)


def may_be_damaged(text: str) -> bool:
    """Whether a text has a finding; quick for texts without such characters."""
    return not text.isascii() and (REPLACEMENT in text or _mojibake(text) is not None)


def _mojibake(text: str) -> "re.Match[str] | None":
    return None if text.isascii() else _MOJIBAKE.search(text)


def _meant(found: str) -> str:
    """Return the text that was encoded, or an empty text if it cannot be known from this part alone."""
    try:
        return found.encode("cp1252").decode()
    except ValueError:
        return ""
