"""Rows of a Parquet file that may be a bomb: a kilobyte of it can stand for terabytes.

Parquet writes a text that comes again as a number, and so do we keep it: columns of texts are read as dictionaries,
which take no more memory than the file says. What a row takes written out is added up before it is.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, cast

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from workbench.chat.json_value import JsonValue
from workbench.library.datasets.export_target import ReadLimits
from workbench.library.datasets.row_files import OWN_FILE, too_large

_MOST_COLUMNS: Final = 1_000
"""Of leaves: each is opened by itself."""
_VALUE_BYTES: Final = 16
"""What a value that is no text takes at least."""


def bounded_rows(source: str, limits: ReadLimits, *, batch_rows: int) -> Iterator[dict[str, JsonValue]]:
    """The rows of a file, in order.

    Raises:
        BadInput: It holds more than the limits.
        pyarrow.ArrowException: It cannot be read as Parquet.
        OSError: It cannot be opened.
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
    """Paths of the columns of texts; what the file says of its size is checked first."""
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
    """The batch, or parts of it, each no larger than a row may be, with its size in bytes."""
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
    """Bytes of an array's values, each written out."""
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
