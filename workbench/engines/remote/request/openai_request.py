"""Build requests of the OpenAI protocol, for engines and for "Copy as code"."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.engines.remote.probes.known_abilities import (
    CHAT_GRAMMAR,
    constraint_fields,
    json_schema_format,
)
from workbench.engines.remote.probes.server_probes import ProbedServer
from workbench.engines.remote.request.forced_calls import ForcedBy, chosen_tools, forced_by, sent_choice
from workbench.engines.remote.server import Mode, Server, ServerKind
from workbench.hermes.marks import TURN_CLOSE
from workbench.hermes.openai_messages import to_chat_request
from workbench.rollout.ports import ChoiceKind, GenerationRequest, ToolChoice
from workbench.rollout.sampling import SAMPLING_FIELDS, Sampling
from workbench.toolspec.grammar import call_schema, schema_grammar
from workbench.toolspec.spec import OfferedTools

CHARS_PER_TOKEN: Final = 4
"""Used to estimate the length of a prompt, because only the server knows its tokens."""
STREAMED: Final[Mapping[str, JsonValue]] = {"stream": True, "stream_options": {"include_usage": True}}
"""Fields that an engine adds to get the answer as a stream."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenAiRequest:
    """A request that was not sent yet."""

    path: str
    """Path after the server's base URL."""
    fields: JsonObject = field(hash=False)
    """Fields of the protocol: arguments of `create` in the official client."""
    own: JsonObject = field(hash=False)
    """Fields that only this software accepts: `extra_body` in the official client."""

    @property
    def body(self) -> JsonObject:
        """The JSON body."""
        return {**self.fields, **self.own}


def build_request(
    request: GenerationRequest, server: Server, model: str, probed: ProbedServer | None = None
) -> OpenAiRequest:
    """Build the request for a completion, without streaming.

    Args:
        request: The request to the engine. Its constraint is sent to servers that are known to apply one.
        server: Its mode decides whether the prompt or the messages are sent, its kind which fields.
        model: Name of the model on the server.
        probed: What was found out about the server. None uses what the documentation of its software says.

    Raises:
        ConstraintFailed: A call is forced by a grammar, and the schema of a tool cannot be turned into one.
    """
    is_raw, found = server.mode is Mode.RAW, probed or ProbedServer()
    has_grammar = is_raw and found.resolved(server.kind).grammar is True
    content = {"prompt": request.prompt} if is_raw else _chat_fields(request, server, found)
    stops = _stop_texts(request, server.mode)
    sampling = _fitting(request, server.context_tokens)
    return OpenAiRequest(
        path="completions" if is_raw else "chat/completions",
        fields={
            "model": model,
            **_protocol_sampling(server.kind, sampling, unset=request.unset_sampling),
            **({"stop": stops} if stops else {}),
            **_logprobs(request, is_raw=is_raw),
            **({"response_format": request.response_format} if request.response_format else {}),
            **content,
        },
        own={
            **request.server_fields,
            **own_sampling(server.kind, sampling, unset=request.unset_sampling),
            **(constraint_fields(request.constraint, found.spellings(server.kind)) if has_grammar else {}),
            **_call_grammar(request, server, found),
        },
    )


def _fitting(request: GenerationRequest, context_tokens: int) -> Sampling:
    """Return the sampling settings with `max_tokens` reduced to the rest of the context.

    Servers refuse a request whose prompt and `max_tokens` exceed the context together, even if the answer is short.
    """
    sampling = request.sampling
    room = context_tokens - estimated_tokens(request.prompt)
    if not context_tokens or sampling.max_tokens <= room:
        return sampling
    return replace(sampling, max_tokens=max(1, room))


