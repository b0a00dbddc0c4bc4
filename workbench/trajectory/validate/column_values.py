"""Find values that a column of Arrow, and so `datasets`, cannot hold: nested too deeply, or integers beyond 64 bits."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

import orjson

from workbench.chat.json_value import JsonObject, JsonValue, values_in
from workbench.trajectory.row import RowFinding
from workbench.trajectory.validate.codes import row_finding
from workbench.trajectory.validate.loading import entry_at
from workbench.trajectory.validate.parsed_row import ParsedRow
from workbench.trajectory.writing.argument_columns import LARGEST

_MOST_LEVELS: Final = 62
"""How deep objects and arrays may be nested within a column. With one more, `datasets` stops with "Recursion level in
ArrowSchema struct exceeded". *Source:* datasets 5.2.0 with pyarrow 26.0.1; `kMaxRecursion` of Arrow's C interface."""
_SURELY_FLAT: Final = _MOST_LEVELS - 2
"""How deep a value may be nested, even if it is an entry of a row."""
_NOT_BRACKETS: Final = bytes(set(range(256)) - set(b"{}[]"))
_MESSAGES: Final = {
    "big-integer": "an integer beyond 64 bits, which Arrow rounds or refuses; write it as a text",
    "deep-nesting": f"nested over {_MOST_LEVELS} levels deep, which Arrow refuses; write it as a text of JSON",
}


def fits_columns(value: JsonValue) -> bool:
    """Whether Arrow can surely hold a value. False means that its parts must be looked at.

    >>> fits_columns({"a": [1]}), fits_columns({"a": [2**63]})
    (True, False)
    """
    try:
        # Integers beyond 53 bits are rare, so it costs nothing that this refuses them already.
        text = orjson.dumps(value, option=orjson.OPT_STRICT_INTEGER)
    except TypeError:  # also if it is nested over 250 levels deep, or has half of a surrogate pair
        return False
    return _is_flat(text)


def is_surely_loadable(value: JsonValue) -> bool:
    """Whether every loader and every column can surely hold a value, but for NaN and infinity, which orjson writes as
    null. It takes half as long as `fits_columns` and `is_loadable` together.
    """
    try:
        text = orjson.dumps(value, option=orjson.OPT_STRICT_INTEGER)
    except TypeError:
        return False
    return b"\\u0000" not in text and _is_flat(text)


def _is_flat(text: bytes) -> bool:
    """Whether a JSON text is surely not nested too deeply."""
    brackets, removed = text.translate(None, _NOT_BRACKETS), 0
    while removed + len(brackets) // 2 > _SURELY_FLAT:
        # Each round removes up to two levels: `[{}{[{}]}]` becomes `[{}]`.
        outer = brackets.replace(b"{}", b"").replace(b"[]", b"")
        if len(outer) == len(brackets):  # brackets within texts
            return False
        brackets, removed = outer, removed + 2
    return True


def column_findings(parsed: ParsedRow) -> Iterator[RowFinding]:
    """Yield `big-integer`, and `deep-nesting` once for each call, entry or column."""
    row = parsed.row
    if fits_columns(row.fields):
        return
    arguments = (call.arguments_pointer for entry in row.all_entries for call in entry.calls)
    holders = (*arguments, *(entry.pointer for entry in row.all_entries))
    found = [
        (code, pointer if code == "big-integer" else _holder(pointer, holders))
        for code, pointer in unfit_in(row.fields)
    ]
    for code, pointer in dict.fromkeys(found):
        yield row_finding(code, _MESSAGES[code], entry=entry_at(row, pointer), pointer=pointer)


def _holder(pointer: str, holders: Iterable[str]) -> str:
    """Return the pointer to the arguments, the entry or the column that a value is in."""
    column = pointer[: pointer.find("/", 1)]
    return next((holder for holder in holders if pointer.startswith(f"{holder}/")), column)


def unfit_in(fields: JsonObject) -> Iterator[tuple[str, str]]:
    """Yield code and pointer of each value of a row that a column cannot hold."""
    for pointer, inside in values_in(fields):
        if isinstance(inside, int):
            if not -LARGEST - 1 <= inside <= LARGEST:
                yield "big-integer", pointer
        elif isinstance(inside, Mapping | list | tuple) and pointer.count("/") == _MOST_LEVELS + 1:
            yield "deep-nesting", pointer
