"""Open a set of rows to look at: read, check, count and index it in one pass, then read single rows by their offset.

Near duplicates can be left to a second pass over the rows. They take a third of the time of a check, and everything
else can be shown before that.
"""

import codecs
import json
import os
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from threading import Lock
from types import MappingProxyType
from typing import IO, NamedTuple, cast

from workbench.chat.json_value import JsonObject, loads_fast
from workbench.errors import BadInput
from workbench.library.datasets.file_lines import FileLine
from workbench.library.datasets.file_row import OWN_FILE, FileRow, ReadLimits
from workbench.library.datasets.row_files import (
    chunked,
    format_of_row,
    has_plain_lines,
    parse_line,
    read_raw,
    read_row,
)
from workbench.library.datasets.row_writer import line_of
from workbench.records.corpus.material import row_id_of
from workbench.trajectory.compress import CountTokens, estimate_tokens
from workbench.trajectory.formats.known import AUTO
from workbench.trajectory.row import RowFinding, TrainingRow
from workbench.trajectory.sets.diff import RowKeys, compared, key_of, key_of_unreadable
from workbench.trajectory.sets.row_facts import RowFacts, facts_of
from workbench.trajectory.sets.row_index import RowIndex, Rows
from workbench.trajectory.sets.stats import RowStats
from workbench.trajectory.validate.check import (
    CheckOptions,
    RowsCheck,
    check_fields,
    duplicate_finding,
)
from workbench.trajectory.validate.duplicates import DuplicateRow, fingerprint_row


class OpenedRow(NamedTuple):
    """One row, read again."""

    number: int
    """Its number in the file, from 1."""
    fields: JsonObject | None
    """None if it cannot be read."""
    facts: RowFacts | None
    """None if it cannot be read as a training row."""
    findings: tuple[RowFinding, ...]
    link: str
    """Where it comes from, as `add` got it."""


class _Stamp(NamedTuple):
    """What changes when somebody writes to a file."""

    size_bytes: int
    changed_ns: int


