"""Read and write rows in Parquet files, and read Zstandard. Import it only where it is used: it needs pyarrow."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from io import BufferedReader
from itertools import islice
from pathlib import Path
from typing import IO, Any, Final, cast

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.errors import BadInput
from workbench.hermes.spelling.tools import template_json
from workbench.library.datasets.export_target import ReadLimits
from workbench.library.datasets.row_files import OWN_FILE, DamagedFile, FileRow, too_large

_MOST_COLUMNS: Final = 1_000
"""Maximum number of leaf columns; each is opened separately."""
_VALUE_BYTES: Final = 16
"""Minimum size in bytes of a value that is not a text."""


def open_zstandard(file: IO[bytes]) -> IO[bytes]:
    """Return the decompressed bytes of a file in Zstandard. Codex compresses its old sessions with it."""
    arrow = cast(Any, pa)
    return cast("IO[bytes]", BufferedReader(arrow.CompressedInputStream(arrow.PythonFile(file), "zstd")))


def bounded_rows(source: str, limits: ReadLimits, *, batch_rows: int) -> Iterator[dict[str, JsonValue]]:
    """Yield the rows of a file, in order.

    Raises:
        BadInput: The file exceeds the limits.
        pyarrow.ArrowException: The file cannot be read as Parquet.
        OSError: The file cannot be opened.
    """
    path = Path(source).expanduser()
    with pq.ParquetFile(path) as file:
        texts = None if limits == OWN_FILE else _text_columns(file, source, limits)
    left = limits.unpacked_bytes
    with pq.ParquetFile(path, read_dictionary=cast(Any, texts)) as file:
        batches = cast("Iterator[pa.RecordBatch]", cast(Any, file).iter_batches(batch_size=batch_rows))
        for batch in batches:
            if texts is None:
                yield from cast("list[dict[str, JsonValue]]", batch.to_pylist())
                continue
            for piece, weight in _pieces(batch, source, limits):
                left -= weight
                if left < 0:
                    raise too_large(source, limits)
                yield from cast("list[dict[str, JsonValue]]", piece.to_pylist())


def _text_columns(file: pq.ParquetFile, source: str, limits: ReadLimits) -> list[str]:
    """Return the paths of text columns, after checking the sizes that the file declares."""
    metadata = cast(Any, file.metadata)
    groups = [metadata.row_group(place) for place in range(metadata.num_row_groups)]
    size = sum(group.total_byte_size for group in groups)
    if metadata.num_columns > _MOST_COLUMNS or max(size, metadata.num_rows) > limits.unpacked_bytes:
        raise too_large(source, limits)
    columns = [cast(Any, file.schema).column(place) for place in range(metadata.num_columns)]
    for place, column in enumerate(columns):
        value_bytes = column.length if column.physical_type == "FIXED_LEN_BYTE_ARRAY" else _VALUE_BYTES
        if sum(group.column(place).num_values for group in groups) * value_bytes > limits.unpacked_bytes:
            raise too_large(source, limits)
    return [column.path for column in columns if column.physical_type == "BYTE_ARRAY"]


def _pieces(
    batch: pa.RecordBatch, source: str, limits: ReadLimits, first_row: int = 1
) -> Iterator[tuple[pa.RecordBatch, int]]:
    """Split a batch until each part is not larger than the limit for a row; yield the parts with their sizes."""
    weight = sum(_weight(column) for column in cast(Any, batch).columns)
    if weight <= limits.row_bytes:
        yield batch, weight
    elif batch.num_rows == 1:
        raise too_large(source, limits, is_row=True, number=first_row)
    else:
        half = batch.num_rows // 2
        yield from _pieces(batch.slice(0, half), source, limits, first_row)
        yield from _pieces(batch.slice(half), source, limits, first_row + half)


def _weight(array: Any) -> int:
    """Return the size of an array's values in bytes, without sharing of equal values."""
    kind = array.type
    if pa.types.is_dictionary(kind):
        lengths = cast(Any, pc).binary_length(array.dictionary)
        return (cast(Any, pc).sum(lengths.take(array.indices)).as_py() or 0) + len(array) * _VALUE_BYTES
    if pa.types.is_struct(kind):
        return sum(_weight(field) for field in array.flatten()) + len(array) * _VALUE_BYTES
    if pa.types.is_map(kind):
        inside = slice(array.offsets[0].as_py(), array.offsets[-1].as_py())
        return _weight(array.keys[inside]) + _weight(array.items[inside]) + len(array) * _VALUE_BYTES
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        return _weight(array.flatten()) + len(array) * _VALUE_BYTES
    return array.nbytes + len(array) * _VALUE_BYTES


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
"""Columns with structure. All others have one plain type, or JSON as text."""
_PLAIN: Final[Mapping[type, pa.DataType]] = {
    bool: pa.bool_(),
    int: pa.int64(),
    float: pa.float64(),
    str: pa.string(),
}


