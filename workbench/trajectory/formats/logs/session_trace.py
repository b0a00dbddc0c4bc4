"""Read and write the session traces that the Hugging Face Hub shows: one session per file, a header, then messages.

Pi's sessions, which have the same envelopes, are read as well.

*Source:* https://huggingface.co/docs/hub/session-traces-format
"""

from dataclasses import replace
from datetime import datetime
from hashlib import blake2b
from math import isfinite
from typing import Final

from workbench.chat.json_value import JsonObject, JsonValue, as_object
from workbench.chat.message import Role
from workbench.hermes.spelling.tools import template_json
from workbench.trajectory.formats.anthropic import add_block
from workbench.trajectory.formats.logs.session_log import TRACES, Event, LogReading, is_log
from workbench.trajectory.formats.row_format import LogShape, RowFormat
from workbench.trajectory.formats.shared.chat_rows import render_tools
from workbench.trajectory.formats.shared.message_builder import BuiltMessage, chat_call
from workbench.trajectory.formats.shared.text_entries import unwrap_results
from workbench.trajectory.row import TrainingRow
from workbench.trajectory.trajectory import Call, RowMessage, Trajectory
from workbench.trajectory.writing.additions import drop_tool_list, order_results, require_ids
from workbench.trajectory.writing.losses import (
    drop_call_members,
    drop_columns,
    drop_keys,
    drop_mask,
    drop_preference,
    drop_result_names,
    flatten_parts,
)
from workbench.trajectory.writing.row_draft import Addition, Loss, RowDraft, RowOptions

HARNESS: Final = "hermes-workbench"
"""The harness of traces whose rows do not name one."""
_PI: Final = frozenset(
    {
        *("session_info", "model_change", "thinking_level_change", "compaction", "branch_summary", "custom"),
        *("custom_message", "label"),
    }
)
"""Other kinds of events in Pi's sessions."""
_OWN: Final = ("type", "tools")
_ENVELOPE: Final = frozenset({"type", "message", "id", "parentId"})
"""Members of an event that are about the log: the ids of it and of the event before it."""
_SECONDS_BELOW: Final = 100_000_000_000
"""Times below it are in seconds: as milliseconds, they would be before 1973."""
_MESSAGE: Final = ("role", "content", "reasoningContent", "toolCalls", "toolCallId", "isError", "model")


def _begins(event: JsonObject) -> bool:
    return event.get("type") == "session" and isinstance(event.get("id"), str) and "messages" not in event


def _read(row: JsonObject) -> TrainingRow:
    log = LogReading(row)
    for event in log.events:
        if event.kind == "session":
            log.tools = event.fields.get("tools")
            for name, value in event.fields.items():
                if name not in _OWN:
                    log.columns.setdefault(name, value)
        elif event.kind == "message":
            log.messages.append(_read_message(log, event))
        elif event.kind == "model_change":
            log.column("model", event.fields.get("modelId"))
        elif event.kind in ("compaction", "branch_summary"):
            log.report("log-compacted", "the conversation was summarized here", event.line)
        elif event.kind not in _PI:
            log.unknown(event, event.kind)
    return log.finished("session-trace")


def _read_message(log: LogReading, event: Event) -> BuiltMessage:
    fields, place = as_object(event.fields.get("message")), f"{event.pointer}/message"
    role, model = fields.get("role"), fields.get("model")
    others = {key: value for key, value in fields.items() if key not in _MESSAGE}
    for key, value in event.fields.items():
        if key in others or key in _MESSAGE:
            log.unread.add(key)
        elif key not in _ENVELOPE:
            others[key] = value
    if role == "assistant" and model is not None:
        log.column("model", model)
        if model != log.columns.get("model"):
            others["model"] = model
    if role == "toolResult":
        role, others = "tool", {**others, **({"is_error": True} if fields.get("isError") else {})}
    known_id = {"tool_call_id": fields["toolCallId"]} if fields.get("toolCallId") is not None else {}
    message = BuiltMessage(role, place, {**others, **known_id})
    if isinstance(thought := fields.get("reasoningContent"), str):
        message.add_thought(thought)
    content = fields.get("content")
    for index, block in enumerate(content if isinstance(content, list) else ()):
        _add_pi_block(message, block, f"{place}/content/{index}")
    if content and not isinstance(content, list):
        message.add_text(content, f"{place}/content")
    calls = fields.get("toolCalls")
    for index, value in enumerate(calls if isinstance(calls, list) else ()):
        call, where = as_object(value), f"{place}/toolCalls/{index}"
        function = as_object(call.get("function"))
        rest = {key: value for key, value in call.items() if key not in ("type", "function")}
        chat = chat_call({**rest, **function}, "id", "arguments")
        message.add_call(chat, (where, f"{where}/function/arguments"))
    return message


