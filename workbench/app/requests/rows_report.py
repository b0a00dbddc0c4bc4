"""Validate rows and return the findings as JSON. See `docs/how-to/use-the-api.md`."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from workbench.chat.finding import Severity
from workbench.chat.json_value import JsonObject, JsonValue
from workbench.library.datasets.row_import import ReadRow
from workbench.trajectory.row import RowFinding
from workbench.trajectory.validate.check import RowsCheck
from workbench.trajectory.validate.codes import row_finding

_NEAR_DUPLICATE: Final = "near-duplicate-row"


class _LocatedFinding(NamedTuple):
    row: int | None
    """Number of the row, from 1. None if the finding is about all rows."""
    finding: RowFinding


def report_rows(rows: Iterable[ReadRow]) -> JsonObject:
    """Validate rows, and return the JSON of the findings and their summary.

    Findings about single rows come first, then those about duplicates, then those about all rows.
    """
    check = RowsCheck()
    located = list(_findings(rows, check))
    severities = Counter(entry.finding.severity for entry in located)
    codes = Counter(entry.finding.code for entry in located)
    return {
        "findings": [_document(entry) for entry in located],
        "summary": {
            "rows": check.rows,
            "errors": severities[Severity.ERROR],
            "warnings": severities[Severity.WARNING],
            "codes": dict[str, JsonValue](sorted(codes.items())),
        },
    }


def _findings(rows: Iterable[ReadRow], check: RowsCheck) -> Iterator[_LocatedFinding]:
    """Yield errors and warnings. At the end, `check` has counted all rows."""
    numbers: list[int] = []
    for number, row, _ in rows:
        numbers.append(number)
        if isinstance(row, RowFinding):
            check.count_unreadable()
            yield _LocatedFinding(number, row)
        else:
            yield from (
                _LocatedFinding(number, finding) for finding in check.check(row) if _is_reported(finding)
            )
    for duplicate in check.duplicates([check.rows]):
        how = "almost the same" if duplicate.code == _NEAR_DUPLICATE else "the same"
        message = f"{how} conversation as row {numbers[duplicate.first]}"
        yield _LocatedFinding(numbers[duplicate.row], row_finding(duplicate.code, message))
    yield from (_LocatedFinding(None, finding) for finding in check.facts.findings() if _is_reported(finding))


def _is_reported(finding: RowFinding) -> bool:
    return finding.severity is not Severity.NOTE


def _document(entry: _LocatedFinding) -> JsonObject:
    return {"row": entry.row, **entry.finding.document()}
