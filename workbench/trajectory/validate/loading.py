"""Find what loaders of rows refuse or change: text that UTF-8 cannot hold, numbers without a value, repeated keys."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import isfinite
from typing import cast

import orjson

from workbench.chat.json_value import (
    JsonObject,
    JsonValue,
    as_object,
    json_pointer,
    loads_fast,
    pointer_parts,
    repeated_keys,
    value_at,
    values_in,
)
from workbench.hermes.parse import parse
from workbench.toolspec.spec import cached_on
from workbench.trajectory.formats.row_format import RowFormat
from workbench.trajectory.hermes_text import REPEATED, tagged
from workbench.trajectory.row import Declaration, EntryCall, RowEntry, RowFinding, TrainingRow
from workbench.trajectory.validate.codes import quoted, row_finding
from workbench.trajectory.validate.parsed_row import ParsedRow
from workbench.trajectory.validate.plain_values import has_finite_numbers

_MESSAGES = {
    "lone-surrogate": "half of a surrogate pair, which UTF-8 cannot hold; remove it or complete the character",
    "null-character": "a NUL character, which databases and some loaders refuse; remove it",
    "non-finite-number": "NaN or an infinite number, which JSON does not have; write a number or null",
}
_THOUGHT_END = "</think>"
_ESCAPE = re.compile(r"\\u(?:0000|[dD][89a-fA-F])")


def loading_findings(parsed: ParsedRow) -> Iterator[RowFinding]:
    """Yield `lone-surrogate`, `null-character`, `non-finite-number` and `duplicate-key`.

    Keys that the row itself has twice are found when its line is read; here are those in texts of JSON.
    """
    row = parsed.row
    if not parsed.is_plain:
        for code, pointer in unloadable_in(row.fields):
            yield row_finding(code, _MESSAGES[code], entry=entry_at(row, pointer), pointer=pointer)
    yield from repeated_in_texts(row)
    for parsed_entry in parsed.entries:
        entry = parsed_entry.entry
        given = [call.given for call in parsed_entry.calls if call.given] if parsed_entry.calls else ()
        # Arguments that were parsed need no second look at their text.
        texts = [
            call.arguments_pointer for call in given if call.is_text and not _has_loadable_arguments(call)
        ]
        for pointer in dict.fromkeys(texts):
            yield from _in_arguments(row, pointer, entry)
    if not parsed.is_plain:
        yield from _escaped(parsed)


def _escaped(parsed: ParsedRow) -> Iterator[RowFinding]:
    """Yield the findings in values that only escapes within texts of JSON show."""
    row = parsed.row
    for parsed_entry in parsed.entries:
        entry = parsed_entry.entry
        if may_hide(entry.text):
            results = [result.text for result in entry.results]
            calls = [call.arguments for call in parsed_entry.calls if call.given is None]
            yield from _hidden_in(row, [*results, *calls], entry.text_pointer, entry)
    for declaration in row.declarations:
        text = value_at(row.fields, declaration.pointer)
        if isinstance(text, str) and may_hide(text):
            documents = [spec.document for spec in declaration.specs]
            yield from _hidden_in(row, documents, declaration.pointer, entry_at(row, declaration.pointer))


def repeated_in_texts(row: TrainingRow) -> Sequence[RowFinding]:
    """Return `duplicate-key` for calls, their arguments and tools that a row has as a text of JSON."""
    # A row is read into its trajectory, and then checked.
    return cached_on(row, "_repeated_in_texts", lambda row: tuple(_repeated_keys(row)))


def _repeated_keys(row: TrainingRow) -> Iterator[RowFinding]:
    for entry in row.all_entries:
        if not entry.calls:
            continue
        in_text = {call.arguments_pointer: call for call in entry.calls if call.is_text}
        for pointer, call in in_text.items():
            is_call = pointer == call.pointer
            text = call.arguments_text if not is_call else value_at(row.fields, pointer)
            if isinstance(text, str):
                # LLaMA-Factory puts the thought before the calls.
                keys = _repeated_in(text.rpartition(_THOUGHT_END)[2], is_call=is_call)
                yield from (duplicate_key(key, entry, pointer) for key in keys)
    for declaration in row.declarations:
        for key in cached_on(declaration, "_repeated", partial(_repeated_in_declaration, row)):
            yield duplicate_key(key, entry_at(row, declaration.pointer), declaration.pointer)


def _repeated_in_declaration(row: TrainingRow, declaration: Declaration) -> tuple[str, ...]:
    text = value_at(row.fields, declaration.pointer) if declaration.is_text else None
    if not isinstance(text, str):
        return ()
    return _repeated_in_tools(declaration.span.of(text) if declaration.span else text)


def _repeated_in(text: str, *, is_call: bool) -> tuple[str, ...]:
    """Return JSON pointers to the keys that an object of a text has twice, even if it is only almost JSON."""
    try:
        found = repeated_keys(text)
    except (ValueError, RecursionError):
        body = tagged(text if is_call else f'{{"name": "f", "arguments": {text}}}')
        spans = [note.span for note in parse(body).findings if note.code in REPEATED]
        return tuple(json_pointer("", span.of(body).strip("\"'")) for span in spans if span)
    if is_call and not found and '\\"' in text:
        # ms-swift takes arguments that are a text within the text of the call.
        inside = as_object(loads_fast(text))
        return tuple(
            key
            for member in ("arguments", "parameters")
            if isinstance(written := inside.get(member), str)
            for key in _repeated_in(written, is_call=False)
        )
    return found


def _repeated_in_tools(text: str) -> tuple[str, ...]:
    """Return the keys that tools have twice."""
    try:
        return repeated_keys(text)
    except (ValueError, RecursionError):
        lines = text.splitlines()  # system texts have each tool on a line of its own
        return tuple(key for line in lines for key in _repeated_in_tools(line)) if len(lines) > 1 else ()


def _hidden_in(
    row: TrainingRow, values: Sequence[JsonValue], pointer: str, entry: RowEntry | None
) -> Iterator[RowFinding]:
    """Yield the findings in the values of a text of JSON that its own characters do not show."""
    if is_loadable(value_at(row.fields, pointer)):
        for code in dict.fromkeys(code for code, _ in unloadable_in(values)):
            yield row_finding(code, _MESSAGES[code], entry=entry, pointer=pointer)


def may_hide(text: str) -> bool:
    """Whether a text has an escape that means in JSON a NUL or half of a surrogate pair.

    >>> may_hide('{"a": "\\\\ud83d"}'), may_hide('{"a": "\\\\u00e9"}')
    (True, False)
    """
    return "\\" in text and _ESCAPE.search(text) is not None  # finding one character is much faster


def is_loadable(value: JsonValue) -> bool:
    """Whether every loader can hold a value: no half of a surrogate pair, no NUL, no number that is not finite.

    >>> is_loadable({"a": ["b", 1.0]}), is_loadable([float("inf")])
    (True, False)
    """
    # Writing a value and searching what was written is fifty times faster than a walk through all its parts.
    try:
        written = orjson.dumps(value)
    except TypeError:  # half of a surrogate pair, a long integer, or nested too deeply
        return _has_loadable_parts(value)
    if b"\\u0000" in written:
        return _has_loadable_parts(value)
    return b"null" not in written or has_finite_numbers(value)


def _has_loadable_parts(value: JsonValue) -> bool:
    waiting: list[JsonValue] = [value]
    for inside in waiting:  # grows while it is read
        kind = type(inside)
        if kind is str:
            if not is_loadable_text(cast(str, inside)):
                return False
        elif kind is float:
            if not isfinite(cast(float, inside)):
                return False
        elif kind is dict:  # much faster than `isinstance` with an abstract class
            waiting += cast(JsonObject, inside)
            waiting += cast(JsonObject, inside).values()
        elif isinstance(inside, list | tuple):
            waiting += inside
        elif kind is not int and isinstance(inside, Mapping):
            waiting += [*inside, *inside.values()]
    return True


def is_loadable_text(text: str) -> bool:
    """Whether a text has neither a NUL nor half of a surrogate pair."""
    return "\0" not in text and (text.isascii() or not _has_lone_surrogate(text))


def read_fields(fields: JsonObject, row_format: RowFormat, repeated: Sequence[str] = ()) -> TrainingRow:
    """Read a row, with a finding for each key that its JSON has twice.

    Args:
        fields: The row, with one value for each key.
        row_format: Its format.
        repeated: JSON pointers to these keys.
    """
    row = row_format.read(fields)
    if not repeated:
        return row
    found = (duplicate_key(pointer, entry_at(row, pointer), pointer) for pointer in repeated)
    return replace(row, findings=(*row.findings, *found))


def duplicate_key(pointer: str, entry: RowEntry | None, where: str) -> RowFinding:
    """Return the finding about a key that an object has twice.

    Args:
        pointer: JSON pointer to the key.
        entry: The entry that contains the object; None if none does.
        where: JSON pointer into the row, to the key or to the text that contains it.
    """
    key = pointer_parts(pointer)[-1]
    message = f"the key {quoted(key)} is given twice, and readers keep only one of the values; remove one"
    return row_finding("duplicate-key", message, entry=entry, pointer=where)


def entry_at(row: TrainingRow, pointer: str) -> RowEntry | None:
    """Return the entry that a pointer leads into, or None if it leads elsewhere."""
    for entry in row.all_entries:
        if pointer == entry.text_pointer or f"{pointer}/".startswith(f"{entry.pointer}/"):
            return entry
    return None


def _has_lone_surrogate(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def unloadable_in(value: JsonValue) -> Iterator[tuple[str, str]]:
    """Yield code and pointer of each value, or key, that not every loader can hold."""
    if is_loadable(value):
        return
    for pointer, inside in values_in(value):
        keys = cast(JsonObject, inside) if isinstance(inside, Mapping) else ()
        for text, where in ((inside, pointer), *((key, json_pointer(pointer, key)) for key in keys)):
            if isinstance(text, str) and _has_lone_surrogate(text):
                yield "lone-surrogate", where
            elif isinstance(text, str) and "\0" in text:
                yield "null-character", where
            elif isinstance(text, float) and not isfinite(text):
                yield "non-finite-number", where


def _has_loadable_arguments(call: EntryCall) -> bool:
    is_own_text = call.arguments_text is not None and not call.fixes
    return is_own_text and call.arguments is not None and is_loadable(call.arguments)


def _in_arguments(row: TrainingRow, pointer: str, entry: RowEntry) -> Iterator[RowFinding]:
    """Yield the findings in arguments that the row holds as JSON text; nothing for other texts."""
    text = value_at(row.fields, pointer)
    if not isinstance(text, str):
        return
    # LLaMA-Factory puts the thought before the calls.
    text = text.rpartition(_THOUGHT_END)[2]
    try:
        value = loads_fast(text)
    except (ValueError, RecursionError):
        return
    for code in dict.fromkeys(code for code, _ in unloadable_in(value)):
        yield row_finding(code, _MESSAGES[code], entry=entry, pointer=pointer)
