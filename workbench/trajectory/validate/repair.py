"""Repair a row in its own format, if that is safe: apply the reader's fixes, and remove Arrow's nulls."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, cast

from workbench.chat.finding import Edit, Span, apply_edits
from workbench.chat.json_value import JsonObject, JsonValue
from workbench.hermes.parse import fixed, parse
from workbench.hermes.reading import Dialect, ReadCall, Reading
from workbench.hermes.spelling.tools import template_json
from workbench.toolspec.spec import OfferedTools
from workbench.toolspec.spec_repairs import with_json_types, without_nulls
from workbench.trajectory.row import EntryCall
from workbench.trajectory.validate.arguments import without_filled_nulls
from workbench.trajectory.validate.parsed_row import ParsedCall, ParsedEntry, ParsedRow


class Repair(NamedTuple):
    """A repair of one text or one set of arguments."""

    code: str
    """Code of the repaired problem: `call-not-strict`, `none-filled` or `spec-unusual`."""
    entry: int | None
    """Index in the row's conversation; None for the declared tools."""
    pointer: str
    """JSON pointer to the text, to the arguments or to the spec."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RepairedRow:
    """A row and its repairs."""

    fields: JsonObject = field(hash=False)
    """The row; the original object if nothing was repaired."""
    repairs: tuple[Repair, ...] = ()
    """In order of entries."""


class _Change(NamedTuple):
    code: str
    pointer: str
    value: JsonValue


def repair_row(parsed: ParsedRow) -> RepairedRow:
    """Repair a row where only one meaning is possible: fixes that are not guesses, and nulls that Arrow filled in."""
    fields: JsonValue = parsed.row.fields
    repairs: list[Repair] = []
    for change in _in_specs(parsed):
        fields = _replaced(fields, _parts(change.pointer), change.value)
        repairs.append(Repair(change.code, None, change.pointer))
    for parsed_entry in parsed.entries:
        for change in (*_in_text(parsed_entry, parsed.tools), *_in_structure(parsed_entry, parsed.tools)):
            fields = _replaced(fields, _parts(change.pointer), change.value)
            repairs.append(Repair(change.code, parsed_entry.entry.place, change.pointer))
    return RepairedRow(fields=cast(JsonObject, fields), repairs=tuple(repairs))


def _in_specs(parsed: ParsedRow) -> Iterator[_Change]:
    """Yield the tools of a column without nulls and with type names of JSON Schema, in the form that they have."""
    for declaration in parsed.row.declarations:
        if declaration.place != "column":
            continue
        plain = [with_json_types(without_nulls(spec)) for spec in declaration.specs]
        if all(new is old for new, old in zip(plain, declaration.specs, strict=True)):
            continue
        listed = [spec.function if declaration.is_bare else spec.document for spec in plain]
        value = template_json(cast(JsonValue, listed)) if declaration.is_text else cast(JsonValue, listed)
        yield _Change("spec-unusual", declaration.pointer, value)


def _in_text(parsed_entry: ParsedEntry, tools: OfferedTools) -> Iterator[_Change]:
    """Yield the entry's text with fixes applied, then without nulls. A text of several entries is left alone."""
    if parsed_entry.entry.text_start or not (
        parsed_entry.reading or any(call.given is None for call in parsed_entry.calls)
    ):
        return
    pointer = parsed_entry.entry.text_pointer
    reading = parsed_entry.reading or parse(parsed_entry.entry.text, tools=tools)
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
    after = template_json({"name": call.name, "arguments": arguments})
    return Edit(span=Span(start, start + len(call.payload)), before=call.payload, after=after)


def _in_structure(parsed_entry: ParsedEntry, tools: OfferedTools) -> Iterator[_Change]:
    for call in parsed_entry.calls:
        # A text that holds the whole call cannot be replaced by its arguments.
        if call.given and call.arguments is not None and call.given.arguments_pointer != call.given.pointer:
            yield from _given_changes(call, call.given, tools)


def _given_changes(call: ParsedCall, given: EntryCall, tools: OfferedTools) -> Iterator[_Change]:
    before = cast(JsonObject, call.arguments)
    after = _without_nulls(call.name, before, tools)
    value = template_json(after) if given.arguments_text is not None else after
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
    """Return a copy of `value` with `new` at the path `parts`."""
    if not parts:
        return new
    if isinstance(value, Mapping):
        return {
            key: _replaced(inner, parts[1:], new) if key == parts[0] else inner
            for key, inner in value.items()
        }
    if isinstance(value, list):
        return [
            _replaced(inner, parts[1:], new) if str(place) == parts[0] else inner
            for place, inner in enumerate(value)
        ]
    return value
