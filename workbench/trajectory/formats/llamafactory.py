"""LLaMA-Factory's ShareGPT with tools: calls and results as entries, in strict order of turns."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from workbench.chat.json_value import JsonObject, JsonValue, as_object
from workbench.chat.message import Role
from workbench.hermes.spelling.tools import template_json
from workbench.trajectory.declared_tools import read_declarations
from workbench.trajectory.formats.row_format import RowFormat
from workbench.trajectory.formats.shared.call_texts import read_calls, tagged_calls
from workbench.trajectory.formats.shared.result_lists import split_lists
from workbench.trajectory.formats.shared.text_entries import (
    FromValueEntry,
    TextEntry,
    bare_result,
    conversation_of,
    has_from_value,
    has_place,
    join_results,
    read_from_value,
    system_column,
    text_entries,
    unwrap_results,
)
from workbench.trajectory.hermes_text import spell_parts
from workbench.trajectory.row import EntryResult, RowEntry, RowFinding, TrainingRow
from workbench.trajectory.trajectory import RowMessage, Trajectory
from workbench.trajectory.writing.additions import drop_tool_list, order_results
from workbench.trajectory.writing.losses import (
    drop_call_members,
    drop_columns,
    drop_ids,
    drop_keys,
    drop_mask,
    drop_preface,
    drop_preference,
    drop_result_names,
    flatten_parts,
    trim_prose,
    unwrap_tools,
)
from workbench.trajectory.writing.row_draft import Addition, RowDraft, RowOptions

SPEAKERS: Final[Mapping[str, Role]] = {
    "system": Role.SYSTEM,
    "human": Role.USER,
    "gpt": Role.ASSISTANT,
    "function_call": Role.ASSISTANT,
    "observation": Role.TOOL,
}
"""The `from` of an entry to its role. *Source:* LLaMA-Factory's `data/README.md`."""
_OWN: Final = ("conversations", "tools", "system")
_JOINT: Final = "\n</tool_response>\n<tool_response>\n"
"""Separator of results in one observation. *Source:* LLaMA-Factory's converter of OpenAI messages."""
THOUGHT: Final = re.compile(r"\s*+<think>\n?(.*?)\n?</think>\s*+", re.DOTALL)
"""A thought at the beginning of a text. *Source:* LLaMA-Factory's `FunctionFormatter` and `thought_words`."""


def read_entries(row: JsonObject, name: str, own: Collection[str]) -> TrainingRow:
    """Read the conversation, system text and tools of a row.

    Args:
        row: The row.
        name: Name of the format.
        own: Columns that the format uses.
    """
    findings: list[RowFinding] = []
    system = system_column(row)
    entries = (*system, *split_lists([*_entries(row, findings)]))
    unused = () if system or not row.get("system") else ("system",)
    return TrainingRow(
        format=name,
        fields=row,
        entries=entries,
        spells_calls=True,
        declarations=tuple(read_declarations(row, entries, findings)),
        columns={key: value for key, value in row.items() if key not in own or key in unused},
        findings=tuple(findings),
    )


def _entries(row: JsonObject, findings: list[RowFinding]) -> Iterator[RowEntry]:
    calls = 0
    for raw_entry in read_from_value(row, SPEAKERS, "llamafactory", findings):
        entry = _entry(raw_entry, calls)
        calls = len(entry.calls)
        yield entry


def _entry(raw_entry: FromValueEntry, calls: int) -> RowEntry:
    text, thought, calls_read, results = raw_entry.text, None, (), ()
    tagged_text = None
    if raw_entry.speaker == "function_call":
        thought, body = _without_thought(text)
        calls_read = tuple(read_calls(body, raw_entry.text_pointer, "function_call", raw_entry.report))
        if thought is not None and not THOUGHT.match(text):
            # The trainer looks for both tags, and takes such a thought for a part of the JSON.
            calls_read = tuple(
                call if call.problem else replace(call, fixes=(*call.fixes, "orphan-close-tag"))
                for call in calls_read
            )
        if any(call.problem or call.fixes for call in calls_read):
            tagged_text = text.removesuffix(body) + tagged_calls(body)
        text = ""
    elif raw_entry.role is Role.TOOL:
        results = tuple(
            EntryResult(text=result, pointer=raw_entry.text_pointer) for result in _results(text, calls)
        )
    return RowEntry(
        place=raw_entry.place,
        pointer=raw_entry.pointer,
        role=raw_entry.role,
        speaker=raw_entry.speaker,
        text=text,
        text_pointer=raw_entry.text_pointer,
        thought=thought,
        calls=calls_read,
        tagged_text=tagged_text,
        results=results,
        is_trained=raw_entry.keys.is_trained,
        others=raw_entry.keys.others,
    )


def _without_thought(text: str) -> tuple[str | None, str]:
    if match := THOUGHT.match(text):
        return match[1], text[match.end() :]
    # A template may have opened the thought in the prompt.
    thought, end, body = (
        ("", "", text) if text.lstrip().startswith(("{", "[")) else text.partition("</think>")
    )
    return (thought.strip(), body.lstrip()) if end else (None, text)


