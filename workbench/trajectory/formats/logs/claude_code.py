"""Read the session logs of Claude Code.

*Source:* the npm package @anthropic-ai/claude-code, versions 1.0.100 and 2.1.197, and the logs that they write.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from workbench.chat.json_value import JsonObject, JsonValue, as_object
from workbench.trajectory.formats.anthropic import add_block, block_messages
from workbench.trajectory.formats.logs.session_log import Event, LogReading, is_log
from workbench.trajectory.formats.row_format import LogShape, RowFormat
from workbench.trajectory.formats.shared.message_builder import BuiltMessage, add_content
from workbench.trajectory.row import TrainingRow

_MESSAGES: Final = frozenset({"user", "assistant"})
_TITLES: Final = {"custom-title": "customTitle", "ai-title": "aiTitle", "summary": "summary"}
"""Key of the title by kind of event, the most important first."""
_KINDS: Final = re.compile(
    "user|assistant|custom-title|ai-title|summary|system|attachment|progress|result|rate_limit_event|checkpoint|tag|mode|"
    "ended-by-model|last-prompt|relocated|agent-(name|color|setting)|pr-link|frame-link|bridge-session|queue-operation|"
    "(file-history|attribution)-snapshot|speculation-accept|permission-mode|worktree-state|isolation-latch|"
    "content-replacement|fork-context-ref|marble-origami-(commit|snapshot|reset)"
)
"""Kinds of events that are known. Those that are not read are about the program, not the conversation."""
_COLUMNS: Final = {
    "id": "sessionId",
    "agent_id": "agentId",
    "cwd": "cwd",
    "git_branch": "gitBranch",
    "cli_version": "version",
    "timestamp": "timestamp",
}
_READ: Final = frozenset(
    {
        *("type", "message", "uuid", "parentUuid", "isSidechain", "isApiErrorMessage", "isMeta"),
        *_COLUMNS.values(),
        "session_id",
    }
)
_READ_OF_MESSAGE: Final = frozenset({"type", "role", "content", "id", "model"})
_COMPACTIONS: Final = frozenset({"compact_boundary", "microcompact_boundary"})


def _begins(event: JsonObject) -> bool:
    kind = event.get("type")
    if not isinstance(kind, str) or "messages" in event:
        return False
    if any(isinstance(event.get(key), str) for key in ("sessionId", "session_id", "parentUuid")):
        return True
    if kind in _MESSAGES:
        return isinstance(event.get("message"), dict)
    return (kind == "summary" and "leafUuid" in event) or (
        kind == "file-history-snapshot" and "snapshot" in event
    )


def _sessions(lines: Sequence[JsonValue]) -> Iterator[Sequence[JsonValue]]:
    """Yield the main conversation, then each subagent that older versions wrote into the same file."""
    agents = [*_agents(lines)]
    names = dict.fromkeys(agents)
    if len(names) <= 1:
        yield lines
        return
    has_main = any(
        agent == "" and as_object(line).get("type") in _MESSAGES
        for agent, line in zip(agents, lines, strict=True)
    )
    for name in names:
        if name or has_main:
            yield [line if agent == name else None for agent, line in zip(agents, lines, strict=True)]


def _agents(lines: Iterable[JsonValue]) -> Iterator[str]:
    """Yield whose line each is: empty for the main conversation, otherwise the subagent's id or first event."""
    roots: dict[JsonValue, str] = {}
    for number, line in enumerate(lines, start=1):
        event = as_object(line)
        if event.get("isSidechain") is not True:
            yield ""
            continue
        agent, parent = event.get("agentId"), event.get("parentUuid")
        known = roots.get(parent, "") if isinstance(parent, str) else ""
        name = agent if isinstance(agent, str) and agent else known or f"line {number}"
        if isinstance(uuid := event.get("uuid"), str):
            roots[uuid] = name
        yield name


def _read(row: JsonObject) -> TrainingRow:
    log = LogReading(row)
    log.column("harness", "claude_code")
    titles: dict[str, JsonValue] = {}
    left = _abandoned(log.events)
    ids: dict[JsonValue, BuiltMessage] = {}
    seen: set[str] = set()
    for event in log.events:
        fields = event.fields
        for column, key in _COLUMNS.items():
            log.column(column, fields.get(key))
        log.column("id", fields.get("session_id"))
        uuid = fields.get("uuid")
        if isinstance(uuid, str) and uuid in seen:
            continue
        if event.kind in _TITLES:
            titles[event.kind] = fields.get(_TITLES[event.kind])
        elif event.kind in _MESSAGES and isinstance(uuid, str) and uuid in left:
            log.report("log-left-out", "messages that the user went back from are not in the row", event.line)
        elif event.kind in _MESSAGES:
            if event.kind == "user" and not _is_result(as_object(fields.get("message")).get("content")):
                ids.clear()
            _read_message(log, event, ids)
        elif event.kind == "attachment":
            _read_attachment(log, event)
        elif event.kind == "system" and str(fields.get("subtype")) in _COMPACTIONS:
            log.report("log-compacted", "the conversation was summarized here", event.line)
        elif _KINDS.fullmatch(event.kind) is None:
            log.unknown(event, event.kind)
        if isinstance(uuid, str):
            seen.add(uuid)
    for kind in _TITLES:
        log.column("name", titles.get(kind))
    first = next((event for event in log.events if event.kind in _MESSAGES), Event(0, {})).fields
    if first.get("isSidechain") is True:
        # A subagent has the id of the session that started it.
        own = first.get("agentId") or first.get("uuid")
        log.column("parent_id", log.columns.get("id"))
        log.columns["id"] = f"agent-{own}"
    return log.finished("claude-code")


