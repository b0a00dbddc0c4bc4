"""Read the rows of a file one by one, in constant memory."""

import codecs
import gzip
import json
import re
import sys
import zlib
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import IO, Final, NamedTuple, cast

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.errors import BadInput
from workbench.library.datasets.export_target import ReadLimits
from workbench.trajectory.formats.known import detect_format, format_named
from workbench.trajectory.formats.row_format import RowFormat
from workbench.trajectory.row import RowFinding, TrainingRow

STANDARD_INPUT: Final = "-"
"""How a person names standard input, which holds JSON Lines."""
AUTO: Final = "auto"
"""As a format: each row is of the one that it looks like."""
OWN_FILE: Final = ReadLimits()
"""What its owner names is read whatever its size, row by row."""
_GZIP: Final = b"\x1f\x8b"
_PARQUET: Final = b"PAR1"
_BOM: Final = b"\xef\xbb\xbf"


class FileRow(NamedTuple):
    """One row of a file, or why it is none."""

    number: int
    """From 1: the line of JSON Lines, the place in an array or a Parquet file."""
    fields: JsonObject | None
    """The row; None where it cannot be read."""
    problem: str = ""
    """Why it cannot be read; empty where it can."""


class FileLine(NamedTuple):
    """One row of a file whose JSON is not read yet."""

    number: int
    """As in `FileRow`."""
    line: bytes
    """JSON, if all is well."""


class RowWithFormat(NamedTuple):
    """A row whose format is known."""

    fields: JsonObject
    row_format: RowFormat
    """What it is, or is to be read as."""


_ENDINGS: Final = (".jsonl", ".json", ".jsonl.gz", ".json.gz", ".parquet")


def shards_of(source: str) -> tuple[str, ...]:
    """The files of rows in a folder, by name; a file by itself.

    Raises:
        BadInput: The folder holds none.
    """
    folder = Path(source).expanduser()
    if source == STANDARD_INPUT or not folder.is_dir():
        return (source,)
    found = sorted(one for one in folder.iterdir() if _is_shard(one))
    if not found:
        raise BadInput(f"folder {source}", "it holds no rows", f"name files {', '.join(_ENDINGS)}")
    return tuple(map(str, found))


def _is_shard(file: Path) -> bool:
    return file.is_file() and file.name.endswith(_ENDINGS) and not file.name.startswith(".")


def read_rows(source: str, limits: ReadLimits = OWN_FILE) -> Iterator[FileRow]:
    """Each row of a file. What kind of file it is its first bytes tell: Parquet, gzip, a JSON array or lines.

    Lines that are blank are no rows, but they count.

    Args:
        source: Its path, or `-`.
        limits: Beyond them it is too large.

    Raises:
        BadInput: The file cannot be opened, breaks off, or is too large.
    """
    for one in read_raw(source, limits):
        yield parse_line(one) if isinstance(one, FileLine) else one


def read_raw(source: str, limits: ReadLimits = OWN_FILE) -> Iterator[FileLine | FileRow]:
    """As `read_rows`, but the JSON of lines is left to read, for other processes perhaps."""
    if source == STANDARD_INPUT:
        yield from _lines(sys.stdin.buffer, source, limits)
        return
    start = _first_bytes(source)
    if start.startswith(_PARQUET):
        from workbench.library.datasets.parquet import read_parquet

        yield from read_parquet(source, limits)
        return
    try:
        with _opened(source, is_packed=start.startswith(_GZIP)) as file:
            yield from (_array if _is_array(file) else _lines)(file, source, limits)
    except (OSError, EOFError, zlib.error) as error:
        raise BadInput(f"file {source}", f"it breaks off: {error}") from error


def read_row(row: FileRow, read_as: str) -> TrainingRow | RowFinding:
    """The training row that a row of a file is; a finding where it is none, or of no known format."""
    formed = format_of_row(row, read_as)
    return formed if isinstance(formed, RowFinding) else formed.row_format.read(formed.fields)


def format_of_row(row: FileRow, read_as: str) -> RowWithFormat | RowFinding:
    """A row of a file with its format; a finding where it is none, or of no known format."""
    if row.fields is None:
        return RowFinding(code="unreadable-row", message=row.problem)
    row_format = detect_format(row.fields) if read_as == AUTO else format_named(read_as)
    if row_format is None:
        return RowFinding(code="unknown-format", message="the row looks like none of the formats: name it")
    return RowWithFormat(row.fields, row_format)


