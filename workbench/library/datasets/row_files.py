"""Read the rows of a file one by one, in constant memory."""

import codecs
import gzip
import json
import re
import sys
import zlib
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, count, islice
from pathlib import Path
from typing import IO, Final, NamedTuple, TypeVar, cast

from workbench.chat.json_value import JsonObject, JsonValue, json_fault, loads_strict, repeated_keys
from workbench.errors import BadInput
from workbench.library.datasets.file_lines import FileLine, with_joined_objects
from workbench.library.datasets.file_row import OWN_FILE, DamagedFile, FileRow, ReadLimits, too_large
from workbench.trajectory.formats.known import format_for, log_format
from workbench.trajectory.formats.logs.session_log import TRACES
from workbench.trajectory.formats.row_format import LogShape, RowFormat
from workbench.trajectory.row import RowFinding, TrainingRow
from workbench.trajectory.validate.loading import read_fields

STANDARD_INPUT: Final = "-"
"""Name for standard input, which must have JSON Lines."""
_GZIP: Final = b"\x1f\x8b"
_ZSTD: Final = b"\x28\xb5\x2f\xfd"
_PARQUET: Final = b"PAR1"
_BOM: Final = b"\xef\xbb\xbf"


class RowWithFormat(NamedTuple):
    """A row and its format."""

    fields: JsonObject
    row_format: RowFormat
    """The detected format, or the one to read it as."""
    repeated: tuple[str, ...] = ()
    """As in `FileRow`."""


ReadAs = TypeVar("ReadAs", bound="FileLine | FileRow")
_ENDINGS: Final = (".jsonl", ".json", ".jsonl.gz", ".json.gz", ".jsonl.zst", ".parquet")


_LOGS: Final = ("*.jsonl", "*.jsonl.gz", "*.jsonl.zst", "session_*.json")
"""Names of the files in folders of agents that hold sessions. Other files are about the agent."""


def shards_of(source: str) -> tuple[str, ...]:
    """Return the files of rows in a folder, sorted by name; for a file, only that file.

    Agents keep their sessions in folders within folders, all of which are searched.

    Raises:
        BadInput: The folder has no files of rows.
    """
    folder = Path(source).expanduser()
    if source == STANDARD_INPUT or not folder.is_dir():
        return (source,)
    found = sorted(file for file in folder.iterdir() if _is_shard(file))
    if not found or _holds_sessions(found):
        found = sorted({file for name in _LOGS for file in folder.rglob(name) if _is_shard(file)})
    if not found:
        raise BadInput(
            f"folder {source}", "it has no files of rows", f"files must end with {', '.join(_ENDINGS)}"
        )
    return tuple(map(str, found))


def _holds_sessions(files: Sequence[Path]) -> bool:
    """Whether a folder belongs to an agent: it has a snapshot of a session, or its first file is a log."""
    if any(file.match(_LOGS[-1]) for file in files):
        return True
    first = next((file for file in files if file.match(_LOGS[0])), None)
    if first is None:
        return False
    with first.open("rb") as file:
        return _begins_log(file, str(first))


def _is_shard(file: Path) -> bool:
    return file.is_file() and file.name.endswith(_ENDINGS) and not file.name.startswith(".")


def read_rows(source: str, limits: ReadLimits = OWN_FILE) -> Iterator[FileRow]:
    """Yield each row of a file. Its first bytes show whether it is Parquet, gzip, Zstandard, a JSON array or JSON
    Lines.

    Objects that span several lines are read as well, one after the other. Blank lines are skipped, but count for the
    numbers of rows.

    Args:
        source: Path of the file, or `-`.
        limits: Maximum sizes.

    Raises:
        BadInput: The file cannot be opened, is cut off, or is too large.
    """
    for line_or_row in read_raw(source, limits):
        yield parse_line(line_or_row) if isinstance(line_or_row, FileLine) else line_or_row


def read_raw(source: str, limits: ReadLimits = OWN_FILE) -> Iterator[FileLine | FileRow]:
    """Like `read_rows`, but without parsing the JSON of lines, so that other processes can do it."""
    if source == STANDARD_INPUT:
        yield from _rows_or_sessions(_lines(sys.stdin.buffer, source, limits), source, limits)
        return
    start = _first_bytes(source)
    if start.startswith(_PARQUET):
        from workbench.library.datasets.parquet import read_parquet

        yield from read_parquet(source, limits)
        return
    try:
        with _opened(source, start) as file:
            if not start.startswith(_ZSTD) and _spans_lines(file):
                yield from _values(file, source, limits)
            else:
                yield from _rows_or_sessions(_lines(file, source, limits), source, limits)
    except (OSError, EOFError, zlib.error) as error:
        raise DamagedFile(f"file {source}", f"it is cut off or damaged: {error}") from error


def until_damaged(rows: Iterable[ReadAs]) -> "Iterator[ReadAs | FileRow]":
    """Yield the rows of a file. One that is cut off ends with a row that says so."""
    number = 0
    try:
        for row in rows:
            number = row.number
            yield row
    except DamagedFile as error:
        yield FileRow(number + 1, None, f"from here on, the file cannot be read: {error.problem}"[:98])


