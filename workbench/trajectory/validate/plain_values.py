"""Recognize from their JSON values that every loader, every column of Arrow and every encoding leaves as they are.

Writing a value with orjson and searching what was written is fifty times faster than a walk through all its parts.
"""

import json
from typing import Final

import orjson

from workbench.chat.json_value import JsonObject, JsonValue

MOST_LEVELS: Final = 62
"""How deep objects and arrays may be nested within a column. With one more, `datasets` stops with "Recursion level in
ArrowSchema struct exceeded". *Source:* datasets 5.2.0 with pyarrow 26.0.1; `kMaxRecursion` of Arrow's C interface."""
_SURELY_FLAT: Final = MOST_LEVELS - 2
"""How deep a value may be nested, even if it is an entry of a row."""
_NOT_BRACKETS: Final = bytes(set(range(256)) - set(b"{}[]"))
_MOST_BRACKETS: Final = 60
"""Fewer are not too many levels for a column."""
_WITH_FINITE_NUMBERS: Final = json.JSONEncoder(allow_nan=False, check_circular=False)
"""A value that was parsed cannot contain itself, and the check for it takes a third of the time."""


def is_plain_row(fields: JsonObject) -> bool:
    """Whether a row is ASCII without escapes by number, and has no other value that a loader or a column refuses.

    >>> is_plain_row({"a": [None, "b\\n"]}), is_plain_row({"a": float("nan")}), is_plain_row({"a": "\\\\u0000"})
    (True, False, False)
    """
    written = _written(fields)
    return (
        bool(written)
        and written.isascii()
        and b"\\u" not in written
        and _is_flat(written)
        and (written.count(b"null") == _nulls(fields) or has_finite_numbers(fields))
    )


def _nulls(fields: JsonObject) -> int:
    """Return how many columns are null, or members of messages: of calls, the content is."""
    count = 0
    for value in fields.values():
        if value is None:
            count += 1
        elif isinstance(value, list):
            for item in value:
                if isinstance(item, dict):
                    count += list(item.values()).count(None)
    return count


def are_plain(values: list[JsonValue]) -> bool:
    """Whether values have no escapes, nulls, long integers and many levels, which need a closer look."""
    written = _written(values)
    is_few = written.count(b"[") + written.count(b"{") < _MOST_BRACKETS
    return is_few and bool(written) and b"\\" not in written and b"null" not in written


def is_surely_loadable(value: JsonValue) -> bool:
    """Whether every loader and every column can surely hold a value, but for NaN and infinity, which orjson writes as
    null. It takes half as long as `fits_columns` and `is_loadable` together.
    """
    written = _written(value)
    return bool(written) and b"\\u0000" not in written and _is_flat(written)


def fits_columns(value: JsonValue) -> bool:
    """Whether Arrow can surely hold a value. False means that its parts must be looked at.

    >>> fits_columns({"a": [1]}), fits_columns({"a": [2**63]})
    (True, False)
    """
    written = _written(value)
    return bool(written) and _is_flat(written)


def has_finite_numbers(value: JsonValue) -> bool:
    """Whether a value that orjson can write has only finite numbers: orjson writes others as null.

    >>> has_finite_numbers({"a": None}), has_finite_numbers([float("-inf")])
    (True, False)
    """
    try:
        _WITH_FINITE_NUMBERS.encode(value)
    except ValueError:
        return False
    return True


def _is_flat(written: bytes) -> bool:
    """Whether a JSON text is surely not nested too deeply for a column."""
    brackets, removed = written.translate(None, _NOT_BRACKETS), 0
    while removed + len(brackets) // 2 > _SURELY_FLAT:
        # Each round removes up to two levels: `[{}{[{}]}]` becomes `[{}]`.
        outer = brackets.replace(b"{}", b"").replace(b"[]", b"")
        if len(outer) == len(brackets):  # brackets within texts
            return False
        brackets, removed = outer, removed + 2
    return True


def _written(value: JsonValue) -> bytes:
    """Return a value as JSON; nothing if it has a long integer, half of a surrogate pair or over 250 levels."""
    try:
        # Integers beyond 53 bits are rare, so it costs nothing that this refuses them already.
        return orjson.dumps(value, option=orjson.OPT_STRICT_INTEGER)
    except TypeError:
        return b""
