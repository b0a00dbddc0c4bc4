"""Check a row as fast as its content allows, and keep what was parsed, so that the row can be counted too."""

from typing import NamedTuple

from workbench.chat.json_value import JsonObject
from workbench.trajectory.formats.row_format import RowFormat
from workbench.trajectory.formats.sharegpt import SHAREGPT
from workbench.trajectory.row import RowFinding, TrainingRow
from workbench.trajectory.validate.clean_row import CleanRow, clean_row
from workbench.trajectory.validate.parsed_row import ParsedRow, parse_texts
from workbench.trajectory.validate.row_check import check_parsed_row


class CheckedRow(NamedTuple):
    """A row with its findings."""

    fields: JsonObject
    content: ParsedRow | CleanRow
    """What to count: the parsed row, or a summary if it is a ShareGPT row without findings."""
    findings: tuple[RowFinding, ...]


def check_fields(fields: JsonObject, row_format: RowFormat, *, finds_secrets: bool = True) -> CheckedRow:
    """Check a row, read as `row_format`. Valid rows of the format `sharegpt` take a fast path."""
    clean = clean_row(fields, finds_secrets=finds_secrets) if row_format is SHAREGPT else None
    if clean is not None:
        return CheckedRow(fields, clean, ())
    return check_completely(row_format.read(fields), finds_secrets=finds_secrets)


def check_read_row(row: TrainingRow) -> CheckedRow:
    """Like `check_fields`, for a row that was read already."""
    clean = clean_row(row.fields, finds_secrets=True) if row.format == SHAREGPT.name else None
    return check_completely(row) if clean is None else CheckedRow(row.fields, clean, ())


def check_completely(row: TrainingRow, *, finds_secrets: bool = True) -> CheckedRow:
    """Check a row with the complete rules."""
    parsed = parse_texts(row)
    return CheckedRow(row.fields, parsed, check_parsed_row(parsed, finds_secrets=finds_secrets))
