"""ShareGPT rows in the Hermes manner."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.chat.message import Message, Role
from workbench.hermes.parse import fixed, parse
from workbench.hermes.reading import Level, Reading
from workbench.hermes.written_out import read_message, written_out
from workbench.toolspec.spec import OfferedTools

SPEAKERS: Final = {Role.SYSTEM: "system", Role.USER: "human", Role.ASSISTANT: "gpt", Role.TOOL: "tool"}
"""Role to the `from` of an entry."""


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

    *Source:* hermes-agent's trajectory format, seed 003; `docs/reference/rows.md`.
    """
    if not any(one.message.role is Role.ASSISTANT for one in messages):
        return Exported(row=None, problem="the model has not said anything yet")
    if messages[-1].message.role is not Role.ASSISTANT:
        return Exported(
            row=None, problem=f"the last message is the {messages[-1].message.role}'s, not the model's"
        )
    entries: list[JsonValue] = []
    fixed_entries: list[int] = []
    for place, turn in _turns(messages):
        text, problem = _entry_text(turn, tools)
        if problem:
            return Exported(row=None, problem=f"message {place}: {problem}")
        if len(turn) == 1 and turn[0].message.role is Role.ASSISTANT and text != written_out(turn[0].message):
            fixed_entries.append(len(entries))
        entries.append({"from": SPEAKERS[turn[0].message.role], "value": text})
    specs = json.dumps([spec.document for spec in tools.specs], ensure_ascii=False)
    row: JsonObject = {"conversations": entries, "tools": specs, "source": source}
    return Exported(row=row, fixed_entries=tuple(fixed_entries))


def _turns(messages: Sequence[FinishedMessage]) -> Iterator[tuple[int, Sequence[FinishedMessage]]]:
    """Each message alone, tool messages that touch together; with the place, from 1, of the first."""
    start = 0
    while start < len(messages):
        end = start + 1
        if messages[start].message.role is Role.TOOL:
            while end < len(messages) and messages[end].message.role is Role.TOOL:
                end += 1
        yield start + 1, messages[start:end]
        start = end


def _entry_text(turn: Sequence[FinishedMessage], tools: OfferedTools) -> tuple[str, str]:
    """The entry's value and an empty problem, or the problem."""
    if turn[0].message.role is Role.TOOL:
        return "\n".join(f"<tool_response>\n{one.message.text}\n</tool_response>" for one in turn), ""
    return _trainable(turn[0], tools)


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
