"""Build a prompt, record which message each span belongs to, and report problems of the conversation."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple

from workbench.chat.finding import Finding, Severity, Span
from workbench.chat.message import Conversation, Message, Role, ToolCall
from workbench.hermes.marks import ANY_MARK_JSON, CONTROL_MARK, Escape, escape_for
from workbench.hermes.spelling.family import Family, FamilyRequirements, unread_arguments
from workbench.hermes.spelling.thoughts import AssistantText


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptPart:
    """The part of a prompt that belongs to one message or was added by the family."""

    span: Span
    """Includes the framing. The parts of a prompt follow each other without gaps."""
    role: Role
    """Role of the message. A tool result has `tool`, even if the family writes it into a user turn."""
    message_index: int | None
    """Index of the message from 0, or None for what the family adds: the tools and the opened turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """A rendered prompt."""

    text: str
    """The prompt byte for byte, without a begin-of-text token, which the engine adds."""
    parts: tuple[PromptPart, ...]
    """Sorted by position. Together they cover `text`."""
    marks: tuple[Span, ...]
    """Tags and special tokens that belong to the format, written by the family, the contract or the model.

    Those in user text, arguments, results and tool specs are findings instead.
    """
    findings: tuple[Finding, ...] = ()
    """Problems of the prompt. Spans refer to `text`."""
    starts_in_thought: bool = False
    """Whether the opened turn ends inside `<think>`, so that the completion starts in a thought."""


_UNREADABLE: Final = object()


def conversation_findings(family: Family, conversation: Conversation, query: int | None) -> Iterator[Finding]:
    """Report where the published template rejects the conversation as a whole.

    Args:
        query: Index of the last question, from `last_query`, or None.
    """
    messages = conversation.messages
    if (family.needs is FamilyRequirements.MESSAGE and not messages) or (
        family.needs is FamilyRequirements.QUERY and query is None
    ):
        problem = f"the published template fails without {family.needs}; it was rendered anyway"
        yield _warning("template-would-crash", problem)
    if not family.system.allows_later_system and any(m.role is Role.SYSTEM for m in messages[1:]):
        yield _warning(
            "template-would-crash",
            "the published template rejects a later system message; it was written anyway",
        )


def assistant_findings(
    family: Family, message: Message, shown: AssistantText, span: Span
) -> Iterator[Finding]:
    """Report the parts of an assistant's message that the family does not write."""
    remedy = f"; use {family.sane_name!r} to keep it" if family.sane_name else ""
    if message.calls and shown.text and not family.keeps_text_beside_calls:
        yield _warning(
            "content-dropped", f"family {family.name!r} drops text in messages with calls{remedy}", span
        )
    if shown.loses_thought:
        yield _warning("thought-dropped", f"family {family.name!r} drops the thought{remedy}", span)


def call_findings(family: Family, call: ToolCall, body: str, span: Span) -> Iterator[Finding]:
    """Report what is wrong with a rendered call, whose `body` is at `span`."""
    if call.arguments_text is not None and family.refuses_text_arguments:
        yield _warning(
            "template-would-crash",
            "the published template crashes on arguments given as text; they were decoded",
            span,
        )
    if call.arguments_text is not None and family.encodes_text_arguments:
        remedy = f"; use {family.sane_name!r} to avoid it" if family.sane_name else ""
        yield _warning(
            "arguments-encoded-twice", f"family {family.name!r} encodes text arguments twice{remedy}", span
        )
    if not family.pastes_calls and unread_arguments(call) is not None:
        yield _warning(
            "arguments-not-object",
            f"the arguments of {call.name!r} are not a JSON object and were written as text",
            span,
        )
    if family.pastes_calls and not _is_json(body):
        yield _warning("call-not-json", f"the call of {call.name!r} is not valid JSON once written", span)


