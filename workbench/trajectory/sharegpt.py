"""A session's messages as a ShareGPT row in the Hermes manner, if a trainer may have them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from workbench.chat.json_value import JsonObject
from workbench.chat.message import Message, Role
from workbench.hermes.parse import fixed, parse
from workbench.hermes.reading import Level, Reading
from workbench.hermes.written_out import read_message, written_out
from workbench.toolspec.spec import OfferedTools
from workbench.trajectory.formats.sharegpt import AS_TOLD
from workbench.trajectory.hermes_text import names_only, read_text
from workbench.trajectory.trajectory import Part, Prose, Result, RowMessage, Trajectory
from workbench.trajectory.writing.convert import write_row
from workbench.trajectory.writing.holding import Terms


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedMessage:
    """A message, and why it ended."""

    message: Message
    """Role and text."""
    finish_reason: str = "stop"
    """Of a completion: `stop`, `length` or `cancelled`; `stop` for all others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """What became of one conversation."""

    row: JsonObject | None = field(hash=False)
    """The row; None where the conversation must stay out."""
    fixed_entries: tuple[int, ...] = ()
    """Entries of the row, from 0, whose text is not as the model wrote it: safe fixes were applied."""
    problem: str = ""
    """Why it stays out, with the message's place; empty where there is a row."""


def to_sharegpt(messages: Sequence[FinishedMessage], tools: OfferedTools, *, source: str) -> Exported:
    """One conversation as a row of `conversations`, `tools` (a JSON string) and `source`.

    Consecutive tool messages become one entry, each result in its `<tool_response>`. A completion that
    strict cannot read is written with its safe fixes applied; one that was cut, dropped or guessed
    keeps the conversation out, for a trainer would learn the defect.

    *Source:* hermes-agent's trajectory format, seed 003; `docs/reference/formats.md`.
    """
    if not any(one.message.role is Role.ASSISTANT for one in messages):
        return Exported(row=None, problem="the model has not said anything yet")
    if messages[-1].message.role is not Role.ASSISTANT:
        return Exported(
            row=None, problem=f"the last message is the {messages[-1].message.role}'s, not the model's"
        )
    told: list[RowMessage] = []
    for place, one in enumerate(messages, start=1):
        text, problem = _trainable(one, tools)
        if problem:
            return Exported(row=None, problem=f"message {place}: {problem}")
        told.append(_message(one.message.role, text, tools))
    done = write_row(Trajectory(messages=tuple(told), tools=tools), AS_TOLD, Terms(source=source))
    if done.row is None:
        return Exported(row=None, problem=done.problems[0].message)
    is_fixed = [
        one.message.role is Role.ASSISTANT and new.text not in (None, written_out(one.message))
        for new, one in zip(told, messages, strict=True)
    ]
    return Exported(row=done.row, fixed_entries=tuple(_entries(told, is_fixed)))


def _message(role: Role, text: str, tools: OfferedTools) -> RowMessage:
    """The message, with its very text where it is the model's."""
    if role is Role.ASSISTANT:
        read = read_text(text, names_only(tools))
        return RowMessage(role=role, parts=read.parts, text=read.text)
    part: Part = Result(text=text) if role is Role.TOOL else Prose(text=text)
    return RowMessage(role=role, parts=(part,) if text or role is Role.TOOL else ())


def _entries(messages: Sequence[RowMessage], is_meant: Sequence[bool]) -> Iterator[int]:
    """The entries of the messages that are meant; results that touch are one entry."""
    entry = -1
    before: Role | None = None
    for message, is_one in zip(messages, is_meant, strict=True):
        if message.role is not Role.TOOL or before is not Role.TOOL:
            entry += 1
        before = message.role
        if is_one:
            yield entry


def _trainable(one: FinishedMessage, tools: OfferedTools) -> tuple[str, str]:
    """The text to write and an empty problem, or the problem."""
    if one.message.role is not Role.ASSISTANT:
        return one.message.text, ""
    if one.finish_reason != "stop":
        return "", f"the completion was not finished ({one.finish_reason})"
    reading = read_message(one.message, tools=tools)
    problem = _defect(reading)
    if problem:
        return "", problem
    text = fixed(reading.text, reading)
    again = parse(text, tools=tools, level=Level.STRICT)
    if [(call.name, call.arguments) for call in again.calls] != [
        (call.name, call.arguments) for call in reading.calls
    ]:
        return "", "strict reads other calls from the fixed text"
    return text, ""


def _defect(reading: Reading) -> str:
    if reading.dropped:
        codes = ", ".join(sorted({finding.code for finding in reading.findings}))
        return f"{reading.dropped} call block(s) could not be read ({codes})"
    guesses = sorted({fix.code for fix in reading.fixes if fix.is_guess})
    if guesses:
        return f"a fix is a guess ({', '.join(guesses)}); correct the message by hand"
    unready = [call for call in reading.calls if call.status != "ready"]
    return f"the call of {unready[0].name!r} is not right ({unready[0].status})" if unready else ""
