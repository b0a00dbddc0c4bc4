"""Rows in Parquet files. Needs pyarrow, which is loaded with this module: import it where it is used."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.errors import BadInput
from workbench.hermes.spelling.tools import spelled_json
from workbench.library.datasets.export_target import ReadLimits
from workbench.library.datasets.parquet_limits import bounded_rows
from workbench.library.datasets.row_files import OWN_FILE, FileRow

_BATCH: Final = 500
_LIMIT: Final = 2**63

_FUNCTION: Final = pa.struct([("name", pa.string()), ("arguments", pa.string())])
_CALL: Final = pa.struct([("id", pa.string()), ("type", pa.string()), ("function", _FUNCTION)])
_MESSAGES: Final = pa.list_(
    pa.struct(
        [
            ("role", pa.string()),
            ("content", pa.string()),
            ("reasoning_content", pa.string()),
            ("tool_calls", pa.list_(_CALL)),
            ("tool_call_id", pa.string()),
            ("name", pa.string()),
            ("weight", pa.int64()),
        ]
    )
)
_ENTRIES: Final = pa.list_(pa.struct([("from", pa.string()), ("value", pa.string()), ("weight", pa.int64())]))
_NESTED: Final[Mapping[str, pa.DataType]] = {
    "conversations": _ENTRIES,
    "messages": _MESSAGES,
    "prompt": _MESSAGES,
    "chosen": _MESSAGES,
    "rejected": _MESSAGES,
    "completion": _MESSAGES,
    "loss_spans": pa.list_(pa.list_(pa.int64())),
}
"""Columns of the formats that are structure. All others are of one plain kind, or JSON as text."""
_PLAIN: Final[Mapping[type, pa.DataType]] = {
    bool: pa.bool_(),
    int: pa.int64(),
    float: pa.float64(),
    str: pa.string(),
}


def read_parquet(source: str, limits: ReadLimits = OWN_FILE) -> Iterator[FileRow]:
    """Each row, counted from 1; columns that are null in a row are left out of it.

    Raises:
        BadInput: It cannot be read as Parquet, or is larger than the limits.
    """
    number = 0
    try:
        for fields in bounded_rows(source, limits, batch_rows=_BATCH):
            number += 1
            yield FileRow(number, {key: value for key, value in fields.items() if value is not None})
    except (pa.ArrowException, OSError) as error:
        raise BadInput(f"file {source}", f"not to be read as Parquet: {error}"[:200]) from error


def write_parquet(path: Path, rows: Callable[[], Iterable[JsonObject]]) -> None:
    """Write rows of one format.

    A column whose values are not all of one plain kind is written as JSON text, so that Arrow neither fills
    gaps with nulls nor changes a number. Arguments must be text already.

    Args:
        path: The file.
        rows: Gives all rows, each time that it is called; they are looked through twice.

    Raises:
        BadInput: A text has no UTF-8.
    """
    kinds = _kinds(rows())
    schema = pa.schema(list(kinds.items()))
    try:
        with pq.ParquetWriter(path, schema) as writer:
            for batch in _batches(rows()):
                columns = {
                    name: [_cell(row.get(name), kind) for row in batch] for name, kind in kinds.items()
                }
                writer.write_table(pa.table(columns, schema=schema))
    except UnicodeEncodeError as error:
        raise BadInput(
            f"file {path}", "half a surrogate pair has no UTF-8: Parquet cannot hold it"
        ) from error


def _kinds(rows: Iterable[JsonObject]) -> dict[str, pa.DataType]:
    """The Arrow type of each column, in the order in which they come up."""
    seen: dict[str, set[type]] = {}
    for row in rows:
        for name, value in row.items():
            kinds = seen.setdefault(name, set())
            if value is not None:
                is_big = type(value) is int and not -_LIMIT <= value < _LIMIT
                kinds.add(object if is_big else type(value))
    return {name: _kind(name, kinds) for name, kinds in seen.items()}


def _kind(name: str, kinds: set[type]) -> pa.DataType:
    if name in _NESTED and kinds <= {list}:
        return _NESTED[name]
    return _PLAIN.get(next(iter(kinds)), pa.string()) if len(kinds) == 1 else pa.string()


def _cell(value: JsonValue, kind: pa.DataType) -> JsonValue:
    is_text = kind == pa.string() and value is not None and not isinstance(value, str)
    return spelled_json(value) if is_text else value


def _batches(rows: Iterable[JsonObject]) -> Iterator[list[JsonObject]]:
    remaining = iter(rows)
    while batch := list(islice(remaining, _BATCH)):
        yield batch
