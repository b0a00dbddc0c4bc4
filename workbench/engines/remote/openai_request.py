"""Build a request of the OpenAI protocol; engines send it, and "Copy as code" shows it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.engines.remote.server import Mode, Server, ServerKind
from workbench.hermes.marks import TURN_CLOSE
from workbench.hermes.openai_messages import to_chat_request
from workbench.rollout.ports import ChoiceKind, GenerationRequest, ToolChoice
from workbench.rollout.sampling import SAMPLING_FIELDS, Sampling

STREAMED: Final[Mapping[str, JsonValue]] = {"stream": True, "stream_options": {"include_usage": True}}
"""What an engine adds to a request to get the answer in pieces."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenAiRequest:
    """One request, not yet sent."""

    path: str
    """Follows the server's base URL."""
    fields: JsonObject = field(hash=False)
    """The protocol's own fields, which are the arguments of the official client's `create`."""
    own: JsonObject = field(hash=False)
    """Fields that only this software takes; the official client's `extra_body`."""

    @property
    def body(self) -> JsonObject:
        """The JSON body."""
        return {**self.fields, **self.own}


def build_request(request: GenerationRequest, server: Server, model: str) -> OpenAiRequest:
    """Build the request that asks a server for a completion, streaming left out.

    Args:
        request: What the engine is asked. Its constraint is not sent: servers do not agree on a grammar format.
        server: Its mode says whether the prompt or the messages are sent, its kind which sampling it takes.
        model: As the server names it.
    """
    is_raw = server.mode is Mode.RAW
    logprobs: JsonObject = {"logprobs": 1 if is_raw else True} if request.wants_logprobs else {}
    asked = {"prompt": request.prompt} if is_raw else _chat_fields(request, writes_tools=server.writes_tools)
    stops = _stop_texts(request, server.mode)
    return OpenAiRequest(
        path="completions" if is_raw else "chat/completions",
        fields={
            "model": model,
            **_protocol_sampling(server.kind, request.sampling),
            **({"stop": stops} if stops else {}),
            **logprobs,
            **asked,
        },
        own=own_sampling(server.kind, request.sampling),
    )


def _protocol_sampling(kind: ServerKind, sampling: Sampling) -> JsonObject:
    fields: dict[str, JsonValue] = {}
    for name, declared in SAMPLING_FIELDS.items():
        value = getattr(sampling, name)
        if declared.protocol == "always" or (
            declared.protocol == "unless default" and value != declared.default
        ):
            fields[name] = value
    biases = [(one.token, one.limited) for one in sampling.logit_bias]
    if kind is ServerKind.LLAMA_SERVER and biases:
        # A list of pairs, in which a text stands for each of its tokens.
        fields["logit_bias"] = [[token, bias] for token, bias in biases]
    elif by_id := {str(token): bias for token, bias in biases if isinstance(token, int)}:
        # The protocol knows token ids only.
        fields["logit_bias"] = {**by_id}
    return fields


def own_sampling(kind: ServerKind, sampling: Sampling) -> JsonObject:
    """The sampling that a kind of server takes beside the protocol.

    >>> own_sampling(ServerKind.VLLM, Sampling(top_k=0))
    {'top_k': -1, 'min_p': 0.05, 'repetition_penalty': 1.0, 'skip_special_tokens': False}
    """
    fields: dict[str, JsonValue] = {
        declared.servers[kind]: getattr(sampling, name)
        for name, declared in SAMPLING_FIELDS.items()
        if kind in declared.servers
    }
    if kind in (ServerKind.VLLM, ServerKind.SGLANG):
        # -1 keeps all tokens there. Hermes' tags are special tokens, which these servers leave out of the text.
        fields["top_k"] = sampling.top_k or -1
        fields["skip_special_tokens"] = False
    return fields


def _stop_texts(request: GenerationRequest, mode: Mode) -> list[JsonValue]:
    """A chat server ends the turn itself; with a prompt of our own, the mark that closes a turn must be named."""
    first = (TURN_CLOSE,) if mode is Mode.RAW else ()
    return list(dict.fromkeys((*first, *request.stop_texts)))


def _chat_fields(request: GenerationRequest, *, writes_tools: bool) -> JsonObject:
    """`messages`, and `tools` with `tool_choice` if the server writes the tools and there are any."""
    messages = to_chat_request(request.conversation) if request.conversation else []
    if not writes_tools or not request.tools.specs:
        return {"messages": [*messages]}
    return {
        "messages": [*messages],
        "tools": [spec.document for spec in request.tools.specs],
        "tool_choice": _spelled_choice(request.tool_choice),
    }


def _spelled_choice(choice: ToolChoice) -> JsonValue:
    if choice.kind is ChoiceKind.NAMED:
        return {"type": "function", "function": {"name": choice.tool}}
    return choice.kind.value
