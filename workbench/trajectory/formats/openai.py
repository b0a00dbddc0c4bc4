"""Read and write rows of `messages` and `tools`: OpenAI's fine-tuning format and TRL's tool conversations."""

from collections.abc import Iterator
from typing import Final

from workbench.chat.json_value import JsonObject, JsonValue, as_object
from workbench.trajectory.declared_tools import read_declarations
from workbench.trajectory.formats.row_format import RowFormat
from workbench.trajectory.formats.shared.chat_rows import (
    CALL_KEYS,
    Shape,
    has_place,
    has_same_content,
    read_messages,
    render_tools,
    spell_messages,
)
from workbench.trajectory.formats.shared.entry_keys import MASK_KEYS
from workbench.trajectory.formats.shared.text_entries import unwrap_results
from workbench.trajectory.row import RowFinding, TrainingRow
from workbench.trajectory.trajectory import Trajectory
from workbench.trajectory.writing.additions import drop_tool_list, order_results, require_ids
from workbench.trajectory.writing.argument_columns import report_big_integers
from workbench.trajectory.writing.losses import (
    drop_call_members,
    drop_columns,
    drop_details,
    drop_ids,
    drop_keys,
    drop_mask,
    drop_preference,
    drop_result_names,
    drop_thoughts,
    flatten_parts,
    lift_result_keys,
)

_OWN: Final = ("messages", "tools", "functions")
CHAT_COLUMNS: Final = (*_OWN, "conversations")
"""Columns that formats with chat messages need for themselves."""


def has_messages(row: JsonObject) -> bool:
    """Whether the messages of the row have `role` and `content`."""
    return _list_key(row) is not None


def _list_key(row: JsonObject) -> str | None:
    """Return `messages`, or `conversations` if its entries have roles, as Axolotl allows; None if neither."""
    for key in ("messages", "conversations"):
        messages = row.get(key)
        if isinstance(messages, list) and any("role" in as_object(entry) for entry in messages):
            return key
    return None


def tools_key(row: JsonObject) -> str:
    """Return the column that declares tools; old rows call it `functions`."""
    return "tools" if "tools" in row else "functions"


def chat_messages(row: JsonObject) -> list[JsonValue] | None:
    """Return the messages of the row; None if it has no list of them."""
    messages = row.get(_list_key(row) or "messages")
    return messages if isinstance(messages, list) else None


def read_chat_row(row: JsonObject, name: str, *, spells_calls: bool = False) -> TrainingRow:
    """Read a row of messages as the format with this name; `spells_calls` as in `TrainingRow`."""
    findings: list[RowFinding] = []
    key = _list_key(row) or "messages"
    messages = row.get(key)
    if not isinstance(messages, list):
        message = "the row has no list in `messages`"
        findings.append(RowFinding(code="missing-field", message=message, pointer=f"/{key}"))
        messages = []
    entries = read_messages(messages, f"/{key}", findings)
    return TrainingRow(
        format=name,
        fields=row,
        entries=entries,
        spells_calls=spells_calls,
        declarations=tuple(read_declarations(row, entries, findings, key=tools_key(row))),
        columns={name: value for name, value in row.items() if name not in (key, tools_key(row))},
        findings=tuple(findings),
    )


def _all_arguments(row: JsonObject) -> Iterator[JsonValue]:
    for message in chat_messages(row) or ():
        calls = as_object(message).get("tool_calls")
        for call in calls if isinstance(calls, list) else ():
            function = as_object(call)
            yield as_object(function.get("function", function)).get("arguments")


def _is_trl(row: JsonObject) -> bool:
    return has_messages(row) and any(isinstance(arguments, dict) for arguments in _all_arguments(row))


def _spell(trajectory: Trajectory, shape: Shape) -> JsonObject:
    row: dict[str, JsonValue] = {"messages": spell_messages(trajectory.messages, shape)}
    if trajectory.tools.specs:
        row["tools"] = render_tools(trajectory.tools)
    return {**row, **trajectory.columns}


CHAT_STEPS: Final = (
    drop_details(has_same_content),
    drop_tool_list,
    drop_call_members(CALL_KEYS | MASK_KEYS),
    flatten_parts,
    order_results,
    unwrap_results,
    lift_result_keys,
)
"""The first steps of all formats with chat messages."""
PLACE_KEYS: Final = drop_keys(has_place)
"""The step after the thoughts of messages are settled."""
TEXT_CALL_STEPS: Final = (
    drop_tool_list,
    drop_call_members(),
    flatten_parts,
    order_results,
    unwrap_results,
    lift_result_keys,
    drop_ids,
    drop_result_names,
    PLACE_KEYS,
)
"""The steps of formats whose calls are texts of a name and arguments, without ids."""
_FREE: Final = drop_columns(*CHAT_COLUMNS)

TRL: Final = RowFormat(
    name="trl",
    title="TRL's conversations with tools: arguments as objects",
    fits=_is_trl,
    could_be=lambda row: (
        has_messages(row) and not any(isinstance(value, str) for value in _all_arguments(row))
    ),
    read=lambda row: read_chat_row(row, "trl"),
    steps=(drop_preference, _FREE, *CHAT_STEPS, PLACE_KEYS, drop_mask, report_big_integers),
    spell=lambda trajectory, options: _spell(trajectory, Shape(options.arguments, names_results=True)),
    has_object_arguments=True,
)
OPENAI: Final = RowFormat(
    name="openai",
    title="OpenAI's fine-tuning rows: ids, arguments as a text of JSON",
    fits=has_messages,
    read=lambda row: read_chat_row(row, "openai"),
    steps=(drop_preference, _FREE, *CHAT_STEPS, require_ids, drop_result_names, drop_thoughts, PLACE_KEYS),
    spell=lambda trajectory, _terms: _spell(trajectory, Shape("text", names_results=False)),
    needs_text_arguments=True,
)
