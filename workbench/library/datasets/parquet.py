"""Read and write rows in Parquet files, and read Zstandard. Import it only where it is used: it needs pyarrow."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from io import BufferedReader
from itertools import islice
from pathlib import Path
from typing import IO, Any, Final, cast

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from workbench.chat.json_value import JsonObject, JsonValue, loads_fast, values_in
from workbench.errors import BadInput
from workbench.hermes.spelling.tools import template_json
from workbench.library.datasets.file_row import OWN_FILE, DamagedFile, FileRow, ReadLimits, too_large

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
        _refuse_types(file, source)
        texts = None if limits == OWN_FILE else _text_columns(file, source, limits)
    left = limits.unpacked_bytes
    with pq.ParquetFile(path, read_dictionary=cast(Any, texts)) as file:
        batches = cast("Iterator[pa.RecordBatch]", cast(Any, file).iter_batches(batch_size=batch_rows))
        for batch in batches:
            if texts is None:
                yield from _rows_of(batch)
                continue
            for piece, weight in _pieces(batch, source, limits):
                left -= weight
                if left < 0:
                    raise too_large(source, limits)
                yield from _rows_of(piece)


def _refuse_types(file: pq.ParquetFile, source: str) -> None:
    """Refuse a column whose values JSON does not have, such as dates, because there are several ways to write them."""
    for column in cast(Any, file.schema_arrow):
        if kind := _without_json(column.type):
            problem = f"the column {column.name!r} has values of the type {kind}, which JSON does not have"
            raise BadInput(f"file {source}", problem, "write them as text, or leave the column out")


def _without_json(kind: pa.DataType) -> pa.DataType | None:
    """Return the first type within a type whose values JSON does not have; None if there is none."""
    types = cast(Any, pa.types)
    if kind == _JSON or any(is_kind(kind) for is_kind in _PLAIN_TYPES):
        return None
    if types.is_dictionary(kind):
        return _without_json(cast(Any, kind).value_type)
    if types.is_struct(kind):
        return next(filter(None, (_without_json(part.type) for part in cast(Any, kind))), None)
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        return _without_json(cast(Any, kind).value_type)
    return kind


_PLAIN_TYPES: Final = tuple(
    getattr(cast(Any, pa.types), f"is_{name}")
    for name in ("null", "boolean", "integer", "floating", "string", "large_string", "string_view")
)
"""Questions whether a type is one of JSON's that has no others inside."""


def _rows_of(batch: pa.RecordBatch) -> Iterator[dict[str, JsonValue]]:
    """Yield the rows of a batch, with JSON as the values that it stands for."""
    kinds = {part.name: part.type for part in cast(Any, batch.schema) if _stored(part.type) != part.type}
    for fields in cast("list[dict[str, JsonValue]]", batch.to_pylist()):
        yield {
            name: _loaded(value, kinds[name]) if name in kinds else value for name, value in fields.items()
        }


def _loaded(value: Any, kind: pa.DataType) -> JsonValue:
    if value is None:
        return None
    if kind == _JSON:
        return loads_fast(value)
    if pa.types.is_list(kind):
        return [_loaded(item, cast(Any, kind).value_type) for item in value]
    if pa.types.is_struct(kind):
        return {part.name: _loaded(value[part.name], part.type) for part in cast(Any, kind)}
    return value


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
_EXACT: Final = 2**53
"""A `double` holds every integer up to this one."""
_INEXACT: Final = complex
"""The mark, among the types of a column, of integers beyond that."""

