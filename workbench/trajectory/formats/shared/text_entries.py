"""Read and write entries of `from` and `value`, and tool results inside a text."""

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import Final, NamedTuple, cast

from workbench.chat.finding import Span
from workbench.chat.json_value import JsonObject, JsonValue, as_object
from workbench.chat.message import Role
from workbench.hermes.spelling.tools import template_json
from workbench.trajectory.formats.shared.entry_keys import EntryKeys, read_keys
from workbench.trajectory.hermes_text import spell_parts
from workbench.trajectory.row import EntryResult, RowEntry, RowFinding
from workbench.trajectory.trajectory import Call, Part, Prose, Result, RowMessage, is_written_alike
from workbench.trajectory.writing.losses import has_keys
from workbench.trajectory.writing.row_draft import Addition, Loss, RowDraft, results_after

OPEN: Final = "<tool_response>"
"""*Source:* Hermes-2-Pro, Hermes-3, Qwen2.5 and Qwen3 chat templates."""
CLOSE: Final = "</tool_response>"
"""*Source:* as `OPEN`."""
_SPACE: Final = re.compile(r"\s*+")
_RECORD_KEYS: Final = frozenset({"tool_call_id", "name", "content"})


class Records(StrEnum):
    """Whether results are records of `tool_call_id`, `name` and `content`, and what their text is."""

    NONE = "none"
    """Results are texts."""
    WHOLE = "whole"
    """The whole record is the result, because a model was trained on it; only its name is read."""
    UNWRAPPED = "unwrapped"
    """The content is the result; id and name are read."""


class _Record(NamedTuple):
    text: str
    id: str | None = None
    name: str | None = None
    envelope: str | None = None
    others: JsonObject | None = None


def read_results(text: str, pointer: str, records: Records = Records.NONE) -> tuple[EntryResult, ...]:
    """Read each result of a text that consists of `<tool_response>` blocks; any other text is one result.

    Args:
        text: The entry's text.
        pointer: JSON pointer to the text.
        records: Whether the format writes `{"tool_call_id", "name", "content"}` inside the tags.
    """
    spans = wrapped_results(text)
    if not spans:
        return (_result(text, pointer, None, records),)
    return tuple(_result(_inner(span.of(text)), pointer, span, records) for span in spans)


_BEGIN: Final = f"{OPEN}\n"
_END: Final = f"\n{CLOSE}"


def rewrap_results(text: str) -> str:
    """Write the results of a text again, each within its tags, with one line break between all parts."""
    # Most texts are a single result that is written so already.
    if (
        text.startswith(_BEGIN)
        and text.find(_END, len(_BEGIN)) == len(text) - len(_END)
        and text.find(CLOSE) == len(text) - len(CLOSE)
    ):
        return text
    return wrap_results([_inner(span.of(text)) for span in wrapped_results(text)] or [text])


def is_wrapped(text: str) -> bool:
    """Whether a text consists of one or more `<tool_response>` blocks."""
    return bool(wrapped_results(text))


def wrapped_results(text: str) -> list[Span]:
    """Return the spans of the `<tool_response>` blocks; empty if the text contains anything else."""
    found: list[Span] = []
    position = _after_space(text, 0)
    while position < len(text):
        end = text.find(CLOSE, position) if text.startswith(OPEN, position) else -1
        if end < 0:
            return []
        found.append(Span(position, end + len(CLOSE)))
        position = _after_space(text, end + len(CLOSE))
    return found


def wrap_results(texts: Iterable[str]) -> str:
    """Write results as one text, each within its tags."""
    return "\n".join([f"{OPEN}\n{text}\n{CLOSE}" for text in texts])


def _after_space(text: str, position: int) -> int:
    match = _SPACE.match(text, position)
    return match.end() if match else position


def _inner(wrapped: str) -> str:
    """Return the text between the tags, without the line breaks next to them."""
    return wrapped[len(OPEN) : -len(CLOSE)].removeprefix("\n").removesuffix("\n")


def _result(text: str, pointer: str, span: Span | None, records: Records) -> EntryResult:
    record = _Record(text) if records is Records.NONE else _record(text)
    if records is Records.WHOLE:
        return EntryResult(text=text, name=record.name, pointer=pointer, span=span)
    return EntryResult(
        text=record.text,
        id=record.id,
        name=record.name,
        envelope=record.envelope,
        others=record.others or {},
        pointer=pointer,
        span=span,
    )


