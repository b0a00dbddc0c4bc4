"""Rows, checked one behind the other, as `workbench check --json` tells of a file; see `docs/reference/cli.md`."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from workbench.chat.finding import Severity
from workbench.chat.json_value import JsonObject, JsonValue
from workbench.library.datasets.row_import import ReadRow
from workbench.trajectory.row import RowFinding
from workbench.trajectory.validate.codes import said
from workbench.trajectory.validate.rows_check import RowsCheck

_ALMOST: Final = "near-duplicate-row"


class _Placed(NamedTuple):
    row: int | None
    """From 1; None where all rows are meant."""
    finding: RowFinding


def check_rows(rows: Iterable[ReadRow]) -> JsonObject:
    """The findings of rows, those of rows that stand twice, those of them all; then the summary."""
    check = RowsCheck()
    found = list(_findings(rows, check))
    severities = Counter(one.finding.severity for one in found)
    codes = Counter(one.finding.code for one in found)
    return {
        "findings": [_told(one) for one in found],
        "summary": {
            "rows": check.rows,
            "errors": severities[Severity.ERROR],
            "warnings": severities[Severity.WARNING],
            "codes": dict[str, JsonValue](sorted(codes.items())),
        },
    }


def _findings(rows: Iterable[ReadRow], check: RowsCheck) -> Iterator[_Placed]:
    """What an error or a warning is; `check` has counted all rows at the end."""
    numbers: list[int] = []
    for number, row in rows:
        numbers.append(number)
        if isinstance(row, RowFinding):
            check.pass_by()
            yield _Placed(number, row)
        else:
            yield from (_Placed(number, one) for one in check.check(row) if _is_told(one))
    for double in check.doubles([check.rows]):
        how = "almost the same" if double.code == _ALMOST else "the same"
        message = f"{how} conversation as row {numbers[double.first]}"
        yield _Placed(numbers[double.row], said(double.code, message))
    yield from (_Placed(None, one) for one in check.facts.findings() if _is_told(one))


def _is_told(finding: RowFinding) -> bool:
    return finding.severity is not Severity.NOTE


def _told(one: _Placed) -> JsonObject:
    finding = one.finding
    return {
        "row": one.row,
        "entry": finding.entry,
        "code": finding.code,
        "severity": finding.severity.value,
        "message": finding.message,
        "pointer": finding.pointer,
    }
