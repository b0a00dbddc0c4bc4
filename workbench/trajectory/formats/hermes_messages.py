"""Read and write messages whose content holds calls, results and thoughts as Hermes' text."""

from collections.abc import Iterator
from typing import Final

from workbench.chat.json_value import JsonObject, JsonValue, as_object
from workbench.chat.message import Role
from workbench.trajectory.formats.openai import CHAT_COLUMNS, chat_messages, has_messages, read_chat_row
from workbench.trajectory.formats.row_format import RowFormat
from workbench.trajectory.formats.shared.chat_rows import content_text, has_place, render_tools
from workbench.trajectory.formats.shared.text_entries import (
    bare_result,
    has_same_text,
    is_wrapped,
    join_results,
    keep_envelopes,
    text_entries,
)
from workbench.trajectory.hermes_text import has_marks
from workbench.trajectory.trajectory import RowMessage, Trajectory
from workbench.trajectory.writing.additions import drop_tool_list, match_call_form, order_results
from workbench.trajectory.writing.losses import (
    drop_columns,
    drop_details,
    drop_ids,
    drop_keys,
    drop_new_call_members,
    drop_preference,
    drop_result_names,
    trim_prose,
)
from workbench.trajectory.writing.row_draft import Addition, RowDraft, RowOptions

_STRUCTURED: Final = ("tool_calls", "function_call", "reasoning_content")


def _fits(row: JsonObject) -> bool:
    return _could_be(row) and any(_marked(row))


def _could_be(row: JsonObject) -> bool:
    """Whether nothing in the row is outside of the texts."""
    return has_messages(row) and not any(
        message.get(key) for message in _messages(row) for key in _STRUCTURED
    )


def _messages(row: JsonObject) -> Iterator[JsonObject]:
    return map(as_object, chat_messages(row) or ())


def _marked(row: JsonObject) -> Iterator[bool]:
    """Yield for each message whether its content has the tags that belong to its role."""
    for message in _messages(row):
        text = content_text(message) or ""
        is_model = message.get("role") == "assistant"
        yield "<" in text and (has_marks(text) if is_model else is_wrapped(text))


def _without_frame(draft: RowDraft) -> None:
    """Remove the sentences around the tools from system texts: a chat template writes its own."""

    def change(message: RowMessage) -> RowMessage:
        if message.role is not Role.SYSTEM or message.text is None:
            return message
        if message.text != "".join(prose.text for prose in message.prose):
            draft.note(Addition.TOOL_PROMPT_REMOVED, message.place)
        return message.with_parts(*message.parts)

    draft.rewrite(change)


def _spell(trajectory: Trajectory, _options: RowOptions) -> JsonObject:
    messages: list[JsonValue] = []
    for entry in text_entries(trajectory.messages, bare_result):
        message = entry.messages[0]
        # A chat template writes the tags of results around the content of `tool`, but not of `user`.
        role = Role.USER if entry.role is Role.TOOL else entry.role
        fields: dict[str, JsonValue] = {"role": str(role), "content": entry.text}
        if message.is_trained is not None:
            fields["weight"] = int(message.is_trained)
        messages.append({**fields, **message.others})
    tools: JsonObject = {"tools": render_tools(trajectory.tools)} if trajectory.tools.specs else {}
    return {"messages": messages, **tools, **trajectory.columns}


HERMES_MESSAGES: Final = RowFormat(
    name="hermes-messages",
    title="messages with Hermes' text: calls, results and thoughts inside the content",
    fits=_fits,
    could_be=_could_be,
    read=lambda row: read_chat_row(row, "hermes-messages", spells_calls=True),
    steps=(
        drop_details(has_same_text),
        drop_preference,
        drop_columns(*CHAT_COLUMNS),
        order_results,
        drop_keys(has_place),
        join_results,
        keep_envelopes,
        drop_ids,
        drop_result_names,
        trim_prose,
        drop_new_call_members,
        _without_frame,
        drop_tool_list,
        match_call_form,
    ),
    spell=_spell,
)
