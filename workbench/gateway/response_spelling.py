"""Write chat answers as OpenAI's responses, as one document or as a stream of typed events.

*Source:* https://platform.openai.com/docs/api-reference/responses-streaming and the types of the `openai` package.
"""

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import count
from secrets import token_hex
from typing import Final

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
from workbench.gateway.documents import (
    COMMENT,
    DONE,
    chat_logprobs,
    typed_event_bytes,
    usage_of,
    whole_choice,
)
from workbench.gateway.faults import RequestFault
from workbench.gateway.preparing import PreparedChat
from workbench.gateway.response_requests import ResponsesRequest
from workbench.gateway.running import ChatEvent, FinishedChoice, Started
from workbench.rollout.ports import FinishReason

_PREFIXES: Final = {BlockKind.THOUGHT: "rs", BlockKind.TEXT: "msg", BlockKind.CALL: "fc"}
_DELTAS: Final = {
    BlockKind.THOUGHT: "response.reasoning_text",
    BlockKind.TEXT: "response.output_text",
    BlockKind.CALL: "response.function_call_arguments",
}
"""Events of more text, without `.delta` and `.done`."""

_EMPTY_TOOL: Final[JsonObject] = {"description": None, "parameters": None, "strict": None}


class ResponseSpelling:
    """Writes answers as responses.

    Args:
        form: The request.
        chat: The same as a prepared chat request.
        keep: Called with the finished response, and with its answer as a chat message. None keeps nothing.
    """

    keep_alive = COMMENT

    def __init__(
        self,
        form: ResponsesRequest,
        chat: PreparedChat,
        keep: Callable[[JsonObject, JsonObject], None] | None,
    ) -> None:
        self._form = form
        self._chat = chat
        self._keep = keep
        self._key = token_hex(24)
        self._created = int(time.time())
        self._numbers = count()
        self._blocks = BlockWriter()

    def whole(self, events: Iterable[ChatEvent], report: Report) -> JsonObject:
        """Return the response as one JSON body."""
        document: JsonObject = {}
        for event in self._documents(events, report):
            document = as_object(event.get("response"))
        return document

    def stream(self, events: Iterable[ChatEvent], report: Report) -> Iterator[bytes]:
        """Yield the response as typed events."""
        yield from map(typed_event_bytes, self._documents(events, report))
        yield DONE

    def broken(self, fault: RequestFault) -> bytes:
        """Return the last events of a stream that cannot be continued."""
        code = fault.code if fault.code == "rate_limit_exceeded" else "server_error"
        error: JsonObject = {"code": code, "message": fault.message}
        if self._blocks.blocks:
            self._blocks.blocks[-1].is_complete = False
        # A text may still wait for the end of the call before it.
        changes = self._blocks.finish(is_cut_off=True)
        events = [event for change in changes for event in self._changed(change)]
        events.append(self._event("response.failed", response=self._response("failed", error=error)))
        return b"".join(map(typed_event_bytes, events))

    def _documents(self, events: Iterable[ChatEvent], report: Report) -> Iterator[JsonObject]:
        for event in block_changes(events, self._blocks):
            if isinstance(event, Started):
                for kind in ("response.created", "response.in_progress"):
                    yield self._event(kind, response=self._response("in_progress"))
            elif isinstance(event, FinishedChoice):
                yield self._finished(event, report)
            else:
                yield from self._changed(event)

    def _finished(self, choice: FinishedChoice, report: Report) -> JsonObject:
        is_cut_off = choice.finish_reason == "length"
        status = "incomplete" if is_cut_off else "completed"
        response = self._response(
            status,
            output=self._output(choice),
            incomplete_details={"reason": "max_output_tokens"} if is_cut_off else None,
            completed_at=None if is_cut_off else int(time.time()),
            usage=_usage(choice),
            hermes=report([choice]),
        )
        # A client that hung up has only a part of the answer.
        was_stopped = choice.ended.generation.finish_reason is FinishReason.CANCELLED
        if self._keep is not None and not was_stopped:
            self._keep(response, as_object(whole_choice(choice, has_logprobs=False)["message"]))
        return self._event(f"response.{status}", response=response)

    def _output(self, choice: FinishedChoice | None) -> list[JsonValue]:
        """Return the items of the answer, without calls that must not be run."""
        blocks = [block for block in self._blocks.blocks if block.call is None or block.is_complete]
        items = [self._item(block) for block in blocks]
        logprobs = as_object(chat_logprobs(choice)).get("content") if choice else None
        message = next((item for item in items if item["type"] == "message"), None)
        if message is not None and logprobs and self._form.wants_logprobs:
            content = message["content"]
            assert isinstance(content, list)
            content[0] = {**as_object(content[0]), "logprobs": logprobs}
        return list(items)

    def _changed(self, change: BlockEvent) -> Iterator[JsonObject]:
        block = change.block
        place: JsonObject = {"item_id": self._item_id(block), "output_index": block.index}
        is_call = block.kind is BlockKind.CALL
        # Only texts are parts of a content.
        in_part: JsonObject = place if is_call else {**place, "content_index": 0}
        logprobs: JsonObject = {"logprobs": []} if block.kind is BlockKind.TEXT else {}
        match change:
            case BlockOpened():
                item = self._opened_item(block)
                yield self._event("response.output_item.added", output_index=block.index, item=item)
                if not is_call:
                    yield self._event("response.content_part.added", **in_part, part=_part(block, ""))
            case BlockGrown(_, text):
                yield self._event(f"{_DELTAS[block.kind]}.delta", **in_part, delta=text, **logprobs)
            case BlockClosed():
                done: JsonObject = {"arguments": block.text} if is_call else {"text": block.text}
                name: JsonObject = {"name": block.call.name} if block.call else {}
                yield self._event(f"{_DELTAS[block.kind]}.done", **in_part, **done, **name, **logprobs)
                if not is_call:
                    yield self._event("response.content_part.done", **in_part, part=_part(block, block.text))
                item = self._item(block)
                yield self._event("response.output_item.done", output_index=block.index, item=item)

    def _number(self, given: float | None, local: float) -> float:
        """Return a number of the sampling. A server's own default is not known; that of the protocol is 1."""
        return given if given is not None else 1.0 if self._chat.is_remote else local

    def _event(self, kind: str, **fields: JsonValue) -> JsonObject:
        return {"type": kind, "sequence_number": next(self._numbers), **fields}

    def _item_id(self, block: Block) -> str:
        return f"{_PREFIXES[block.kind]}_{self._key}{block.index:04d}"

    def _opened_item(self, block: Block) -> JsonObject:
        empty: JsonObject = {"arguments": ""} if block.call else {"content": []}
        return {**self._item(block), **empty, "status": "in_progress"}

    def _item(self, block: Block) -> JsonObject:
        status = "completed" if block.is_complete else "incomplete"
        head: JsonObject = {"id": self._item_id(block), "status": status}
        if block.call is not None:
            call: JsonObject = {"call_id": block.call.id, "name": block.call.name, "arguments": block.text}
            return {**head, "type": "function_call", **call}
        content: list[JsonValue] = [_part(block, block.text)]
        if block.kind is BlockKind.THOUGHT:
            return {**head, "type": "reasoning", "summary": [], "content": content}
        return {**head, "type": "message", "role": "assistant", "content": content}

    def _response(self, status: str, **fields: JsonValue) -> JsonObject:
        form = self._form
        return {
            "id": f"resp_{self._key}",
            "object": "response",
            "created_at": self._created,
            "completed_at": None,
            "status": status,
            "background": False,
            "error": None,
            "incomplete_details": None,
            "instructions": form.instructions,
            "max_output_tokens": form.max_output_tokens,
            "max_tool_calls": None,
            "metadata": form.metadata or {},
            "model": form.model,
            "output": self._output(None),
            "parallel_tool_calls": form.parallel_tool_calls is not False,
            "presence_penalty": form.presence_penalty or 0,
            "frequency_penalty": form.frequency_penalty or 0,
            "previous_response_id": form.previous_response_id,
            "prompt_cache_key": None,
            "reasoning": {"effort": (form.reasoning or {}).get("effort"), "summary": None},
            "safety_identifier": None,
            "service_tier": "default",
            "store": form.store is not False,
            "temperature": self._number(form.temperature, self._chat.setup.sampling.temperature),
            "text": {"format": {"type": "text"}, **(form.text or {})},
            "tool_choice": form.tool_choice or "auto",
            "tools": [{**_EMPTY_TOOL, **tool} for tool in form.tools or ()],
            "top_logprobs": form.top_logprobs or 0,
            "top_p": self._number(form.top_p, self._chat.setup.sampling.top_p),
            "truncation": "disabled",
            "usage": None,
            "user": form.user,
            **fields,
        }


def response_fault(fault: RequestFault) -> JsonObject:
    """Return the body of a response for a request that cannot be answered. Its messages are the `input`."""
    return replace(fault, param="input" if fault.param == "messages" else fault.param).document


def _part(block: Block, text: str) -> JsonObject:
    if block.kind is BlockKind.THOUGHT:
        return {"type": "reasoning_text", "text": text}
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}


def _usage(choice: FinishedChoice) -> JsonObject:
    usage = usage_of([choice])
    cached = as_object(usage.get("prompt_tokens_details")).get("cached_tokens")
    return {
        "input_tokens": usage["prompt_tokens"],
        # This field is required, so it is also 0 if the number is not known.
        "input_tokens_details": {"cached_tokens": cached or 0, "cache_write_tokens": 0},
        "output_tokens": usage["completion_tokens"],
        # Tokens of thoughts are not counted apart.
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": usage["total_tokens"],
        **({"estimated": True} if "estimated" in usage else {}),
    }
