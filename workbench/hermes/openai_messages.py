"""Convert conversations from and to the messages of chat APIs and chat templates."""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from typing import NamedTuple, cast

from workbench.chat.finding import Finding, Severity
from workbench.chat.json_value import JsonObject, JsonValue, as_object
from workbench.chat.message import Conversation, Message, Role, ToolCall
from workbench.errors import BadInput
from workbench.hermes.reading import SegmentKind
from workbench.hermes.spelling.tools import spelled_json
from workbench.hermes.written_out import read_message, written_out


class ReadMessages(NamedTuple):
    """What was made of the messages."""

    conversation: Conversation
    findings: tuple[Finding, ...]
    """What is not as templates expect it; pointers lead into the array of messages."""


def parse_messages(messages: Sequence[JsonValue]) -> ReadMessages:
    """The conversation of `[{"role", "content", "tool_calls"?, "reasoning_content"?, "name"?}, …]`.

    Text content that is missing is empty, an object is written as JSON, a list of text parts is joined; each
    is told, since published templates crash on it or write Python's `repr`.

    *Source:* OpenAI's chat messages; `docs/reference/families.md` for what templates make of them.

    Raises:
        BadInput: An entry is no message: not an object, or without a known role.
    """
    findings: list[Finding] = []
    read = tuple(_message(entry, f"/{index}", findings) for index, entry in enumerate(messages))
    return ReadMessages(Conversation(messages=read), tuple(findings))


def to_messages(conversation: Conversation) -> list[JsonObject]:
    """The messages as chat templates expect them; an assistant's raw text stays in `content`."""
    return [_fields(message) for message in conversation.messages]


def _fields(message: Message) -> JsonObject:
    fields: dict[str, JsonValue] = {"role": str(message.role), "content": message.text}
    if message.calls:
        fields["tool_calls"] = [_call_fields(call) for call in message.calls]
    if message.thought is not None:
        fields["reasoning_content"] = message.thought
    if message.name is not None:
        fields["name"] = message.name
    return fields


def _call_fields(call: ToolCall) -> JsonObject:
    arguments: JsonValue = call.arguments if call.arguments_text is None else call.arguments_text
    return {"type": "function", "function": {"name": call.name, "arguments": arguments}}


def _message(entry: JsonValue, pointer: str, findings: list[Finding]) -> Message:
    if not isinstance(entry, Mapping):
        raise BadInput(f"messages, {pointer}", "not an object", 'write {"role": …, "content": …}')
    fields = cast(JsonObject, entry)
    role = fields.get("role")
    if role not in tuple(Role):
        known = ", ".join(Role)
        raise BadInput(f"messages, {pointer}/role", f"unknown role {role!r}", f"use one of {known}")
    calls = tuple(_calls(fields, pointer, findings))
    thought = fields.get("reasoning_content", fields.get("reasoning"))
    name = fields.get("name")
    return Message(
        role=Role(cast(str, role)),
        text=_text(fields, pointer, findings),
        calls=calls,
        thought=thought if isinstance(thought, str) else None,
        name=name if isinstance(name, str) else None,
    )


def _text(fields: JsonObject, pointer: str, findings: list[Finding]) -> str:
    content = fields.get("content")
    if isinstance(content, str):
        return content
    if content is None:
        if not fields.get("tool_calls"):
            findings.append(_told("content-missing", "no content: read as empty text", f"{pointer}/content"))
        return ""
    parts = _text_parts(content)
    message = (
        "content is no text: its parts are joined"
        if parts is not None
        else "content is no text: written as JSON"
    )
    findings.append(_told("content-not-text", message, f"{pointer}/content"))
    return spelled_json(content) if parts is None else "".join(parts)


def _text_parts(content: JsonValue) -> list[str] | None:
    """The texts of `[{"type": "text", "text": …}, …]`; None where it is something else."""
    if not isinstance(content, list) or not content:
        return None
    texts = [as_object(part).get("text") for part in content]
    return [cast(str, text) for text in texts] if all(isinstance(text, str) for text in texts) else None


