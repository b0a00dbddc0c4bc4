"""Read the tools that rows declare, in a column or inside `<tools>` in a system text."""

import json
import marshal
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple, cast

from workbench.chat.finding import Span
from workbench.chat.json_value import JsonObject, JsonValue, loads_fast, loads_strict
from workbench.chat.message import Role
from workbench.hermes.json_text.reader import read_payload
from workbench.hermes.text.completion import BodyText, UnreadableBody
from workbench.hermes.text.notes import BlockNotes
from workbench.toolspec.spec import OfferedTools, ToolSpec
from workbench.trajectory.row import Declaration, RowEntry, RowFinding
from workbench.trajectory.writing.row_draft import Addition, ConversionChange

_OPEN: Final = "<tools>"
_TAG: Final = re.compile(rf"{_OPEN}(?=\s*+[\[{{<])")
"""An open tag followed by tools. The sentences around the tools mention `<tools> </tools>` with nothing inside."""
_ELEMENTS: Final = re.compile(r"<tools>\s*+<function>")
"""Tools as Qwen3-Coder's template lists them: as elements, which leave out much of the schemas.

Beside a column with the tools, they are text."""
_CLOSE: Final = "</tools>"
_SPACE: Final = re.compile(r"[\s,]*+")
_TOOL_LINE: Final = re.compile(r'^\{"type": "function", "function": \{"name": ', re.MULTILINE)
"""The start of a tool in the form that Hermes-3's template writes."""
_MAX_CACHED_CHARS: Final = 50_000
_CACHE_SIZE: Final = 250
"""Rows of one dataset declare the same tools again and again, so this many texts up to that length are cached."""
_MARSHAL: Final = 2
"""The newest version of the format in which equal values always give equal bytes."""
_scan: Final = json.JSONDecoder().raw_decode


def read_column(value: JsonValue, pointer: str, findings: list[RowFinding]) -> tuple[Declaration, ...]:
    """Read the tools of a column: a list of specs, of bare functions or of their JSON, or such a list as JSON text.

    None, an empty text and the text `null` declare no tools. A value that cannot be read declares none either
    and adds a finding `tools-unreadable`. Results are cached and shared, so do not change them.
    """
    if isinstance(value, str) and len(value) <= _MAX_CACHED_CHARS:
        declared, found_problems = _text_column(value, pointer)
    elif isinstance(value, list) and (key := _key(value)):
        declared, found_problems = _list_column(key, pointer)
    else:
        return _column(value, pointer, findings)
    findings.extend(found_problems)
    return declared


_Read = tuple[tuple[Declaration, ...], tuple[RowFinding, ...]]


class DeclaredSpecs(NamedTuple):
    """Tool specs, wrapped where necessary."""

    specs: tuple[ToolSpec, ...]
    are_bare: bool
    """Whether all of them were bare functions."""


@lru_cache(maxsize=_CACHE_SIZE)
def _text_column(text: str, pointer: str) -> _Read:
    findings: list[RowFinding] = []
    return _column(text, pointer, findings), tuple(findings)


class _Key(bytes):
    """A cache key: the list as bytes. Unlike `==`, it distinguishes the order of keys and `1` from `1.0`."""

    value: list[JsonValue]


def _key(value: list[JsonValue]) -> _Key | None:
    """Return the cache key of a list, or None if the list is too long to cache or nested too deeply."""
    try:
        key = _Key(marshal.dumps(value, _MARSHAL))
    except ValueError:
        return None
    key.value = value
    return key if len(key) <= _MAX_CACHED_CHARS else None


@lru_cache(maxsize=_CACHE_SIZE)
def _list_column(key: _Key, pointer: str) -> _Read:
    findings: list[RowFinding] = []
    return _column(key.value, pointer, findings), tuple(findings)


def _column(value: JsonValue, pointer: str, findings: list[RowFinding]) -> tuple[Declaration, ...]:
    is_text = isinstance(value, str)
    if is_text:
        if specs := _cached_specs(value):
            return (_declared(specs, pointer, is_text=True),)
        if not (value := _loaded(value.strip() or "null", pointer, findings)):
            return ()
    if value is None:
        return ()
    if not isinstance(value, list):
        findings.append(_unreadable("the tools are not a list of objects", pointer))
        return ()
    return tuple(_declaration([*map(_decoded, value)], pointer, findings, is_text=is_text))


def _decoded(tool: JsonValue) -> JsonValue:
    """Return the object of a tool that is a text of JSON; any other value unchanged."""
    try:
        return loads_fast(tool) if isinstance(tool, str) else tool
    except (ValueError, RecursionError):
        return tool


