"""Find values that a column of Arrow, and so `datasets`, cannot hold: nested too deeply, or integers beyond 64 bits."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from workbench.chat.json_value import JsonObject, values_in
from workbench.trajectory.row import RowFinding
from workbench.trajectory.validate.codes import row_finding
from workbench.trajectory.validate.loading import entry_at
from workbench.trajectory.validate.parsed_row import ParsedRow
from workbench.trajectory.validate.plain_values import MOST_LEVELS, fits_columns
from workbench.trajectory.writing.argument_columns import LARGEST

_MESSAGES: Final = {
    "big-integer": "an integer beyond 64 bits, which Arrow rounds or refuses; write it as a text",
    "deep-nesting": f"nested over {MOST_LEVELS} levels deep, which Arrow refuses; write it as a text of JSON",
}


def column_findings(parsed: ParsedRow) -> Iterator[RowFinding]:
    """Yield `big-integer`, and `deep-nesting` once for each call, entry or column."""
    row = parsed.row
    if parsed.is_plain or fits_columns(row.fields):
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
        elif isinstance(inside, Mapping | list | tuple) and pointer.count("/") == MOST_LEVELS + 1:
            yield "deep-nesting", pointer
