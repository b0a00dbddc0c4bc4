"""Parse the texts of a row, so that calls and results have the same form in every format."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from workbench.chat.cached import lockless_cached_property
from workbench.chat.json_value import JsonObject, JsonValue
from workbench.chat.message import Role
from workbench.chat.value_class import value_class
from workbench.hermes.body.shape import CallDraft
from workbench.hermes.marks import CALL_CLOSE, CALL_OPEN
from workbench.hermes.parse import clean_calls, parse
from workbench.hermes.reading import ReadCall, Reading, SegmentKind
from workbench.hermes.spelling.tools import template_json
from workbench.toolspec.spec import OfferedTools
from workbench.trajectory.hermes_text import REPEATED
from workbench.trajectory.row import BARE, EntryCall, RowEntry, TrainingRow
from workbench.trajectory.validate.plain_values import is_plain_row

RESULT_TAG: Final = re.compile(r"</?tool_response>")
"""The tags around a result."""
TOOL_TAG: Final = re.compile(r"</?tool_(?:response|call)>")
"""The tags around a result or a call."""


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
"""Findings of the reader that mean that a call is lost."""


@value_class
class ParsedCall:
    """A call of an entry, parsed from its text or given as a JSON value."""

    name: str
    """The tool's name; empty if there is none."""
    arguments: JsonObject | None = field(hash=False)
    """None if the arguments cannot be parsed."""
    id: str | None = None
    """The call's id, which its result repeats; None if the row has none."""
    pointer: str
    """JSON pointer to the call, or to the text that contains it."""
    given: EntryCall | None = None
    """The call as the row gives it; None if it is inside a text."""
    repairs: tuple[str, ...] = ()
    """Codes of the fixes that were needed to parse the arguments of a call outside the text."""
    others: Mapping[str, JsonValue] = field(default_factory=dict[str, JsonValue], hash=False)
    """Members of the call beside its name and arguments."""


@dataclass(frozen=True, kw_only=True)
class ParsedEntry:
    """An entry with its parsed text."""

    entry: RowEntry
    reading: Reading | None = None
    """Reading of a model's text. None for other roles, and if the text is only valid calls and prose."""
    calls: tuple[ParsedCall, ...] = ()
    """The calls that could be parsed from the text, then the calls outside the text."""

    @lockless_cached_property
    def texts(self) -> Sequence[tuple[str, str]]:
        """The texts of the entry with their pointers, including its thought and the arguments of its calls."""
        entry = self.entry
        texts = [(entry.text, entry.text_pointer)] if entry.text else []
        if entry.thought:
            texts.append((entry.thought, entry.pointer))
        for call in entry.calls:
            if call.arguments_text:
                texts.append((call.arguments_text, call.arguments_pointer))
            elif call.arguments:
                texts.append((template_json(call.arguments), call.arguments_pointer))
        return texts

    @property
    def is_countable(self) -> bool:
        """Whether all calls can be counted: the role is known, and nothing is empty, lost or cut off."""
        if self.entry.role is None or self.is_empty:
            return False
        lost = self.reading and (
            self.reading.dropped or any(finding.code in LOST for finding in self.reading.findings)
        )
        return not lost and all(call.arguments is not None for call in self.calls)

    @property
    def has_calls(self) -> bool:
        """Whether the entry has calls, including calls that could not be parsed."""
        return bool(self.calls or (self.reading and self.reading.dropped))

    @property
    def is_thought_only(self) -> bool:
        """Whether the model thinks here and neither answers nor calls a tool."""
        if self.entry.role is not Role.ASSISTANT or self.has_calls:
            return False
        if self.reading is None:
            return bool(self.entry.thought) and not self.entry.text.strip()
        kinds = {segment.kind for segment in self.reading.segments if segment.text.strip()}
        return kinds == {SegmentKind.THOUGHT}

    @property
    def is_empty(self) -> bool:
        """Whether the entry has no text, thought or call."""
        entry = self.entry
        return not (entry.calls or entry.thought or entry.text.strip())


@dataclass(frozen=True, kw_only=True)
class ParsedRow:
    """A row with its texts parsed."""

    row: TrainingRow
    tools: OfferedTools
    """The tools that the calls are checked against."""
    entries: tuple[ParsedEntry, ...]
    """The conversation in order, without the rejected answer, which may be wrong on purpose."""

    @lockless_cached_property
    def is_plain(self) -> bool:
        """Whether no loader, column or encoding can change the row. Most rows are like this, so it is asked first."""
        return is_plain_row(self.row.fields)

    @property
    def rejected(self) -> "tuple[ParsedEntry, ...]":
        """The rejected answer; empty if the row has none."""
        return parse_texts(replace(self.row, entries=self.row.rejected)).entries if self.row.rejected else ()

    @property
    def bad_from(self) -> int:
        """Index of the first entry of an answer that is labelled as bad, whose calls may be wrong on purpose."""
        return self.row.bad_from


def parse_texts(row: TrainingRow) -> ParsedRow:
    """Parse the texts of a row."""
    tools = row.tools
    return ParsedRow(
        row=row, tools=tools, entries=tuple(_parsed_entry(entry, tools) for entry in row.entries)
    )


def _parsed_entry(entry: RowEntry, tools: OfferedTools) -> ParsedEntry:
    if entry.role is not Role.ASSISTANT:
        return ParsedEntry(entry=entry)
    read_calls: Iterable[CallDraft | ReadCall] | None = clean_calls(entry.text, tools)
    reading = None
    if read_calls is None:
        reading = parse(entry.text, tools=tools, checks_arguments=False)
        read_calls = reading.calls
    calls = [
        ParsedCall(
            name=call.name, arguments=call.arguments, pointer=entry.text_pointer, others=call.others or {}
        )
        for call in read_calls
    ]
    calls.extend(_given(call, tools) for call in entry.calls)
    return ParsedEntry(entry=entry, reading=reading, calls=tuple(calls))


def _given(call: EntryCall, tools: OfferedTools) -> ParsedCall:
    if call.needs_none(tools):
        call = replace(call, arguments={}, fixes=(BARE,))
    arguments, repairs = call.arguments, call.fixes
    if arguments is None and call.arguments_text and call.name and not call.is_bare:
        arguments, repairs = _tolerant_arguments(call.name, call.arguments_text, tools)
    return ParsedCall(
        name=call.name,
        arguments=arguments,
        id=call.id,
        pointer=call.pointer,
        given=call,
        repairs=repairs,
        others=call.others,
    )


def _tolerant_arguments(
    name: str, text: str, tools: OfferedTools
) -> tuple[JsonObject | None, tuple[str, ...]]:
    """Parse arguments that are not valid JSON with the tolerant reader; return them with the codes of the fixes."""
    written = f'{CALL_OPEN}\n{{"name": {json.dumps(name)}, "arguments": {text}}}\n{CALL_CLOSE}'
    reading = parse(written, tools=tools, checks_arguments=False)
    is_repeated = any(note.code in REPEATED for note in reading.findings)
    if len(reading.calls) != 1 or reading.dropped or is_repeated:
        return None, ()
    return reading.calls[0].arguments, tuple(fix.code for fix in reading.fixes)
