"""Builds a prompt's text and remembers who wrote which stretch."""

import re
from enum import StrEnum
from typing import NamedTuple

from workbench.chat.finding import Finding, Severity
from workbench.chat.message import Role
from workbench.chat.span import Span
from workbench.hermes.prompt import PromptPart
from workbench.hermes.spelling.chatml import ANY_MARK_JSON, CONTROL_MARK, Escape, escape_for


class Source(StrEnum):
    """Who wrote a stretch of the prompt."""

    FAMILY = "the family"
    SYSTEM = "the system text"
    COMPLETION = "the model's text"
    USER = "a user's text"
    ARGUMENTS = "a call's arguments"
    RESULT = "a tool's result"
    TOOLS = "a tool spec"


WRITES_TAGS = frozenset({Source.FAMILY, Source.SYSTEM, Source.COMPLETION})
"""Those whose tags belong to the format; a control token belongs there only where the family writes it."""


class _Piece(NamedTuple):
    span: Span
    source: Source
    hidden: tuple[Span, ...]
    """Where a mark was neutralised."""


class Marked(NamedTuple):
    """What is known of the marks in a prompt."""

    marks: tuple[Span, ...]
    findings: tuple[Finding, ...]


class PromptWriter:
    """Collects the pieces of a prompt, in order.

    Args:
        any_mark: What has a meaning in the family.
        neutralise: Whether marks in foreign text are escaped.
    """

    def __init__(self, any_mark: re.Pattern[str], *, neutralise: bool) -> None:
        self._any_mark = any_mark
        self._neutralise = neutralise
        self._texts: list[str] = []
        self._pieces: list[_Piece] = []
        self._starts: list[tuple[int, Role, int | None]] = []
        self._length = 0

    @property
    def length(self) -> int:
        """Code points written so far."""
        return self._length

    @property
    def text(self) -> str:
        """All that was written."""
        return "".join(self._texts)

    def begin_part(self, role: Role, message_index: int | None) -> None:
        """What follows belongs to this message, until the next part begins."""
        self._starts.append((self._length, role, message_index))

    def write(self, text: str, source: Source = Source.FAMILY, *, escape: Escape | None = None) -> None:
        """Append `text`; `escape` is how its marks are neutralised, None to choose by the text."""
        if not text:
            return
        hidden: tuple[Span, ...] = ()
        if self._neutralise and source is not Source.FAMILY:
            text, hidden = self._neutralised(text, source, escape)
        span = Span(self._length, self._length + len(text))
        self._pieces.append(_Piece(span, source, tuple(place.shifted(span.start) for place in hidden)))
        self._texts.append(text)
        self._length = span.end

    def parts(self) -> tuple[PromptPart, ...]:
        """The parts so far; one that nothing was written to is left out."""
        ends = [start for start, _, _ in self._starts[1:]] + [self._length]
        return tuple(
            PromptPart(span=Span(start, end), role=role, message_index=index)
            for (start, role, index), end in zip(self._starts, ends, strict=False)
            if start < end
        )

    def marked(self) -> Marked:
        """Each mark in the whole text: the format's own, or a finding.

        The finished text is searched, not the pieces, so that a mark that arises where two pieces meet is
        seen as well.
        """
        marks: list[Span] = []
        findings = [
            _neutralised_finding(span, piece.source) for piece in self._pieces for span in piece.hidden
        ]
        pieces = iter(self._pieces)
        piece = next(pieces, None)
        for match in self._any_mark.finditer(self.text):
            while piece is not None and piece.span.end <= match.start():
                piece = next(pieces, None)
            if piece is None:
                break
            span = Span(*match.span())
            source = piece.source if span.end <= piece.span.end else _joint_source(piece.source)
            is_control = CONTROL_MARK.fullmatch(match[0]) is not None
            if source is Source.TOOLS and ANY_MARK_JSON.fullmatch(match[0]) is None:
                continue
            if source is Source.FAMILY or (source in WRITES_TAGS and not is_control):
                marks.append(span)
            else:
                findings.append(_finding(match[0], span, source, is_control=is_control))
        return Marked(tuple(marks), tuple(sorted(findings, key=lambda finding: finding.span or Span(0, 0))))

    def _neutralised(self, text: str, source: Source, escape: Escape | None) -> tuple[str, tuple[Span, ...]]:
        pattern = CONTROL_MARK if source in WRITES_TAGS else self._any_mark
        if source is Source.TOOLS:
            pattern = ANY_MARK_JSON
        if pattern.search(text) is None:
            return text, ()
        escape = escape or escape_for(text)
        texts: list[str] = []
        hidden: list[Span] = []
        position = length = 0
        for match in pattern.finditer(text):
            harmless = escape.applied(match[0])
            start = length + match.start() - position
            texts += [text[position : match.start()], harmless]
            hidden.append(Span(start, start + len(harmless)))
            length, position = start + len(harmless), match.end()
        texts.append(text[position:])
        return "".join(texts), tuple(hidden)


def _joint_source(first: Source) -> Source:
    """Whose a mark is that begins in a piece of `first` and ends in a later one: never the family's."""
    return Source.ARGUMENTS if first is Source.FAMILY else first


def _finding(mark: str, span: Span, source: Source, *, is_control: bool) -> Finding:
    if is_control:
        return Finding(
            code="control-mark",
            message=f"{mark!r} in {source} is read as a control token; neutralise it",
            span=span,
        )
    return Finding(
        code="format-tag",
        message=f"{mark!r} in {source} looks like the format's own; neutralise it",
        severity=Severity.WARNING,
        span=span,
    )


def _neutralised_finding(span: Span, source: Source) -> Finding:
    return Finding(
        code="mark-neutralised",
        message=f"a mark in {source} was escaped, so that it cannot act as one",
        severity=Severity.WARNING,
        span=span,
    )
