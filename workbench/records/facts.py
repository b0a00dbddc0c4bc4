"""Facts: fixes, findings and dropped blocks of a model's message, for counting and searching."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from workbench.chat.finding import Edit, Severity, Span
from workbench.hermes.reading import Reading, SegmentKind

DROPPED: Final = "dropped"
"""Code of a dropped block without an error."""


class FactKind(StrEnum):
    """Kind of a fact."""

    FIX = "fix"
    """A repair of the text."""
    FINDING = "finding"
    """Something that was reported without a repair."""
    DROP = "drop"
    """A call block that gave no call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageFact:
    """A fix, finding or dropped block in a message."""

    kind: FactKind
    code: str
    """A code of `docs/reference/codes.md`; for a dropped block its first error, or else `dropped`."""
    severity: Severity | None = None
    """Severity of a finding; otherwise None."""
    is_guess: bool = False
    """True for a fix if another meaning is possible."""
    span: Span | None = None
    """Position in the message; None if it has none."""
    note: str = ""
    """Message of a finding; otherwise empty."""
    edits: tuple[Edit, ...] = ()
    """Edits of a fix; otherwise empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FactCount:
    """How often a fact occurred."""

    group: str
    """The code, the model, the contract's fingerprint or the day (UTC, ISO 8601)."""
    kind: FactKind
    count: int
    message_count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DataTotals:
    """What is stored, without deleted sessions. Messages that are on several branches count once."""

    conversations: int
    """Sessions that are neither rollouts of suites nor imported rows."""
    rollouts: int
    imported: int
    completions: int
    """Messages of models."""
    tool_calls: dict[str, int] = field(hash=False)
    """Results of tools by the name of the tool, most frequent first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DailyModelStats:
    """Completions of one model in one day with one version of a contract."""

    day: str
    """UTC, ISO 8601."""
    contract_version: str
    """SHA-256 (hex) of the contract's text."""
    model: str
    completions: int
    """Completions; one that is on several branches counts once."""
    fixed: int
    """Completions that needed a fix."""
    dropped: int
    """Completions in which a call was lost."""


class FactGroup(StrEnum):
    """What facts are grouped by."""

    CODE = "code"
    MODEL = "model"
    CONTRACT = "contract"
    DAY = "day"


def facts_of(reading: Reading) -> Iterator[MessageFact]:
    """Yield fixes, then findings, then dropped blocks, each in order of position."""
    for fix in reading.fixes:
        yield MessageFact(
            kind=FactKind.FIX, code=fix.code, is_guess=fix.is_guess, span=fix.span, edits=fix.edits
        )
    for finding in reading.findings:
        yield MessageFact(
            kind=FactKind.FINDING,
            code=finding.code,
            severity=finding.severity,
            span=finding.span,
            note=finding.message,
        )
    yield from _drops(reading)


def _drops(reading: Reading) -> Iterator[MessageFact]:
    """Yield a fact for each dropped block of the reading, with the position of a block without a call."""
    called = {call.span for call in reading.calls}
    places = [
        segment.span
        for segment in reading.segments
        if segment.kind in (SegmentKind.CALL, SegmentKind.UNCLOSED) and segment.span not in called
    ]
    for number in range(reading.dropped):
        span = places[number] if number < len(places) else None
        yield MessageFact(kind=FactKind.DROP, code=_cause(reading, span), span=span)


def _cause(reading: Reading, span: Span | None) -> str:
    errors = (finding for finding in reading.findings if finding.severity is Severity.ERROR)
    return next((error.code for error in errors if span and _is_within(span, error.span)), DROPPED)


def _is_within(outer: Span, inner: Span | None) -> bool:
    return inner is not None and outer.start <= inner.start and inner.end <= outer.end
