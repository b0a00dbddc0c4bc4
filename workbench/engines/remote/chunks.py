"""Convert the chunks of a streamed completion, chat or raw, to deltas.

*Source:* OpenAI's API reference, streaming of chat completions and completions. For reasoning: the documentation of
vLLM, SGLang and llama-server (`reasoning_content`), of Ollama and OpenRouter (`reasoning`), and of Mistral (parts of
the content).
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, cast

from workbench.chat.json_value import JsonObject, JsonValue, as_object
from workbench.engines.remote.call_pieces import CallIndexes
from workbench.hermes.spelling.tools import template_json
from workbench.rollout.ports import (
    Delta,
    EmittedToken,
    FinishReason,
    LikelyToken,
    StructuredCallPiece,
    Usage,
)

THOUGHT_FIELDS: Final = ("reasoning_content", "reasoning")
"""Fields in which servers send reasoning. Only the first one present is used, because some servers send both."""
MOST_TOKENS: Final = 1 << 31
"""A higher number cannot be a count of tokens."""
MOST_REASON_CHARS: Final = 40
"""An unknown finish reason is cut to this length."""
_FINISH_REASONS: Final[Mapping[str, FinishReason]] = {
    **dict.fromkeys(("stop", "tool_calls", "function_call"), FinishReason.STOP),
    # Of text-generation-inference, and of servers that pass on the reasons of other APIs.
    **dict.fromkeys(
        ("eos", "eos_token", "stop_sequence", "stop_token", "end_turn", "tool_use"), FinishReason.STOP
    ),
    **dict.fromkeys(("length", "max_tokens", "model_length"), FinishReason.LENGTH),
}
"""Reasons of finished completions, in lower case. Any other, such as `abort` or `content_filter`, is unfinished."""


class ChunkReader:
    """Reads the chunks of one completion in order."""

    def __init__(self) -> None:
        self.finish_reason: FinishReason | None = None
        """Why the server ended the completion. None until it says so."""
        self.problem = ""
        """Why the completion is unfinished, as a text for people. Empty if it is not."""
        self.has_any = False
        """True once a piece of the completion arrived."""
        self._usage: JsonObject = {}
        self._indexes = CallIndexes()
        self._unnamed: dict[int, None] = {}
        """Calls whose name may not be complete yet, because no arguments have arrived."""
        self._named_calls: set[int] = set()
        """Calls whose name was passed on."""

    def feed(self, chunk: JsonObject) -> Delta | None:
        """Return what the chunk adds to the completion, or None if it adds nothing."""
        self._usage = as_object(chunk.get("usage")) or self._usage
        choice = as_object(_first(chunk.get("choices")))
        reason = choice.get("finish_reason")
        if isinstance(reason, str) and reason:
            self.finish_reason = _FINISH_REASONS.get(reason.lower(), FinishReason.INTERRUPTED)
            if self.finish_reason is FinishReason.INTERRUPTED:
                self.problem = f"the server ended it with finish reason {_text(reason)[:MOST_REASON_CHARS]!r}"
        # A server that does not stream sends the complete `message` instead of a `delta`.
        added = as_object(choice.get("delta")) or as_object(choice.get("message"))
        content = added.get("content")
        thoughts = (*map(added.get, THOUGHT_FIELDS), _parts(content, "thinking"))
        delta = Delta(
            text=_text(choice.get("text")) + _parts(content, "text") + _text(added.get("refusal")),
            thought=next((text for value in thoughts if (text := _text(value))), ""),
            call_pieces=tuple(self._call_pieces(_call_entries(added))),
            tokens=tuple(_tokens(as_object(choice.get("logprobs")))),
        )
        if delta == Delta():
            return None
        self.has_any = True
        return delta

    def rest(self) -> Delta | None:
        """Return the calls that have no arguments, once the completion has ended. None if there are none."""
        pieces = tuple(self._named(index) for index in self._unnamed)
        self._unnamed.clear()
        return Delta(call_pieces=pieces) if pieces else None

    def usage(self) -> Usage:
        """Return the token counts that the server reported."""
        details = as_object(self._usage.get("prompt_tokens_details"))
        return Usage(
            prompt_tokens=_number(self._usage.get("prompt_tokens")),
            cached_tokens=_number(details.get("cached_tokens")),
            completion_tokens=_number(self._usage.get("completion_tokens")),
        )

    def _call_pieces(self, entries: JsonValue) -> Iterator[StructuredCallPiece]:
        self._indexes.begin_chunk()
        for entry in _list(entries):
            fields = as_object(entry)
            function = as_object(fields.get("function"))
            name, sent = _text(function.get("name")), function.get("arguments")
            arguments = _text(sent) if isinstance(sent, str) else _json(sent)
            index = self._indexes.index_of(fields, name=name, arguments=arguments)
            self.has_any = True
            for earlier in [known for known in self._unnamed if known < index]:
                del self._unnamed[earlier]
                yield self._named(earlier)
            if index in self._named_calls:
                yield StructuredCallPiece(index=index, arguments_text=arguments)
            elif arguments:
                self._unnamed.pop(index, None)
                yield self._named(index, arguments)
            else:
                self._unnamed[index] = None

    def _named(self, index: int, arguments: str = "") -> StructuredCallPiece:
        """Return the first piece of a call, whose name is complete."""
        self._named_calls.add(index)
        return StructuredCallPiece(
            index=index,
            name=self._indexes.name_of(index),
            arguments_text=arguments,
            id=self._indexes.id_of(index),
        )


def _parts(content: JsonValue, kind: str) -> str:
    """Return all parts of a content that have this type, `text` or `thinking`. A content that is a string is text.

    >>> _parts([{"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}], "thinking")
    'Hm.'
    """
    if not isinstance(content, list):
        return _text(content) if kind == "text" else ""
    parts = map(as_object, content)
    return "".join(_parts(part.get(kind), "text") for part in parts if part.get("type") == kind)


def _call_entries(added: JsonObject) -> JsonValue:
    """Return the entries of `tool_calls`. A server that only knows its predecessor, `function_call`, sends one call."""
    single = as_object(added.get("function_call"))
    return added.get("tool_calls") or ([{"index": 0, "function": single}] if single else None)


def _tokens(logprobs: JsonObject) -> Iterator[EmittedToken]:
    for entry in _list(logprobs.get("content")):
        fields = as_object(entry)
        others = map(as_object, _list(fields.get("top_logprobs")))
        yield EmittedToken(
            id=-1,
            text=_text(fields.get("token")),
            logprob=_float(fields.get("logprob")),
            likely=_likely((other.get("token"), other.get("logprob")) for other in others),
        )
    texts, values = _list(logprobs.get("tokens")), _list(logprobs.get("token_logprobs"))
    tops = _list(logprobs.get("top_logprobs"))
    for index, (text, value) in enumerate(zip(texts, values, strict=False)):
        likely = _likely(as_object(tops[index]).items()) if index < len(tops) else ()
        yield EmittedToken(id=-1, text=_text(text), logprob=_float(value), likely=likely)


def _likely(found: Iterable[tuple[JsonValue, JsonValue]]) -> tuple[LikelyToken, ...]:
    read = ((_text(text), _float(value)) for text, value in found)
    known = [LikelyToken(text, value) for text, value in read if value is not None]
    return tuple(sorted(known, key=lambda token: token.logprob, reverse=True))


def _first(value: JsonValue) -> JsonValue:
    return next(iter(_list(value)), None)


def _list(value: JsonValue) -> Sequence[JsonValue]:
    return value if isinstance(value, list) else ()


def _text(value: JsonValue) -> str:
    """Return the text. Half a surrogate pair, which is possible in JSON but not in UTF-8, is replaced."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else ""


def _json(value: JsonValue) -> str:
    """Return arguments that a server sends as an object, against the protocol, as JSON text."""
    return _text(template_json(value)) if isinstance(value, Mapping) else ""


def _number(value: JsonValue) -> int | None:
    is_count = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_TOKENS
    return cast(int, value) if is_count else None


def _float(value: JsonValue) -> float | None:
    """Return a number that can be a logprob, otherwise None: `1e999` is infinite, and a long integer does not fit."""
    if not isinstance(value, int | float) or abs(value) > MOST_TOKENS or math.isnan(value):
        return None
    return float(value)
