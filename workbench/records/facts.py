"""Facts: what the parser noted about a model's message, for counting and searching."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from workbench.chat.finding import Edit, Severity, Span
from workbench.hermes.reading import Reading, SegmentKind

DROPPED: Final = "dropped"
"""Code of a dropped block in which no error was found."""


class FactKind(StrEnum):
    """What was noted."""

    FIX = "fix"
    """A repair of the text."""
    FINDING = "finding"
    """Told, without a repair."""
    DROP = "drop"
    """A call block that gave no call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageFact:
    """One thing that was noted of a message."""

    kind: FactKind
    """Fix, finding or drop."""
    code: str
    """Stable word from `docs/reference/codes.md`; of a drop the first error of its block, else `dropped`."""
    severity: Severity | None = None
    """Of a finding; else None."""
    is_guess: bool = False
    """Of a fix: True where another meaning is possible."""
    span: Span | None = None
    """Place in the message; None where it has none."""
    note: str = ""
    """Of a finding: its message; else empty."""
    edits: tuple[Edit, ...] = ()
    """Of a fix: its edits; else empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FactCount:
    """How often something was noted."""

    group: str
    """The code, the model, the contract's fingerprint or the day (UTC, ISO 8601)."""
    kind: FactKind
    """Fix, finding or drop."""
    count: int
    message_count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DailyModelStats:
    """What one model wrote in a day under one version of a contract."""

    day: str
    """UTC, ISO 8601."""
    contract_version: str
    """SHA-256 (hex) of the contract's text."""
    model: str
    completions: int
    """Completions, each once however many branches have it."""
    fixed: int
    """Of these, the ones that needed a repair."""
    dropped: int
    """Of these, the ones in which a call was lost."""


class FactGroup(StrEnum):
    """By what facts are counted."""

    CODE = "code"
    MODEL = "model"
    CONTRACT = "contract"
    DAY = "day"


def facts_of(reading: Reading) -> Iterator[MessageFact]:
    """Fixes, then findings, then dropped blocks, each in order of place."""
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
    """As many as the reading counts, each with the place of a block without a call while there is one."""
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


def _is_within(whole: Span, part: Span | None) -> bool:
    return part is not None and whole.start <= part.start and part.end <= whole.end
