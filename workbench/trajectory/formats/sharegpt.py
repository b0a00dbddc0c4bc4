"""Read and write entries of `from` and `value` with calls and thoughts in the text, as in Hermes' datasets."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Final, NamedTuple, cast

from workbench.chat.json_value import JsonObject, JsonValue, as_object
from workbench.chat.message import Role
from workbench.hermes.spelling.tools import template_json
from workbench.trajectory.declared_tools import read_declarations
from workbench.trajectory.formats.row_format import RowFormat
from workbench.trajectory.formats.shared.result_lists import split_lists
from workbench.trajectory.formats.shared.text_entries import (
    FromValueEntry,
    Records,
    RenderResult,
    bare_result,
    conversation_of,
    has_from_value,
    has_place,
    has_same_text,
    is_wrapped,
    join_results,
    keep_envelopes,
    read_from_value,
    read_results,
    record_result,
    system_column,
    text_entries,
)
from workbench.trajectory.hermes_text import spell_parts
from workbench.trajectory.row import RowEntry, RowFinding, TrainingRow
from workbench.trajectory.trajectory import Call, Prose, Result, RowMessage, Trajectory
from workbench.trajectory.writing.additions import (
    add_tool_list,
    assign_ids,
    fill_source,
    match_call_form,
    order_results,
)
from workbench.trajectory.writing.losses import (
    drop_columns,
    drop_details,
    drop_ids,
    drop_keys,
    drop_new_call_members,
    drop_preference,
    drop_result_names,
    refuse_partial_answers,
    trim_prose,
)
from workbench.trajectory.writing.row_draft import Loss, RowDraft, RowOptions

_EMPTY_THOUGHT: Final = "<think>\n</think>\n"


def assign_result_ids(draft: RowDraft) -> None:
    """Give ids to calls with a result, and remove the ids of other calls: the format stores ids only in results."""
    refuse_partial_answers(draft)
    answered: dict[int, int] = {}
    for message, results in draft.rounds():
        answered[id(message)] = len(results)

    def change(message: RowMessage) -> RowMessage:
        calls = message.calls[answered.get(id(message), 0) :]
        if not any(call.id is not None for call in calls):
            return message
        draft.note(Loss.IDS, message.place)
        unanswered = {id(call) for call in calls}
        parts = (
            replace(part, id=None) if isinstance(part, Call) and id(part) in unanswered else part
            for part in message.parts
        )
        return replace(message, parts=tuple(parts))

    draft.rewrite(change)
    assign_ids(draft, answered_only=True)


def lead_with_thought(draft: RowDraft) -> None:
    """Begin every message of the model with a thought, which is empty if the model had none."""

    def change(message: RowMessage) -> RowMessage:
        if message.role is not Role.ASSISTANT:
            return message
        text = message.text
        if text is None or (message.thoughts and not text.startswith("<think>")):
            text = spell_parts(message.parts)
        if text.startswith("<think>"):
            return replace(message, text=text)
        parts = message.parts
        first = parts[0] if parts else None
        if isinstance(first, Prose) and first.text != first.text.lstrip():
            draft.note(Loss.WHITE_SPACE, message.place)
            left = first.text.lstrip()
            parts = (*([Prose(text=left)] if left else []), *parts[1:])
            text = text.lstrip()
        return replace(message, parts=parts, text=_EMPTY_THOUGHT + text)

    draft.rewrite(change)


def fill_agent_columns(draft: RowDraft) -> None:
    """Add the columns `completed` and `tool_stats`, which counts calls and failures of every offered tool.

    *Source:* `batch_runner.py` of hermes-agent.
    """
    trajectory = draft.trajectory
    last = trajectory.messages[-1] if trajectory.messages else None
    is_completed = last is not None and last.role is Role.ASSISTANT and not last.calls
    computed: JsonObject = {"completed": is_completed, "tool_stats": _tool_stats(trajectory)}
    missing = {key: value for key, value in computed.items() if key not in trajectory.columns}
    draft.trajectory = replace(trajectory, columns={**trajectory.columns, **missing})


def _tool_stats(trajectory: Trajectory) -> JsonObject:
    counts = {name: {"count": 0, "success": 0, "failure": 0} for name in trajectory.tools.names}
    for result in _results(trajectory):
        stats = counts.setdefault(result.name or "", {"count": 0, "success": 0, "failure": 0})
        stats["count"] += 1
        stats["failure" if has_failed(result.text) else "success"] += 1
    return counts


def _results(trajectory: Trajectory) -> Iterator[Result]:
    return (message.result for message in trajectory.messages if message.result is not None)


def has_failed(text: str) -> bool:
    """Whether a result reports a failure. *Source:* `_extract_tool_stats` in hermes-agent's `batch_runner.py`.

    >>> has_failed('{"error": "no such file"}'), has_failed('{"error": null}'), has_failed("")
    (True, False, True)
    """
    if not text or text.lower().startswith("error:"):
        return True
    try:
        fields = as_object(cast(JsonValue, json.loads(text)))
    except (ValueError, RecursionError):
        return False
    inner = as_object(fields.get("content"))
    return any(
        record.get("error") is not None or record.get("success") is False for record in (fields, inner)
    )


SPEAKERS: Final[Mapping[str, Role]] = {
    "system": Role.SYSTEM,
    "human": Role.USER,
    "user": Role.USER,
    "gpt": Role.ASSISTANT,
    "assistant": Role.ASSISTANT,
    "tool": Role.TOOL,
    "ipython": Role.TOOL,
}
"""The `from` of an entry to its role."""
WRITTEN: Final = {Role.SYSTEM: "system", Role.USER: "human", Role.ASSISTANT: "gpt", Role.TOOL: "tool"}
"""The `from` that is written for each role."""
_WITHOUT_RESULTS: Final = ("system", "gpt")
"""The `from` of most long texts, which hold no results."""
_OWN: Final = ("conversations", "tools")


class _Variant(NamedTuple):
    """What distinguishes formats with the same entries."""

    name: str
    records: Records


def _read(row: JsonObject, variant: _Variant) -> TrainingRow:
    findings: list[RowFinding] = []
    entries = split_lists(
        [_entry(raw_entry, variant) for raw_entry in read_from_value(row, SPEAKERS, variant.name, findings)]
    )
    system = system_column(row)
    own, entries = (*_OWN, "system") if system else _OWN, (*system, *entries)
    return TrainingRow(
        format=variant.name,
        fields=row,
        entries=entries,
        spells_calls=True,
        fills_thoughts=variant.records is Records.UNWRAPPED,
        declarations=tuple(read_declarations(row, entries, findings)),
        columns={key: value for key, value in row.items() if key not in own},
        findings=tuple(findings),
    )


def _entry(raw_entry: FromValueEntry, variant: _Variant) -> RowEntry:
    role = raw_entry.role
    if role is Role.USER and is_wrapped(raw_entry.text):
        role = Role.TOOL
    results = ()
    if role is Role.TOOL:
        results = read_results(raw_entry.text, raw_entry.text_pointer, variant.records)
    return RowEntry(
        place=raw_entry.place,
        pointer=raw_entry.pointer,
        role=role,
        speaker=raw_entry.speaker,
        text=raw_entry.text,
        text_pointer=raw_entry.text_pointer,
        results=results,
        is_trained=raw_entry.keys.is_trained,
        others=raw_entry.keys.others,
    )


def _reader(name: str, records: Records) -> Callable[[JsonObject], TrainingRow]:
    return lambda row: _read(row, _Variant(name, records))


_AGENT_COLUMNS: Final = frozenset({"tool_stats", "completed", "prompt_index", "api_calls"})


def _is_agent(row: JsonObject) -> bool:
    return (not _AGENT_COLUMNS.isdisjoint(row) or _has_call_ids(row)) and has_from_value(row)


def _has_call_ids(row: JsonObject) -> bool:
    """Whether a result is a record with the id of its call."""
    for entry in conversation_of(row):
        if isinstance(entry, dict) and entry.get("from") not in _WITHOUT_RESULTS:
            value = entry.get("value")
            if isinstance(value, str) and '"tool_call_id"' in value:
                return True
    return False


def _is_v1(row: JsonObject) -> bool:
    return ("subcategory" in row or ("category" in row and "task" in row)) and has_from_value(row)


def _spell(trajectory: Trajectory, options: RowOptions, spell_result: RenderResult) -> JsonObject:
    words = {**WRITTEN, Role.TOOL: "human" if options.result_role == "user" else "tool"}
    entries: list[JsonValue] = []
    for entry in text_entries(trajectory.messages, spell_result):
        fields: dict[str, JsonValue] = {"from": words[entry.role], "value": entry.text}
        if entry.messages[0].is_trained is not None:
            fields["weight"] = int(entry.messages[0].is_trained)
        entries.append({**fields, **entry.messages[0].others})
    specs = template_json([spec.document for spec in trajectory.tools.specs])
    return {"conversations": entries, "tools": specs, **trajectory.columns}


def _has_led_text(message: RowMessage) -> bool:
    """Whether `lead_with_thought` leaves the text of a message alone."""
    is_led = message.role is not Role.ASSISTANT or (message.text or "").startswith("<think>")
    return is_led and has_same_text(message)


_TEXT_STEPS: Final = (
    drop_preference,
    drop_columns(*_OWN),
    order_results,
)
_PLAIN_STEPS: Final = (
    drop_details(has_same_text),
    *_TEXT_STEPS,
    drop_keys(has_place),
    join_results,
    keep_envelopes,
    drop_ids,
    drop_result_names,
    trim_prose,
    drop_new_call_members,
)

SHAREGPT: Final = RowFormat(
    name="sharegpt",
    title="Hermes' ShareGPT rows: conversations, tools as a text of JSON, source",
    fits=has_from_value,
    read=_reader("sharegpt", Records.NONE),
    steps=(*_PLAIN_STEPS, add_tool_list(), match_call_form, fill_source),
    spell=lambda trajectory, options: _spell(trajectory, options, bare_result),
)
HERMES_AGENT: Final = RowFormat(
    name="hermes-agent",
    title="rows that hermes-agent saves: a thought in every answer, results as records",
    fits=_is_agent,
    read=_reader("hermes-agent", Records.UNWRAPPED),
    steps=(
        drop_details(_has_led_text),
        *_TEXT_STEPS,
        drop_keys(has_place, writes_records=True),
        join_results,
        assign_result_ids,
        trim_prose,
        drop_new_call_members,
        add_tool_list("hermes-agent"),
        match_call_form,
        lead_with_thought,
        fill_agent_columns,
    ),
    spell=lambda trajectory, options: _spell(trajectory, options, record_result),
)
HERMES_V1: Final = RowFormat(
    name="hermes-function-calling-v1",
    title="rows of NousResearch/hermes-function-calling-v1",
    fits=_is_v1,
    read=_reader("hermes-function-calling-v1", Records.WHOLE),
)
