"""ToolACE's rows: tools in the system text, calls as Python writes them."""

import json
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple, cast

from workbench.chat.json_value import JsonObject, JsonValue, as_object
from workbench.chat.message import Role
from workbench.hermes.spelling.tools import spelled_json
from workbench.trajectory.declared_tools import read_listed
from workbench.trajectory.formats.imports.pythonic import looks_pythonic, read_pythonic
from workbench.trajectory.formats.row_format import RowFormat
from workbench.trajectory.formats.sharegpt import conversation_of, speaks
from workbench.trajectory.row import Declaration, Entry, EntryCall, EntryResult, RowFinding, TrainingRow

SPEAKERS: Final = {"user": Role.USER, "assistant": Role.ASSISTANT, "tool": Role.TOOL}
"""The `from` of an entry to its role. *Source:* rows of Team-ACE/ToolACE."""
_OWN: Final = frozenset({"system", "conversations"})
_LIST: Final = '[{"name"'
"""How the list of functions begins in the system text. *Source:* rows of Team-ACE/ToolACE."""


class _Spot(NamedTuple):
    place: int
    findings: list[RowFinding]

    @property
    def pointer(self) -> str:
        return f"/conversations/{self.place}"

    def tell(self, code: str, message: str, below: str = "/value") -> None:
        pointer = self.pointer + below
        self.findings.append(RowFinding(code=code, message=message, entry=self.place, pointer=pointer))


def _read(row: JsonObject) -> TrainingRow:
    findings: list[RowFinding] = []
    if not isinstance(row.get("conversations"), list):
        message = "no list of entries: the row needs `conversations`"
        findings.append(RowFinding(code="missing-field", message=message, pointer="/conversations"))
    return TrainingRow(
        format="toolace",
        fields=row,
        entries=(*_system(row), *_entries(row, findings)),
        declarations=tuple(_declarations(row, findings)),
        columns={key: value for key, value in row.items() if key not in _OWN},
        findings=tuple(findings),
    )


def _system(row: JsonObject) -> Iterator[Entry]:
    """The system text, where it is more than ToolACE's own way to tell of tools and calls."""
    text = row.get("system")
    if isinstance(text, str) and text and _LIST not in text:
        yield Entry(
            place=-1, pointer="/system", role=Role.SYSTEM, speaker="system", text=text, text_pointer="/system"
        )


def _declarations(row: JsonObject, findings: list[RowFinding]) -> Iterator[Declaration]:
    """The list of functions that stands in the system text, without tags."""
    text = row.get("system")
    start = text.find(_LIST) if isinstance(text, str) else -1
    if isinstance(text, str) and start >= 0:
        yield from read_listed(text, start, "/system", findings)


def _entries(row: JsonObject, findings: list[RowFinding]) -> Iterator[Entry]:
    calls = 0
    for place, value in enumerate(conversation_of(row)):
        entry = _entry(as_object(value), calls, _Spot(place, findings))
        calls = len(entry.calls)
        yield entry


def _entry(fields: JsonObject, calls: int, spot: _Spot) -> Entry:
    speaker, text = fields.get("from"), fields.get("value")
    role = SPEAKERS.get(speaker) if isinstance(speaker, str) else None
    if role is None:
        spot.tell("unknown-role", f"{speaker!r:.40} is no speaker of toolace: {', '.join(SPEAKERS)}", "/from")
    if not isinstance(text, str):
        spot.tell("missing-field", "the entry has no text in `value`")
        text = ""
    read_calls, results = (), ()
    if role is Role.ASSISTANT:
        read_calls = tuple(_calls(text, spot))
    elif role is Role.TOOL:
        results = tuple(_results(text, calls, spot))
    return Entry(
        place=spot.place,
        pointer=spot.pointer,
        role=role,
        speaker=str(speaker),
        text="" if read_calls else text,
        text_pointer=f"{spot.pointer}/value",
        calls=read_calls,
        results=results,
    )


def _calls(text: str, spot: _Spot) -> Iterator[EntryCall]:
    if not looks_pythonic(text):
        return
    where = f"{spot.pointer}/value"
    calls = read_pythonic(text)
    if calls is None:
        spot.tell("call-unreadable", "the calls cannot be read as Python writes them")
        return
    for call in calls:
        yield EntryCall(name=call.name, arguments=call.arguments, pointer=where, arguments_pointer=where)


def _results(text: str, calls: int, spot: _Spot) -> Iterator[EntryResult]:
    """One result, or as many as there were calls where the text is a list of so many objects."""
    where = f"{spot.pointer}/value"
    try:
        value = cast(JsonValue, json.loads(text))
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, list) and len(value) == calls > 1:
        for one in cast(Sequence[JsonValue], value):
            name = as_object(one).get("name")
            yield EntryResult(
                text=spelled_json(one), name=name if isinstance(name, str) else None, pointer=where
            )
        return
    yield EntryResult(text=text, pointer=where)


def _fits(row: JsonObject) -> bool:
    if not speaks(row) or not isinstance(row.get("system"), str):
        return False
    speakers = {str(as_object(entry).get("from")) for entry in conversation_of(row)}
    return "assistant" in speakers and speakers <= SPEAKERS.keys()


TOOLACE: Final = RowFormat(
    name="toolace",
    title="rows of Team-ACE/ToolACE",
    fits=_fits,
    read=_read,
)
