"""Check many rows one after the other: return the findings of each, and collect the totals."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from workbench.chat.json_value import JsonObject
from workbench.trajectory.formats.row_format import RowFormat
from workbench.trajectory.formats.sharegpt import SHAREGPT
from workbench.trajectory.row import RowFinding, TrainingRow
from workbench.trajectory.validate.checked_row import CheckedRow, check_completely, check_fields
from workbench.trajectory.validate.clean_row import CleanRow
from workbench.trajectory.validate.duplicates import (
    DuplicateRow,
    RowFingerprint,
    RowFingerprints,
    conversation_text,
    fingerprint_text,
)
from workbench.trajectory.validate.set_facts import SetFacts

_NOTHING: Final = RowFingerprint(0, 0)


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

    def check(self, row: TrainingRow) -> tuple[RowFinding, ...]:
        """Check the next row and return its findings."""
        return self.count(check_completely(row, finds_secrets=self.options.finds_secrets))

    def check_as(self, fields: JsonObject, row_format: RowFormat) -> tuple[RowFinding, ...]:
        """Check the next row, read as `row_format`. Valid rows of the format `sharegpt` take a fast path."""
        return self.count(check_fields(fields, row_format, finds_secrets=self.options.finds_secrets))

    def count(self, checked: CheckedRow) -> tuple[RowFinding, ...]:
        """Count the next row, which was checked with these options, and return its findings."""
        content = checked.content
        self.rows += 1
        if isinstance(content, CleanRow):
            self.formats[SHAREGPT.name] += 1
            self.facts.add_clean(content)
            text = content.conversation_text
        else:
            self.formats[content.row.format] += 1
            self.facts.add(content)
            text = conversation_text(content.row)
        self.fingerprints.append(fingerprint_text(text, sketches=self.options.finds_near))
        return checked.findings

    def count_unreadable(self) -> None:
        """Count a row that cannot be read."""
        self.rows += 1
        self.fingerprints.append(_NOTHING)

    def extend(self, other: "RowsCheck") -> None:
        """Add the totals of another check, whose rows follow these."""
        self.rows += other.rows
        self.formats.update(other.formats)
        self.facts.extend(other.facts)
        self.fingerprints.extend(other.fingerprints)

    def duplicates(self, files: list[int]) -> Iterator[DuplicateRow]:
        """Yield the duplicates; `files` as in `RowFingerprints.duplicates`."""
        return self.fingerprints.duplicates(files)