def estimated_tokens(text: str) -> int:
    """Estimate the number of tokens of a text: one for four characters."""
    return -(-len(text) // CHARS_PER_TOKEN)


def _logprobs(request: GenerationRequest, *, is_raw: bool) -> JsonObject:
    if not request.wants_logprobs:
        return {}
    if is_raw:
        return {"logprobs": max(1, request.top_logprobs)}
    return {"logprobs": True, **({"top_logprobs": request.top_logprobs} if request.top_logprobs else {})}


def _protocol_sampling(kind: ServerKind, sampling: Sampling, *, unset: frozenset[str]) -> JsonObject:
    fields: dict[str, JsonValue] = {}
    for name, declared in SAMPLING_FIELDS.items():
        if name in unset:
            continue
        value = getattr(sampling, name)
        if declared.protocol == "always" or (
            declared.protocol == "unless default" and value != declared.default
        ):
            fields[name] = value
    biases = [(entry.token, entry.limited) for entry in sampling.logit_bias]
    if kind is ServerKind.LLAMA_SERVER and biases:
        # A list of pairs. A text means each of its tokens.
        fields["logit_bias"] = [[token, bias] for token, bias in biases]
    elif by_id := {str(token): bias for token, bias in biases if isinstance(token, int)}:
        # The protocol only supports token ids.
        fields["logit_bias"] = {**by_id}
    return fields


def own_sampling(kind: ServerKind, sampling: Sampling, *, unset: frozenset[str] = frozenset()) -> JsonObject:
    """Return the sampling fields that a kind of server accepts in addition to the protocol.

    Args:
        unset: Names of fields that nobody chose. They are left out.

    >>> own_sampling(ServerKind.VLLM, Sampling(top_k=0))
    {'top_k': -1, 'min_p': 0.05, 'repetition_penalty': 1.0, 'skip_special_tokens': False}
    """
    fields: dict[str, JsonValue] = {
        declared.servers[kind]: getattr(sampling, name)
        for name, declared in SAMPLING_FIELDS.items()
        if kind in declared.servers and name not in unset
    }
    if kind in (ServerKind.VLLM, ServerKind.SGLANG):
        if "top_k" in fields:
            # There, -1 keeps all tokens.
            fields["top_k"] = sampling.top_k or -1
        # Tags of Hermes models are special tokens, which these servers remove by default.
        fields["skip_special_tokens"] = False
    return fields


def _stop_texts(request: GenerationRequest, mode: Mode) -> list[JsonValue]:
    """Return the stop texts. With our own prompt, they include the token that closes a turn."""
    first = (TURN_CLOSE,) if mode is Mode.RAW else ()
    return list(dict.fromkeys((*first, *request.stop_texts)))


def _chat_fields(request: GenerationRequest, server: Server, probed: ProbedServer) -> JsonObject:
    """Return `messages`, and `tools` with `tool_choice` if the server writes the tools and there are any.

    A forced choice that the server would not apply is sent as the JSON Schema or, by `_call_grammar`, the grammar of a
    call.
    """
    messages = to_chat_request(request.conversation) if request.conversation else []
    if request.server_messages is not None:
        messages = request.server_messages
    fields: JsonObject = {"messages": [*messages]}
    way = forced_by(request, server, probed)
    if way is ForcedBy.SCHEMA:
        schema = call_schema(chosen_tools(request))
        fields = {**fields, "response_format": json_schema_format(schema, name="call")}
    if not server.writes_tools or not request.tools.specs:
        return fields
    if way is ForcedBy.SCHEMA:
        return {**fields, "tools": _documents(request.tools)}
    if way is ForcedBy.GRAMMAR:
        # llama-server refuses a grammar together with tools, unless none may be called.
        return {**fields, "tools": _documents(request.tools), "tool_choice": ChoiceKind.NONE.value}
    tools, choice = sent_choice(request, server, probed.resolved(server.kind))
    return {**fields, "tools": _documents(tools), "tool_choice": _spelled_choice(choice)}


def _call_grammar(request: GenerationRequest, server: Server, probed: ProbedServer) -> JsonObject:
    """Return the grammar of a forced call, if the server is made to write it by one."""
    if forced_by(request, server, probed) is not ForcedBy.GRAMMAR:
        return {}
    return {CHAT_GRAMMAR: schema_grammar(call_schema(chosen_tools(request)))}


def is_bare_call(request: GenerationRequest, server: Server, probed: ProbedServer | None) -> bool:
    """Return whether the server is made to write a call without the tags around it.

    Args:
        probed: As for `build_request`.
    """
    return forced_by(request, server, probed) in (ForcedBy.SCHEMA, ForcedBy.GRAMMAR)


def _documents(tools: OfferedTools) -> list[JsonValue]:
    return [spec.document for spec in tools.specs]


def _spelled_choice(choice: ToolChoice) -> JsonValue:
    if choice.kind is ChoiceKind.NAMED:
        return {"type": "function", "function": {"name": choice.tool}}
    return choice.kind.value
