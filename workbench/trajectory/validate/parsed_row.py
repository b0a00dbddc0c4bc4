"""A row with its texts parsed: every call and result in one form, whatever the format."""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from workbench.chat.json_value import JsonObject
from workbench.chat.message import Role
from workbench.hermes.body.shape import CallDraft
from workbench.hermes.marks import CALL_CLOSE, CALL_OPEN
from workbench.hermes.parse import clean_calls, parse
from workbench.hermes.reading import ReadCall, Reading
from workbench.toolspec.spec import OfferedTools
from workbench.trajectory.row import EntryCall, RowEntry, TrainingRow

RESULT_TAG: Final = re.compile(r"</?tool_response>")
"""What wraps a result."""
TOOL_TAG: Final = re.compile(r"</?tool_(?:response|call)>")
"""What wraps a result or a call."""


LOST: Final = frozenset(
    {
        "invalid-json",
        "invalid-xml",
        "empty-block",
        "not-an-object",
        "bad-name",
        "arguments-not-object",
        "foreign-dialect",
        "untagged-call",
        "non-finite-number",
        "leading-zero",
        "lone-surrogate",
    }
)
"""Findings of the reader behind which a call is lost."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedCall:
    """One call of an entry, from its text or given as structure."""

    name: str
    """The tool's name; empty where it has none."""
    arguments: JsonObject | None = field(hash=False)
    """None where they cannot be read."""
    id: str | None = None
    """What ties a result to it; None where the row has none."""
    pointer: str
    """Of the call, or of the text that holds it, into the row."""
    given: EntryCall | None = None
    """As the row gives it; None where the text holds it."""
    repairs: tuple[str, ...] = ()
    """Of structure: codes of the fixes without which its arguments cannot be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedEntry:
    """One entry and what its text says."""

    entry: RowEntry
    reading: Reading | None = None
    """Of an assistant's text; None where it holds nothing but clean calls and prose, and for all others."""
    calls: tuple[ParsedCall, ...] = ()
    """Those of its text that can be read, then all that are given as structure."""

    @property
    def is_countable(self) -> bool:
        """Whether all its calls can be counted: a speaker that is known, nothing empty, lost or cut off."""
        if self.entry.role is None or self.is_empty:
            return False
        lost = self.reading and (
            self.reading.dropped or any(one.code in LOST for one in self.reading.findings)
        )
        return not lost and all(call.arguments is not None for call in self.calls)

    @property
    def has_calls(self) -> bool:
        """Whether the model called anything here."""
        return bool(self.calls or (self.reading and self.reading.dropped))

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing in it."""
        entry = self.entry
        return not (entry.calls or entry.thought or entry.text.strip())


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedRow:
    """A row whose texts were read."""

    row: TrainingRow
    tools: OfferedTools
    """The tools that its calls are held against."""
    entries: tuple[ParsedEntry, ...]
    """The conversation in order; a rejected answer is left out, for it may be wrong on purpose."""


def parse_texts(row: TrainingRow) -> ParsedRow:
    """Read the texts of a row."""
    tools = row.tools
    return ParsedRow(
        row=row, tools=tools, entries=tuple(_parsed_entry(entry, tools) for entry in row.entries)
    )


def _parsed_entry(entry: RowEntry, tools: OfferedTools) -> ParsedEntry:
    if entry.role is not Role.ASSISTANT:
        return ParsedEntry(entry=entry)
    found: Iterable[CallDraft | ReadCall] | None = clean_calls(entry.text, tools)
    reading = None
    if found is None:
        reading = parse(entry.text, tools=tools, checks_arguments=False)
        found = reading.calls
    calls = [ParsedCall(name=one.name, arguments=one.arguments, pointer=entry.text_pointer) for one in found]
    calls.extend(_given(call, tools) for call in entry.calls)
    return ParsedEntry(entry=entry, reading=reading, calls=tuple(calls))


def _given(call: EntryCall, tools: OfferedTools) -> ParsedCall:
    arguments, repairs = call.arguments, ()
    if arguments is None and call.arguments_text and call.name:
        arguments, repairs = _tolerant_arguments(call.name, call.arguments_text, tools)
    return ParsedCall(
        name=call.name, arguments=arguments, id=call.id, pointer=call.pointer, given=call, repairs=repairs
    )


def _tolerant_arguments(
    name: str, text: str, tools: OfferedTools
) -> tuple[JsonObject | None, tuple[str, ...]]:
    """What a tolerant reader makes of arguments that are no JSON, and by which fixes."""
    written = f'{CALL_OPEN}\n{{"name": {json.dumps(name)}, "arguments": {text}}}\n{CALL_CLOSE}'
    reading = parse(written, tools=tools, checks_arguments=False)
    if len(reading.calls) != 1 or reading.dropped:
        return None, ()
    return reading.calls[0].arguments, tuple(fix.code for fix in reading.fixes)