def read_back_findings(names: Iterable[str], call: ToolCall, span: Span) -> Iterator[Finding]:
    """Report arguments, by `names`, that the reader does not get back from a rendered call."""
    for name in names:
        yield _warning(
            "value-not-readable-back",
            f"XML cannot write the argument {name[:24]!r} of {call.name[:24]!r}: it is read as another value",
            span,
        )


def missing_header_finding(family: Family, span: Span) -> Finding:
    """Return the finding for a result at the start of a conversation, for which the template opens no turn."""
    return _warning(
        "missing-turn-header", f"family {family.name!r} opens no turn for a result at the start", span
    )


def _is_json(text: str) -> bool:
    return _loaded(text) is not _UNREADABLE


def _loaded(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return _UNREADABLE


def _warning(code: str, message: str, span: Span | None = None) -> Finding:
    return Finding(code=code, message=message, severity=Severity.WARNING, span=span)


class PromptSource(StrEnum):
    """Who wrote a part of the prompt. The values are used in messages."""

    FAMILY = "the family"
    SYSTEM = "the system text"
    COMPLETION = "the model's text"
    USER = "a user's text"
    ARGUMENTS = "a call's arguments"
    RESULT = "a tool's result"
    TOOLS = "a tool spec"


WRITES_TAGS = frozenset({PromptSource.FAMILY, PromptSource.SYSTEM, PromptSource.COMPLETION})
"""Sources whose tags belong to the format. A special token belongs to it only if the family wrote it."""


class _Piece(NamedTuple):
    span: Span
    source: PromptSource
    hidden: tuple[Span, ...]
    """Spans of the marks that were escaped."""


class PromptMarks(NamedTuple):
    """The marks of a prompt: those of the format, and findings for all others."""

    marks: tuple[Span, ...]
    findings: tuple[Finding, ...]


class PromptWriter:
    """Build a prompt piece by piece.

    Args:
        any_mark: Matches the tags and special tokens that have a meaning in the family.
        neutralise: Whether to escape them in text that neither the family, the contract nor the model wrote.
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
        """Number of code points written so far."""
        return self._length

    @property
    def text(self) -> str:
        """The text written so far."""
        return "".join(self._texts)

    def begin_part(self, role: Role, message_index: int | None) -> None:
        """Start a part. Everything written until the next part belongs to this message."""
        self._starts.append((self._length, role, message_index))

    def write(
        self, text: str, source: PromptSource = PromptSource.FAMILY, *, escape: Escape | None = None
    ) -> None:
        """Append `text`. `escape` says how to neutralise its marks; None chooses by the text."""
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
        """Return the parts so far, without empty ones."""
        ends = [start for start, _, _ in self._starts[1:]] + [self._length]
        return tuple(
            PromptPart(span=Span(start, end), role=role, message_index=index)
            for (start, role, index), end in zip(self._starts, ends, strict=False)
            if start < end
        )

    def marked(self) -> PromptMarks:
        """Find every mark in the finished text: it belongs to the format, or it is a finding.

        The whole text is searched instead of the pieces, so that a mark is found even if it forms where two pieces
        meet: a template that writes `<` + key + `>` turns a property named `|im_start|` into a special token.
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
    """Return the source of a mark that starts in a piece of `first` and ends in a later piece. Never the family."""
    return PromptSource.ARGUMENTS if first is PromptSource.FAMILY else first


def _finding(mark: str, span: Span, source: PromptSource, *, is_control: bool) -> Finding:
    if is_control:
        return Finding(
            code="control-mark",
            message=f"{mark!r} in {source} acts as a special token; neutralise it",
            span=span,
        )
    return Finding(
        code="format-tag",
        message=f"{mark!r} in {source} looks like a tag of the format; neutralise it",
        severity=Severity.WARNING,
        span=span,
    )


def _neutralised_finding(span: Span, source: PromptSource) -> Finding:
    return Finding(
        code="mark-neutralised",
        message=f"a tag or special token in {source} was escaped",
        severity=Severity.WARNING,
        span=span,
    )