def _record(text: str) -> _Record:
    try:
        value = cast(JsonValue, json.loads(text))
    except (ValueError, RecursionError):
        return _Record(text)
    if not isinstance(value, dict):
        return _Record(text)
    fields = cast(JsonObject, value)
    # With other keys, it could be the result itself, unless it names the call that it answers.
    is_whole = fields.keys() >= _RECORD_KEYS and isinstance(fields["tool_call_id"], str)
    if not is_whole and (len(fields) < 2 or not fields.keys() <= _RECORD_KEYS):
        return _Record(text)
    content, call_id, name = fields.get("content"), fields.get("tool_call_id"), fields.get("name")
    return _Record(
        content if isinstance(content, str) else template_json(content),
        call_id if isinstance(call_id, str) else None,
        name if isinstance(name, str) else None,
        text,
        {key: other for key, other in fields.items() if key not in _RECORD_KEYS and other is not None},
    )


RenderResult = Callable[[Result], str]
"""Writes the text between the tags of a result."""


class TextEntry(NamedTuple):
    """An entry of `from` and `value` to be written."""

    role: Role
    text: str
    messages: tuple[RowMessage, ...]
    """One message, or the results of one round."""


def text_entries(messages: tuple[RowMessage, ...], spell_result: RenderResult) -> Iterator[TextEntry]:
    """Group messages into entries: results of one round share an entry.

    *Source:* `_convert_to_trajectory_format` of hermes-agent; chat templates of Hermes-3 and Qwen3.
    """
    index = 0
    while index < len(messages):
        message = messages[index]
        if message.role is Role.TOOL:
            group = (message, *results_after(messages, index))
            texts = [spell_result(answer.result) for answer in group if answer.result]
            yield TextEntry(Role.TOOL, wrap_results(texts), group)
            index += len(group)
        else:
            text = spell_parts(message.parts) if message.text is None else message.text
            yield TextEntry(message.role, text, (message,))
            index += 1


def bare_result(result: Result) -> str:
    """Write only the result's text."""
    return result.text


def keep_envelopes(draft: RowDraft) -> None:
    """Write the record around a result as the result's text, byte for byte. Its id and name are inside it."""
    wrapped = [
        result
        for message in draft.trajectory.messages + draft.trajectory.rejected
        if (result := message.result) and result.envelope is not None
    ]
    if not wrapped:
        return
    wrapped_ids = {result.id for result in wrapped if result.id is not None}

    def change(message: RowMessage) -> RowMessage:
        return replace(message, parts=tuple(_in_envelope(part, wrapped_ids) for part in message.parts))

    draft.rewrite(change)


def _in_envelope(part: Part, wrapped_ids: Collection[str]) -> Part:
    if isinstance(part, Result) and part.envelope is not None:
        return Result(text=part.envelope, name=part.name, others=part.others)
    return replace(part, id=None) if isinstance(part, Call) and part.id in wrapped_ids else part


def unwrap_results(draft: RowDraft) -> None:
    """Report results whose record is removed, because the format has fields for the id and the name."""

    def change(message: RowMessage) -> RowMessage:
        result = message.result
        if result is None or result.envelope is None:
            return message
        bare = replace(result, envelope=None)
        is_same = record_result(bare) == result.envelope
        draft.note(Addition.RESULTS_UNWRAPPED if is_same else Loss.ENVELOPE, message.place)
        return replace(message, parts=(bare,))

    draft.rewrite(change)


def record_result(result: Result) -> str:
    """Write `{"tool_call_id", "name", "content"}`. The content is a JSON value if that preserves its bytes.

    *Source:* `_convert_to_trajectory_format` of hermes-agent.
    """
    if result.envelope is not None:
        return result.envelope
    record = {"tool_call_id": result.id, "name": result.name, "content": _content(result.text)}
    return template_json({**record, **result.others})


def _content(text: str) -> JsonValue:
    if not text.startswith(("{", "[")):
        return text
    try:
        value = cast(JsonValue, json.loads(text))
        return value if template_json(value) == text else text
    except (ValueError, RecursionError):
        return text


OWN_KEYS: Final = frozenset({"from", "value"})
"""Members of an entry that have a meaning of their own."""


def has_place(_message: RowMessage, key: str, _value: JsonValue) -> bool:
    """Whether an entry of `from` and `value` can have this member beside its own."""
    return key not in OWN_KEYS


def has_same_text(message: RowMessage) -> bool:
    """Whether the text of a message is also its entry's `value`, so that positions in it stay right."""
    is_prose = len(message.parts) == 1 and isinstance(message.parts[0], Prose)
    return message.role in (Role.USER, Role.ASSISTANT) and (message.text is not None or is_prose)