def plain_specs(text: str) -> DeclaredSpecs | None:
    """Return the specs of a JSON list of objects, or None if the text is anything else."""
    try:
        values = loads_strict(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(values, list) or not values or not all(isinstance(value, dict) for value in values):
        return None
    return _specs(cast("list[JsonObject]", values))


def _specs(objects: Sequence[JsonObject]) -> DeclaredSpecs:
    return DeclaredSpecs(
        tuple(map(spec_of, objects)), not any("function" in function for function in objects)
    )


@lru_cache(maxsize=_CACHE_SIZE)
def _cached_specs(text: str) -> DeclaredSpecs | None:
    """Like `plain_specs`, but cached, because the column and the system text of a row usually hold the same list.

    The same spec objects then carry the results of checks for both.
    """
    return plain_specs(text)


def read_declarations(
    row: JsonObject, entries: Iterable[RowEntry], findings: list[RowFinding], *, key: str = "tools"
) -> Iterator[Declaration]:
    """Yield the declarations of the column `key` and of the system texts among `entries`."""
    column = read_column(row.get(key), f"/{key}", findings)
    yield from column
    for entry in entries:
        if entry.role is Role.SYSTEM and not (
            column and "<function>" in entry.text and _ELEMENTS.search(entry.text)
        ):
            yield from read_system(entry.text, entry.text_pointer, entry.place, findings)


def read_system(text: str, pointer: str, entry: int, findings: list[RowFinding]) -> tuple[Declaration, ...]:
    """Read the tools that a system text declares between `<tools>` and `</tools>`, as JSON or Python literals.

    Accepts one object per line, an array, or several arrays; each pair of tags is one declaration. Results are
    cached and shared, so do not change them.
    """
    if len(text) > _MAX_CACHED_CHARS:
        return _system(text, pointer, entry, findings)
    declared, found_problems = _cached_system(text, pointer, entry)
    findings.extend(found_problems)
    return declared


@lru_cache(maxsize=_CACHE_SIZE)
def _cached_system(text: str, pointer: str, entry: int) -> _Read:
    findings: list[RowFinding] = []
    return _system(text, pointer, entry, findings), tuple(findings)


def _system(text: str, pointer: str, entry: int, findings: list[RowFinding]) -> tuple[Declaration, ...]:
    declarations: list[Declaration] = []
    for tag in _tags(text):
        end = text.find(_CLOSE, tag.end())
        if end < 0:
            continue
        span = Span(tag.end(), end)
        if specs := _cached_specs(_as_list(span.of(text))):
            declarations.append(_declared(specs, pointer, is_text=True, span=span))
            continue
        values = list(_values(span.of(text)))
        if _are_unreadable(values):
            values = list(_unclosed_lines(span.of(text).strip()))
        if _are_unreadable(values):
            findings.append(_unreadable("the tools in the system text are not JSON", pointer, entry))
            continue
        listed = _flat(cast(list[JsonValue], values))
        declarations.extend(_declaration(listed, pointer, findings, is_text=True, span=span, entry=entry))
    return tuple(declarations)


def _tags(text: str) -> Iterator["re.Match[str]"]:
    """Yield the open tags that are followed by tools. `find` skips what is between them ten times as fast."""
    position = text.find(_OPEN)
    while position >= 0:
        if tag := _TAG.match(text, position):
            yield tag
        position = text.find(_OPEN, position + 1)


def lists_tools(text: str, tools: OfferedTools) -> bool:
    """Whether a system text lists the tools, within `<tools>` or by each name in double quotes."""
    if next(_tags(text), None):
        return True
    return bool(tools.names) and all(json.dumps(name, ensure_ascii=False) in text for name in tools.names)


def repeats_column(text: str, column: str) -> bool:
    """Whether a system text declares exactly the tools of a column, in the same words, at most once.

    Args:
        text: The system text.
        column: The column, a JSON list of objects.
    """
    starts = [tag.end() for tag in _tags(text) if not text.startswith(_CLOSE, tag.end())]
    if not starts:
        return True
    end = text.find(_CLOSE, starts[0])
    return len(starts) == 1 and end >= 0 and _as_list(text[starts[0] : end]) == column


def _as_list(inside: str) -> str:
    """Return one object per line as a JSON list, as a column would hold it; any other text unchanged."""
    stripped = inside.strip()
    lines = stripped.split("\n")
    for line in lines:
        if not (line.startswith('{"') and line.endswith("}")):
            return stripped
    return f"[{', '.join(lines)}]"


def read_listed(text: str, start: int, pointer: str, findings: list[RowFinding]) -> Iterator[Declaration]:
    """Read tools without tags, from `start` of a system text up to the first thing that is not a tool."""
    values: list[JsonValue] = []
    position = start
    while text.startswith(("[", "{"), position):
        try:
            value, end = _value(text, position)
        except UnreadableBody:
            findings.append(_unreadable("the tools in the system text are not JSON", pointer))
            break
        values.append(value)
        position = _after_space(text, end)
    yield from _declaration(_flat(values), pointer, findings, is_text=True, span=Span(start, position))


def schema_changes(before: Iterable[Declaration], after: Iterable[Declaration]) -> Iterator[ConversionChange]:
    """Yield a change for each tool whose schema was converted.

    Args:
        before: The declarations as the row has them.
        after: The same declarations, converted.
    """
    for old, new in zip(before, after, strict=True):
        for old_spec, new_spec in zip(old.specs, new.specs, strict=True):
            if old_spec.parameters != new_spec.parameters:
                yield ConversionChange(code=Addition.SCHEMA_TYPES, detail=new_spec.name)


def spec_of(entry: JsonObject) -> ToolSpec:
    """Return the spec of an entry; a bare function is wrapped."""
    return ToolSpec(document=entry) if "function" in entry else ToolSpec.of_function(entry)


def _declaration(
    entries: Sequence[JsonValue],
    pointer: str,
    findings: list[RowFinding],
    *,
    is_text: bool,
    span: Span | None = None,
    entry: int | None = None,
) -> Iterator[Declaration]:
    objects = [cast(JsonObject, entry_value) for entry_value in entries if isinstance(entry_value, dict)]
    if len(objects) < len(entries):
        findings.append(_unreadable("a tool is not an object", pointer, entry))
    if objects:
        yield _declared(_specs(objects), pointer, is_text=is_text, span=span)


def _declared(parsed: DeclaredSpecs, pointer: str, *, is_text: bool, span: Span | None = None) -> Declaration:
    return Declaration(
        specs=parsed.specs,
        place="column" if span is None else "system",
        pointer=pointer,
        span=span,
        is_text=is_text,
        is_bare=parsed.are_bare,
    )


def _loaded(text: str, pointer: str, findings: list[RowFinding]) -> JsonValue:
    try:
        return cast(JsonValue, json.loads(text))
    except (ValueError, RecursionError):
        values = list(_values(text))
    if _are_unreadable(values):
        findings.append(_unreadable("the tools are not JSON", pointer))
        return None
    findings.append(
        _unreadable("the tools are not valid JSON, but can be repaired; write them as JSON", pointer)
    )
    return _flat(cast(list[JsonValue], values))


def _values(text: str) -> Iterator["JsonValue | UnreadableBody"]:
    """Yield consecutive values, with or without commas between them."""
    position = _after_space(text, 0)
    while position < len(text):
        try:
            value, end = _value(text, position)
        except UnreadableBody as error:
            yield error
            return
        yield value
        position = _after_space(text, end)


def _are_unreadable(values: Sequence["JsonValue | UnreadableBody"]) -> bool:
    return any(isinstance(value, UnreadableBody) for value in values)


def _unclosed_lines(text: str) -> Iterator["JsonValue | UnreadableBody"]:
    """Yield the tools of Hermes-3's template, each without its last brace.

    The reader alone takes the next tool for a member of the unclosed one:

        {"type": "function", "function": {"name": "f", "parameters": {}}
        {"type": "function", "function": {"name": "g", "parameters": {}}
    """
    starts = [line.start() for line in _TOOL_LINE.finditer(text)]
    if not starts or starts[0]:
        yield UnreadableBody(0)
        return
    for start, end in pairwise([*starts, len(text)]):
        yield from _values(text[start:end].rstrip() + "}")


def _value(text: str, position: int) -> tuple[JsonValue, int]:
    """Return the value at `position` and the position after it; text that is not JSON is read with repairs.

    Raises:
        UnreadableBody: It cannot be read, even with repairs.
    """
    try:
        return cast("tuple[JsonValue, int]", _scan(text, position))
    except (ValueError, RecursionError):
        node = read_payload(BodyText(text, len(text), BlockNotes(text)), position)
        return node.value, node.end


def _after_space(text: str, position: int) -> int:
    match = _SPACE.match(text, position)
    return match.end() if match else position


def _flat(values: Sequence[JsonValue]) -> list[JsonValue]:
    return [inner for value in values for inner in (value if isinstance(value, list) else [value])]


def _unreadable(message: str, pointer: str, entry: int | None = None) -> RowFinding:
    return RowFinding(code="tools-unreadable", message=message, entry=entry, pointer=pointer)
