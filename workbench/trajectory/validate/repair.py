"""Repair a row in its own format, where that is safe: texts as strict parsers need them, Arrow's nulls removed."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, cast

from workbench.chat.finding import Edit, Span, apply_edits
from workbench.chat.json_value import JsonObject, JsonValue
from workbench.hermes.parse import fixed, parse
from workbench.hermes.reading import Dialect, ReadCall, Reading
from workbench.hermes.spelling.tools import spelled_json
from workbench.toolspec.spec import OfferedTools
from workbench.trajectory.row import EntryCall
from workbench.trajectory.validate.arguments import without_filled_nulls
from workbench.trajectory.validate.parsed_row import ParsedCall, ParsedEntry, ParsedRow


class Repair(NamedTuple):
    """One repair."""

    code: str
    """What was wrong: `call-not-strict` or `none-filled`."""
    entry: int
    """Where, in the row's conversation."""
    pointer: str
    """Of the text or the arguments, into the row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RepairedRow:
    """A row, and what was done to it."""

    fields: JsonObject = field(hash=False)
    """The row; the one that came where nothing was done."""
    repairs: tuple[Repair, ...] = ()
    """In order of entries."""


class _Change(NamedTuple):
    code: str
    pointer: str
    value: JsonValue


def repair_row(parsed: ParsedRow) -> RepairedRow:
    """Make the repairs that leave no doubt: fixes that are no guess, and nulls that Arrow filled in."""
    fields: JsonValue = parsed.row.fields
    repairs: list[Repair] = []
    for one in parsed.entries:
        for change in (*_in_text(one, parsed.tools), *_in_structure(one, parsed.tools)):
            fields = _replaced(fields, _parts(change.pointer), change.value)
            repairs.append(Repair(change.code, one.entry.place, change.pointer))
    return RepairedRow(fields=cast(JsonObject, fields), repairs=tuple(repairs))


def _in_text(one: ParsedEntry, tools: OfferedTools) -> Iterator[_Change]:
    """The entry's own text with its fixes made, then without nulls; a text that it shares stays as it is."""
    if one.entry.text_start or not (one.reading or any(call.given is None for call in one.calls)):
        return
    pointer = one.entry.text_pointer
    reading = one.reading or parse(one.entry.text, tools=tools)
    if reading.fixes and not any(fix.is_guess for fix in reading.fixes):
        text = fixed(reading.text, reading)
        reading = parse(text, tools=tools)
        yield _Change("call-not-strict", pointer, text)
    edits = list(_null_edits(reading, tools))
    if edits:
        yield _Change("none-filled", pointer, apply_edits(reading.text, edits))


def _null_edits(reading: Reading, tools: OfferedTools) -> Iterator[Edit]:
    in_block = Counter(call.span for call in reading.calls)
    for call in reading.calls:
        if call.dialect is Dialect.JSON and in_block[call.span] == 1 and not call.fixes:
            arguments = _without_nulls(call.name, call.arguments, tools)
            if arguments != call.arguments:
                yield _payload_edit(reading, call, arguments)


def _payload_edit(reading: Reading, call: ReadCall, arguments: JsonObject) -> Edit:
    start = reading.text.index(call.payload, call.span.start)
    after = spelled_json({"name": call.name, "arguments": arguments})
    return Edit(span=Span(start, start + len(call.payload)), before=call.payload, after=after)


def _in_structure(one: ParsedEntry, tools: OfferedTools) -> Iterator[_Change]:
    for call in one.calls:
        if call.given and call.arguments is not None:
            yield from _given_changes(call, call.given, tools)


def _given_changes(call: ParsedCall, given: EntryCall, tools: OfferedTools) -> Iterator[_Change]:
    before = cast(JsonObject, call.arguments)
    after = _without_nulls(call.name, before, tools)
    value = spelled_json(after) if given.arguments_text is not None else after
    if call.repairs:
        yield _Change("call-not-strict", given.arguments_pointer, value)
    if after != before:
        yield _Change("none-filled", given.arguments_pointer, value)


def _without_nulls(name: str, arguments: JsonObject, tools: OfferedTools) -> JsonObject:
    spec = tools.by_name.get(name)
    return without_filled_nulls(spec, arguments) if spec else arguments


def _parts(pointer: str) -> Sequence[str]:
    return [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]


def _replaced(value: JsonValue, parts: Sequence[str], new: JsonValue) -> JsonValue:
    """A copy of `value` with `new` at the place that `parts` lead to."""
    if not parts:
        return new
    if isinstance(value, Mapping):
        return {key: _replaced(one, parts[1:], new) if key == parts[0] else one for key, one in value.items()}
    if isinstance(value, list):
        return [
            _replaced(one, parts[1:], new) if str(place) == parts[0] else one
            for place, one in enumerate(value)
        ]
    return value
