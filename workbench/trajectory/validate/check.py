"""Check rows: the findings of each, and the totals of all. `workbench check` and the page use the same functions."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from workbench.chat.json_value import JsonObject
from workbench.trajectory.formats.known import AUTO, format_for
from workbench.trajectory.formats.row_format import RowFormat
from workbench.trajectory.formats.sharegpt import SHAREGPT
from workbench.trajectory.row import RowFinding, TrainingRow
from workbench.trajectory.validate.call_forms import ArgumentForms
from workbench.trajectory.validate.codes import row_finding
from workbench.trajectory.validate.duplicates import (
    DuplicateRow,
    RowFingerprint,
    RowFingerprints,
    conversation_text,
    fingerprint_text,
)
from workbench.trajectory.validate.glance import Glance, glance_at
from workbench.trajectory.validate.loading import read_fields
from workbench.trajectory.validate.parsed_row import ParsedRow, parse_texts
from workbench.trajectory.validate.rules import findings_of, is_surely_valid_row
from workbench.trajectory.validate.set_facts import SetFacts

_NOTHING: Final = RowFingerprint(0, 0)


class CheckedRow(NamedTuple):
    """A row with its findings."""

    fields: JsonObject
    content: ParsedRow | Glance
    """What to count: the parsed row, or a glance if it is a ShareGPT row without findings."""
    findings: tuple[RowFinding, ...]


def check_fields(
    fields: JsonObject,
    row_format: RowFormat,
    *,
    repeated: Sequence[str] = (),
    finds_secrets: bool = True,
) -> CheckedRow:
    """Check a row as it is in its file. Valid rows of the format `sharegpt` are checked by a glance.

    Args:
        fields: The row.
        row_format: Its format.
        repeated: JSON pointers to the keys that its JSON has twice.
        finds_secrets: Whether to look for secrets and personal data.
    """
    glance = None if repeated else _clean_glance(fields, row_format.name, finds_secrets=finds_secrets)
    if glance is not None:
        return CheckedRow(fields, glance, ())
    return check_completely(read_fields(fields, row_format, repeated), finds_secrets=finds_secrets)


def check_row(row: TrainingRow) -> CheckedRow:
    """Like `check_fields`, for a row that was read already."""
    glance = _clean_glance(row.fields, row.format, finds_secrets=True)
    return check_completely(row) if glance is None else CheckedRow(row.fields, glance, ())


def check_completely(row: TrainingRow, *, finds_secrets: bool = True) -> CheckedRow:
    """Check a row with all rules, without a glance."""
    parsed = parse_texts(row)
    return CheckedRow(row.fields, parsed, findings_of(parsed, finds_secrets=finds_secrets))


def _clean_glance(fields: JsonObject, format_name: str, *, finds_secrets: bool) -> Glance | None:
    glance = glance_at(fields) if format_name == SHAREGPT.name else None
    return glance if glance and is_surely_valid_row(glance, finds_secrets=finds_secrets) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckOptions:
    """Options of a check."""

    finds_near: bool = True
    """Whether to look for near duplicates."""
    finds_secrets: bool = True
    """Whether to look for secrets and personal data."""


@dataclass(slots=True, kw_only=True)
class RowsCheck:
    """Checks rows one by one. `extend` adds the totals of another check."""

    options: CheckOptions = field(default_factory=CheckOptions)
    rows: int = 0
    """Number of rows checked, including unreadable ones."""
    facts: SetFacts = field(default_factory=SetFacts)
    fingerprints: RowFingerprints = field(default_factory=RowFingerprints)
    """One per row, including unreadable ones."""
    formats: Counter[str] = field(default_factory=Counter[str])
    forms: ArgumentForms = field(default_factory=ArgumentForms)
    """Whether arguments are objects or text, with rows numbered from 0."""

    def check(self, row: TrainingRow) -> tuple[RowFinding, ...]:
        """Check the next row and return its findings."""
        return self.count(check_completely(row, finds_secrets=self.options.finds_secrets))

    def check_as(
        self, fields: JsonObject, row_format: RowFormat, repeated: Sequence[str] = ()
    ) -> tuple[RowFinding, ...]:
        """Check the next row, read as `row_format`; `repeated` as for `check_fields`."""
        finds_secrets = self.options.finds_secrets
        return self.count(check_fields(fields, row_format, repeated=repeated, finds_secrets=finds_secrets))

    def count(self, checked: CheckedRow) -> tuple[RowFinding, ...]:
        """Count the next row, which was checked with these options, and return its findings."""
        content = checked.content
        self.rows += 1
        if isinstance(content, Glance):
            self.formats[SHAREGPT.name] += 1
            self.facts.add_glance(content)
            text = content.text
        else:
            self.formats[content.row.format] += 1
            self.facts.add(content)
            self.forms.add(content.row, self.rows - 1)
            text = conversation_text(content.row)
        self.fingerprints.append(fingerprint_text(text, sketches=self.options.finds_near))
        return checked.findings

    def count_unreadable(self) -> None:
        """Count a row that cannot be read."""
        self.rows += 1
        self.fingerprints.append(_NOTHING)

    def extend(self, other: "RowsCheck") -> None:
        """Add the totals of another check, whose rows follow these."""
        self.forms.extend(other.forms, range(self.rows, self.rows + other.rows))
        self.rows += other.rows
        self.formats.update(other.formats)
        self.facts.extend(other.facts)
        self.fingerprints.extend(other.fingerprints)

    def duplicates(self, files: list[int]) -> Iterator[DuplicateRow]:
        """Yield the duplicates; `files` as in `RowFingerprints.duplicates`."""
        return self.fingerprints.duplicates(files)


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
    if check.forms.finding:
        yield FoundInRows(*check.forms.finding)
    for duplicate in check.duplicates([check.rows]):
        yield FoundInRows(duplicate.row, duplicate_finding(duplicate, f"row {duplicate.first}"))
    for finding in check.facts.findings():
        yield FoundInRows(None, finding)


def duplicate_finding(duplicate: DuplicateRow, first: str) -> RowFinding:
    """Return the finding about a duplicate; `first` names the earlier row."""
    how = "almost the same" if duplicate.code == "near-duplicate-row" else "the same"
    return row_finding(duplicate.code, f"{how} conversation as {first}")