_CHUNK_BYTES: Final = 1 << 20
_LINE_COST: Final = 2_000
"""Assumed size in bytes of a row that is not a line of JSON."""
Chunk = list[FileLine | FileRow]
"""Rows of one file, in order."""


def chunked(rows: Iterable[FileLine | FileRow]) -> Iterator[Chunk]:
    """Yield rows in lists of about a megabyte. Reading these first, then checking, is faster than row by row."""
    chunk: Chunk = []
    size = 0
    for row in rows:
        chunk.append(row)
        size += len(row.line) if isinstance(row, FileLine) else _LINE_COST
        if size >= _CHUNK_BYTES:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def has_plain_lines(source: str) -> bool:
    """Whether each row of a file is a line without compression, so that it can be read again by its offset.

    Raises:
        BadInput: The file cannot be opened.
    """
    if source == STANDARD_INPUT or _first_bytes(source).startswith((_GZIP, _ZSTD, _PARQUET)):
        return False
    with _opened(source) as file:
        return not _spans_lines(file) and not _begins_log(file, source)


def read_row(row: FileRow, read_as: str) -> TrainingRow | RowFinding:
    """Read a row of a file as a training row. Returns a finding if it cannot be read or its format is unknown."""
    formed = format_of_row(row, read_as)
    if isinstance(formed, RowFinding):
        return formed
    return read_fields(formed.fields, formed.row_format, formed.repeated)


def format_of_row(row: FileRow, read_as: str) -> RowWithFormat | RowFinding:
    """Determine the format of a row. Returns a finding if the row cannot be read or its format is unknown."""
    if row.fields is None:
        return RowFinding(code="unreadable-row", message=row.problem)
    row_format = format_for(row.fields, read_as)
    if isinstance(row_format, RowFinding):
        return row_format
    return RowWithFormat(row.fields, row_format, row.repeated)


def parse_line(file_line: FileLine) -> FileRow:
    """Parse a line as a row."""
    number, line = file_line.number, file_line.line.removesuffix(b"\n")
    try:
        return _as_row(loads_strict(line), number, line)
    except ValueError:
        pass
    if line.startswith(_BOM):
        return FileRow(number, None, "not JSON: it begins with a byte order mark (EF BB BF); remove it")
    try:
        value, repeated = cast(JsonValue, json.loads(line)), repeated_keys(line)
    except UnicodeDecodeError as error:
        return FileRow(number, None, f"not UTF-8 at byte {error.start}")
    except json.JSONDecodeError as error:
        line_no = f"line {number + error.lineno - 1}, " if error.lineno > 1 else ""
        return FileRow(number, None, f"not JSON: {json_fault(error)} at {line_no}column {error.colno}")
    except (ValueError, RecursionError) as error:
        return FileRow(number, None, f"not JSON: {str(error)[:60]}")
    return _as_row(value, number, line, repeated)


def _as_row(
    value: JsonValue, number: int, line: bytes | None = None, repeated: tuple[str, ...] = ()
) -> FileRow:
    if line is not None and b"\n" in line:
        last = number + line.count(b"\n")
        problem = f"one JSON object over lines {number} to {last}; write it on one line"
        return FileRow(number, None, problem, line)
    if isinstance(value, dict):
        return FileRow(number, value, line=line, repeated=repeated)
    return FileRow(number, None, "not a JSON object")


def _lines(file: IO[bytes], source: str, limits: ReadLimits) -> Iterator[FileLine]:
    left, end = limits.unpacked_bytes, 0
    for number in count(1):
        # Do not iterate over the file: a gigabyte without a line break would be read as one line.
        line = file.readline(limits.row_bytes + 1)
        if not line:
            return
        left -= max(len(line), _LEAST_LINE_BYTES)
        start, end = end, end + len(line)
        is_counted = limits.row_containers < sys.maxsize
        if len(line) > limits.row_bytes or (
            is_counted and line.count(b"[") + line.count(b"{") > limits.row_containers
        ):
            raise too_large(source, limits, is_row=True, number=number)
        if left < 0:
            raise too_large(source, limits)
        if number == 1:
            line = line.removeprefix(_BOM)
        if line and not line.isspace():
            yield FileLine(number, line, start)


def _rows_or_sessions(
    lines: Iterator[FileLine], source: str, limits: ReadLimits
) -> Iterator[FileLine | FileRow]:
    """Yield the lines, each of which is a row, or the sessions of a file of events."""
    heads = list(islice(lines, _MOST_HEADS))
    log = _log_of(heads)
    if log is None:
        yield from with_joined_objects(chain(heads, lines), limits.row_bytes)
        return
    values: list[JsonValue] = []
    repeated: list[tuple[int, str]] = []
    bytes_left, containers_left = limits.row_bytes, limits.row_containers
    for file_line in chain(heads, lines):
        bytes_left -= len(file_line.line)
        containers_left -= file_line.line.count(b"[") + file_line.line.count(b"{")
        if bytes_left < 0 or containers_left < 0:
            raise too_large(source, limits, is_row=True, number=1)
        values.extend([None] * (file_line.number - 1 - len(values)))
        row = parse_line(file_line)
        # A session that was killed has half a line at its end.
        values.append(file_line.line.decode(errors="replace").rstrip() if row.fields is None else row.fields)
        repeated += [(row.number - 1, pointer) for pointer in row.repeated]
    for session in log.sessions(values):
        number = next((place for place, value in enumerate(session, start=1) if value is not None), 1)
        twice = (f"/{TRACES}/{place}{pointer}" for place, pointer in repeated if session[place] is not None)
        yield FileRow(number, {TRACES: session}, repeated=tuple(twice), is_session=True)


