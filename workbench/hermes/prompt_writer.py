"""Build a prompt, keep track of which part wrote which span, and report problems of the conversation."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple

from workbench.chat.finding import Finding, Severity, Span
from workbench.chat.message import Conversation, Message, Role, ToolCall
from workbench.hermes.marks import ANY_MARK_JSON, CONTROL_MARK, Escape, escape_for
from workbench.hermes.spelling.family import Family, FamilyRequirements
from workbench.hermes.spelling.thoughts import AssistantText


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptPart:
    """The stretch of a prompt that one message, or the family itself, accounts for."""

    span: Span
    """Framing included; the parts of a prompt follow each other without a gap."""
    role: Role
    """Whose message; of a tool's result `tool`, also where the family writes it into a user turn."""
    message_index: int | None
    """Which message of the conversation, from 0; None for what the family adds (tools, opened turn)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """A text for an engine."""

    text: str
    """Byte for byte, without a begin-of-text token: the engine adds that."""
    parts: tuple[PromptPart, ...]
    """In order; together they cover `text`."""
    marks: tuple[Span, ...]
    """Each literal mark that belongs to the format, in order: by the family, the contract or the model.

    Marks that user text, arguments, results or tool specs brought along are not here: they are findings.
    """
    findings: tuple[Finding, ...] = ()
    """What a reader of this prompt should know; spans are of `text`."""
    starts_in_thought: bool = False
    """True where the opened turn begins inside `<think>`, so that the completion does."""


_UNREADABLE: Final = object()


def conversation_findings(family: Family, conversation: Conversation, query: int | None) -> Iterator[Finding]:
    """Where the published template refuses the conversation as a whole; `query` is `last_query`'s."""
    messages = conversation.messages
    if (family.needs is FamilyRequirements.MESSAGE and not messages) or (
        family.needs is FamilyRequirements.QUERY and query is None
    ):
        wish = f"the published template wants {family.needs}; ours goes on"
        yield _warning("template-would-crash", wish)
    if not family.system.allows_later_system and any(m.role is Role.SYSTEM for m in messages[1:]):
        yield _warning(
            "template-would-crash", "the published template refuses a later system message; ours writes it"
        )


def assistant_findings(
    family: Family, message: Message, shown: AssistantText, span: Span
) -> Iterator[Finding]:
    """What of an assistant's message the family does not write."""
    remedy = f"; {family.sane_name!r} keeps it" if family.sane_name else ""
    if message.calls and shown.text and not family.keeps_text_beside_calls:
        yield _warning("content-dropped", f"family {family.name!r} drops text beside calls{remedy}", span)
    if shown.loses_thought:
        yield _warning("thought-dropped", f"family {family.name!r} drops thoughts{remedy}", span)


def call_findings(family: Family, call: ToolCall, body: str, span: Span) -> Iterator[Finding]:
    """What is wrong with a spelled call; `body` is what stands at `span`."""
    if call.arguments_text is not None and family.refuses_text_arguments:
        yield _warning(
            "template-would-crash",
            "the published template crashes on arguments given as text; ours reads them",
            span,
        )
    if call.arguments_text is not None and family.encodes_text_arguments:
        remedy = f"; {family.sane_name!r} does not" if family.sane_name else ""
        yield _warning(
            "arguments-encoded-twice", f"family {family.name!r} encodes text arguments again{remedy}", span
        )
    if call.arguments_text is not None and not family.pastes_calls and not _is_object(call.arguments_text):
        yield _warning(
            "arguments-dropped", f"the arguments of {call.name!r} are no JSON object: none written", span
        )
    if family.pastes_calls and not _is_json(body):
        yield _warning("call-not-json", f"the call of {call.name!r} is not valid JSON once written", span)


def missing_header_finding(family: Family, span: Span) -> Finding:
    """For a result that begins the conversation, where the published template opens no turn for it."""
    return _warning(
        "missing-turn-header", f"family {family.name!r} opens no turn for a result that comes first", span
    )


def _is_json(text: str) -> bool:
    return _loaded(text) is not _UNREADABLE


def _is_object(text: str) -> bool:
    return isinstance(_loaded(text), dict)


def _loaded(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return _UNREADABLE


def _warning(code: str, message: str, span: Span | None = None) -> Finding:
    return Finding(code=code, message=message, severity=Severity.WARNING, span=span)


class PromptSource(StrEnum):
    """Who wrote a stretch of the prompt."""

    FAMILY = "the family"
    SYSTEM = "the system text"
    COMPLETION = "the model's text"
    USER = "a user's text"
    ARGUMENTS = "a call's arguments"
    RESULT = "a tool's result"
    TOOLS = "a tool spec"


WRITES_TAGS = frozenset({PromptSource.FAMILY, PromptSource.SYSTEM, PromptSource.COMPLETION})
"""Those whose tags belong to the format; a control token belongs there only where the family writes it."""


class _Piece(NamedTuple):
    span: Span
    source: PromptSource
    hidden: tuple[Span, ...]
    """Where a mark was neutralised."""


class PromptMarks(NamedTuple):
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

    def write(
        self, text: str, source: PromptSource = PromptSource.FAMILY, *, escape: Escape | None = None
    ) -> None:
        """Append `text`; `escape` is how its marks are neutralised, None to choose by the text."""
        if not text:
            return
        hidden: tuple[Span, ...] = ()
        if self._neutralise and source is not PromptSource.FAMILY:
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

    def marked(self) -> PromptMarks:
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
            if source is PromptSource.TOOLS and ANY_MARK_JSON.fullmatch(match[0]) is None:
                continue
            if source is PromptSource.FAMILY or (source in WRITES_TAGS and not is_control):
                marks.append(span)
            else:
                findings.append(_finding(match[0], span, source, is_control=is_control))
        return PromptMarks(
            tuple(marks), tuple(sorted(findings, key=lambda finding: finding.span or Span(0, 0)))
        )

    def _neutralised(
        self, text: str, source: PromptSource, escape: Escape | None
    ) -> tuple[str, tuple[Span, ...]]:
        pattern = CONTROL_MARK if source in WRITES_TAGS else self._any_mark
        if source is PromptSource.TOOLS:
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


def _joint_source(first: PromptSource) -> PromptSource:
    """Whose a mark is that begins in a piece of `first` and ends in a later one: never the family's."""
    return PromptSource.ARGUMENTS if first is PromptSource.FAMILY else first


def _finding(mark: str, span: Span, source: PromptSource, *, is_control: bool) -> Finding:
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


def _neutralised_finding(span: Span, source: PromptSource) -> Finding:
    return Finding(
        code="mark-neutralised",
        message=f"a mark in {source} was escaped, so that it cannot act as one",
        severity=Severity.WARNING,
        span=span,
    )
