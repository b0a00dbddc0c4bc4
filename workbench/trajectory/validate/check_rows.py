"""Check training rows that are in memory, with the same result as `workbench check`."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from workbench.chat.json_value import JsonObject
from workbench.trajectory.formats.known import AUTO, format_for
from workbench.trajectory.row import RowFinding
from workbench.trajectory.validate.codes import row_finding
from workbench.trajectory.validate.duplicates import DuplicateRow
from workbench.trajectory.validate.rows_check import CheckOptions, RowsCheck


class FoundInRows(NamedTuple):
    """A finding, and the row that it is about."""

    row: int | None
    """Index of the row, from 0; None if the finding is about all rows together."""
    finding: RowFinding


def check_rows(
    rows: Iterable[JsonObject], *, format: str = AUTO, near: bool = True, secrets: bool = True
) -> Iterator[FoundInRows]:
    """Yield the findings row by row, then the duplicates, then the findings about all rows together.

    A row is not kept after it was checked; each needs 16 bytes, to find duplicates.

    Args:
        rows: Rows as `json.loads` returns them.
        format: Name of their format, or `auto` to detect it for each row.
        near: Whether to look for near duplicates.
        secrets: Whether to look for secrets and personal data.

    Raises:
        BadInput: There is no format with this name.

    >>> row = {"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": ""}]}
    >>> [(found.row, found.finding.code) for found in check_rows([row])]
    [(0, 'empty-entry')]
    """
    check = RowsCheck(options=CheckOptions(finds_near=near, finds_secrets=secrets))
    for index, row in enumerate(rows):
        row_format = format_for(row, format)
        if isinstance(row_format, RowFinding):
            check.count_unreadable()
            yield FoundInRows(index, row_format)
            continue
        for finding in check.check_as(row, row_format):
            yield FoundInRows(index, finding)
    for duplicate in check.duplicates([check.rows]):
        yield FoundInRows(duplicate.row, duplicate_finding(duplicate, f"row {duplicate.first}"))
    for finding in check.facts.findings():
        yield FoundInRows(None, finding)


def duplicate_finding(duplicate: DuplicateRow, first: str) -> RowFinding:
    """Return the finding about a duplicate; `first` names the earlier row."""
    how = "almost the same" if duplicate.code == "near-duplicate-row" else "the same"
    return row_finding(duplicate.code, f"{how} conversation as {first}")
