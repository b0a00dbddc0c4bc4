"""Tools as rows declare them: in a column of their own, or within `<tools>` in a system text."""

import json
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final, cast

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.chat.span import Span
from workbench.hermes.json_text.reader import read_payload
from workbench.hermes.text.notes import Notes
from workbench.hermes.text.source import Source, Unreadable
from workbench.toolspec.spec import ToolSpec
from workbench.trajectory.row import Declaration, RowFinding

_TAG: Final = re.compile(r"<tools>(?=\s*+[\[{<])")
"""An open tag with tools behind it; the sentences around them name the tags too, with nothing inside."""
_CLOSE: Final = "</tools>"
_SPACE: Final = re.compile(r"[\s,]*+")
_LONGEST_KEPT: Final = 50_000
_MOST_KEPT: Final = 500
"""Rows of one data set declare the same tools over and over; so many texts, none longer, are remembered."""
_scan: Final = json.JSONDecoder().raw_decode


def read_column(value: JsonValue, pointer: str, findings: list[RowFinding]) -> tuple[Declaration, ...]:
    """The declaration of a column: a list of specs or of bare functions, or a text of JSON of such a list.

    None, an empty text and the text `null` declare nothing, and neither does what cannot be read: that is a
    finding, `tools-unreadable`. Equal texts are read once; nobody changes what comes out.
    """
    if not isinstance(value, str) or len(value) > _LONGEST_KEPT:
        return _column(value, pointer, findings)
    declared, told = _text_column(value, pointer)
    findings.extend(told)
    return declared


@lru_cache(maxsize=_MOST_KEPT)
def _text_column(text: str, pointer: str) -> "tuple[tuple[Declaration, ...], tuple[RowFinding, ...]]":
    findings: list[RowFinding] = []
    return _column(text, pointer, findings), tuple(findings)


def _column(value: JsonValue, pointer: str, findings: list[RowFinding]) -> tuple[Declaration, ...]:
    is_text = isinstance(value, str)
    if is_text and not (value := _loaded(value.strip() or "null", pointer, findings)):
        return ()
    if value is None:
        return ()
    if not isinstance(value, list):
        findings.append(_unreadable("the tools are no list of objects", pointer))
        return ()
    return tuple(_declaration(value, pointer, findings, is_text=is_text))


def read_system(text: str, pointer: str, entry: int, findings: list[RowFinding]) -> tuple[Declaration, ...]:
    """What a system text declares within `<tools>` and `</tools>`, in JSON or as Python writes it.

    Lines of objects, one array, and arrays one behind the other are read; each pair of tags is one
    declaration. Equal texts are read once; nobody changes what comes out.
    """
    if len(text) > _LONGEST_KEPT:
        return _system(text, pointer, entry, findings)
    declared, told = _kept_system(text, pointer, entry)
    findings.extend(told)
    return declared


@lru_cache(maxsize=_MOST_KEPT)
def _kept_system(
    text: str, pointer: str, entry: int
) -> "tuple[tuple[Declaration, ...], tuple[RowFinding, ...]]":
    findings: list[RowFinding] = []
    return _system(text, pointer, entry, findings), tuple(findings)


def _system(text: str, pointer: str, entry: int, findings: list[RowFinding]) -> tuple[Declaration, ...]:
    found: list[Declaration] = []
    for tag in _TAG.finditer(text):
        end = text.find(_CLOSE, tag.end())
        if end < 0:
            continue
        span = Span(tag.end(), end)
        values = list(_values(span.of(text)))
        if any(isinstance(value, Unreadable) for value in values):
            findings.append(_unreadable("the tools in the system text are not JSON", pointer, entry))
            continue
        listed = _flat(cast(list[JsonValue], values))
        found.extend(_declaration(listed, pointer, findings, is_text=True, span=span, entry=entry))
    return tuple(found)


def read_listed(text: str, start: int, pointer: str, findings: list[RowFinding]) -> Iterator[Declaration]:
    """The declaration of tools that stand in a system text from `start` on, without tags, as far as they can
    be read; words may follow."""
    values: list[JsonValue] = []
    position = start
    while text.startswith(("[", "{"), position):
        try:
            value, end = _value(text, position)
        except Unreadable:
            findings.append(_unreadable("the tools in the system text are not JSON", pointer))
            break
        values.append(value)
        position = _behind_space(text, end)
    yield from _declaration(_flat(values), pointer, findings, is_text=True, span=Span(start, position))


def spec_of(entry: JsonObject) -> ToolSpec:
    """The spec of an entry, wrapped where it is a bare function."""
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
    objects = [cast(JsonObject, one) for one in entries if isinstance(one, dict)]
    if len(objects) < len(entries):
        findings.append(_unreadable("a tool is no object", pointer, entry))
    if objects:
        yield Declaration(
            specs=tuple(spec_of(one) for one in objects),
            place="column" if span is None else "system",
            pointer=pointer,
            span=span,
            is_text=is_text,
            is_bare=not any("function" in one for one in objects),
        )


def _loaded(text: str, pointer: str, findings: list[RowFinding]) -> JsonValue:
    try:
        return cast(JsonValue, json.loads(text))
    except (ValueError, RecursionError):
        values = list(_values(text))
    if any(isinstance(value, Unreadable) for value in values):
        findings.append(_unreadable("the tools are not JSON", pointer))
        return None
    findings.append(_unreadable("the tools can only be read with repairs: write them as JSON", pointer))
    return _flat(cast(list[JsonValue], values))


def _values(text: str) -> Iterator["JsonValue | Unreadable"]:
    """The values that stand one behind the other, commas between them or not."""
    position = _behind_space(text, 0)
    while position < len(text):
        try:
            value, end = _value(text, position)
        except Unreadable as error:
            yield error
            return
        yield value
        position = _behind_space(text, end)


def _value(text: str, position: int) -> tuple[JsonValue, int]:
    """The value at `position` and the position behind it; what is not JSON is read as far as it can be.

    Raises:
        Unreadable: It cannot be read.
    """
    try:
        return cast("tuple[JsonValue, int]", _scan(text, position))
    except (ValueError, RecursionError):
        node = read_payload(Source(text, len(text), Notes(text)), position)
        return node.value, node.end


def _behind_space(text: str, position: int) -> int:
    match = _SPACE.match(text, position)
    return match.end() if match else position


def _flat(values: Sequence[JsonValue]) -> list[JsonValue]:
    return [one for value in values for one in (value if isinstance(value, list) else [value])]


def _unreadable(message: str, pointer: str, entry: int | None = None) -> RowFinding:
    return RowFinding(code="tools-unreadable", message=message, entry=entry, pointer=pointer)