def parse_line(one: FileLine) -> FileRow:
    """The row that a line of JSON is."""
    number, line = one
    try:
        value = cast(JsonValue, json.loads(line.decode("utf-8")))
    except UnicodeDecodeError as error:
        return FileRow(number, None, f"not UTF-8 at byte {error.start}")
    except json.JSONDecodeError as error:
        return FileRow(number, None, f"not JSON: {error.msg} at column {error.colno}")
    except (ValueError, RecursionError) as error:
        return FileRow(number, None, f"not JSON: {str(error)[:60]}")
    return _as_row(value, number)


def _as_row(value: JsonValue, number: int) -> FileRow:
    return FileRow(number, value) if isinstance(value, dict) else FileRow(number, None, "not a JSON object")


def too_large(source: str, limits: ReadLimits, *, is_row: bool = False, number: int = 0) -> BadInput:
    """What is said of a file that holds more than the limits."""
    if is_row:
        problem = f"row {number:,} is larger than {limits.row_bytes // 1_000_000} MB, or has too many parts"
        return BadInput(f"file {Path(source).name}", problem, "take that row out")
    problem = f"unpacked, it is larger than {limits.unpacked_bytes // 1_000_000} MB"
    return BadInput(f"file {Path(source).name}", problem, "split it into several files")


def _lines(file: IO[bytes], source: str, limits: ReadLimits) -> Iterator[FileLine]:
    left = limits.unpacked_bytes
    for number in count(1):
        # Not by iterating over the file: a gigabyte without a line break would be read as one line.
        line = file.readline(limits.row_bytes + 1)
        if not line:
            return
        left -= max(len(line), _LEAST_LINE_BYTES)
        if len(line) > limits.row_bytes or line.count(b"[") + line.count(b"{") > limits.row_containers:
            raise too_large(source, limits, is_row=True, number=number)
        if left < 0:
            raise too_large(source, limits)
        if number == 1:
            line = line.removeprefix(_BOM)
        if line.strip():
            yield FileLine(number, line)


_LEAST_LINE_BYTES: Final = 100
"""A line counts for so many: also millions of blank ones take time."""
_CHUNK: Final = 1 << 20
_BETWEEN: Final = re.compile(r"[ \t\r\n,]*")


def _array(file: IO[bytes], source: str, limits: ReadLimits) -> Iterator[FileRow]:
    """The rows of one JSON array, each decoded as soon as it is there."""
    decode = codecs.getincrementaldecoder("utf-8")(errors="replace").decode
    scan = json.JSONDecoder().raw_decode
    text, position, number, is_over, left = "", 1, 0, False, limits.unpacked_bytes
    text = decode(file.read(_CHUNK).removeprefix(_BOM)).lstrip()
    while True:
        position = cast("re.Match[str]", _BETWEEN.match(text, position)).end()
        if text.startswith("]", position):
            return
        try:
            value, end = cast("tuple[JsonValue, int]", scan(text, position))
            is_whole = end < len(text) or is_over
        except (ValueError, RecursionError):
            value, end, is_whole = None, position, False
        if is_whole:
            number += 1
            if text.count("[", position, end) + text.count("{", position, end) > limits.row_containers:
                raise too_large(source, limits, is_row=True, number=number)
            position = end
            yield _as_row(value, number)
            continue
        if is_over:
            yield FileRow(number + 1, None, "the array is not JSON from here on")
            return
        if len(text) - position > limits.row_bytes:
            raise too_large(source, limits, is_row=True, number=number + 1)
        if left < 0:
            raise too_large(source, limits)
        chunk = file.read(max(_CHUNK, len(text) - position))
        is_over, left = not chunk, left - len(chunk)
        text, position = text[position:] + decode(chunk, is_over), 0


def _is_array(file: IO[bytes]) -> bool:
    start = file.read(64)
    file.seek(0)
    return start.removeprefix(_BOM).lstrip().startswith(b"[")


def _first_bytes(source: str) -> bytes:
    try:
        with Path(source).expanduser().open("rb") as file:
            return file.read(4)
    except OSError as error:
        raise BadInput(f"file {source}", str(error.strerror or error)) from error


@contextmanager
def _opened(source: str, *, is_packed: bool) -> Generator[IO[bytes]]:
    with Path(source).expanduser().open("rb") as file:
        if not is_packed:
            yield file
            return
        with gzip.open(file) as unpacked:
            yield cast("IO[bytes]", unpacked)
