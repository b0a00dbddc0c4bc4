"""Many rows, one after the other: the findings of each, and what adds up over all."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from workbench.chat.json_value import JsonObject
from workbench.trajectory.formats.known import detect_format, format_named
from workbench.trajectory.row import RowFinding, TrainingRow
from workbench.trajectory.validate.doubles import Double, Likenesses
from workbench.trajectory.validate.likeness import Likeness, likeness_of
from workbench.trajectory.validate.row_check import check_seen
from workbench.trajectory.validate.said import said
from workbench.trajectory.validate.seen import see
from workbench.trajectory.validate.set_facts import SetFacts

AUTO: Final = "auto"
"""Each row is of the format that it looks like."""
_NOTHING: Final = Likeness(0, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckTerms:
    """How rows are checked."""

    format: str = AUTO
    """Name of a format, or `auto`."""
    finds_near: bool = True
    """Whether almost equal rows are looked for."""
    finds_secrets: bool = True
    """Whether secrets and personal data are looked for."""


@dataclass(slots=True, kw_only=True)
class RowsCheck:
    """The check of rows that come one by one; two of them add up to one by `extend`."""

    terms: CheckTerms = field(default_factory=CheckTerms)
    """How they are checked."""
    rows: int = 0
    """So many came."""
    facts: SetFacts = field(default_factory=SetFacts)
    """What adds up."""
    likenesses: Likenesses = field(default_factory=Likenesses)
    """One a row, also of those that cannot be read."""
    formats: Counter[str] = field(default_factory=Counter[str])
    """Rows by format."""

    def check(self, fields: JsonObject) -> tuple[RowFinding, ...]:
        """The findings of the next row."""
        row = self._read(fields)
        if row is None:
            self._pass_by()
            return (
                said("unknown-format", "the row looks like no format that we know; name one by --format"),
            )
        self.rows += 1
        self.formats[row.format] += 1
        seen = see(row)
        self.facts.add(seen)
        self.likenesses.append(likeness_of(row, sketches=self.terms.finds_near))
        return check_seen(seen, finds_secrets=self.terms.finds_secrets)

    def check_unreadable(self, why: str) -> tuple[RowFinding, ...]:
        """The finding of the next row, where it cannot be read at all."""
        self._pass_by()
        return (said("unreadable-row", why),)

    def extend(self, other: "RowsCheck") -> None:
        """Take over what another check, of the rows behind these, has counted."""
        self.rows += other.rows
        self.formats.update(other.formats)
        self.facts.extend(other.facts)
        self.likenesses.extend(other.likenesses)

    def doubles(self, files: list[int]) -> Iterator[Double]:
        """The rows that stand twice; `files` as `Likenesses.doubles` takes it."""
        return self.likenesses.doubles(files)

    def _read(self, fields: JsonObject) -> TrainingRow | None:
        form = detect_format(fields) if self.terms.format == AUTO else format_named(self.terms.format)
        return form.read(fields) if form else None

    def _pass_by(self) -> None:
        self.rows += 1
        self.likenesses.append(_NOTHING)
