"""Create and write the receipt of files of rows."""

import json
from collections.abc import Iterator
from hashlib import file_digest
from pathlib import Path

from workbench import __version__
from workbench.chat.json_value import JsonObject
from workbench.errors import BadInput
from workbench.library.datasets.row_files import AUTO, read_row, read_rows
from workbench.trajectory.row import RowFinding
from workbench.trajectory.sets.receipt import Counts, FileFacts, receipt_of
from workbench.trajectory.validate.codes import row_finding
from workbench.trajectory.validate.rows_check import RowsCheck


class ReceiptMaker:
    """Checks and counts the rows of files, and creates their receipt.

    Args:
        read_as: Format of the rows, or `auto`.
    """

    def __init__(self, read_as: str = AUTO) -> None:
        self._check = RowsCheck()
        self.counts = Counts(self._check.check)
        self._read_as = read_as
        self._files: list[FileFacts] = []
        self._ends: list[int] = []

    def add(self, source: str) -> Iterator[int]:
        """Count the rows of a file and yield the number of each.

        Raises:
            BadInput: The file cannot be read.
        """
        number = 0
        for number, row in enumerate(read_rows(source), start=1):
            read = read_row(row, self._read_as)
            if isinstance(read, RowFinding):
                self._check.count_unreadable()
                self.counts.add_findings([read])
            else:
                self.counts.add(read)
            yield number
        self._ends.append(self._check.rows)
        path = Path(source).expanduser()
        with path.open("rb") as file:
            digest = file_digest(file, "sha256").hexdigest()
        facts = FileFacts(name=path.name, sha256=digest, size_bytes=path.stat().st_size, rows=number)
        self._files.append(facts)

    def finish(self) -> None:
        """Count findings that need all rows: duplicates, and findings about the whole set."""
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
        return receipt_of(self.counts, self._files, {"workbench": __version__})


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