def _begins_log(file: IO[bytes], source: str) -> bool:
    return _log_of(list(islice(_lines(file, source, OWN_FILE), _MOST_HEADS))) is not None


def _log_of(heads: Sequence[FileLine]) -> LogShape | None:
    """Return how a file becomes sessions, if its first line that is an object is an event."""
    rows = map(parse_line, heads)
    row_format = log_format(next((row.fields for row in rows if row.fields is not None), None))
    return row_format.log if row_format else None


_MOST_HEADS: Final = 3
"""Lines that show what a file holds. A log that was cut begins with half a line."""
_LEAST_LINE_BYTES: Final = 100
"""Minimum size that a line counts for, because millions of blank lines take time too."""
_CHUNK: Final = 1 << 20
_BUFFER: Final = 1 << 18
"""Rows are longer than half of the usual 8 KB, so each would take a system call."""
_BETWEEN: Final = re.compile(r"[ \t\r\n,]*")
_SPANNING: Final = re.compile(rb"\[|\{[ \t\r]*\n")


def _values(file: IO[bytes], source: str, limits: ReadLimits) -> Iterator[FileRow]:
    """Yield the items of a JSON array, or objects that follow each other, each as soon as it is read completely."""
    decode = codecs.getincrementaldecoder("utf-8")(errors="replace").decode
    scan = json.JSONDecoder().raw_decode
    number, is_over, left = 0, False, limits.unpacked_bytes
    text = decode(file.read(_CHUNK).removeprefix(_BOM)).lstrip()
    is_array = text.startswith("[")
    position = 1 if is_array else 0
    has_comma = False
    while True:
        between = cast("re.Match[str]", _BETWEEN.match(text, position))
        has_comma, position = has_comma or "," in between.group(), between.end()
        if text.startswith("]", position) if is_array else is_over and position == len(text):
            if is_array and has_comma:
                yield FileRow(number + 1, None, "the array has a comma after its last row; remove it")
            return
        try:
            value, end = cast("tuple[JsonValue, int]", scan(text, position))
            is_complete = end < len(text) or is_over
        except (ValueError, RecursionError):
            value, end, is_complete = None, position, False
        if is_complete:
            number += 1
            if text.count("[", position, end) + text.count("{", position, end) > limits.row_containers:
                raise too_large(source, limits, is_row=True, number=number)
            yield _as_row(value, number, repeated=repeated_keys(text[position:end]))
            position, has_comma = end, False
            continue
        if is_over:
            yield FileRow(
                number + 1, None, f"the {'array' if is_array else 'file'} is not valid JSON from here on"
            )
            return
        if len(text) - position > limits.row_bytes:
            raise too_large(source, limits, is_row=True, number=number + 1)
        if left < 0:
            raise too_large(source, limits)
        chunk = file.read(max(_CHUNK, len(text) - position))
        is_over, left = not chunk, left - len(chunk)
        text, position = text[position:] + decode(chunk, is_over), 0


def _spans_lines(file: IO[bytes]) -> bool:
    """Return whether the file is an array, or begins with an object that does not end on its first line.

    A first line that is cut off does not count: then the next lines do not complete it.
    """
    start = file.read(_CHUNK).removeprefix(_BOM).lstrip()
    file.seek(0)
    if _SPANNING.match(start[:64]):
        return True
    line = start.partition(b"\n")[0]
    if not line.startswith(b"{") or len(line) == len(start) or parse_line(FileLine(1, line)).fields:
        return False
    try:
        _, end = json.JSONDecoder().raw_decode(start.decode(errors="replace"))
    except (ValueError, RecursionError):
        return False
    return end > len(line)


def _first_bytes(source: str) -> bytes:
    try:
        with Path(source).expanduser().open("rb") as file:
            return file.read(4)
    except OSError as error:
        raise BadInput(f"file {source}", str(error.strerror or error)) from error


@contextmanager
def _opened(source: str, start: bytes = b"") -> Generator[IO[bytes]]:
    """Open a file to read, decompressed if its first bytes say so."""
    with Path(source).expanduser().open("rb", buffering=_BUFFER) as file:
        if start.startswith(_GZIP):
            with gzip.open(file) as unpacked:
                yield cast("IO[bytes]", unpacked)
        elif start.startswith(_ZSTD):
            from workbench.library.datasets.parquet import open_zstandard

            with open_zstandard(file) as unpacked:
                yield unpacked
        else:
            yield file
