"""Tables of rows as people paste them: CSV, cells of a spreadsheet, or JSON lines; and problems with their place."""

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, cast

from workbench.chat.json_value import JsonValue, load_json
from workbench.contract.contract import VARIABLE_NAME
from workbench.errors import BadInput

MOST_ROWS: Final = 5_000
MOST_CELLS: Final = 40_000
MOST_CHARS: Final = 800_000
"""The longest text. Saved as a suite, it must be short enough for the editor."""
_DELIMITERS: Final = {",": "commas", "\t": "tabs", ";": "semicolons"}
_COLUMN_REMEDY: Final = "use letters, digits and _"


@dataclass(frozen=True, slots=True, kw_only=True)
class RowTable:
    """Rows with the same columns."""

    columns: tuple[str, ...]
    rows: tuple[Mapping[str, JsonValue], ...] = field(hash=False)
    """Name of a column to the value of the cell: a text, or any JSON value if the rows are JSON."""
    warnings: tuple[str, ...] = ()
    """What is unusual about the rows but does not prevent using them."""


def decode_rows(data: bytes, *, where: str) -> str:
    """Return the text of a file of rows, which is UTF-8, or UTF-16 with a byte order mark.

    Raises:
        BadInput: It has another encoding. The message names the line and the byte.
    """
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        before = data[: error.start]
        line, byte = before.count(b"\n") + 1, error.start - (before.rfind(b"\n") + 1) + 1
        remedy = 'save the file as UTF-8, for example as "CSV UTF-8"'
        raise BadInput(f"{where}, line {line}, byte {byte}", "not UTF-8 text", remedy) from error


def read_rows(text: str, *, where: str = "rows") -> RowTable:
    """Read rows: CSV with the names of the columns in its first line, JSON lines, or a JSON array of objects.

    CSV may be separated by commas, semicolons or tabs, as when cells of a spreadsheet are pasted.

    Raises:
        BadInput: The rows are empty, too many, or cannot be read. The message names the line, row and column.
    """
    text = text.removeprefix("\ufeff")
    start = text.lstrip()[:1]
    if not start:
        raise BadInput(where, "empty", "write the names of the columns, then one row per line")
    if len(text) > MOST_CHARS:
        problem = f"{len(text):,} characters; at most {MOST_CHARS:,} are allowed"
        raise BadInput(where, problem, "split the rows")
    table = _json_table(text, where) if start in "{[" else _csv_table(text, where)
    for unit, size, limit in (
        ("rows", len(table.rows), MOST_ROWS),
        ("cells", len(table.rows) * len(table.columns), MOST_CELLS),
    ):
        if size > limit:
            raise BadInput(where, f"{size:,} {unit}; at most {limit:,} are allowed", "split the rows")
    return RowTable(columns=table.columns, rows=table.rows, warnings=tuple(_equal_rows(table.rows)))


def read_csv(text: str, *, where: str, delimiter: str = ",") -> RowTable:
    """Read CSV. Its first line has the names of the columns. Blank lines are left out.

    Raises:
        BadInput: It is not CSV, two columns have the same name, or a row has more or fewer cells than there are
            columns.
    """
    reader = csv.reader(
        io.StringIO(text.removeprefix("\ufeff"), newline=""), delimiter=delimiter, strict=True
    )
    lines: list[tuple[int, list[str]]] = []
    line = 1
    try:
        for cells in reader:
            if cells:
                lines.append((line, cells))
            line = reader.line_num + 1
    except csv.Error as error:
        remedy = 'write a value with quotes as "…", and each quote in it as ""'
        if "field limit" in str(error):
            raise BadInput(f"{where}, line {line}", "a cell is too long", "shorten it") from error
        raise BadInput(f"{where}, line {line}", f"not CSV: {error}", remedy) from error
    if len(lines) < 2:
        raise BadInput(where, "no rows", "write the names of the columns, then one row per line")
    first_line, names = lines[0][0], [name.strip() for name in lines[0][1]]
    _check_columns(names, f"{where}, line {first_line}")
    for number, (line, cells) in enumerate(lines[1:], start=1):
        _check_width(cells, names, f"{where}, line {line} (row {number})", delimiter)
    return RowTable(
        columns=tuple(names), rows=tuple(dict(zip(names, cells, strict=True)) for _, cells in lines[1:])
    )