def _abandoned(events: Sequence[Event]) -> set[str]:
    """Return the ids of the events that follow a prompt which the user went back from, to write another.

    Both prompts then have the same parent. Results of parallel calls share parents too, so only prompts count.
    """
    by_parent: defaultdict[str, list[str]] = defaultdict(list)
    parents: dict[str, str] = {}
    for event in events:
        uuid = event.fields.get("uuid")
        parent = event.fields.get("parentUuid") or event.fields.get("logicalParentUuid")
        if isinstance(uuid, str) and isinstance(parent, str) and uuid not in parents:
            parents[uuid] = parent
            if _is_prompt(event):
                by_parent[parent].append(uuid)
    left = {uuid for prompts in by_parent.values() for uuid in prompts[:-1]}
    # Parents come before their children, so one pass is enough.
    for uuid, parent in parents.items() if left else ():
        if parent in left:
            left.add(uuid)
    return left


def _is_prompt(event: Event) -> bool:
    content = as_object(event.fields.get("message")).get("content")
    return event.kind == "user" and not _is_result(content) and event.fields.get("isMeta") is not True


def _is_result(content: JsonValue) -> bool:
    blocks = content if isinstance(content, list) else ()
    return any(as_object(block).get("type") == "tool_result" for block in blocks)


def _read_message(log: LogReading, event: Event, ids: dict[JsonValue, BuiltMessage]) -> None:
    """Read an event of the user or of the model."""
    message = as_object(event.fields.get("message"))
    log.unread.update(event.fields.keys() - _READ, message.keys() - _READ_OF_MESSAGE)
    if event.fields.get("isApiErrorMessage") is True or message.get("model") == "<synthetic>":
        log.report("log-left-out", "messages by the program for the model are not in the row", event.line)
        return
    content, place = message.get("content"), f"{event.pointer}/message"
    if event.kind == "assistant":
        spoken = _message_of(log, event, message, ids)
        for index, block in enumerate(content if isinstance(content, list) else ()):
            add_block(spoken, block, f"{place}/content/{index}")
        if isinstance(content, str):
            spoken.add_text(content, f"{place}/content")
    elif _is_result(content) or not (last := log.last_of("user")):
        log.messages.extend(block_messages({"role": "user", "content": content, **_time(event)}, place))
    else:
        # What the user and the program wrote one after the other is one message.
        add_content(last, content, f"{place}/content", before="\n\n")


def _message_of(
    log: LogReading, event: Event, message: JsonObject, ids: dict[JsonValue, BuiltMessage]
) -> BuiltMessage:
    """Return the message that an event of the model belongs to: there is an event for each block.

    Results of the first calls of a message may come before its last call.
    """
    message_id, model = message.get("id"), message.get("model")
    if isinstance(message_id, str) and message_id in ids:
        return ids[message_id]
    ids.clear()
    log.column("model", model)
    other_model = {} if model in (None, log.columns.get("model")) else {"model": model}
    spoken = BuiltMessage("assistant", f"{event.pointer}/message", {**_time(event), **other_model})
    log.messages.append(spoken)
    if isinstance(message_id, str):
        ids[message_id] = spoken
    return spoken


def _time(event: Event) -> JsonObject:
    time = event.fields.get("timestamp")
    return {"timestamp": time} if isinstance(time, str) else {}


def _read_attachment(log: LogReading, event: Event) -> None:
    """Read what the user wrote while the model worked; report what the program added to the context."""
    attachment = as_object(event.fields.get("attachment"))
    if attachment.get("type") != "queued_command":
        log.report("log-left-out", "context that the program attached is not in the row", event.line)
        return
    log.unread.update(event.fields.keys() - _READ - {"attachment"}, attachment.keys() - {"type", "prompt"})
    place = f"{event.pointer}/attachment"
    if (last := log.last_of("user")) is None:
        last = BuiltMessage("user", place, _time(event))
        log.messages.append(last)
    add_content(last, attachment.get("prompt"), f"{place}/prompt", before="\n\n")


CLAUDE_CODE: Final = RowFormat(
    name="claude-code",
    title="session logs of Claude Code (`~/.claude/projects`)",
    fits=lambda row: is_log(row, _begins),
    read=_read,
    log=LogShape(_begins, _sessions),
)
