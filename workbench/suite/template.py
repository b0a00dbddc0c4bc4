"""A case as a template over rows."""

import csv
import io
import json
import re
from collections.abc import Mapping, Sequence
from typing import Final

from workbench.chat.json_value import JsonValue, load_json
from workbench.errors import BadInput

Row = Mapping[str, JsonValue]
"""Column to cell."""

_PLACE: Final = re.compile(r"\{\{\s*(\w+)\s*(\|\s*json\s*)?\}\}")


def read_csv(text: str, *, where: str) -> Sequence[Row]:
    """The rows of a CSV text, by the names of its first line.

    Raises:
        BadInput: A row has more or fewer cells than there are names, or there is none.
    """
    reader = csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), strict=True)
    try:
        lines = [(reader.line_num, cells) for cells in reader if cells]
    except csv.Error as error:
        raise BadInput(f"{where}, line {reader.line_num}", f"not CSV: {error}") from error
    if len(lines) < 2:
        raise BadInput(where, "it has no rows", "write the names of the columns, then one row a line")
    names = lines[0][1]
    for number, cells in lines[1:]:
        if len(cells) != len(names):
            raise BadInput(f"{where}, line {number}", f"{len(cells)} cells, and {len(names)} columns")
    return [dict(zip(names, cells, strict=True)) for _, cells in lines[1:]]


def fill(value: JsonValue, row: Row, *, where: str) -> JsonValue:
    """`value` with each `{{ column }}` in its texts filled in.

    A text that is nothing but `{{ column | json }}` becomes the cell's JSON value, such as a number.

    >>> fill({"a": "{{ n }} of {{ n }}", "b": ["{{ n | json }}"]}, {"n": "3"}, where="")
    {'a': '3 of 3', 'b': [3]}

    Raises:
        BadInput: There is no such column, or the cell is no JSON where JSON is asked for.
    """
    if isinstance(value, str):
        return _filled(value, row, where)
    if isinstance(value, Mapping):
        return {
            str(fill(key, row, where=where)): fill(inner, row, where=where) for key, inner in value.items()
        }
    if isinstance(value, list | tuple):
        return [fill(inner, row, where=where) for inner in value]
    return value


def _filled(text: str, row: Row, where: str) -> JsonValue:
    alone = _PLACE.fullmatch(text)
    if alone and alone.group(2):
        return _as_json(_cell(row, alone.group(1), where), where)

    def put(match: re.Match[str]) -> str:
        cell = _cell(row, match.group(1), where)
        return cell if isinstance(cell, str) else json.dumps(cell, ensure_ascii=False)

    return _PLACE.sub(put, text)


def _cell(row: Row, name: str, where: str) -> JsonValue:
    if name not in row:
        raise BadInput(where, f"no column {name!r}", f"there are {', '.join(row)}")
    return row[name]


def _as_json(cell: JsonValue, where: str) -> JsonValue:
    if not isinstance(cell, str):
        return cell
    try:
        return load_json(cell)
    except ValueError as error:
        raise BadInput(where, f"{cell[:40]!r} is no JSON", "leave out `| json` for a text") from error
