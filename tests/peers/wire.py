"""How the software of servers writes OpenAI's protocol: the chunks of a stream and the bodies of errors.

*Source:* vLLM, `entrypoints/openai/chat_completion/serving.py` and `engine/serving.py`. SGLang, `serving_chat.py` and
`serving_base.py`. llama.cpp, `tools/server/server-common.cpp` and `server-task.cpp`. Ollama, `openai/openai.go`. The
plain server is OpenAI's own, by its API reference.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from tests.engines.remote.scripted_server import DONE, Answer, event, stream

Fields = Mapping[str, Any]
JSON: Final = {"Content-Type": "application/json"}


@dataclass(frozen=True, kw_only=True)
class Wire:
    """What a server's software writes."""

    name: str
    opening: Fields
    """The first delta of a stream."""
    choice_fields: Fields = field(default_factory=dict)
    """Additional fields of each choice."""
    thought_field: str = "reasoning_content"
    call_id: str = "call_0"
    later_entry: Fields = field(default_factory=dict)
    """Fields of an entry of `tool_calls` after its first, besides the index."""
    sends_name_first: bool = False
    """Whether the first entry of a call has the name alone."""
    sends_whole_calls: bool = False
    """Whether a call is one entry."""
    is_error_flat: bool = False
    """Whether the body of an error is the error itself, with `object`, instead of an object in `error`."""
    unauthorized: object = None
    """Body of status 401. None writes it as any other error."""

    def chunk(self, finish: str | None = None, **delta: object) -> bytes:
        """Return a chunk of a stream."""
        choice = {"index": 0, "delta": delta, "finish_reason": finish, **self.choice_fields}
        return event(
            {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}
        )

    def text(self, text: str) -> bytes:
        return self.chunk(content=text)

    def thought(self, text: str) -> bytes:
        return self.chunk(**{self.thought_field: text})

    def call(self, name: str, *arguments: str, index: int = 0) -> list[bytes]:
        """Return the chunks of a call whose arguments arrive in these pieces."""
        first = {"index": index, "id": f"{self.call_id}{index}", "type": "function"}
        if self.sends_whole_calls:
            entries = [{**first, "function": {"name": name, "arguments": "".join(arguments)}}]
        else:
            named = {"name": name} if self.sends_name_first else {"name": name, "arguments": ""}
            pieces = [{"arguments": piece, **self.later_entry} for piece in arguments]
            entries = [
                {**first, "function": named},
                *({"index": index, "function": piece} for piece in pieces),
            ]
        return [self.chunk(tool_calls=[entry]) for entry in entries]

    def stream(self, *pieces: bytes | float | None, end: str | None = "stop") -> Answer:
        """Return a complete stream: the opening, the pieces, the finish reason, the counts of tokens, and the end."""
        closing = (self.chunk(end), self.usage(), DONE) if end else ()
        return stream(self.chunk(**self.opening), *pieces, *closing)

    def usage(self) -> bytes:
        counts = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
        return event(
            {
                "id": "1",
                "object": "chat.completion.chunk",
                "created": 1,
                "model": "m",
                "choices": [],
                "usage": counts,
            }
        )

    def error_body(self, status: int, message: str, kind: str = "BadRequestError") -> object:
        if status == 401 and self.unauthorized is not None:
            return self.unauthorized
        error = {"message": message, "type": kind, "param": None, "code": status}
        return {"object": "error", **error} if self.is_error_flat else {"error": error}

    def refuse(self, status: int, message: str, **headers: str) -> Answer:
        body = json.dumps(self.error_body(status, message)).encode()
        return Answer(status=status, headers={**JSON, **headers}, pieces=(body,))

    def failed_chunk(self, message: str) -> bytes:
        """Return the event with which a stream reports an error."""
        error = {"message": message, "type": "InternalServerError", "param": None, "code": 500}
        return event({"error": {"object": "error", **error} if self.is_error_flat else error})

    def whole(self, message: Fields, finish: str = "stop", **fields: object) -> Answer:
        """Return an answer that is not streamed."""
        choice = {
            "index": 0,
            "message": {"role": "assistant", **message},
            "finish_reason": finish,
            **self.choice_fields,
        }
        counts = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
        document = {
            "id": "1",
            "object": "chat.completion",
            "created": 1,
            "model": "m",
            "choices": [choice],
            "usage": counts,
        }
        return document_of({**document, **fields})


def document_of(document: object, *, status: int = 200, headers: Mapping[str, str] = JSON) -> Answer:
    return Answer(status=status, headers=dict(headers), pieces=(json.dumps(document).encode(),))


def models(names: Sequence[str], owner: str) -> Answer:
    entries = [{"id": name, "object": "model", "created": 1, "owned_by": owner} for name in names]
    return document_of({"object": "list", "data": entries})


VLLM: Final = Wire(
    name="vllm",
    opening={"role": "assistant", "content": ""},
    choice_fields={"logprobs": None, "stop_reason": None, "token_ids": None},
    thought_field="reasoning",
    call_id="chatcmpl-tool-",
    sends_name_first=True,
    unauthorized={"error": "Unauthorized"},
)
SGLANG: Final = Wire(
    name="sglang",
    opening={"role": "assistant", "content": "", "reasoning_content": None, "tool_calls": None},
    choice_fields={"logprobs": None, "matched_stop": None},
    later_entry={"name": None},
    is_error_flat=True,
    unauthorized={"error": "Unauthorized"},
)
LLAMA_SERVER: Final = Wire(
    name="llama-server", opening={"role": "assistant", "content": None}, call_id="Xq3z"
)
OLLAMA: Final = Wire(
    name="ollama",
    opening={"role": "assistant", "content": ""},
    thought_field="reasoning",
    sends_whole_calls=True,
)
OPENAI: Final = Wire(
    name="openai",
    opening={"role": "assistant", "content": "", "refusal": None},
    choice_fields={"logprobs": None},
)
WIRES: Final = (VLLM, SGLANG, LLAMA_SERVER, OLLAMA, OPENAI)
