"""One message of a session as a row may tell it: corrected, with its safe fixes made, as strict reads it."""

from dataclasses import dataclass, replace

from workbench.chat.message import Message, Role
from workbench.hermes.parse import fixed, parse
from workbench.hermes.reading import Level, Reading, SegmentKind
from workbench.hermes.written_out import written_out
from workbench.records.corpus.judged import UNJUDGED, Judged
from workbench.records.corpus.material import ToldMessage
from workbench.records.corpus.obstacle import Obstacle
from workbench.toolspec.spec import OfferedTools
from workbench.trajectory.hermes_text import names_only, read_text
from workbench.trajectory.system_text import split_system
from workbench.trajectory.trajectory import Call, Prose, Result, RowMessage


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What a row says of one message."""

    message: RowMessage
    """As it is written."""
    fixes: tuple[str, ...] = ()
    """Codes of the safe fixes that were made."""
    is_corrected: bool = False
    """Whether a labeller's correction stands there instead of the original."""
    is_as_is: bool = False
    """Whether it is a text that strict does not read, as the model wrote it."""


def tell(
    given: ToldMessage, tools: OfferedTools, judged: Judged = UNJUDGED, *, is_raw: bool = False
) -> Told | Obstacle:
    """The message, or why no trainer may have it.

    Args:
        given: The message.
        tools: What the model was offered.
        judged: What labellers said of it; its correction replaces the original.
        is_raw: Whether a text is taken as it is, whatever the reader thinks of it.
    """
    message = given.message
    if judged.problem:
        return Obstacle(code="corrections-differ", message=judged.problem, message_id=given.id)
    if judged.text is not None:
        message = Message(role=message.role, text=judged.text, name=message.name)
    if message.role is not Role.ASSISTANT:
        return Told(message=_plain(message), is_corrected=judged.text is not None)
    told = _spoken(written_out(message), tools, judged, is_raw=is_raw)
    if isinstance(told, str):
        code, _, problem = told.partition(": ")
        return Obstacle(code=code, message=problem, message_id=given.id)
    return replace(told, is_corrected=judged.is_corrected)


def _plain(message: Message) -> RowMessage:
    """A message that is not the model's."""
    role, text = message.role, message.text
    if role is Role.TOOL:
        return RowMessage(role=role, parts=(Result(text=text, name=message.name),))
    own = split_system(text).own if role is Role.SYSTEM else text
    return RowMessage(
        role=role, parts=(Prose(text=own),) if own else (), text=text if role is Role.SYSTEM else None
    )


def _spoken(text: str, tools: OfferedTools, judged: Judged, *, is_raw: bool) -> Told | str:
    """A completion whose text holds all."""
    reading = parse(text, tools=tools)
    problem = _defect(reading, judged)
    is_clean = not reading.fixes and not problem
    if is_raw and not is_clean and not judged.calls:
        as_is = RowMessage(role=Role.ASSISTANT, parts=(Prose(text=text),), text=text)
        return Told(message=as_is, is_as_is=True)
    if problem:
        return problem
    text = fixed(text, reading)
    again = parse(text, tools=tools, level=Level.STRICT)
    if [(one.name, one.arguments) for one in again.calls] != [
        (one.name, one.arguments) for one in reading.calls
    ]:
        return "call-not-strict: strict reads other calls from the fixed text; correct it by hand"
    read = read_text(text, names_only(tools))
    codes = tuple(sorted({fix.code for fix in reading.fixes}))
    told = _corrected(RowMessage(role=Role.ASSISTANT, parts=read.parts, text=read.text), judged)
    return told if isinstance(told, str) else replace(told, fixes=codes)


def _corrected(message: RowMessage, judged: Judged) -> Told | str:
    """The message with its corrected calls."""
    if not judged.calls:
        return Told(message=message)
    places = [place for place, part in enumerate(message.parts) if isinstance(part, Call)]
    if max(judged.calls) >= len(places):
        return f"corrections-differ: call {max(judged.calls) + 1} is corrected, and it has {len(places)}"
    parts = list(message.parts)
    for index, call in judged.calls.items():
        parts[places[index]] = Call(name=call.name, arguments=dict(call.arguments))
    return Told(message=message.with_parts(*parts))


def _defect(reading: Reading, judged: Judged) -> str:
    """Code and reason; empty where a trainer may have it. What was corrected does not count."""
    if any(segment.kind is SegmentKind.UNCLOSED for segment in reading.segments):
        return "call-truncated: a call or thought is cut off"
    if reading.dropped:
        codes = ", ".join(sorted({finding.code for finding in reading.findings}))
        return f"call-unreadable: {reading.dropped} call block(s) could not be read ({codes})"
    settled = {fix for index, call in enumerate(reading.calls) if index in judged.calls for fix in call.fixes}
    guesses = sorted({fix.code for fix in reading.fixes if fix.is_guess and fix not in settled})
    if guesses:
        return f"call-guessed: a fix is a guess ({', '.join(guesses)}); correct the message by hand"
    return ""
