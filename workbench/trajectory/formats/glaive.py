"""Read Glaive's function-calling rows, version 2: a system text and a chat, each as one text."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from workbench.chat.json_value import JsonObject
from workbench.chat.message import Role
from workbench.hermes.parse import parse
from workbench.hermes.reading import SegmentKind
from workbench.trajectory.declared_tools import read_listed
from workbench.trajectory.formats.row_format import RowFormat
from workbench.trajectory.row import Declaration, EntryCall, EntryResult, RowEntry, RowFinding, TrainingRow

_OWN: Final = frozenset({"system", "chat"})
_SPEAKER: Final = re.compile(r"(?:\A|\n)\s*+(USER|ASSISTANT|FUNCTION RESPONSE):[ \t]*")
"""*Source:* rows of glaiveai/glaive-function-calling-v2."""
_ROLES: Final = {"USER": Role.USER, "ASSISTANT": Role.ASSISTANT, "FUNCTION RESPONSE": Role.TOOL}
_END: Final = "<|endoftext|>"
_SYSTEM: Final = re.compile(r"\s*+SYSTEM:[ \t]*")
_CALL: Final = "<functioncall>"
_KNOWN_GUESSES: Final = frozenset({"unescaped-quote"})
"""Fixes that are guesses elsewhere, but not here: arguments are in single quotes without any escaping."""


class _ModelText(NamedTuple):
    text: str
    calls: tuple[EntryCall, ...]
    is_unreadable: bool = False
    """Whether a call cannot be parsed."""


def _read(row: JsonObject) -> TrainingRow:
    findings: list[RowFinding] = []
    for name in ("system", "chat"):
        if not isinstance(row.get(name), str):
            message = f"the row has no text in `{name}`"
            findings.append(RowFinding(code="missing-field", message=message, pointer=f"/{name}"))
    chat, system = row.get("chat"), row.get("system")
    declarations: tuple[Declaration, ...] = ()
    entries: list[RowEntry] = []
    if isinstance(system, str):
        start = system.find("{")
        end = start if start >= 0 else len(system)
        entries += _system_entry(system, end)
        if start >= 0:
            declarations = tuple(read_listed(system, start, "/system", findings))
    if isinstance(chat, str):
        entries += _entries(chat, findings)
    return TrainingRow(
        format="glaive",
        fields=row,
        entries=tuple(entries),
        declarations=declarations,
        columns={key: value for key, value in row.items() if key not in _OWN},
        findings=tuple(findings),
    )


def _system_entry(text: str, end: int) -> Iterator[RowEntry]:
    """Yield the system text before the functions, without `SYSTEM:` and without the dash before the list."""
    match = _SYSTEM.match(text)
    start = match.end() if match else 0
    own = text[start:end].rstrip().removesuffix("-").rstrip()
    if own:
        yield RowEntry(
            place=-1,
            pointer="/system",
            role=Role.SYSTEM,
            speaker="SYSTEM",
            text=own,
            text_pointer="/system",
            text_start=start,
        )


def _entries(chat: str, findings: list[RowFinding]) -> Iterator[RowEntry]:
    matches = list(_SPEAKER.finditer(chat))
    for place, match in enumerate(matches):
        end = matches[place + 1].start() if place + 1 < len(matches) else len(chat)
        text = chat[match.end() : end].rstrip().removesuffix(_END).rstrip()
        role = _ROLES[match[1]]
        model_text = _model_text(text, place, findings) if role is Role.ASSISTANT else _ModelText(text, ())
        yield RowEntry(
            place=place,
            pointer="/chat",
            role=role,
            speaker=match[1],
            text=model_text.text,
            text_pointer="/chat",
            text_start=match.end(),
            calls=model_text.calls,
            tagged_text=text if model_text.is_unreadable else None,
            results=(EntryResult(text=text, pointer="/chat"),) if role is Role.TOOL else (),
        )


def _model_text(text: str, place: int, findings: list[RowFinding]) -> _ModelText:
    """Separate the prose and the calls of a model's text."""
    if _CALL not in text:
        return _ModelText(text, ())
    reading = parse(text)
    guesses = {fix.code for fix in reading.fixes if fix.is_guess} - _KNOWN_GUESSES
    is_unreadable = bool(reading.dropped or guesses or not reading.calls)
    if is_unreadable:
        message = "the call after <functioncall> cannot be parsed; correct it"
        findings.append(RowFinding(code="call-unreadable", message=message, entry=place, pointer="/chat"))
    prose = "".join(segment.text for segment in reading.segments if segment.kind is SegmentKind.PROSE)
    calls = (
        EntryCall.in_text("/chat", call.name, call.arguments, others=call.others) for call in reading.calls
    )
    return _ModelText(prose.strip(), tuple(calls), is_unreadable)


GLAIVE: Final = RowFormat(
    name="glaive",
    title="rows of glaiveai/glaive-function-calling-v2",
    fits=lambda row: isinstance(row.get("chat"), str) and isinstance(row.get("system"), str),
    read=_read,
)
