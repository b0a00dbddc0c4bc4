"""Read the session logs of Codex CLI.

*Source:* https://github.com/openai/codex, `codex-rs/protocol/src/protocol.rs` and `models.rs`: `RolloutItem`.
"""

from typing import Final

from workbench.chat.json_value import JsonObject, JsonValue, as_object
from workbench.trajectory.formats.logs.session_log import Event, LogReading, is_log
from workbench.trajectory.formats.responses import ITEMS, ItemReader
from workbench.trajectory.formats.row_format import LogShape, RowFormat
from workbench.trajectory.formats.shared.message_builder import add_content, function_tools
from workbench.trajectory.row import TrainingRow

_CALLS: Final = {"local_shell_call": "action", "tool_search_call": "arguments"}
"""Key of the arguments of calls by their kind."""
_RESULTS: Final = {"local_shell_call_output": "output", "tool_search_output": "tools"}
"""Key of results by their kind."""
_ITEMS: Final = frozenset({*ITEMS, *_CALLS, *_RESULTS})
"""Items of the conversation. Until September 2025, they were events themselves."""
_LEFT: Final = {
    "web_search_call": "calls that the API answered itself",
    "image_generation_call": "calls that the API answered itself",
    "agent_message": "messages between agents",
}
_BOOKKEEPING: Final = frozenset({"ghost_snapshot", "configuration_update", "compaction_trigger"})
"""Items for Codex itself, which the model does not see."""
_COMPACTED: Final = frozenset({"compaction", "compaction_summary", "context_compaction"})
_KINDS: Final = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted"})
_UNREAD: Final = frozenset({"world_state", "inter_agent_communication", "inter_agent_communication_metadata"})
_META: Final = ("id", "timestamp", "cwd", "originator", "cli_version", "source", "forked_from_id", "git")
"""Members of `session_meta` that become columns."""
_SPEC: Final = {"inputSchema": "parameters"}
"""Key of a function spec by the key that Codex writes for a client's tool."""
_ENVELOPE: Final = ("timestamp", "type", "payload")
"""Members of an event beside those of its item."""
_DONE: Final = ("status", "completed")
_SUMMARY: Final = "the conversation was summarized here; the model then saw only the summary"


def _begins(event: JsonObject) -> bool:
    if str(event.get("type")) in _KINDS:
        return isinstance(event.get("payload"), dict)
    # Until September 2025, the first line had no type, and items were lines of their own.
    return "type" not in event and all(key in event for key in ("id", "timestamp", "instructions"))


def _read(row: JsonObject) -> TrainingRow:
    log = LogReading(row)
    reader = _reader_of(log)
    log.column("harness", "codex")
    model: JsonValue = None
    for event in log.events:
        item, place = _payload(event)
        count = len(log.messages)
        if event.kind == "session_meta" or (not event.kind and _begins(event.fields)):
            _read_meta(log, reader, item, place)
        elif event.kind == "turn_context":
            model = item.get("model")
            log.column("model", model)
            log.add_unread(item, ("model",))
        elif event.kind == "compacted":
            log.report("log-compacted", _SUMMARY, event.line)
        elif event.kind == "event_msg":
            if _take_back(log, item, event):
                reader, count = _reader_of(log), len(log.messages)
        elif event.kind == "response_item" or event.kind in _ITEMS:
            _read_item(log, reader, item, event)
        elif event.kind not in _UNREAD and "record_type" not in event.fields:
            log.unknown(event, event.kind)
        log.column("timestamp", event.fields.get("timestamp"))
        if item is not event.fields:
            log.add_unread(event.fields, _ENVELOPE)
        for message in log.messages[count:]:
            is_other = model != log.columns.get("model") and message.fields.get("role") == "assistant"
            facts = {"timestamp": event.fields.get("timestamp"), "model": model if is_other else None}
            message.keep(facts, (), "event")
    return log.finished("codex")


def _reader_of(log: LogReading) -> ItemReader:
    """Return a reader that adds to the messages of the log."""
    reader = ItemReader()
    reader.messages = log.messages
    return reader


def _payload(event: Event) -> tuple[JsonObject, str]:
    if "payload" in event.fields:
        return as_object(event.fields["payload"]), f"{event.pointer}/payload"
    return event.fields, event.pointer


def _read_meta(log: LogReading, reader: ItemReader, meta: JsonObject, place: str) -> None:
    """Read what begins the log. The log of a forked session repeats that of the other session."""
    if "id" in log.columns:
        return
    for key in _META:
        log.column(key, meta.get(key))
    base = as_object(meta.get("base_instructions"))
    key, below = ("base_instructions", "/text") if base.get("text") else ("instructions", "")
    text = base["text"] if below else meta.get(key)
    if isinstance(text, str) and text:
        reader.add("system", text, place, f"{place}/{key}{below}")
    log.add_unread(base, ("text",))
    log.add_unread(meta, ("type", key, "dynamic_tools"))
    listed = meta.get("dynamic_tools")
    if isinstance(listed, list) and listed:
        renamed = [{_SPEC.get(key, key): value for key, value in as_object(tool).items()} for tool in listed]
        log.tools = function_tools(renamed)[0]


def _read_item(log: LogReading, reader: ItemReader, item: JsonObject, event: Event) -> None:
    kind, place = str(item.get("type")), _payload(event)[1]
    role = "system" if item.get("role") == "developer" else item.get("role")
    last = log.last_of(role) if isinstance(role, str) and role in ("system", "user") else None
    if kind == "message" and last is not None:
        # Codex adds instructions and facts as messages of their own.
        add_content(last, item.get("content"), f"{place}/content", before="\n\n")
        last.keep(item, ("type", "role", "content"), kind)
    elif kind == "message" and isinstance(role, str):
        reader.read_item({**item, "role": role}, place)
    elif kind in ITEMS:
        reader.read_item({key: value for key, value in item.items() if (key, value) != _DONE}, place)
    elif kind in _CALLS:
        called = {"name": kind.removesuffix("_call"), **_renamed(item, _CALLS[kind], "arguments")}
        reader.read_item({**called, "type": "function_call"}, place)
    elif kind in _RESULTS:
        result = _renamed(item, _RESULTS[kind], "output")
        reader.read_item({**result, "type": "function_call_output"}, place)
    elif kind in _COMPACTED:
        log.report("log-compacted", _SUMMARY, event.line)
    elif kind in _LEFT:
        log.report("log-left-out", f"{_LEFT[kind]} are not in the row", event.line)
    elif kind not in _BOOKKEEPING:
        log.unknown(event, f"{event.kind}/{kind}")


def _renamed(item: JsonObject, key: str, name: str) -> JsonObject:
    return {name if member == key else member: value for member, value in item.items()}


def _take_back(log: LogReading, item: JsonObject, event: Event) -> bool:
    """Remove the turns that the user took back, if the event says so. Others repeat items or count tokens."""
    turns = item.get("num_turns")
    prompts = [index for index, message in enumerate(log.messages) if message.fields.get("role") == "user"]
    if item.get("type") != "thread_rolled_back" or not isinstance(turns, int) or turns < 1 or not prompts:
        return False
    del log.messages[prompts[-min(turns, len(prompts))] :]
    log.report("log-left-out", "turns that the user took back are not in the row", event.line)
    return True


CODEX: Final = RowFormat(
    name="codex",
    title="session logs of Codex CLI (`~/.codex/sessions`)",
    fits=lambda row: is_log(row, _begins),
    read=_read,
    log=LogShape(_begins),
)