def read_parquet(source: str, limits: ReadLimits = OWN_FILE) -> Iterator[FileRow]:
    """Yield each row, numbered from 1, without the columns that are null in it.

    Raises:
        BadInput: The file cannot be read as Parquet, or exceeds the limits.
    """
    number = 0
    try:
        for fields in bounded_rows(source, limits, batch_rows=_BATCH):
            number += 1
            yield FileRow(number, {key: value for key, value in fields.items() if value is not None})
    except (pa.ArrowException, OSError) as error:
        raise DamagedFile(f"file {source}", f"cannot be read as Parquet: {error}"[:200]) from error


def write_parquet(path: Path, rows: Callable[[], Iterable[JsonObject]]) -> None:
    """Write rows of one format.

    A column whose values do not have the same plain type is written as JSON text, so that Arrow does not fill gaps
    with nulls or change numbers. So is a member of entries and calls that the format does not know. Arguments must
    already be text.

    Args:
        path: File to write.
        rows: Returns all rows. It is called twice.

    Raises:
        BadInput: A text cannot be encoded as UTF-8.
    """
    others = _Others()
    kinds = _kinds(rows(), others)
    schema = pa.schema(list(kinds.items()))
    try:
        with pq.ParquetWriter(path, schema) as writer:
            for batch in _batches(rows()):
                columns = {
                    name: [others.cell(name, row.get(name), kind) for row in batch]
                    for name, kind in kinds.items()
                }
                writer.write_table(pa.table(columns, schema=schema))
    except UnicodeEncodeError as error:
        raise BadInput(
            f"file {path}", "a text has a lone surrogate, which Parquet cannot hold", "write .jsonl instead"
        ) from error


def _fields(struct: pa.DataType) -> list[tuple[str, pa.DataType]]:
    return [(one.name, one.type) for one in cast(Any, struct)]


def _item(kind: pa.DataType) -> pa.DataType:
    return cast(Any, kind).value_type


class _Others:
    """The members of entries and calls that `_NESTED` does not list, with the types of their values."""

    def __init__(self) -> None:
        self._seen: dict[tuple[str, ...], dict[str, set[type]]] = {}
        """By the path of the struct, such as `("messages", "tool_calls")`, and the name of the member."""

    def add(self, path: tuple[str, ...], value: JsonValue, kind: pa.DataType) -> None:
        """Look for members in a value of this type, and in what it contains."""
        if pa.types.is_list(kind) and isinstance(value, list):
            for inner in value:
                self.add(path, inner, _item(kind))
        elif pa.types.is_struct(kind) and isinstance(value, Mapping):
            known = dict(_fields(kind))
            for name, member in value.items():
                if name in known:
                    self.add((*path, name), member, known[name])
                elif member is not None:
                    self._seen.setdefault(path, {}).setdefault(name, set()).add(_type_of(member))

    def kind(self, path: tuple[str, ...], kind: pa.DataType) -> pa.DataType:
        """Return a type that also has these members."""
        if pa.types.is_list(kind):
            return pa.list_(self.kind(path, _item(kind)))
        if not pa.types.is_struct(kind):
            return kind
        own = [(name, self.kind((*path, name), inner)) for name, inner in _fields(kind)]
        return pa.struct([*own, *((name, _plain(kinds)) for name, kinds in self._seen.get(path, {}).items())])

    def cell(self, name: str, value: JsonValue, kind: pa.DataType) -> JsonValue:
        """Return a value as this type holds it: JSON text where a column of texts holds something else."""
        if any(path[0] == name for path in self._seen):
            return _cell_of(value, kind)
        return _cell(value, kind)


def _cell_of(value: JsonValue, kind: pa.DataType) -> JsonValue:
    if pa.types.is_list(kind) and isinstance(value, list):
        return [_cell_of(inner, _item(kind)) for inner in value]
    if pa.types.is_struct(kind) and isinstance(value, Mapping):
        return {name: _cell_of(value.get(name), inner) for name, inner in _fields(kind)}
    return _cell(value, kind)


def _type_of(value: JsonValue) -> type:
    is_big = type(value) is int and not -_LIMIT <= value < _LIMIT
    return object if is_big else type(value)


def _kinds(rows: Iterable[JsonObject], others: _Others) -> dict[str, pa.DataType]:
    """Return the Arrow type of each column, in order of first occurrence."""
    seen: dict[str, set[type]] = {}
    for row in rows:
        for name, value in row.items():
            kinds = seen.setdefault(name, set())
            if value is not None:
                kinds.add(_type_of(value))
            if name in _NESTED:
                others.add((name,), value, _NESTED[name])
    return {name: others.kind((name,), _kind(name, kinds)) for name, kinds in seen.items()}


def _kind(name: str, kinds: set[type]) -> pa.DataType:
    if name in _NESTED and kinds <= {list}:
        return _NESTED[name]
    return _plain(kinds)


def _plain(kinds: set[type]) -> pa.DataType:
    return _PLAIN.get(next(iter(kinds)), pa.string()) if len(kinds) == 1 else pa.string()


def _cell(value: JsonValue, kind: pa.DataType) -> JsonValue:
    is_text = kind == pa.string() and value is not None and not isinstance(value, str)
    return template_json(value) if is_text else value


def _batches(rows: Iterable[JsonObject]) -> Iterator[list[JsonObject]]:
    remaining = iter(rows)
    while batch := list(islice(remaining, _BATCH)):
        yield batch
