"""Numbers and words of a JSON body."""

import re
from typing import Final

from workbench.hermes.text.source import Node, Source

_WORD: Final = re.compile(r"[-+]?[A-Za-z_]\w*")
_NUMBER: Final = re.compile(
    r"[-+]?(?:(?P<hex>0[xX][0-9a-fA-F]+)"
    r"|(?:(?P<digits>[0-9]+)(?P<point>\.[0-9]*)?|(?P<fraction>\.[0-9]+))(?P<exponent>[eE][-+]?[0-9]+)?)"
)
_STANDARD: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
_CONSTANTS: Final = {"true": True, "false": False, "null": None}
_PYTHON: Final = {"True": ("true", True), "False": ("false", False), "None": ("null", None)}
_NON_FINITE: Final = frozenset(
    sign + word for sign in ("", "-", "+") for word in ("NaN", "nan", "Infinity", "inf")
)
_MOST_DIGITS: Final = 4300
"""*Source:* CPython's default `sys.int_info.default_max_str_digits`; more digits are no number for `json`
either."""


def read_word(source: Source, start: int) -> Node:
    """The word at `start`: true, false, null, or what Python writes for them.

    Raises:
        Unreadable: No such word stands there.
    """
    match = _WORD.match(source.text, start, source.end)
    if not match:
        raise source.failure(start)
    word, end = match.group(), match.end()
    if word in _CONSTANTS:
        return Node(_CONSTANTS[word], start, end)
    if word in _PYTHON:
        after, value = _PYTHON[word]
        source.notes.edit("python-constant", start, end, after)
        return Node(value, start, end)
    if word in _NON_FINITE:
        source.notes.tell("non-finite-number", start, end)
        return Node(None, start, end)
    raise source.failure(end if source.stops_at(end) else start)


def read_number(source: Source, start: int) -> Node:
    """The number at `start`.

    Raises:
        Unreadable: No number stands there, or one with more digits than an integer may have.
    """
    text = source.text
    match = _NUMBER.match(text, start, source.end)
    if not match:
        return read_word(source, start)
    end = match.end()
    if end < source.end and (text[end] == "." or text[end].isalnum() or text[end] == "_"):
        raise source.failure(start)
    return Node(_number(source, match, start, end), start, end)


def _number(source: Source, match: "re.Match[str]", start: int, end: int) -> int | float:
    written, digits = match.group(), match["digits"] or ""
    if match["hex"]:
        value: int | float = int(written, 16)
        source.notes.edit("nonstandard-number", start, end, str(value))
        return value
    if len(digits) > 1 and digits.startswith("0"):
        source.notes.tell("leading-zero", start, end)
        return 0
    is_whole = not (match["point"] or match["fraction"] or match["exponent"])
    if is_whole and len(digits) > _MOST_DIGITS:
        raise source.failure(start)
    value = int(written) if is_whole else float(written)
    if value in (float("inf"), float("-inf")):
        source.notes.tell("non-finite-number", start, end)
    elif not _STANDARD.fullmatch(written):
        source.notes.edit("nonstandard-number", start, end, repr(value))
    return value