def join_results(draft: RowDraft) -> None:
    """Drop the masks and other members of results that share an entry but differ in them."""
    if not has_keys(draft.trajectory):
        return

    def change(messages: tuple[RowMessage, ...]) -> Iterator[RowMessage]:
        index = 0
        while index < len(messages):
            first = messages[index]
            group = (first, *results_after(messages, index)) if first.role is Role.TOOL else (first,)
            yield from _joined(draft, group) if len(group) > 1 else group
            index += len(group)

    draft.rebuild(change)


def _joined(draft: RowDraft, group: tuple[RowMessage, ...]) -> Iterator[RowMessage]:
    first = group[0]
    shared = {
        key: value
        for key, value in first.others.items()
        if all(is_written_alike(message.others.get(key), value) for message in group)
    }
    is_one_mask = all(message.is_trained is first.is_trained for message in group)
    for message in group:
        for key in message.others.keys() - shared:
            draft.note(Loss.ENTRY_KEYS, message.place, key)
        if not is_one_mask and message.is_trained is not None:
            draft.note(Loss.LOSS_MASK, message.place)
        yield replace(message, others=shared, is_trained=first.is_trained if is_one_mask else None)


class FromValueEntry(NamedTuple):
    """An entry of `from` and `value`, with its text not parsed yet."""

    place: int
    fields: JsonObject
    role: Role | None
    speaker: str
    text: str
    findings: list[RowFinding]
    keys: EntryKeys

    @property
    def pointer(self) -> str:
        """JSON pointer to the entry."""
        return f"/conversations/{self.place}"

    @property
    def text_pointer(self) -> str:
        """JSON pointer to the entry's text."""
        return f"{self.pointer}/value"

    def report(self, code: str, message: str, below: str = "/value") -> None:
        """Add a finding about the entry."""
        pointer = self.pointer + below
        self.findings.append(RowFinding(code=code, message=message, entry=self.place, pointer=pointer))


def conversation_of(row: JsonObject) -> Sequence[JsonValue]:
    """Return the row's `conversations`; empty if it is not a list."""
    entries = row.get("conversations")
    return entries if isinstance(entries, list) else []


def has_from_value(row: JsonObject) -> bool:
    """Whether the entries of the row's conversation have `from`."""
    for entry in conversation_of(row):  # noqa: SIM110  twice as fast as `any` with a generator
        if isinstance(entry, dict) and "from" in entry:
            return True
    return False


def read_from_value(
    row: JsonObject, roles: Mapping[str, Role], form: str, findings: list[RowFinding]
) -> Iterator[FromValueEntry]:
    """Read each entry of the conversation.

    Args:
        row: The row.
        roles: Role by the entry's `from`.
        form: Name of the format, for messages.
        findings: Gets the problems.
    """
    if not isinstance(row.get("conversations"), list):
        message = "the row has no list in `conversations`"
        findings.append(RowFinding(code="missing-field", message=message, pointer="/conversations"))
    for place, value in enumerate(conversation_of(row)):
        fields = as_object(value)
        speaker, text = fields.get("from"), fields.get("value")
        role = roles.get(speaker) if isinstance(speaker, str) else None
        raw_entry = FromValueEntry(
            place,
            fields,
            role,
            str(speaker),
            text if isinstance(text, str) else "",
            findings,
            read_keys(fields, OWN_KEYS),
        )
        if role is None:
            raw_entry.report(
                "unknown-role", f"unknown speaker {speaker!r:.40}; {form} uses {', '.join(roles)}", "/from"
            )
        if not isinstance(text, str):
            raw_entry.report("missing-field", "the entry has no text in `value`; add it or remove the entry")
        for problem in raw_entry.keys.problems:
            raw_entry.report("mask-value", problem.message, f"/{problem.key}")
        yield raw_entry


def system_column(row: JsonObject) -> tuple[RowEntry, ...]:
    """Return the system text of the column `system`, if there is one. A system text in the conversation replaces it.

    *Source:* LLaMA-Factory's `SharegptDatasetConverter`.
    """
    text, entries = row.get("system"), conversation_of(row)
    has_own = bool(entries) and as_object(entries[0]).get("from") == "system"
    if not isinstance(text, str) or not text or has_own:
        return ()
    entry = RowEntry(
        place=-1, pointer="/system", role=Role.SYSTEM, speaker="system", text=text, text_pointer="/system"
    )
    return (entry,)
