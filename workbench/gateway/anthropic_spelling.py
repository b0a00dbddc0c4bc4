"""Write chat answers as Anthropic's messages, as one document or as a stream of events, and errors as it writes them.

*Source:* https://docs.anthropic.com/en/api/messages-streaming, `/errors`, and the types of the `anthropic` package.
"""

from collections.abc import Iterable, Iterator
from secrets import token_hex
from typing import Final, cast

import orjson

from workbench.chat.json_value import JsonObject, JsonValue, as_object
from workbench.gateway.blocks import (
    Block,
    BlockClosed,
    BlockEvent,
    BlockGrown,
    BlockKind,
    BlockOpened,
    BlockWriter,
    block_changes,
)
from workbench.gateway.chat_answers import Report
from workbench.gateway.documents import typed_event_bytes, usage_of
from workbench.gateway.faults import RequestFault
from workbench.gateway.running import ChatEvent, FinishedChoice, Started
from workbench.hermes.written_out import CALL_CLOSE, opened_call

_KINDS: Final = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    504: "timeout_error",
    529: "overloaded_error",
}
_STOP_REASONS: Final = {"tool_calls": "tool_use", "length": "max_tokens"}


def anthropic_fault(fault: RequestFault) -> JsonObject:
    """Return the body of a response for a request that cannot be answered."""
    kind = _KINDS.get(fault.status) or ("invalid_request_error" if fault.status < 500 else "api_error")
    return {"type": "error", "error": {"type": kind, "message": fault.message}}


class AnthropicSpelling:
    """Writes answers as messages of Anthropic's API.

    A call is sent once it is complete. Clients read the start of its arguments as if it were all of them, so that they
    could run a call that was cut off.

    Args:
        model: The model's name as the client wrote it.
    """

    def __init__(self, model: str) -> None:
        self._model = model
        self._id = f"msg_{token_hex(12)}"
        self._blocks = BlockWriter()
        self._sent: list[Block] = []
        self.keep_alive: Final = typed_event_bytes({"type": "ping"})

    def whole(self, events: Iterable[ChatEvent], report: Report) -> JsonObject:
        """Return the message as one JSON body."""
        document = self._head()
        for event in self._documents(events, report):
            if event["type"] == "message_delta":
                ended = {key: event[key] for key in ("usage", "hermes")}
                document = {**document, **as_object(event["delta"]), **ended}
        return {**document, "content": [_content(block, block.text) for block in self._usable]}

    def stream(self, events: Iterable[ChatEvent], report: Report) -> Iterator[bytes]:
        """Yield the message as events."""
        return map(typed_event_bytes, self._documents(events, report))

    def broken(self, fault: RequestFault) -> bytes:
        """Return the last event of a stream that cannot be continued."""
        return typed_event_bytes(anthropic_fault(fault))

    def _documents(self, events: Iterable[ChatEvent], report: Report) -> Iterator[JsonObject]:
        for event in block_changes(events, self._blocks):
            if isinstance(event, Started):
                yield {"type": "message_start", "message": self._head()}
            elif isinstance(event, FinishedChoice):
                reason = _STOP_REASONS.get(event.finish_reason, "end_turn")
                if reason == "tool_use" and not any(block.call for block in self._usable):
                    reason = "end_turn"
                ended: JsonObject = {"usage": _usage(event), "hermes": report([event])}
                yield {
                    "type": "message_delta",
                    "delta": {"stop_reason": reason, "stop_sequence": None},
                    **ended,
                }
                yield {"type": "message_stop"}
            else:
                yield from self._changed(event)

    def _head(self) -> JsonObject:
        return {
            "id": self._id,
            "type": "message",
            "role": "assistant",
            "model": self._model,
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            # The tokens are counted once the answer is complete.
            "usage": {"input_tokens": 0, "output_tokens": 0},
        }

    def _changed(self, change: BlockEvent) -> Iterator[JsonObject]:
        block = change.block
        if block.kind is BlockKind.CALL:
            if isinstance(change, BlockClosed) and block.is_complete:
                yield from self._called(block)
            return
        match change:
            case BlockOpened():
                yield self._started(block)
            case BlockGrown(_, text) if block.kind is BlockKind.THOUGHT:
                yield self._grown({"type": "thinking_delta", "thinking": text})
            case BlockGrown(_, text):
                yield self._grown({"type": "text_delta", "text": text})
            case BlockClosed():
                yield self._stopped()

    @property
    def _usable(self) -> list[Block]:
        """What was sent, without calls that turned out to be in a thought."""
        return [block for block in self._sent if block.call is None or block.is_complete]

    def _called(self, block: Block) -> Iterator[JsonObject]:
        """Yield the events of a call. If its arguments are not an object, which this API requires, it is a text."""
        if block.call is None or _is_object(block.text):
            yield self._started(block)
            yield self._grown({"type": "input_json_delta", "partial_json": block.text})
        else:
            text = opened_call(block.call.name, before="") + block.text + CALL_CLOSE
            yield self._started(Block(BlockKind.TEXT, texts=[text]))
            yield self._grown({"type": "text_delta", "text": text})
        yield self._stopped()

    def _started(self, block: Block) -> JsonObject:
        self._sent.append(block)
        content = _content(block, "")
        return {"type": "content_block_start", "index": len(self._sent) - 1, "content_block": content}

    def _grown(self, delta: JsonObject) -> JsonObject:
        return {"type": "content_block_delta", "index": len(self._sent) - 1, "delta": delta}

    def _stopped(self) -> JsonObject:
        return {"type": "content_block_stop", "index": len(self._sent) - 1}


def _content(block: Block, text: str) -> JsonObject:
    """Return a block as Anthropic's API has it, with a text or the text of arguments, which stay as they are."""
    if block.call is not None:
        arguments = cast(JsonValue, orjson.Fragment(text or "{}"))
        return {"type": "tool_use", "id": block.call.id, "name": block.call.name, "input": arguments}
    if block.kind is BlockKind.THOUGHT:
        return {"type": "thinking", "thinking": text, "signature": ""}
    return {"type": "text", "text": text}


def _is_object(text: str) -> bool:
    """Return whether a text is a JSON object that every client can read."""
    try:
        return isinstance(orjson.loads(text), dict)
    except ValueError:
        return False


def _usage(choice: FinishedChoice) -> JsonObject:
    usage = usage_of([choice])
    cached = as_object(usage.get("prompt_tokens_details")).get("cached_tokens")
    return {
        "input_tokens": cast(int, usage["prompt_tokens"]) - cast(int, cached or 0),
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": cached,
        "output_tokens": usage["completion_tokens"],
        **({"estimated": True} if "estimated" in usage else {}),
    }
