"""Create and write the receipt of files of rows."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from hashlib import file_digest
from pathlib import Path

from workbench import __version__
from workbench.chat.json_value import JsonObject
from workbench.errors import BadInput
from workbench.library.datasets.file_row import FileRow
from workbench.library.datasets.row_files import RowWithFormat, format_of_row, read_rows
from workbench.trajectory.formats.known import AUTO, FORMATS
from workbench.trajectory.row import RowFinding
from workbench.trajectory.sets.receipt import Counts, FileFacts, receipt_of
from workbench.trajectory.validate.check import CheckedRow, RowsCheck, check_fields
from workbench.trajectory.validate.codes import row_finding


class FileFormat:
    """Finds the format that all rows of a file have, where single rows look like several.

    For example, a row of TRL without calls looks like OpenAI's, and a ShareGPT row with the column `task` like one of
    hermes-function-calling-v1.
    """

    def __init__(self) -> None:
        self.rows: Counter[str] = Counter()
        """Rows by the format that each looks like most."""
        self._candidates = list(FORMATS.values())

    def add(self, row: RowWithFormat) -> None:
        """Add a row."""
        self.rows[row.row_format.name] += 1
        self._candidates = [
            candidate for candidate in self._candidates if (candidate.could_be or candidate.fits)(row.fields)
        ]

    @property
    def name(self) -> str:
        """The most specific of the rows' formats that all rows have; empty if there is none."""
        return next((candidate.name for candidate in self._candidates if candidate.name in self.rows), "")


class ReceiptMaker:
    """Checks and counts the rows of files, and creates their receipt.

    Args:
        read_as: Format of the rows, or `auto`.
        ignored: Codes, or their first words, that do not count as errors.
    """

    def __init__(self, read_as: str = AUTO, ignored: Sequence[str] = ()) -> None:
        self._check = RowsCheck()
        self.counts = Counts(ignored=ignored)
        self.read_as = read_as
        self._files: list[FileFacts] = []
        self._ends: list[int] = []
        self._file_format = FileFormat()

    def add(self, source: str) -> Iterator[int]:
        """Check and count the rows of a file and yield the number of each.

        Raises:
            BadInput: The file cannot be read.
        """
        for number, row in enumerate(read_rows(source), start=1):
            self._add(row)
            yield number
        self.end_file(source)

    def count(self, checked: CheckedRow) -> None:
        """Count a row of a file, which was checked when it was written. Call `end_file` after the last one."""
        self._check.count(checked)
        self.counts.add(checked)

    def end_file(self, source: str) -> None:
        """Record a file, whose rows are those counted since the previous file.

        Raises:
            BadInput: The file cannot be read.
        """
        self._name_format()
        path = Path(source).expanduser()
        try:
            with path.open("rb") as file:
                digest = file_digest(file, "sha256").hexdigest()
            size_bytes = path.stat().st_size
        except OSError as error:
            raise BadInput(f"file {source}", str(error.strerror or error)) from error
        rows = self._check.rows - (self._ends[-1] if self._ends else 0)
        self._files.append(FileFacts(name=path.name, sha256=digest, size_bytes=size_bytes, rows=rows))
        self._ends.append(self._check.rows)

    def extend(self, other: "ReceiptMaker") -> None:
        """Add the files of another receipt after these."""
        self._ends += [self._check.rows + end for end in other._ends]
        self._files += other._files
        self._check.extend(other._check)
        self.counts.extend(other.counts)

    def _add(self, row: FileRow) -> None:
        formed = format_of_row(row, self.read_as)
        if isinstance(formed, RowFinding):
            self._check.count_unreadable()
            self.counts.add_findings([formed])
            return
        if self.read_as == AUTO:
            self._file_format.add(formed)
        self.count(check_fields(formed.fields, formed.row_format, repeated=formed.repeated))

    def _name_format(self) -> None:
        """Count the rows of a file under one format if all of them have it."""
        name, by_row = self._file_format.name, self._file_format.rows
        self._file_format = FileFormat()
        if name and len(by_row) > 1:
            self.counts.formats.subtract(by_row)
            self.counts.formats[name] += by_row.total()
            # Drops the names that no row is left for.
            self.counts.formats += Counter()

    def finish(self, *, allows_empty: bool = True) -> None:
        """Count findings that need all rows: duplicates, files without rows, and findings about the whole set."""
        empty = [file for file in self._files if not file.rows and not allows_empty]
        self.counts.add_findings(row_finding("empty-file", "the file has no rows") for _ in empty)
        duplicates = (row_finding(duplicate.code, "") for duplicate in self._check.duplicates(self._ends))
        self.counts.add_findings([*duplicates, *self._check.facts.findings()])

    def receipt(self) -> JsonObject:
        """Return the receipt of all files. Call `finish` first.

        Raises:
            BadInput: The rows have errors.
        """
        if self.counts.errors:
            noun = "error" if self.counts.errors == 1 else "errors"
            issues = ", ".join(f"{code} {count}" for code, count in sorted(self.counts.issues.items()))
            raise BadInput(
                "receipt",
                f"the rows have {self.counts.errors} {noun} ({issues})",
                "run `workbench check` and fix them first",
            )
        return receipt_of(self.counts, self._check.facts, self._files, {"workbench": __version__})


def receipt_bytes(receipt: JsonObject) -> bytes:
    """Return the bytes of the receipt's file."""
    return (json.dumps(receipt, indent=2, ensure_ascii=False) + "\n").encode()


def write_receipt(receipt: JsonObject, path: Path) -> None:
    """Write a receipt.

    Raises:
        BadInput: The file cannot be written.
    """
    try:
        path.write_bytes(receipt_bytes(receipt))
    except OSError as error:
        raise BadInput(f"file {path}", str(error.strerror or error)) from error
