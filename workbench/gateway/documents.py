"""Write answers as OpenAI's protocol defines them.

*Source:* https://platform.openai.com/docs/api-reference/chat and `/completions`.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from secrets import token_hex
from typing import Final

import orjson

from workbench.chat.figures import known_sum
from workbench.chat.json_value import JsonObject, JsonValue, as_object
from workbench.engines.remote.request.openai_request import estimated_tokens
from workbench.gateway.answer import ArgumentsPiece, CallOpening, ContentPiece, ReasoningPiece
from workbench.gateway.running import FinishedChoice
from workbench.hermes.reading import SegmentKind
from workbench.rollout.ports import EmittedToken, Usage

DONE: Final = b"data: [DONE]\n\n"
COMMENT: Final = b": waiting\n\n"
"""Keeps a connection open. Clients ignore it."""


def event_bytes(document: object) -> bytes:
    """Return a server-sent event."""
    return b"data: " + orjson.dumps(document) + b"\n\n"


def typed_event_bytes(document: JsonObject) -> bytes:
    """Return a server-sent event that is named by its type."""
    return f"event: {document['type']}\n".encode() + event_bytes(document)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerHead:
    """The fields that all chunks of an answer share."""

    model: str
    """The name as the client wrote it."""
    id: str = field(default_factory=lambda: f"chatcmpl-{token_hex(12)}")
    created: int = field(default_factory=lambda: int(time.time()))

    def chunk(self, choices: Sequence[JsonValue], **further: JsonValue) -> JsonObject:
        """Return a chunk of a streamed chat answer."""
        return self._document("chat.completion.chunk", choices, further)

    def completion(self, choices: Sequence[JsonValue], **further: JsonValue) -> JsonObject:
        """Return a chat answer."""
        return self._document("chat.completion", choices, further)

    def text(self, choices: Sequence[JsonValue], **further: JsonValue) -> JsonObject:
        """Return a raw completion, or a chunk of one."""
        return self._document("text_completion", choices, further)

    def _document(self, kind: str, choices: Sequence[JsonValue], further: dict[str, JsonValue]) -> JsonObject:
        return {
            "id": self.id,
            "object": kind,
            "created": self.created,
            "model": self.model,
            "choices": list(choices),
            **further,
        }


def opening_choice(index: int) -> JsonObject:
    """Return the choice of the first chunk of an answer."""
    delta: JsonObject = {"role": "assistant", "content": ""}
    return {"index": index, "delta": delta, "logprobs": None, "finish_reason": None}


ShownPiece = ContentPiece | ReasoningPiece | CallOpening | ArgumentsPiece
"""The pieces that a chat completion has a field for."""


def piece_choice(index: int, piece: ShownPiece) -> JsonObject:
    """Return the choice of a chunk with a piece of an answer."""
    return {"index": index, "delta": _delta(piece), "logprobs": None, "finish_reason": None}


def _delta(piece: ShownPiece) -> JsonObject:
    match piece:
        case ContentPiece():
            return {"content": piece.text}
        case ReasoningPiece():
            return {"reasoning_content": piece.text}
        case CallOpening():
            function: JsonObject = {"name": piece.name, "arguments": ""}
            call: JsonObject = {
                "index": piece.number,
                "id": piece.id,
                "type": "function",
                "function": function,
            }
            return {"tool_calls": [call]}
        case ArgumentsPiece():
            return {"tool_calls": [{"index": piece.number, "function": {"arguments": piece.text}}]}


def closing_choice(choice: FinishedChoice, *, has_logprobs: bool) -> JsonObject:
    """Return the choice of the last chunk of an answer."""
    return {
        "index": choice.index,
        "delta": {},
        "logprobs": chat_logprobs(choice) if has_logprobs else None,
        "finish_reason": choice.finish_reason,
    }


def whole_choice(choice: FinishedChoice, *, has_logprobs: bool) -> JsonObject:
    """Return the choice of an answer that is not streamed."""
    sent = choice.sent
    message: dict[str, JsonValue] = {
        "role": "assistant",
        "content": "".join(sent.content) or None,
        "refusal": None,
    }
    if sent.reasoning:
        message["reasoning_content"] = "".join(sent.reasoning)
    if sent.complete_calls:
        message["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": "".join(call.arguments)},
            }
            for call in sent.complete_calls
        ]
    return {
        "index": choice.index,
        "message": message,
        "logprobs": chat_logprobs(choice) if has_logprobs else None,
        "finish_reason": choice.finish_reason,
    }


def chat_logprobs(choice: FinishedChoice) -> JsonObject | None:
    """Return the logprobs of the tokens of the content. None if the engine does not report any."""
    if not choice.tokens:
        return None
    prose = [segment.span for segment in choice.reading.segments if segment.kind is SegmentKind.PROSE]
    position = len(choice.ended.generation.prefill)
    entries: list[JsonValue] = []
    for token in choice.tokens:
        end = position + len(token.text)
        if token.logprob is not None and any(span.start < end and position < span.end for span in prose):
            entries.append(_logprob(token))
        position = end
    return {"content": entries, "refusal": None}


def _logprob(token: EmittedToken) -> JsonObject:
    likely: list[JsonValue] = [_logprob_fields(text, logprob) for text, logprob in token.likely]
    return {**_logprob_fields(token.text, token.logprob), "top_logprobs": likely}


def _logprob_fields(text: str, logprob: float | None) -> JsonObject:
    return {"token": text, "logprob": logprob, "bytes": list[JsonValue](text.encode(errors="replace"))}


def usage_of(choices: Sequence[FinishedChoice]) -> JsonObject:
    """Return the number of tokens of an answer. The prompt counts once, however many answers there are."""
    timings = [choice.ended.generation.timing for choice in choices]
    return usage_fields(
        [Usage(**{name: getattr(timing, name) for name in _COUNTS}) for timing in timings],
        prompt=choices[0].ended.generation.prompt_text if choices else "",
        written="".join(choice.raw for choice in choices),
    )


_COUNTS: Final = ("prompt_tokens", "cached_tokens", "completion_tokens")


def usage_fields(usages: Sequence[Usage], *, prompt: str, written: str) -> JsonObject:
    """Return numbers of tokens as the protocol names them.

    Clients calculate with these numbers, so what a server does not report is estimated, and `estimated` is true. A
    number of cached tokens cannot be estimated and is left out.

    Args:
        usages: The counts of each completion of the prompt.
        written: The text of all completions.
    """
    prompt_tokens, cached = (usages[0].prompt_tokens, usages[0].cached_tokens) if usages else (None, None)
    completion_tokens = known_sum(usage.completion_tokens for usage in usages)
    is_estimated = prompt_tokens is None or completion_tokens is None
    prompt_tokens = estimated_tokens(prompt) if prompt_tokens is None else prompt_tokens
    completion_tokens = estimated_tokens(written) if completion_tokens is None else completion_tokens
    return {
        "prompt_tokens": prompt_tokens,
        "completion_tokens": completion_tokens,
        "total_tokens": prompt_tokens + completion_tokens,
        **({} if cached is None else {"prompt_tokens_details": {"cached_tokens": cached}}),
        **({"estimated": True} if is_estimated else {}),
    }


def raw_logprobs(tokens: Sequence[EmittedToken]) -> JsonObject | None:
    """Return the logprobs of a raw completion. None if the engine does not report any."""
    if not tokens:
        return None
    offsets: list[JsonValue] = []
    position = 0
    for token in tokens:
        offsets.append(position)
        position += len(token.text)
    return {
        "tokens": [token.text for token in tokens],
        "token_logprobs": [token.logprob for token in tokens],
        "top_logprobs": [{**dict(token.likely), token.text: token.logprob} for token in tokens],
        "text_offset": offsets,
    }


def in_older_spelling(choice: JsonObject) -> JsonObject:
    """Return a choice with its call as `function_call`, for a client that offered `functions`."""
    choice = {**choice}
    for key in ("delta", "message"):
        message = dict(as_object(choice.get(key)))
        calls = message.pop("tool_calls", None)
        if isinstance(calls, list):
            message["function_call"] = as_object(calls[0]).get("function")
        if key in choice:
            choice[key] = message
    if choice.get("finish_reason") == "tool_calls":
        choice["finish_reason"] = "function_call"
    return choice
