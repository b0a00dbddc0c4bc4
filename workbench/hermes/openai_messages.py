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
from workbench.hermes.spelling.family import Family
from workbench.hermes.spelling.tools import template_json
from workbench.hermes.written_out import read_message, written_out


class ReadMessages(NamedTuple):
    """A conversation that was read from a chat API's messages."""

    conversation: Conversation
    findings: tuple[Finding, ...]
    """What published templates cannot handle. Pointers lead into the array of messages."""


def parse_messages(messages: Sequence[JsonValue], *, family: Family | None = None) -> ReadMessages:
    """Read a conversation from `[{"role", "content", "tool_calls"?, "reasoning_content"?, "name"?}, …]`.

    Missing content becomes an empty text, an object becomes its JSON, and a list of text parts is joined. Each of
    these is reported, because published templates crash on it or write Python's `repr`.

    Args:
        messages: The messages, oldest first.
        family: Report also on what the published template of this family crashes.

    *Source:* https://platform.openai.com/docs/api-reference/chat; `docs/reference/families.md` describes what templates
    do with these messages.

    Raises:
        BadInput: An entry is not an object, has no known role, or contains a call without a name.
    """
    findings: list[Finding] = []
    read = tuple(_message(entry, f"/{index}", findings) for index, entry in enumerate(messages))
    if family is not None and family.refuses_null_content:
        findings.extend(_null_contents(messages))
    return ReadMessages(Conversation(messages=read), tuple(findings))


def to_messages(conversation: Conversation) -> list[JsonObject]:
    """Return the messages as chat templates expect them. An assistant's raw text stays in `content`."""
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
        raise BadInput(
            f"messages, {pointer}", "the message is not an object", 'write {"role": …, "content": …}'
        )
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
    if content is None or content == []:
        if not fields.get("tool_calls"):
            findings.append(
                _warning("content-missing", "no content; read as an empty text", f"{pointer}/content")
            )
        elif content is not None:
            message = "content is an empty list; read as an empty text"
            findings.append(_warning("content-not-text", message, f"{pointer}/content"))
        return ""
    parts = _text_parts(content)
    message = (
        "content is a list of texts; they were joined"
        if parts is not None
        else "content is not text; it was written as JSON"
    )
    findings.append(_warning("content-not-text", message, f"{pointer}/content"))
    return template_json(content) if parts is None else "".join(parts)


def _null_contents(messages: Sequence[JsonValue]) -> Iterator[Finding]:
    for index, entry in enumerate(messages):
        fields = as_object(entry)
        if fields.get("tool_calls") and fields.get("content") is None:
            problem = "a revision of the published template crashes on null content; it was rendered anyway"
            yield _warning("template-would-crash", problem, f"/{index}/content")


def _text_parts(content: JsonValue) -> list[str] | None:
    """Return the texts of `[{"type": "text", "text": …}, …]`, or None for any other value."""
    if not isinstance(content, list):
        return None
    texts = [as_object(part).get("text") for part in content]
    return [cast(str, text) for text in texts] if all(isinstance(text, str) for text in texts) else None


def _calls(fields: JsonObject, pointer: str, findings: list[Finding]) -> Iterator[ToolCall]:
    if "tool_calls" not in fields:
        return
    entries = fields["tool_calls"]
    if not entries or not isinstance(entries, list):
        message = "tool_calls is empty; left out because some templates then lose the text or crash"
        findings.append(_warning("empty-tool-calls", message, f"{pointer}/tool_calls"))
        return
    for index, entry in enumerate(entries):
        place = f"{pointer}/tool_calls/{index}"
        # Chat APIs wrap the call in a `function`. Templates also accept it without the wrapper.
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
    if decoded is None:
        problem = "missing or null; read as {}" if arguments is None else "not an object"
        findings.append(_warning("arguments-not-object", f"arguments of {name!r} are {problem}", pointer))
    return ToolCall(name=name, arguments=decoded or {}, arguments_text=text)


def _object(text: str) -> JsonObject | None:
    try:
        value = cast(JsonValue, json.loads(text))
    except (ValueError, RecursionError):
        return None
    return cast(JsonObject, value) if isinstance(value, Mapping) else None


def _warning(code: str, message: str, pointer: str) -> Finding:
    return Finding(code=code, message=message, severity=Severity.WARNING, pointer=pointer)


def to_chat_request(conversation: Conversation) -> list[JsonObject]:
    """Return the messages of a chat API's request, oldest first.

    Calls without all of their results (of a turn that was stopped) and results without a call are written as text,
    because a server would refuse the request otherwise.
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
        results = _results_after(messages, place)
        text, calls = _prose_and_calls(message)
        if not calls or len(results) < len(calls):
            yield {"role": "assistant", "content": _as_plain_text(message)}
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


def _results_after(messages: Sequence[Message], place: int) -> Sequence[Message]:
    end = place
    while end < len(messages) and messages[end].role is Role.TOOL:
        end += 1
    return messages[place:end]


def _prose_and_calls(message: Message) -> tuple[str, Sequence[ToolCall]]:
    """Return the prose and the calls. Thoughts are left out, as chat templates leave them out of the history."""
    reading = read_message(message, tools=None)
    calls = [ToolCall(name=call.name, arguments=call.arguments) for call in reading.calls]
    return "".join(reading.prose).strip(), calls


def _as_plain_text(message: Message) -> str:
    """Return the message as text, without its thought."""
    if message.calls:
        return written_out(Message(role=message.role, text=message.text, calls=message.calls))
    reading = read_message(message, tools=None)
    return "".join(
        segment.text for segment in reading.segments if segment.kind is not SegmentKind.THOUGHT
    ).strip()


def _call_entry(call_id: str, call: ToolCall) -> JsonValue:
    function: JsonObject = {"name": call.name, "arguments": template_json(call.arguments)}
    return {"id": call_id, "type": "function", "function": function}