def _results(text: str, calls: int) -> Sequence[str]:
    """Split an observation into results, but only if it gives as many as there were calls before it."""
    pieces = text.split(_JOINT)
    return pieces if len(pieces) == calls else [text]


def has_llamafactory_entries(row: JsonObject) -> bool:
    """Whether the entries of the row have the speakers of LLaMA-Factory, and no others."""
    speakers = {str(as_object(entry).get("from")) for entry in conversation_of(row)}
    return has_from_value(row) and speakers <= SPEAKERS.keys()


def _fits(row: JsonObject) -> bool:
    for entry in conversation_of(row):
        if isinstance(entry, dict) and entry.get("from") in ("function_call", "observation"):
            return True
    if not isinstance(row.get("system"), str) or not has_llamafactory_entries(row):
        return False
    return as_object(conversation_of(row)[0]).get("from") == "human"


def add_tools_column(draft: RowDraft) -> None:
    """Report the empty list of tools of a row without tools: `dataset_info.json` names the column."""
    if not draft.trajectory.tools.specs:
        draft.note(Addition.TOOLS_COLUMN)


def _require_alternation(draft: RowDraft) -> None:
    """Refuse rows unless user or tool entries alternate with model entries, and the model's is the last.

    *Source:* LLaMA-Factory's `SharegptDatasetConverter`, which skips other rows.
    """
    messages = draft.trajectory.messages
    if messages and messages[0].role is Role.SYSTEM:
        messages = messages[1:]
    turn: Role | None = None
    for entry in text_entries(messages, bare_result):
        is_model = entry.role is Role.ASSISTANT
        if entry.role is Role.SYSTEM:
            draft.refuse("a system text is only allowed at the beginning", entry.messages[0])
        elif is_model is (turn is None or turn is Role.ASSISTANT):
            draft.refuse("user and model must alternate, starting with the user", entry.messages[0])
        turn = entry.role
    if turn is not Role.ASSISTANT:
        draft.refuse("the last message must be from the model")


def render_row(trajectory: Trajectory, _options: RowOptions) -> JsonObject:
    """Write a row with its conversation, system text, tools and other columns."""
    messages = trajectory.messages
    row: dict[str, JsonValue] = {}
    system = ""
    if messages and messages[0].role is Role.SYSTEM:
        system, messages = "".join(prose.text for prose in messages[0].prose), messages[1:]
    row["conversations"] = [_spelled(entry) for entry in text_entries(messages, bare_result)]
    if system:
        row["system"] = system
    row["tools"] = template_json([spec.function for spec in trajectory.tools.specs])
    return {**row, **trajectory.columns}


def _has_place(message: RowMessage, key: str, value: JsonValue) -> bool:
    """Whether a message becomes an entry that can have this member; a system text becomes a column."""
    return message.role is not Role.SYSTEM and has_place(message, key, value)


def _spelled(entry: TextEntry) -> JsonObject:
    return {**_own_fields(entry), **entry.messages[0].others}


def _own_fields(entry: TextEntry) -> JsonObject:
    message = entry.messages[0]
    if entry.role is Role.USER:
        return {"from": "human", "value": entry.text}
    if entry.role is Role.TOOL:
        return {
            "from": "observation",
            "value": _JOINT.join(
                result_message.result.text for result_message in entry.messages if result_message.result
            ),
        }
    return _spelled_calls(message) if message.calls else {"from": "gpt", "value": spell_parts(message.parts)}


def _spelled_calls(message: RowMessage) -> JsonObject:
    calls: list[JsonValue] = [{"name": call.name, "arguments": call.arguments} for call in message.calls]
    thought = "".join(f"<think>\n{thought_part.text}\n</think>\n\n" for thought_part in message.thoughts)
    return {"from": "function_call", "value": thought + template_json(calls if len(calls) > 1 else calls[0])}


DATASET_INFO: Final[JsonObject] = {"formatting": "sharegpt"}
COLUMNS: Final[JsonObject] = {"messages": "conversations", "system": "system", "tools": "tools"}
"""The columns of a conversation by the names that `dataset_info.json` uses.

*Source:* https://github.com/hiyouga/LLaMA-Factory/blob/main/data/README.md"""
STEPS: Final = (
    drop_tool_list,
    drop_call_members(),
    flatten_parts,
    drop_preface,
    trim_prose,
    order_results,
    unwrap_results,
    drop_ids,
    drop_result_names,
    drop_mask,
    unwrap_tools,
    drop_keys(_has_place),
    join_results,
    add_tools_column,
    _require_alternation,
)
"""The steps that bring a conversation into LLaMA-Factory's entries."""

LLAMAFACTORY: Final = RowFormat(
    name="llamafactory",
    joins_results=True,
    title="LLaMA-Factory's ShareGPT with tools: function_call and observation",
    fits=_fits,
    read=lambda row: read_entries(row, "llamafactory", _OWN),
    steps=(drop_preference, drop_columns(*_OWN), *STEPS),
    spell=render_row,
    dataset_info={**DATASET_INFO, "columns": COLUMNS},
)
