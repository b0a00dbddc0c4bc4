"""Repair a row in its own format, if that is safe: apply the reader's fixes, and remove Arrow's nulls."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, cast

from workbench.chat.finding import Edit, Span, apply_edits
from workbench.chat.json_value import JsonObject, JsonValue, as_object, pointer_parts
from workbench.hermes.parse import fixed, parse
from workbench.hermes.reading import Dialect, ReadCall, Reading
from workbench.hermes.spelling.tools import template_json
from workbench.toolspec.spec import OfferedTools, ToolSpec
from workbench.toolspec.spec_repairs import with_json_types, without_nulls
from workbench.trajectory.filled_nulls import filled_nulls, without_nulls_at
from workbench.trajectory.formats.known import FORMATS
from workbench.trajectory.row import Declaration, EntryCall
from workbench.trajectory.row_pointer import leads_somewhere, value_in_row, with_value
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
        fields = with_value(fields, pointer_parts(change.pointer), change.value)
        repairs.append(Repair(change.code, None, change.pointer))
    for parsed_entry in parsed.entries:
        for change in (*_in_text(parsed_entry, parsed), *_in_structure(parsed_entry, parsed)):
            fields = with_value(fields, pointer_parts(change.pointer), change.value)
            repairs.append(Repair(change.code, parsed_entry.entry.place, change.pointer))
    return RepairedRow(fields=cast(JsonObject, fields), repairs=tuple(repairs))


def _in_specs(parsed: ParsedRow) -> Iterator[_Change]:
    """Yield the tools of a column without nulls and with type names of JSON Schema, in the form that they have."""
    for declaration in parsed.row.declarations:
        if declaration.place != "column" or not leads_somewhere(parsed.row.fields, declaration.pointer):
            continue
        plain = [with_json_types(without_nulls(spec)) for spec in declaration.specs]
        if all(new is old for new, old in zip(plain, declaration.specs, strict=True)):
            continue
        written = value_in_row(parsed.row.fields, declaration.pointer)
        listed = [_listed(declaration, spec) for spec in plain]
        if declaration.is_text and not isinstance(written, list):
            yield _Change("spec-unusual", declaration.pointer, template_json(listed))
        elif isinstance(written, list) and len(written) == len(plain):
            changed = [
                _as_written(tool, _listed(declaration, old), new)
                for tool, old, new in zip(written, declaration.specs, listed, strict=True)
            ]
            if changed != written:
                yield _Change("spec-unusual", declaration.pointer, changed)


def _listed(declaration: Declaration, spec: ToolSpec) -> JsonObject:
    return spec.function if declaration.is_bare else spec.document


def _as_written(tool: JsonValue, old: JsonObject, new: JsonObject) -> JsonValue:
    """Return a tool of a list with what changed from `old` to `new`, in the form that it has there.

    It is such an object itself, its JSON, or one of another API, in which only the schema is replaced:
    `{"name": "f", "input_schema": {…}}`.
    """
    if isinstance(tool, str):
        return template_json(new)
    if not isinstance(tool, Mapping) or tool == old:
        return new
    key = "input_schema" if "input_schema" in tool else "parameters"
    before, after = (as_object(spec.get("function", spec)).get("parameters") for spec in (old, new))
    return {**tool, key: after} if tool.get(key) == before and after is not None else tool


def _in_text(parsed_entry: ParsedEntry, parsed: ParsedRow) -> Iterator[_Change]:
    """Yield the entry's text with fixes applied, then without nulls. A text of several entries is left alone."""
    entry = parsed_entry.entry
    if not (parsed_entry.reading or any(call.given is None for call in parsed_entry.calls)):
        return
    pointer, tools = entry.text_pointer, parsed.tools
    if entry.text_start or not _is_whole(parsed.row.fields, pointer, entry.text):
        return
    reading = parsed_entry.reading or parse(parsed_entry.entry.text, tools=tools)
    if reading.fixes and not any(fix.is_guess for fix in reading.fixes):
        text = fixed(reading.text, reading)
        reading = parse(text, tools=tools)
        yield _Change("call-not-strict", pointer, text)
    edits = list(_null_edits(reading, tools))
    if edits:
        yield _Change("none-filled", pointer, apply_edits(reading.text, edits))


def _is_whole(fields: JsonObject, pointer: str, text: str) -> bool:
    """Whether a text is all that the row has at a pointer: as a text, or as parts that are nothing but text."""
    written = value_in_row(fields, pointer) if leads_somewhere(fields, pointer) else None
    if isinstance(written, list):
        return all(as_object(part).keys() <= {"type", "text"} for part in written)
    return written == text


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


def _in_structure(parsed_entry: ParsedEntry, parsed: ParsedRow) -> Iterator[_Change]:
    in_texts = Counter[str]()
    for call in parsed_entry.calls:
        if call.given is None or call.arguments is None:
            continue
        if call.given.arguments_pointer != call.given.pointer:
            yield from _given_changes(call, call.given, parsed)
        else:
            yield from _in_whole_text(call, call.given.pointer, in_texts[call.given.pointer], parsed)
            in_texts[call.given.pointer] += 1


def _in_whole_text(call: ParsedCall, pointer: str, place: int, parsed: ParsedRow) -> Iterator[_Change]:
    """Yield the arguments without nulls in a text that holds a call, or the calls of an entry, as JSON."""
    for inside in (f"{pointer}/arguments", f"{pointer}/{place}/arguments"):
        fields = parsed.row.fields
        if leads_somewhere(fields, inside) and value_in_row(fields, inside) == call.arguments:
            after = _without_nulls(call.name, cast(JsonObject, call.arguments), parsed.tools)
            if after != call.arguments:
                yield _Change("none-filled", inside, after)


def _given_changes(call: ParsedCall, given: EntryCall, parsed: ParsedRow) -> Iterator[_Change]:
    before = cast(JsonObject, call.arguments)
    after = _without_nulls(call.name, before, parsed.tools)
    form = FORMATS.get(parsed.row.format)
    # A call without arguments gets the form that the format has for them.
    is_text = not form.has_object_arguments if form and given.is_bare else given.arguments_text is not None
    value = template_json(after) if is_text else after
    if call.repairs:
        yield _Change("call-not-strict", given.arguments_pointer, value)
    if after != before:
        yield _Change("none-filled", given.arguments_pointer, value)


def _without_nulls(name: str, arguments: JsonObject, tools: OfferedTools) -> JsonObject:
    spec = tools.by_name.get(name)
    return without_nulls_at(arguments, filled_nulls(spec, arguments)) if spec else arguments
