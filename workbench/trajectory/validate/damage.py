"""Find text that was damaged on its way: decoded with the wrong encoding, or with characters that were lost."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from workbench.hermes.spelling.tools import template_json
from workbench.trajectory.row import RowFinding
from workbench.trajectory.validate.codes import row_finding
from workbench.trajectory.validate.parsed_row import ParsedEntry, ParsedRow

REPLACEMENT: Final = "\ufffd"
"""What a decoder writes for bytes that it cannot decode."""
_SIGNS: Final = "€ƒ†‡ˆ‰ŠŒŽ•˜™š›œžŸ\x80-\xbf"
"""What the bytes 80 to BF become in Windows-1252 or Latin-1, without those that are punctuation."""
_PUNCTUATION: Final = "‚„…‹‘’“”–—"
_CYRILLIC: Final = "".join(bytes((byte,)).decode("cp1251", "ignore") for byte in range(0x80, 0xC0)) + "\x98"
"""What the bytes 80 to BF become in Windows-1251."""
_CJK: Final = r"[\u3400-\u9fff]"
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
    # Windows-1251: `РњРёСЂ` for `Мир`, `вЂ™` for `’`. Two pairs may be a word in capitals.
    rf"|(?:[РС][{_CYRILLIC}]){{3,}}|вЂ[{_CYRILLIC}]"
)
"""UTF-8 that was decoded as Windows-1252, Latin-1 or Windows-1251, in sequences that no language writes."""


_ESCAPE: Final = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|.)", re.DOTALL)
_JSON_BEGINS: Final = ("{", "[", '"')


def damage_findings(parsed: ParsedRow) -> Iterator[RowFinding]:
    """Yield `mojibake` and `replacement-character`, at most one of each per text."""
    if parsed.is_plain:
        return
    for parsed_entry in parsed.entries:
        entry = parsed_entry.entry
        for text, pointer in _written_texts(parsed_entry):
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
    """Whether a text may have a finding, also in escapes of JSON; quick for texts without such characters."""
    return _is_damaged(_unescaped(text) if "\\" in text else text)


def _written_texts(parsed_entry: ParsedEntry) -> Iterator[tuple[str, str]]:
    """Yield the texts of an entry with their pointers, then its calls and results in which characters are escaped.

    Prose is taken as it is written, because it may be about escapes.
    """
    entry = parsed_entry.entry
    escaped = {call.arguments_pointer for call in entry.calls if call.arguments_text}
    for text, pointer in parsed_entry.texts:
        yield _unescaped(text) if pointer in escaped else text, pointer
    if "\\u" not in entry.text or _is_damaged(entry.text):
        return
    for call in parsed_entry.calls:
        if call.given is None and call.arguments:
            yield template_json(call.arguments), call.pointer
    for result in entry.results:
        if result.text.lstrip().startswith(_JSON_BEGINS):
            yield _unescaped(result.text), result.pointer


def _unescaped(text: str) -> str:
    """Return JSON with the characters that it escapes by number."""
    return _ESCAPE.sub(lambda match: chr(int(match[1], 16)) if match[1] else match[0], text)


def _is_damaged(text: str) -> bool:
    return not text.isascii() and (REPLACEMENT in text or _mojibake(text) is not None)


def _mojibake(text: str) -> "re.Match[str] | None":
    if text.isascii():
        return None
    return _MOJIBAKE.search(text) or _cjk_mojibake(text)


def _cjk_mojibake(text: str) -> "re.Match[str] | None":
    begins, whole = _cjk_patterns()
    return whole.search(text) if begins.search(text) else None


@cache
def _cjk_patterns() -> "tuple[re.Pattern[str], re.Pattern[str]]":
    """Return what UTF-8 that was decoded as GBK or Shift JIS begins with, which is found quickly, and all of it.

    Two characters of three bytes become three of GBK: `東京` is `鏉变含`. Four in a row are not accidental, and neither
    are two alone, if one is a character that simplified Chinese rarely has. Shift JIS has half-width kana for some of
    the bytes: `日本` is `譌･譛ｬ`.
    """
    leads, more = bytes((*range(0xE3, 0xEA), 0xEF)), bytes(range(0x80, 0xC0))
    first, first_of_jis = _pairs("gbk", leads, more), _pairs("cp932", leads, more)
    second, second_of_jis = _pairs("gbk", more, leads), _pairs("cp932", more, leads) + "｡-ｿ"
    two = f"[{first}][{second}][{_pairs('gbk', more, more)}]"
    # GB 2312 has only pairs of bytes from A1 on.
    rare = _pairs("gbk", bytes(range(0x81, 0xA1)), more + leads) + _pairs("gbk", leads, more[:33])
    alone = rf"(?<!{_CJK})(?={_CJK}{{0,2}}[{rare}]){two}(?!{_CJK})"
    japanese = rf"[縺繧繝][^\x00-\x7f]{{1,2}}[縺繧繝]|(?:[{first_of_jis}][｡-ｿ]){{2}}"
    whole = re.compile(rf"(?:{two}){{2}}|{alone}|{japanese}|锟斤拷")
    return re.compile(f"[锟縺繧繝{first}{first_of_jis}][斤{second}{second_of_jis}]"), whole


def _pairs(encoding: str, leads: bytes, trails: bytes) -> str:
    """Return the characters that an encoding writes with two bytes, each out of one set."""
    decoded = (bytes((lead, trail)).decode(encoding, "replace") for lead in leads for trail in trails)
    return "".join(char for char in decoded if len(char) == 1 and char != REPLACEMENT)


def _meant(found: str) -> str:
    """Return the text that was encoded, or an empty text if it cannot be known from this part alone."""
    for encoding in ("cp1252", "cp1251", "gbk", "cp932"):
        try:
            return found.encode(encoding).decode()
        except ValueError:
            continue
    return ""
