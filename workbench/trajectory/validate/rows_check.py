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
    likeness_of,
    likeness_of_said,
)
from workbench.trajectory.validate.parsed_row import see
from workbench.trajectory.validate.row_check import check_seen
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

    terms: CheckOptions = field(default_factory=CheckOptions)
    """How they are checked."""
    rows: int = 0
    """So many came."""
    facts: SetFacts = field(default_factory=SetFacts)
    likenesses: RowFingerprints = field(default_factory=RowFingerprints)
    """One a row, also of those that cannot be read."""
    formats: Counter[str] = field(default_factory=Counter[str])

    def check(self, row: TrainingRow) -> tuple[RowFinding, ...]:
        """The findings of the next row."""
        self.rows += 1
        self.formats[row.format] += 1
        seen = see(row)
        self.facts.add(seen)
        self.likenesses.append(likeness_of(row, sketches=self.terms.finds_near))
        return check_seen(seen, finds_secrets=self.terms.finds_secrets)

    def check_as(self, fields: JsonObject, form: RowFormat) -> tuple[RowFinding, ...]:
        """The findings of the next row, as `form` reads it; a clean one is not read further than it must be."""
        clean = clean_row(fields, finds_secrets=self.terms.finds_secrets) if form is SHAREGPT else None
        if clean is None:
            return self.check(form.read(fields))
        self.rows += 1
        self.formats[form.name] += 1
        self.facts.add_clean(clean)
        self.likenesses.append(likeness_of_said(clean.said, sketches=self.terms.finds_near))
        return ()

    def pass_by(self) -> None:
        """Count the next row, which cannot be read at all."""
        self.rows += 1
        self.likenesses.append(_NOTHING)

    def extend(self, other: "RowsCheck") -> None:
        """Take over what another check, of the rows behind these, has counted."""
        self.rows += other.rows
        self.formats.update(other.formats)
        self.facts.extend(other.facts)
        self.likenesses.extend(other.likenesses)

    def doubles(self, files: list[int]) -> Iterator[DuplicateRow]:
        """The rows that stand twice; `files` as `RowFingerprints.doubles` takes it."""
        return self.likenesses.doubles(files)
