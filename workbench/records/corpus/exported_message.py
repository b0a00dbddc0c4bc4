"""Convert a session's message to a row message: safe fixes, corrections, and why it must not be trained on."""

from dataclasses import dataclass, replace
from typing import Final

from workbench.chat.message import Message, Role, ToolCall
from workbench.hermes.parse import clean_calls, fixed, parse
from workbench.hermes.reading import Level, Reading, SegmentKind
from workbench.hermes.written_out import written_out
from workbench.records.corpus.label_summary import NO_LABELS, LabelSummary
from workbench.records.corpus.material import ExportBlocker, ExportMessage
from workbench.toolspec.spec import OfferedTools
from workbench.trajectory.hermes_text import read_text
from workbench.trajectory.system_text import split_system
from workbench.trajectory.trajectory import Call, Prose, Result, RowMessage
from workbench.trajectory.writing.row_draft import ConversionChange


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportedMessage:
    """A session's message as it is written to a row."""

    message: RowMessage
    fixes: tuple[str, ...] = ()
    """Codes of the applied safe fixes."""
    is_corrected: bool = False
    """Whether it is an annotator's correction instead of the original."""
    losses: tuple[ConversionChange, ...] = ()
    """What the imported row's message had, but a corrected text cannot have."""
    is_as_is: bool = False
    """Whether it is the model's unchanged text, although the strict reader does not accept it."""


_EMPTY_ANSWER: Final = (
    "the model wrote nothing, so there is nothing to learn from; "
    "regenerate the message, edit it, or show another branch"
)


def export_message(
    original: ExportMessage, tools: OfferedTools, summary: LabelSummary = NO_LABELS, *, is_raw: bool = False
) -> ExportedMessage | ExportBlocker:
    """Convert a message, or return why it must not be trained on.

    Args:
        original: The session's message.
        tools: Tools that the model was offered.
        summary: Summary of its labels; a correction replaces the original.
        is_raw: Use the model's text unchanged, even if the strict reader does not accept it.
    """
    message = original.message
    if summary.problem:
        return ExportBlocker(code="corrections-differ", message=summary.problem, message_id=original.id)
    if summary.text is not None:
        message = Message(role=message.role, text=summary.text, name=message.name)
    if message.role is not Role.ASSISTANT:
        return ExportedMessage(message=_plain(message), is_corrected=summary.text is not None)
    exported = _model_message(written_out(message), tools, summary, is_raw=is_raw)
    if isinstance(exported, str):
        code, _, problem = exported.partition(": ")
        return ExportBlocker(code=code, message=problem, message_id=original.id)
    return replace(exported, is_corrected=summary.is_corrected)


def added_message(message: Message) -> ExportedMessage:
    """Convert a message that an annotator added: calls, or a result."""
    if message.role is Role.TOOL:
        return ExportedMessage(message=_plain(message), is_corrected=True)
    parts = tuple(map(_call, message.calls))
    return ExportedMessage(message=RowMessage(role=message.role, parts=parts), is_corrected=True)


def is_exported_as_is(message: Message, tools: OfferedTools, *, is_raw: bool) -> bool:
    """Whether `export_message` surely accepts an uncorrected message without a fix. False means that it must look."""
    if message.role is not Role.ASSISTANT:
        return True
    text = written_out(message)
    return clean_calls(text, tools) is not None and (is_raw or bool(text.strip()))


def _plain(message: Message) -> RowMessage:
    """Convert a message of a role other than the model."""
    role, text = message.role, message.text
    if role is Role.TOOL:
        return RowMessage(role=role, parts=(Result(text=text, name=message.name),))
    own = split_system(text).own if role is Role.SYSTEM else text
    return RowMessage(
        role=role, parts=(Prose(text=own),) if own else (), text=text if role is Role.SYSTEM else None
    )


def _model_message(
    text: str, tools: OfferedTools, summary: LabelSummary, *, is_raw: bool
) -> ExportedMessage | str:
    """Parse a completion and apply safe fixes and corrections. A text is the code and reason of a refusal."""
    reading = parse(text, tools=tools)
    problem = _defect(reading, summary)
    is_clean = not reading.fixes and not problem
    if is_raw and not is_clean and not (summary.calls or summary.added):
        as_is = RowMessage(role=Role.ASSISTANT, parts=(Prose(text=text),), text=text)
        return ExportedMessage(message=as_is, is_as_is=True)
    if problem:
        return problem
    if not text.strip() and not is_raw:
        return f"empty-answer: {_EMPTY_ANSWER}"
    text = fixed(text, reading)
    again = parse(text, tools=tools, level=Level.STRICT)
    if [(call.name, call.arguments) for call in again.calls] != [
        (call.name, call.arguments) for call in reading.calls
    ]:
        return "call-not-strict: the fixed text has different calls for the strict reader; correct it by hand"
    read = read_text(text, tools)
    codes = tuple(sorted({fix.code for fix in reading.fixes}))
    exported = _corrected(RowMessage(role=Role.ASSISTANT, parts=read.parts, text=read.text), summary)
    return exported if isinstance(exported, str) else replace(exported, fixes=codes)


def _corrected(message: RowMessage, summary: LabelSummary) -> ExportedMessage | str:
    """Replace the corrected calls of a message, and append those that were added to them."""
    added = [_call(added.call) for added in summary.added if not added.is_before]
    if not (summary.calls or added):
        return ExportedMessage(message=message)
    places = [place for place, part in enumerate(message.parts) if isinstance(part, Call)]
    if max(summary.calls, default=-1) >= len(places):
        number, count = max(summary.calls) + 1, len(places)
        return f"corrections-differ: call {number} is corrected, but the message has {count}"
    parts = list(message.parts)
    for index, call in summary.calls.items():
        parts[places[index]] = _call(call)
    return ExportedMessage(message=message.with_parts(*parts, *added))


def _call(call: ToolCall) -> Call:
    return Call(name=call.name, arguments=dict(call.arguments))


def _defect(reading: Reading, summary: LabelSummary) -> str:
    """Return code and reason of a refusal; empty if the text is acceptable. Corrected calls are not checked."""
    if any(segment.kind is SegmentKind.UNCLOSED for segment in reading.segments):
        return "call-truncated: a call or thought is cut off; correct the message"
    if reading.dropped:
        codes = ", ".join(sorted({finding.code for finding in reading.findings}))
        blocks = "1 call block" if reading.dropped == 1 else f"{reading.dropped} call blocks"
        return f"call-unreadable: {blocks} cannot be parsed ({codes}); correct the message"
    settled = {
        fix for index, call in enumerate(reading.calls) if index in summary.calls for fix in call.fixes
    }
    guesses = sorted({fix.code for fix in reading.fixes if fix.is_guess and fix not in settled})
    if guesses:
        return f"call-guessed: a fix is a guess ({', '.join(guesses)}); correct the message by hand"
    return ""
