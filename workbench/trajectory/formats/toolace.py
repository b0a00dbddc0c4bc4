"""Read ToolACE's rows: tools in the system text, calls as Python expressions."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple, cast

from workbench.chat.json_value import JsonObject, JsonValue, as_object
from workbench.chat.message import Role
from workbench.hermes.json_text.reader import read_value
from workbench.hermes.spelling.tools import template_json
from workbench.hermes.text.completion import BodyText, UnreadableBody
from workbench.hermes.text.notes import BlockNotes
from workbench.toolspec.spec import ToolSpec
from workbench.toolspec.spec_repairs import with_json_types, without_nulls
from workbench.trajectory.declared_tools import read_listed, schema_changes
from workbench.trajectory.formats.row_format import RowFormat
from workbench.trajectory.formats.shared.text_entries import (
    FromValueEntry,
    conversation_of,
    has_from_value,
    read_from_value,
    system_column,
)
from workbench.trajectory.hermes_text import tagged
from workbench.trajectory.row import Declaration, EntryCall, EntryResult, RowEntry, RowFinding, TrainingRow
from workbench.trajectory.writing.row_draft import Addition, ConversionChange

_NAME: Final = re.compile(r"\s*+([^()\[\]{}\"'\n=]{1,200}?)\s*+\(")
"""A name may contain spaces. *Source:* rows of Team-ACE/ToolACE."""
_KEY: Final = re.compile(r"\s*+([\w$][\w$.-]*+)\s*+=\s*+")
_COMMA: Final = re.compile(r"\s*+,")
_CLOSE: Final = re.compile(r"\s*+\)")
_END: Final = re.compile(r"\s*+\]\s*+")


class PythonicCall(NamedTuple):
    """A call written as a Python expression."""

    name: str
    arguments: JsonObject


def looks_pythonic(text: str) -> bool:
    """Whether a text begins like a list of Python calls."""
    stripped = text.lstrip()
    return stripped.startswith("[") and _NAME.match(stripped, 1) is not None


def read_pythonic(text: str) -> tuple[PythonicCall, ...] | None:
    """Parse a text that is a list of Python calls; return None if it is anything else.

    >>> read_pythonic('[Get Weather(city="Paris", days=[1, None])]')
    (PythonicCall(name='Get Weather', arguments={'city': 'Paris', 'days': [1, None]}),)
    """
    source = BodyText(text, len(text), BlockNotes(text))
    position = len(text) - len(text.lstrip())
    if not text.startswith("[", position):
        return None
    position += 1
    calls: list[PythonicCall] = []
    try:
        while match := _NAME.match(text, position):
            arguments, position = _arguments(source, match.end())
            calls.append(PythonicCall(match[1], arguments))
            comma = _COMMA.match(text, position)
            if not comma:
                break
            position = comma.end()
    except UnreadableBody:
        return None
    return tuple(calls) if calls and _END.fullmatch(text, position) else None


def _arguments(source: BodyText, position: int) -> tuple[JsonObject, int]:
    """Parse the arguments after the opening parenthesis; return them and the position after the closing one."""
    arguments: dict[str, JsonValue] = {}
    while key := _KEY.match(source.text, position):
        node = read_value(source, key.end(), "])")
        arguments[key[1]] = node.value
        position = node.end
        comma = _COMMA.match(source.text, position)
        if not comma:
            break
        position = comma.end()
    close = _CLOSE.match(source.text, position)
    if not close:
        raise UnreadableBody(position)
    return arguments, close.end()


SPEAKERS: Final = {"user": Role.USER, "assistant": Role.ASSISTANT, "tool": Role.TOOL}
"""The `from` of an entry to its role. *Source:* rows of Team-ACE/ToolACE."""
_OWN: Final = frozenset({"system", "conversations"})
_OTHER: Final = re.compile(r"[^A-Za-z0-9_.:/-]+")
"""Characters that a tool's name must not have. *Source:* `check_spec`."""
_LIST: Final = '[{"name"'
"""First characters of the list of functions in a system text. *Source:* rows of Team-ACE/ToolACE."""


class _Renamed(NamedTuple):
    """New names of tools by their names in the row."""

    names: Mapping[str, str]

    def __call__(self, name: str) -> str:
        return self.names.get(name, name)