def _add_pi_block(message: BuiltMessage, value: JsonValue, place: str) -> None:
    block = as_object(value)
    if block.get("type") != "toolCall":
        add_block(message, value, place)
        return
    message.add_call(chat_call(block, "id", "arguments"), (place, f"{place}/arguments"))


def _plain_message_keys(draft: RowDraft) -> None:
    """Write times as epoch milliseconds, and a model only where it is not the session's."""
    model = draft.trajectory.columns.get("model")

    def change(message: RowMessage) -> RowMessage:
        others = dict(message.others)
        time = _milliseconds(others.get("timestamp"))
        if time is not None and time != others["timestamp"]:
            draft.note(Addition.TIMESTAMPS)
            others["timestamp"] = time
        if message.role is Role.ASSISTANT and others.get("model") == model:
            others.pop("model", None)
        return message if others == message.others else replace(message, others=others)

    draft.rewrite(change)


def _milliseconds(time: JsonValue) -> int | None:
    """Return a time in milliseconds since 1970, or None if it is not a time with a known zone.

    >>> _milliseconds("2026-01-02T03:04:05.678Z"), _milliseconds(1767323045.678), _milliseconds("noon")
    (1767323045678, 1767323045678, None)
    """
    if isinstance(time, str):
        try:
            moment = datetime.fromisoformat(time)
        except ValueError:
            return None
        return None if moment.tzinfo is None else round(moment.timestamp() * 1000)
    if isinstance(time, bool) or not isinstance(time, (int, float)) or not isfinite(time):
        return None
    return round(time * 1000) if abs(time) < _SECONDS_BELOW else round(time)


def _has_place(_message: RowMessage, key: str, value: JsonValue) -> bool:
    is_time = key == "timestamp" and isinstance(value, int) and not isinstance(value, bool)
    return is_time or (key == "model" and isinstance(value, str))


def _name_session(draft: RowDraft) -> None:
    """Give the session what the header must have: an id and a harness. Both, and its name, are texts."""
    columns = dict(draft.trajectory.columns)
    for key in ("id", "harness", "name"):
        if key in columns and not (isinstance(columns[key], str) and columns[key]):
            draft.note(Loss.COLUMN, detail=key)
            del columns[key]
    session = columns.get("session")
    if "id" not in columns and isinstance(session, str) and session:
        columns["id"] = session
    elif "id" not in columns:
        draft.note(Addition.SESSION_ID)
        text = template_json(_messages(draft.trajectory))
        columns["id"] = blake2b(text.encode(errors="surrogatepass"), digest_size=8).hexdigest()
    draft.trajectory = replace(draft.trajectory, columns={"harness": HARNESS, **columns})


def _spell(trajectory: Trajectory, _options: RowOptions) -> JsonObject:
    tools: JsonObject = {"tools": render_tools(trajectory.tools)} if trajectory.tools.specs else {}
    header: JsonObject = {"type": "session", **trajectory.columns, **tools}
    return {TRACES: [header, *_messages(trajectory)]}


def _messages(trajectory: Trajectory) -> list[JsonValue]:
    model = trajectory.columns.get("model")
    return [{"type": "message", "message": _message(message, model)} for message in trajectory.messages]


def _message(message: RowMessage, model: JsonValue) -> JsonObject:
    result = message.result
    text = "".join(prose.text for prose in message.prose) if result is None else result.text
    fields: dict[str, JsonValue] = {"role": str(message.role), "content": text}
    if message.thoughts:
        fields["reasoningContent"] = message.thoughts[0].text
    if message.calls:
        fields["toolCalls"] = [_call(call) for call in message.calls]
    if result is not None and result.id is not None:
        fields["toolCallId"] = result.id
    if message.role is Role.ASSISTANT and isinstance(model, str):
        fields["model"] = model
    return {**fields, **message.others}


def _call(call: Call) -> JsonObject:
    text = template_json(call.arguments) if call.arguments_text is None else call.arguments_text
    return {"id": call.id, "function": {"name": call.name, "arguments": text}}


SESSION_TRACE: Final = RowFormat(
    name="session-trace",
    title="session traces that the Hugging Face Hub shows: a header, then one message on each line",
    fits=lambda row: is_log(row, _begins),
    read=_read,
    steps=(
        drop_preference,
        drop_columns(*_OWN),
        drop_tool_list,
        drop_call_members(),
        flatten_parts,
        order_results,
        unwrap_results,
        require_ids,
        drop_result_names,
        drop_mask,
        _plain_message_keys,
        drop_keys(_has_place),
        _name_session,
    ),
    spell=_spell,
    log=LogShape(_begins),
)
