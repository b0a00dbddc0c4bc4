"""A conversation as a chat API takes it: calls as structure, each with an id, each answered once.

A completion that holds its calls as text is read first, so that a conversation goes on with another kind of engine.

*Source:* OpenAI's chat messages: every `tool_calls[].id` is answered by one message with that `tool_call_id`, and
`arguments` is a text.
"""

from collections.abc import Iterator, Sequence
from itertools import count

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.chat.message import Conversation, Message, Role, ToolCall
from workbench.hermes.reading import SegmentKind
from workbench.hermes.spelling.tools import spelled_json
from workbench.hermes.written_out import read_message, written_out


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
