"""Servers that answer as vLLM, SGLang, llama-server and others do, with a model whose text is given.

*Source:* vLLM, `entrypoints/openai`: `required` and named choices are applied by a schema; unknown fields are ignored.
SGLang, `serving_chat.py`: likewise. llama.cpp, `common/chat.cpp`: a tool choice that is not a text is read as `auto`,
and a grammar is refused together with tools, unless the choice is `none`. Ollama, `openai.go`: `tool_choice` is not read, `response_format` is.
llama-cpp-python, `server/types.py` and `llama_chat_format.py`: a `response_format` with a schema is refused, `required` is
read as `auto`, and `grammar` is applied unless a tool is named.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from tests.engines.remote.scripted_server import DONE, Answer, RecordedRequest, delta, piece, refused, stream
from workbench.rollout.server_abilities import ServerAbilities

MARKS: Final = "~~~~"
"""The text that the grammar of a probe demands."""
Fields = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class FakeSoftware:
    """What a server's software does."""

    owner: str
    """The field `owned_by` of its models."""
    model_fields: tuple[tuple[str, object], ...] = ()
    grammar_field: tuple[str, ...] = ()
    """Where it reads the grammar of a raw completion. Empty if it applies none."""
    has_raw: bool = True
    has_logprobs: bool = True
    has_schema: bool = True
    refuses_schema: bool = False
    named: str = "object"
    """How it takes a named choice: `object`, `text` (only `required`) or `ignored`."""
    has_required: bool = True
    """Whether it applies `required`, unless it ignores all choices."""
    has_chat_grammar: bool = False
    """Whether a grammar constrains its chat answers."""


VLLM: Final = FakeSoftware(
    owner="vllm",
    model_fields=(("max_model_len", 4096),),
    grammar_field=("structured_outputs", "grammar"),
)
OLD_VLLM: Final = FakeSoftware(owner="vllm", grammar_field=("guided_grammar",))
SGLANG: Final = FakeSoftware(owner="sglang", model_fields=(("max_model_len", 8192),), grammar_field=("ebnf",))
LLAMA_SERVER: Final = FakeSoftware(
    owner="llamacpp", grammar_field=("grammar",), named="text", has_chat_grammar=True
)
NO_TOOLS_IN_TEMPLATE: Final = replace(LLAMA_SERVER, has_required=False)
"""llama-server with a model whose chat template has no tools."""
OLLAMA: Final = FakeSoftware(owner="library", named="ignored", has_logprobs=False)
PLAIN: Final = FakeSoftware(owner="me", has_raw=False, has_logprobs=False, has_schema=False, named="ignored")

LLAMA_CPP_PYTHON: Final = FakeSoftware(
    owner="me",
    grammar_field=("grammar",),
    has_schema=False,
    refuses_schema=True,
    has_required=False,
    has_chat_grammar=True,
    has_logprobs=False,
)
LLAMA_CPP_PYTHON_ABILITIES: Final = ServerAbilities(
    raw_completions=True,
    logprobs=False,
    grammar=True,
    named_choice=True,
    required_choice=False,
    chat_grammar=True,
)
"""What is found out about llama-cpp-python's server, the fake one and the real one."""
ONLY_GRAMMAR: Final = FakeSoftware(
    owner="me", has_raw=False, has_schema=False, named="ignored", has_chat_grammar=True, has_logprobs=False
)


def fake_server(
    software: FakeSoftware, *, free: str = "Paris", constrained: str = MARKS
) -> Callable[[RecordedRequest], Answer]:
    """Return the answers of a server.

    Args:
        free: What the model writes if nothing constrains it.
        constrained: What it writes under a grammar. Calls and JSON are written from the request. The grammar of a chat
            answer that demands `MARKS` gets them.
    """

    def answer(request: RecordedRequest) -> Answer:
        body: Fields = request.body
        if request.path.endswith("/models"):
            entry = {"id": "hermes", "object": "model", "owned_by": software.owner}
            return _json({"object": "list", "data": [{**entry, **dict(software.model_fields)}]})
        if request.path.endswith("/chat/completions"):
            return _chat(software, body, free, constrained)
        if not software.has_raw:
            return refused(404, "Not Found")
        text = constrained if _has_grammar(software, body) else free
        if body.get("stream"):
            return stream(piece(text, "stop"), DONE)
        logprobs = {"tokens": [text], "token_logprobs": [-0.5]}
        has_logprobs = software.has_logprobs and body.get("logprobs")
        return _choice({"text": text}, logprobs if has_logprobs else None)

    return answer


def _chat(software: FakeSoftware, body: Fields, free: str, constrained: str) -> Answer:
    schema: Fields | None = _at(body, ("response_format", "json_schema", "schema"))
    name = _forced_tool(software, body)
    is_none = body.get("tool_choice") == "none"
    if software.named == "text" and body.get("tools") and body.get("grammar") and not is_none:
        return refused(400, "Cannot use custom grammar constraints with tools.")
    if schema is not None and software.refuses_schema:
        return refused(422, "Input should be 'text' or 'json_object'")
    message: dict[str, Any] = {"role": "assistant", "content": free}
    if software.has_chat_grammar and (grammar := body.get("grammar")):
        message["content"] = MARKS if MARKS in grammar else constrained
    if name:
        function = {"name": name, "arguments": "{}"}
        call = {"index": 0, "id": "c0", "type": "function", "function": function}
        message = {"role": "assistant", "content": None, "tool_calls": [call]}
    elif schema is not None and software.has_schema:
        message["content"] = json.dumps(_value(schema))
    if body.get("stream"):
        return stream(delta(None, **message), delta("tool_calls" if name else "stop"), DONE)
    logprobs = {"content": [{"token": free, "logprob": -0.5}]}
    return _choice({"message": message}, logprobs if software.has_logprobs and body.get("logprobs") else None)


def _has_grammar(software: FakeSoftware, body: Fields) -> bool:
    return bool(software.grammar_field) and bool(_at(body, software.grammar_field))


def _at(body: Fields, path: tuple[str, ...]) -> Any:
    """Return the value at a path of names, or None."""
    found: Any = body
    for name in path:
        found = found.get(name) if isinstance(found, dict) else None
    return found


def _forced_tool(software: FakeSoftware, body: Fields) -> str:
    """Return the tool that the server makes the model call, or an empty text."""
    choice, tools = body.get("tool_choice"), body.get("tools") or ()
    if software.named == "ignored" or not tools:
        return ""
    if choice == "required" and software.has_required:
        return tools[0]["function"]["name"]
    name = _at(body, ("tool_choice", "function", "name"))
    return name if software.named == "object" and isinstance(name, str) else ""


def _value(schema: Fields) -> object:
    """Return a value that fits the schemas of these tests."""
    if "const" in schema:
        return schema["const"]
    if "oneOf" in schema:
        return _value(schema["oneOf"][0])
    if schema.get("type") == "object":
        names: Sequence[str] = schema.get("required", ())
        return {name: _value(schema["properties"][name]) for name in names}
    return {"boolean": True, "string": "CET"}.get(str(schema.get("type")))


def _choice(fields: Fields, logprobs: object) -> Answer:
    return _json({"choices": [{"index": 0, "finish_reason": "length", "logprobs": logprobs, **fields}]})


def _json(document: object) -> Answer:
    return Answer(headers={"Content-Type": "application/json"}, pieces=(json.dumps(document).encode(),))