_JSON: Final = pa.json_()
"""Any JSON value, stored as text. `datasets` gives the values, with their own types and without filled nulls."""
_TEXT: Final = pa.large_string()
"""JSON as text, for members with integers beyond 64 bits, which `datasets` cannot read as JSON."""
_FUNCTION: Final = {"name": pa.string(), "arguments": pa.string()}
_CALL: Final = {"id": pa.string(), "type": pa.string(), "function": _FUNCTION}
_MESSAGE: Final = {
    "role": pa.string(),
    "content": pa.string(),
    "reasoning_content": pa.string(),
    "tool_calls": [_CALL],
    "tool_call_id": pa.string(),
    "name": pa.string(),
    "weight": pa.int64(),
}
_Fields = Mapping[str, Any]
"""Members of an object: an Arrow type, the members of an object, or a list of one of these."""
_NESTED: Final[Mapping[str, Any]] = {
    "conversations": [{"from": pa.string(), "value": pa.string(), "weight": pa.int64()}],
    "messages": [_MESSAGE],
    "prompt": [_MESSAGE],
    "chosen": [_MESSAGE],
    "rejected": [_MESSAGE],
    "completion": [_MESSAGE],
    "loss_spans": [[pa.int64()]],
}
"""Columns with structure. A member that is not here, or whose values do not fit, is JSON.

All other columns have one plain type, or JSON as text."""
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

    A column whose values do not have the same plain type has Arrow's type for JSON, so that Arrow does not fill gaps
    with nulls or change numbers: `datasets` gives the values as they are. So have arguments and other members of
    entries without one plain type. Integers and other numbers together are `double` if it holds all of them exactly.
    Tools, and columns with integers beyond 64 bits, are JSON text.

    Args:
        path: File to write.
        rows: Returns all rows. It is called twice.

    Raises:
        BadInput: A text cannot be encoded as UTF-8.
    """
    try:
        kinds = _kinds(rows())
        schema = pa.schema(list(kinds.items()))
        stored = pa.schema([(name, _stored(kind)) for name, kind in kinds.items()])
        with pq.ParquetWriter(path, schema) as writer:
            for batch in _batches(rows()):
                columns = {
                    name: [_cell(row.get(name), kind) for row in batch] for name, kind in kinds.items()
                }
                # Arrow cannot build its type for JSON inside others, only cast text to it.
                writer.write_table(pa.table(columns, schema=stored).cast(schema))
    except UnicodeEncodeError as error:
        raise BadInput(
            f"file {path}", "a text has a lone surrogate, which Parquet cannot hold", "write .jsonl instead"
        ) from error


def _kinds(rows: Iterable[JsonObject]) -> dict[str, pa.DataType]:
    """Return the Arrow type of each column, in order of first occurrence."""
    seen: dict[str, set[type]] = {}
    shapes: dict[str, Any] = {}
    for row in rows:
        for name, value in row.items():
            kinds = seen.setdefault(name, set())
            if value is None:
                continue
            kinds.add(type(value))
            if name in _NESTED:
                shapes[name] = _widened(shapes.get(name, _NESTED[name]), value)
            elif name == "tools" or (type(value) is not str and _has_big_integer(value)):
                kinds.add(object)
            elif type(value) is int and abs(value) > _EXACT:
                kinds.add(_INEXACT)
    return {name: _kind(name, kinds, shapes) for name, kinds in seen.items()}


def _widened(shape: Any, value: JsonValue) -> Any:
    """Return a shape that also holds this value: members that it lacks, and those that do not fit, become JSON."""
    if value is None or shape is _TEXT:
        return shape
    if shape is _JSON:
        return _TEXT if _has_big_integer(value) else shape
    if isinstance(shape, list):
        if not isinstance(value, list):
            return _widened(_JSON, value)
        before = cast("list[Any]", shape)[0]
        inside = before
        for item in value:
            inside = _widened(inside, item)
        return cast(Any, shape) if inside is before else [inside]
    if isinstance(shape, Mapping):
        if not isinstance(value, Mapping):
            return _widened(_JSON, value)
        members = cast(_Fields, shape)
        wide = {key: _widened(members.get(key, _JSON), item) for key, item in value.items()}
        return members if all(members.get(key) is wide[key] for key in wide) else {**members, **wide}
    fits = type(value) is (str if shape == pa.string() else int)
    return shape if fits else _widened(_JSON, value)


def _has_big_integer(value: JsonValue) -> bool:
    return any(type(item) is int and not -_LIMIT <= item < _LIMIT for _, item in values_in(value))


def _type_of(shape: Any) -> pa.DataType:
    if isinstance(shape, list):
        return pa.list_(_type_of(shape[0]))
    if isinstance(shape, Mapping):
        return pa.struct([(name, _type_of(inside)) for name, inside in cast(_Fields, shape).items()])
    return shape


def _stored(kind: pa.DataType) -> pa.DataType:
    """Return the type with text in place of JSON."""
    if kind == _JSON:
        return pa.string()
    if pa.types.is_list(kind):
        return pa.list_(_stored(cast(Any, kind).value_type))
    if pa.types.is_struct(kind):
        return pa.struct([(part.name, _stored(part.type)) for part in cast(Any, kind)])
    return kind


def _kind(name: str, kinds: set[type], shapes: Mapping[str, Any]) -> pa.DataType:
    if name in _NESTED and kinds <= {list} and isinstance(shapes.get(name, []), list):
        return _type_of(shapes.get(name, _NESTED[name]))
    if object in kinds or not kinds or shapes.get(name) is _TEXT:
        return pa.string()
    if kinds == {int, float}:
        return pa.float64()
    kinds = kinds - {_INEXACT}
    return _PLAIN.get(next(iter(kinds)), _JSON) if len(kinds) == 1 else _JSON


def _cell(value: JsonValue, kind: pa.DataType) -> JsonValue:
    """Return a value as Arrow takes it, with JSON as text."""
    if value is None:
        return None
    if pa.types.is_list(kind):
        inside = cast(Any, kind).value_type
        return [_cell(item, inside) for item in cast("Sequence[JsonValue]", value)]
    if pa.types.is_struct(kind):
        fields = cast(JsonObject, value)
        return {part.name: _cell(fields.get(part.name), part.type) for part in cast(Any, kind)}
    is_text = kind == _JSON or (kind in (_TEXT, pa.string()) and not isinstance(value, str))
    return template_json(value) if is_text else value


def _batches(rows: Iterable[JsonObject]) -> Iterator[list[JsonObject]]:
    remaining = iter(rows)
    while batch := list(islice(remaining, _BATCH)):
        yield batch
