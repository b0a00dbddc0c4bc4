"""Check many rows in sequence: the findings of each, and the totals."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from workbench.chat.json_value import JsonObject
from workbench.trajectory.formats.row_format import RowFormat
from workbench.trajectory.formats.sharegpt import SHAREGPT
from workbench.trajectory.row import RowFinding, TrainingRow
from workbench.trajectory.validate.clean_row import clean_row
from workbench.trajectory.validate.duplicates import (
    DuplicateRow,
    RowFingerprint,
    RowFingerprints,
    fingerprint_row,
    fingerprint_text,
)
from workbench.trajectory.validate.parsed_row import parse_texts
from workbench.trajectory.validate.row_check import check_parsed_row
from workbench.trajectory.validate.set_facts import SetFacts

_NOTHING: Final = RowFingerprint(0, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckOptions:
    """How rows are checked."""

    finds_near: bool = True
    """Whether almost equal rows are looked for."""
    finds_secrets: bool = True
    """Whether secrets and personal data are looked for."""


@dataclass(slots=True, kw_only=True)
class RowsCheck:
    """The check of rows that come one by one; two of them add up to one by `extend`."""

    options: CheckOptions = field(default_factory=CheckOptions)
    """How they are checked."""
    rows: int = 0
    """So many came."""
    facts: SetFacts = field(default_factory=SetFacts)
    fingerprints: RowFingerprints = field(default_factory=RowFingerprints)
    """One a row, also of those that cannot be read."""
    formats: Counter[str] = field(default_factory=Counter[str])

    def check(self, row: TrainingRow) -> tuple[RowFinding, ...]:
        """The findings of the next row."""
        self.rows += 1
        self.formats[row.format] += 1
        parsed = parse_texts(row)
        self.facts.add(parsed)
        self.fingerprints.append(fingerprint_row(row, sketches=self.options.finds_near))
        return check_parsed_row(parsed, finds_secrets=self.options.finds_secrets)

    def check_as(self, fields: JsonObject, row_format: RowFormat) -> tuple[RowFinding, ...]:
        """The findings of the next row, as `row_format` reads it; a clean one is not read further than it must be."""
        clean = (
            clean_row(fields, finds_secrets=self.options.finds_secrets) if row_format is SHAREGPT else None
        )
        if clean is None:
            return self.check(row_format.read(fields))
        self.rows += 1
        self.formats[row_format.name] += 1
        self.facts.add_clean(clean)
        self.fingerprints.append(fingerprint_text(clean.conversation_text, sketches=self.options.finds_near))
        return ()

    def count_unreadable(self) -> None:
        """Count the next row, which cannot be read at all."""
        self.rows += 1
        self.fingerprints.append(_NOTHING)

    def extend(self, other: "RowsCheck") -> None:
        """Take over what another check, of the rows behind these, has counted."""
        self.rows += other.rows
        self.formats.update(other.formats)
        self.facts.extend(other.facts)
        self.fingerprints.extend(other.fingerprints)

    def duplicates(self, files: list[int]) -> Iterator[DuplicateRow]:
        """The rows that stand twice; `files` as `RowFingerprints.duplicates` takes it."""
        return self.fingerprints.duplicates(files)