@dataclass(slots=True, kw_only=True)
class OpenedRows:
    """Rows that are counted and indexed. Rows of other files than plain JSON Lines are copied to a temporary file.

    Memory grows by about a hundred bytes per row, and with the number of tools, up to the limits of `RowIndex` and
    `EnumCounts`.
    """

    name: str
    """What people call it, such as the name of the file."""
    read_as: str = AUTO
    count_tokens: CountTokens = estimate_tokens
    stats: RowStats = field(default_factory=RowStats)
    index: RowIndex = field(default_factory=RowIndex)
    codes: Counter[str] = field(default_factory=Counter[str])
    """Findings by code, including those about the whole set."""
    writers: Counter[str] = field(default_factory=Counter[str])
    """Characters by who wrote them, without system texts; empty for files, which do not say it."""
    set_findings: tuple[RowFinding, ...] = ()
    """Findings about the whole set; complete after `finish`."""
    is_part: bool = False
    """Whether the file has more rows than were read."""
    keys: RowKeys | None = None
    """The keys of the rows, to compare sets; None not to compute them."""
    finds_near: bool = True
    """Whether `finish` finds near duplicates. Otherwise `find_near` does."""
    _check: RowsCheck = field(init=False)
    _duplicates: dict[int, DuplicateRow] = field(default_factory=dict[int, DuplicateRow])
    """The rows that repeat an earlier one."""
    _problems: dict[int, str] = field(default_factory=dict[int, str])
    """Why rows of the temporary file cannot be read; such a row is empty there."""
    _links: dict[int, str] = field(default_factory=dict[int, str])
    _file: IO[bytes] | None = None
    _stamp: _Stamp | None = None
    """None for a temporary file, which nobody else can write to."""
    _lock: Lock = field(default_factory=Lock)

    def __post_init__(self) -> None:
        self._check = RowsCheck(options=CheckOptions(finds_near=self.finds_near))

    def read_file(
        self, source: str, limits: ReadLimits = OWN_FILE, most_rows: int | None = None
    ) -> Iterator[float]:
        """Add the rows of a file, and yield which share of it was read; 0 if that is not known.

        Args:
            source: Path of the file.
            limits: Maximum sizes.
            most_rows: Number of rows to read; None reads all.

        Raises:
            BadInput: The file cannot be opened, is cut off, or is too large.
        """
        size_bytes = 0
        if has_plain_lines(source):
            self._file = Path(source).expanduser().open("rb")
            self._stamp = _stamp(self._file)
            size_bytes = self._stamp.size_bytes
        rows = read_raw(source, limits)
        for chunk in chunked(islice(rows, most_rows)):
            for row in chunk:
                self.add(row)
            end = chunk[-1]
            yield end.offset / size_bytes if isinstance(end, FileLine) and size_bytes else 0.0
        self.is_part = next(rows, None) is not None

    def add(
        self, row: FileLine | FileRow, link: str = "", writers: Mapping[str, int] = MappingProxyType({})
    ) -> None:
        """Add the next row.

        Args:
            row: A row of a file, or a row that is in none.
            link: Where it comes from, which `open_row` returns.
            writers: Characters by who wrote them; empty if that is not known.
        """
        offset = row.offset if self._stamp and isinstance(row, FileLine) else self._kept(row)
        place = len(self.index)
        formed = format_of_row(parse_line(row) if isinstance(row, FileLine) else row, self.read_as)
        if isinstance(formed, RowFinding):
            self._check.count_unreadable()
            self.stats.unreadable += 1
            self.index.add(offset, row.number, None)
            if self.keys is not None:
                self.keys.append(key_of_unreadable(line_of_row(row)))
            findings: tuple[RowFinding, ...] = (formed,)
            if (row.fields is None) if isinstance(row, FileRow) else (b"\n" in row.line[:-1]):
                self._problems[place] = formed.message
        else:
            checked = check_fields(formed.fields, formed.row_format, repeated=formed.repeated)
            findings = self._check.count(checked)
            facts = facts_of(checked.content, self.count_tokens)
            self.stats.add_facts(facts, self.name, row.number)
            self.index.add(offset, row.number, facts)
            if self.keys is not None:
                read = formed.row_format.read(formed.fields)
                self.keys.append(key_of(compared(read), row_id_of(formed.fields)))
        if findings:
            self.codes.update([finding.code for finding in findings])
            self.index.add_findings(place, [finding.code for finding in findings])
        if link:
            self._links[place] = link
        if writers:
            self.writers.update(writers)
            self.index.add_writers(place, writers)

    def finish(self) -> None:
        """Add what only all rows together show: duplicates, and findings about the whole set."""
        self._add_duplicates()
        self.set_findings = tuple(self._check.facts.findings())
        self.codes.update(finding.code for finding in self.set_findings)

    def find_near(self) -> Iterator[float]:
        """Read all rows again, add which are near duplicates, and yield which share of the rows was read.

        Raises:
            BadInput: The file was changed, or the set was closed, in the meantime.
        """
        sketches = self._check.fingerprints.sketches
        for place in range(len(self.index)):
            row = self.training_row(place)
            sketches[place] = fingerprint_row(row).sketch if row else 0
            yield (place + 1) / len(self.index)
        self._add_duplicates()

    def open_row(self, place: int) -> OpenedRow:
        """Read a row again, with its findings.

        Args:
            place: Index of the row, from 0.

        Raises:
            BadInput: The file was changed or deleted in the meantime.
        """
        number = self.index.numbers[place]
        if place in self._problems:
            finding = RowFinding(code="unreadable-row", message=self._problems[place])
            return OpenedRow(number, None, None, (finding,), self._links.get(place, ""))
        row = parse_line(FileLine(number, self._line(place)))
        formed = format_of_row(row, self.read_as)
        link = self._links.get(place, "")
        if isinstance(formed, RowFinding):
            return OpenedRow(number, row.fields, None, (formed, *self._repeats(place)), link)
        checked = check_fields(formed.fields, formed.row_format, repeated=formed.repeated)
        findings = (*checked.findings, *self._repeats(place))
        return OpenedRow(number, row.fields, facts_of(checked.content, self.count_tokens), findings, link)

    def training_row(self, place: int) -> TrainingRow | None:
        """Read a row again, to compare it; None if it cannot be read. Raises as `open_row`."""
        row = read_row(parse_line(FileLine(self.index.numbers[place], self._line(place))), self.read_as)
        return None if isinstance(row, RowFinding) else row

    def search(self, rows: Rows, text: str, found: list[int]) -> Iterator[float]:
        """Find the rows whose JSON contains a text, ignoring case, and yield which share of them was searched.

        Args:
            rows: Indexes of the rows to search, in any order.
            text: The text to find, as a person reads it; quotes and line breaks match their escapes in JSON.
            found: Gets the indexes of the rows that contain it, in the order of `rows`.
        """
        wanted = json.dumps(text, ensure_ascii=False)[1:-1].casefold()
        for done, place in enumerate(rows.tolist(), start=1):
            if wanted in _readable(self._line(place)).casefold():
                found.append(place)
            yield done / len(rows)

    def close(self) -> None:
        """Close the file, and delete it if it is a temporary one."""
        with self._lock:
            if self._file is not None:
                self._file.close()

    def _add_duplicates(self) -> None:
        for duplicate in self._check.duplicates([self._check.rows]):
            if duplicate.row not in self._duplicates:
                self._duplicates[duplicate.row] = duplicate
                self.index.add_findings(duplicate.row, [duplicate.code])
                self.codes[duplicate.code] += 1

    def _repeats(self, place: int) -> Iterator[RowFinding]:
        duplicate = self._duplicates.get(place)
        if duplicate is not None:
            yield duplicate_finding(duplicate, f"row {self.index.numbers[duplicate.first]}")

    def _kept(self, row: FileLine | FileRow) -> int:
        """Write a row to the temporary file, and return its offset."""
        if self._file is None:
            self._file = tempfile.TemporaryFile(prefix="workbench-look-")  # noqa: SIM115  it is open as long as the set
        offset = self._file.tell()
        line = line_of_row(row)
        self._file.write(line if line.endswith(b"\n") else line + b"\n")
        return offset

    def _line(self, place: int) -> bytes:
        with self._lock:
            if self._file is None or self._file.closed:
                raise BadInput(self.name, "it is not open any more", "open it again")
            if self._stamp is not None and _stamp(self._file) != self._stamp:
                raise BadInput(self.name, "the file was changed since it was opened", "open it again")
            self._file.seek(self.index.offsets[place])
            return self._file.readline().removeprefix(codecs.BOM_UTF8)


def line_of_row(row: FileLine | FileRow) -> bytes:
    """Return a row as a line of JSON, byte for byte if it is one."""
    if row.line is not None:
        return row.line
    try:
        return line_of(row.fields or {})
    except ValueError:
        # NaN or an infinite number, which is a finding of the row.
        return json.dumps(row.fields).encode()


def _stamp(file: IO[bytes]) -> _Stamp:
    status = os.fstat(file.fileno())
    return _Stamp(status.st_size, status.st_mtime_ns)


def _readable(line: bytes) -> str:
    """Return a row's JSON without escapes such as `\\\\u00e9`, which some programs write for `é`."""
    if b"\\u" in line:
        try:
            return line_of(cast(JsonObject, loads_fast(line))).decode("utf-8", "replace")
        except (ValueError, RecursionError):
            pass
    return line.decode("utf-8", "replace")