def _read(row: JsonObject) -> TrainingRow:
    findings: list[RowFinding] = []
    declared = tuple(_declarations(row, findings))
    renamed = _renamed(spec.name for declaration in declared for spec in declaration.specs)
    declarations = tuple(_as_schemas(declaration, renamed) for declaration in declared)
    system = row.get("system")
    return TrainingRow(
        format="toolace",
        fields=row,
        entries=(*_system(row), *_entries(row, renamed, findings)),
        declarations=declarations,
        columns={key: value for key, value in row.items() if key not in _OWN},
        findings=tuple(findings),
        changes=(
            *schema_changes(declared, declarations),
            *(
                ConversionChange(code=Addition.TOOL_NAMES, detail=f"{old!r} is now {new!r}")
                for old, new in renamed.names.items()
            ),
            *(
                [ConversionChange(code=Addition.TOOL_PROMPT_REMOVED)]
                if isinstance(system, str) and _LIST in system
                else []
            ),
        ),
    )


def _renamed(names: Iterable[str]) -> _Renamed:
    """Return new names for those that model servers do not accept; none if two tools would get the same name."""
    originals = list(dict.fromkeys(names))
    new = {name: _OTHER.sub("_", name).strip("_")[:64] or name for name in originals}
    if len(set(new.values())) < len(originals):
        return _Renamed({})
    return _Renamed({old: name for old, name in new.items() if old != name})


def _system(row: JsonObject) -> Iterator[RowEntry]:
    """Yield the system text, unless it only lists the tools and explains ToolACE's calls."""
    return (entry for entry in system_column(row) if _LIST not in entry.text)


def _declarations(row: JsonObject, findings: list[RowFinding]) -> Iterator[Declaration]:
    """Yield the list of functions in the system text, which has no tags."""
    text = row.get("system")
    start = text.find(_LIST) if isinstance(text, str) else -1
    if isinstance(text, str) and start >= 0:
        yield from read_listed(text, start, "/system", findings)


def _as_schemas(declared: Declaration, renamed: _Renamed) -> Declaration:
    return replace(declared, specs=tuple(_spec(spec, renamed) for spec in declared.specs))


def _spec(spec: ToolSpec, renamed: _Renamed) -> ToolSpec:
    spec = with_json_types(without_nulls(spec))
    if spec.name not in renamed.names:
        return spec
    function = {**spec.function, "name": renamed(spec.name)}
    return ToolSpec(document={**spec.document, "function": function})


def _entries(row: JsonObject, renamed: _Renamed, findings: list[RowFinding]) -> Iterator[RowEntry]:
    calls = 0
    for raw_entry in read_from_value(row, SPEAKERS, "toolace", findings):
        entry = _entry(raw_entry, calls, renamed)
        calls = len(entry.calls)
        yield entry


def _entry(raw_entry: FromValueEntry, calls: int, renamed: _Renamed) -> RowEntry:
    read_calls, results = (), ()
    if raw_entry.role is Role.ASSISTANT:
        read_calls = tuple(_calls(raw_entry, renamed))
    elif raw_entry.role is Role.TOOL:
        results = tuple(_results(raw_entry.text, calls, raw_entry.text_pointer, renamed))
    return RowEntry(
        place=raw_entry.place,
        pointer=raw_entry.pointer,
        role=raw_entry.role,
        speaker=raw_entry.speaker,
        text="" if read_calls else raw_entry.text,
        text_pointer=raw_entry.text_pointer,
        calls=read_calls,
        tagged_text=tagged(raw_entry.text) if any(call.problem for call in read_calls) else None,
        results=results,
        is_trained=raw_entry.keys.is_trained,
        others=raw_entry.keys.others,
    )


def _calls(raw_entry: FromValueEntry, renamed: _Renamed) -> Iterator[EntryCall]:
    if not looks_pythonic(raw_entry.text):
        return
    where = raw_entry.text_pointer
    calls = read_pythonic(raw_entry.text)
    if calls is None:
        problem = "the calls are not valid Python expressions; correct them"
        raw_entry.report("call-unreadable", problem)
        yield EntryCall.in_text(where, problem=problem)
        return
    for call in calls:
        yield EntryCall.in_text(where, renamed(call.name), call.arguments)


def _results(text: str, calls: int, where: str, renamed: _Renamed) -> Iterator[EntryResult]:
    """Yield the text as one result, or each item if it is a JSON list with one item per call."""
    try:
        value = cast(JsonValue, json.loads(text))
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, list) and len(value) == calls > 1:
        for item in cast(Sequence[JsonValue], value):
            name = as_object(item).get("name")
            yield EntryResult(
                text=template_json(item), name=renamed(name) if isinstance(name, str) else None, pointer=where
            )
        return
    yield EntryResult(text=text, pointer=where)


def _fits(row: JsonObject) -> bool:
    if not isinstance(row.get("system"), str) or not has_from_value(row):
        return False
    speakers = {str(as_object(entry).get("from")) for entry in conversation_of(row)}
    return "assistant" in speakers and speakers <= SPEAKERS.keys()


TOOLACE: Final = RowFormat(
    name="toolace",
    title="rows of Team-ACE/ToolACE",
    fits=_fits,
    read=_read,
)