def _csv_table(text: str, where: str) -> RowTable:
    first_line, header = next(line for line in enumerate(text.splitlines(), start=1) if line[1].strip())
    unquoted = re.sub(r'"[^"]*"', "", header)
    delimiter = max(_DELIMITERS, key=unquoted.count)
    table = read_csv(text, where=where, delimiter=delimiter)
    for place, name in enumerate(table.columns, start=1):
        if VARIABLE_NAME.fullmatch(name) is None:
            usable = re.sub(r"\W+", "_", name).strip("_") or "name"
            raise BadInput(
                f"{where}, line {first_line}, column {place}",
                f"the name {name[:40]!r} cannot be used as {{{{ name }}}}",
                f"{_COLUMN_REMEDY}, for example {usable if not usable[0].isdigit() else '_' + usable}",
            )
    return table


def _check_columns(names: Sequence[str], where: str) -> None:
    for place, name in enumerate(names, start=1):
        if not name:
            raise BadInput(f"{where}, column {place}", "the column has no name", "name it, or remove it")
        if name in names[: place - 1]:
            first = names.index(name) + 1
            raise BadInput(
                f"{where}, column {place}",
                f"column {first} is also named {name[:40]!r}",
                "rename one of them",
            )


def _check_width(cells: Sequence[str], names: Sequence[str], where: str, delimiter: str) -> None:
    count = f"{len(cells)} cell{'' if len(cells) == 1 else 's'} for {len(names)} columns"
    if len(cells) < len(names):
        problem = f"{count}; there is no value for column {names[len(cells)]!r}"
        remedy = "add the missing cells"
    elif len(cells) > len(names):
        problem = f"{count}; {cells[len(names)][:40]!r} is after the last column"
        remedy = f"put a value that contains {_DELIMITERS.get(delimiter, 'commas')} in double quotes"
    else:
        return
    raise BadInput(where, problem, remedy)


def _json_table(text: str, where: str) -> RowTable:
    rows = list(_json_rows(text, where))
    columns = tuple(dict.fromkeys(name for _, row in rows for name in row))
    for name in columns:
        if VARIABLE_NAME.fullmatch(name) is None:
            place = next(place for place, row in rows if name in row)
            raise BadInput(
                f"{where}, {place}",
                f"the name {name[:40]!r} cannot be used as {{{{ name }}}}",
                _COLUMN_REMEDY,
            )
    for place, row in rows:
        missing = next((name for name in columns if name not in row), None)
        if missing is not None:
            raise BadInput(f"{where}, {place}", f"there is no value for {missing!r}", "add it to every row")
    return RowTable(columns=columns, rows=tuple(row for _, row in rows))


def _json_rows(text: str, where: str) -> Iterator[tuple[str, Mapping[str, JsonValue]]]:
    """Yield each row with its place."""
    if text.lstrip().startswith("["):
        values = _loaded(text, where)
        if not isinstance(values, list):
            raise BadInput(where, "not a list of objects")
        entries = [(f"row {number}", value) for number, value in enumerate(values, start=1)]
    else:
        entries = [
            (f"line {number}", _loaded(line, f"{where}, line {number}"))
            # Not `splitlines`: JSON may contain other characters that end lines, such as U+2028.
            for number, line in enumerate(io.StringIO(text, newline=None), start=1)
            if line.strip()
        ]
    for place, value in entries:
        if not isinstance(value, Mapping) or not value:
            raise BadInput(f"{where}, {place}", "not a JSON object with values", 'write {"column": value}')
        yield place, cast(Mapping[str, JsonValue], value)


def _loaded(text: str, where: str) -> JsonValue:
    try:
        return load_json(text)
    except ValueError as error:
        problem = getattr(error, "msg", str(error))
        raise BadInput(where, f"not JSON: {problem}", "write one JSON object per line") from error


def _equal_rows(rows: Sequence[Mapping[str, JsonValue]]) -> Iterator[str]:
    seen: dict[str, int] = {}
    for number, row in enumerate(rows, start=1):
        first = seen.setdefault(repr(sorted(row.items(), key=lambda item: item[0])), number)
        if first != number:
            yield f"Row {number} is equal to row {first}."