def _calls(fields: JsonObject, pointer: str, findings: list[Finding]) -> Iterator[ToolCall]:
    if "tool_calls" not in fields:
        return
    given = fields["tool_calls"]
    if not given or not isinstance(given, list):
        message = "tool_calls is empty: left out, for some templates then lose the text or crash"
        findings.append(_told("empty-tool-calls", message, f"{pointer}/tool_calls"))
        return
    for index, entry in enumerate(given):
        place = f"{pointer}/tool_calls/{index}"
        # Chat APIs wrap the call in a `function`; templates also take it bare.
        call = as_object(as_object(entry).get("function", entry))
        name = call.get("name")
        if not isinstance(name, str):
            raise BadInput(f"messages, {place}", "a call without a name", 'write {"function": {"name": …}}')
        yield _call(name, call.get("arguments"), f"{place}/function/arguments", findings)


def _call(name: str, arguments: JsonValue, pointer: str, findings: list[Finding]) -> ToolCall:
    if isinstance(arguments, Mapping):
        return ToolCall(name=name, arguments=cast(JsonObject, arguments))
    text = arguments if isinstance(arguments, str) else None
    decoded = None if text is None else _object(text)
    if decoded is None and arguments is not None:
        findings.append(_told("arguments-not-object", f"arguments of {name!r} are no object", pointer))
    return ToolCall(name=name, arguments=decoded or {}, arguments_text=text)


def _object(text: str) -> JsonObject | None:
    try:
        value = cast(JsonValue, json.loads(text))
    except (ValueError, RecursionError):
        return None
    return cast(JsonObject, value) if isinstance(value, Mapping) else None


def _told(code: str, message: str, pointer: str) -> Finding:
    return Finding(code=code, message=message, severity=Severity.WARNING, pointer=pointer)


def to_chat_request(conversation: Conversation) -> list[JsonObject]:
    """The messages of a request, oldest first.

    Calls whose results are not all there (a turn that was stopped) stay text, as do results without a call: a
    server would refuse the request otherwise.
    """
    return list(_entries(conversation.messages))


def _entries(messages: Sequence[Message]) -> Iterator[JsonObject]:
    ids = count(1)
    place = 0
    while place < len(messages):
        message = messages[place]
        place += 1
        if message.role is Role.TOOL:
            yield {"role": "user", "content": f"<tool_response>\n{message.text}\n</tool_response>"}
            continue
        if message.role is not Role.ASSISTANT:
            yield {"role": message.role.value, "content": message.text}
            continue
        results = _results_behind(messages, place)
        text, calls = _parted(message)
        if not calls or len(results) < len(calls):
            yield {"role": "assistant", "content": _content_alone(message)}
            continue
        named = [(f"call_{next(ids)}", call) for call in calls]
        yield {
            "role": "assistant",
            "content": text,
            "tool_calls": [_call_entry(call_id, call) for call_id, call in named],
        }
        for (call_id, _), result in zip(named, results, strict=False):
            yield {"role": "tool", "tool_call_id": call_id, "content": result.text}
        place += len(calls)


def _results_behind(messages: Sequence[Message], place: int) -> Sequence[Message]:
    end = place
    while end < len(messages) and messages[end].role is Role.TOOL:
        end += 1
    return messages[place:end]


def _parted(message: Message) -> tuple[str, Sequence[ToolCall]]:
    """Prose and calls; thoughts are left out, as models' own templates leave them out of the history."""
    reading = read_message(message, tools=None)
    calls = [ToolCall(name=call.name, arguments=call.arguments) for call in reading.calls]
    return "".join(reading.prose).strip(), calls


def _content_alone(message: Message) -> str:
    """The message as text, its thought left out."""
    if message.calls:
        return written_out(Message(role=message.role, text=message.text, calls=message.calls))
    reading = read_message(message, tools=None)
    return "".join(
        segment.text for segment in reading.segments if segment.kind is not SegmentKind.THOUGHT
    ).strip()


def _call_entry(call_id: str, call: ToolCall) -> JsonValue:
    function: JsonObject = {"name": call.name, "arguments": spelled_json(call.arguments)}
    return {"id": call_id, "type": "function", "function": function}
