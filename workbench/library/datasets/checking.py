"""Check and repair files of rows in one or more processes or on many machines, with the same result."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from workbench.library.datasets.chunks import ChunkCheck, ChunkRunner, LocalRunner
from workbench.library.datasets.row_files import read_row, read_rows, until_damaged
from workbench.library.datasets.row_writer import open_writer
from workbench.trajectory.formats.known import AUTO
from workbench.trajectory.row import RowFinding
from workbench.trajectory.validate.call_forms import ArgumentForms
from workbench.trajectory.validate.check import CheckOptions, RowsCheck, duplicate_finding
from workbench.trajectory.validate.codes import row_finding
from workbench.trajectory.validate.duplicates import DuplicateRow
from workbench.trajectory.validate.parsed_row import parse_texts
from workbench.trajectory.validate.repair import RepairedRow, repair_row


@dataclass(slots=True, kw_only=True)
class RepairReport:
    """Summary of a repair."""

    written: int = 0
    """Rows that were written, repaired or unchanged."""
    left_out: int = 0
    """Rows that could not be written: lines that are not JSON objects, damaged ends of files, and rows with NaN
    outside a line of JSON."""
    repaired: int = 0
    """Written rows with a repair."""
    codes: Counter[str] = field(default_factory=Counter[str])


def repair_files(files: Sequence[str], target: str, *, read_as: str = AUTO) -> RepairReport:
    """Write the rows of all files, in order, to one file, with safe repairs applied.

    Args:
        files: Files to read.
        target: File to write, as for `open_writer`.
        read_as: Format of the rows, or `auto`. A row of an unknown format is written unchanged.

    Raises:
        BadInput: A file cannot be read or written.
    """
    report = RepairReport()
    with open_writer(target) as write:
        for row in (row for file in files for row in until_damaged(read_rows(file))):
            if row.fields is None:
                report.left_out += 1
                continue
            read = read_row(row, read_as)
            # Writing a row with a key twice would keep only one of the values.
            if isinstance(read, RowFinding) or row.repeated:
                repaired = RepairedRow(fields=row.fields)
            else:
                repaired = repair_row(parse_texts(read))
            try:
                write(repaired.fields if repaired.repairs or row.line is None else row.line)
            except ValueError:  # a number that JSON does not have
                report.left_out += 1
                continue
            report.written += 1
            report.repaired += bool(repaired.repairs)
            report.codes.update(repair.code for repair in repaired.repairs)
    return report


class FileFinding(NamedTuple):
    """A finding with its file and row."""

    file: str | None
    """The file as it was named; None if the finding is about a set of several files."""
    row: int | None
    """From 1; None if the finding is about the whole set."""
    finding: RowFinding


@dataclass(slots=True, kw_only=True)
class FilesCheck:
    """A check of files. Iterate over `findings` once, to the end; the totals are complete after that."""

    files: Sequence[str]
    """Paths, or `-` for standard input."""
    read_as: str = AUTO
    """Format of the rows, or `auto`."""
    options: CheckOptions = field(default_factory=CheckOptions)
    runner: ChunkRunner = field(default_factory=LocalRunner)
    allows_empty: bool = False
    """Whether a file without rows is not an error."""
    on_rows: Callable[[int], None] = lambda _count: None
    """Called with the number of rows that were checked so far."""
    totals: RowsCheck = field(default_factory=RowsCheck)
    """Totals over all files."""
    _ends: list[int] = field(default_factory=list[int])
    _gaps: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])

    def findings(self) -> Iterator[FileFinding]:
        """Yield the findings row by row, then the duplicates, then the findings about the set.

        Raises:
            BadInput: A file cannot be opened.
        """
        current, forms = "", ArgumentForms()
        for file, checked in self._checked():
            if file != current:
                current, forms = file, ArgumentForms()
            self._count(checked)
            for number, finding in checked.findings:
                yield FileFinding(file, number, finding)
            was_mixed = forms.finding is not None
            forms.extend(checked.check.forms, checked.numbers)
            if forms.finding and not was_mixed:
                yield FileFinding(file, *forms.finding)
        yield from self._empty_files()
        yield from map(self._duplicate_finding, self.totals.duplicates(self._ends))
        everywhere = self.files[0] if len(self.files) == 1 else None
        for finding in self.totals.facts.findings():
            yield FileFinding(everywhere, None, finding)

    def _empty_files(self) -> Iterator[FileFinding]:
        for file, start, end in zip(self.files, (0, *self._ends), self._ends, strict=False):
            if start == end and not self.allows_empty:
                message = "the file has no rows; run the step before again, or use --allow-empty"
                yield FileFinding(file, None, row_finding("empty-file", message))

    def _checked(self) -> Iterator[tuple[str, ChunkCheck]]:
        """Yield each chunk's result, file by file, and record after how many rows each file ends."""
        for place, checked in self.runner(self.files, self.options, self.read_as):
            self._ends.extend([self.totals.rows] * (place - len(self._ends)))
            yield self.files[place], checked
        self._ends.extend([self.totals.rows] * (len(self.files) - len(self._ends)))

    def _count(self, checked: ChunkCheck) -> None:
        """Add a chunk's totals. Where row numbers skip blank lines, record the new offset."""
        for place, number in enumerate(checked.numbers, start=self.totals.rows):
            offset = number - place
            if not self._gaps or self._gaps[-1][1] != offset:
                self._gaps.append((place, offset))
        self.totals.extend(checked.check)
        self.on_rows(self.totals.rows)

    def _where(self, place: int) -> tuple[str, int]:
        """Return file and number of the row with this index among all rows."""
        _, offset = self._gaps[bisect_right(self._gaps, place, key=lambda gap: gap[0]) - 1]
        return self.files[bisect_right(self._ends, place)], place + offset

    def _duplicate_finding(self, duplicate: DuplicateRow) -> FileFinding:
        file, number = self._where(duplicate.row)
        first_file, first = self._where(duplicate.first)
        where = f"row {first}" if first_file == file else f"{first_file}:{first}"
        return FileFinding(file, number, duplicate_finding(duplicate, where))
