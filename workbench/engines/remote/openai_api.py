"""Servers that speak the OpenAI protocol, through the official client: raw completions and chat."""

import socket
from collections.abc import Callable, Iterable
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, cast

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.engines.remote.chunks import plain
from workbench.engines.remote.engine import RemoteEngine
from workbench.engines.remote.failures import NO_JSON, Refusal, silence
from workbench.engines.remote.patience import retry_after_s
from workbench.engines.remote.server import Mode, Server, own_sampling
from workbench.hermes.chat_request import to_chat_request
from workbench.hermes.spelling.chatml import TURN_CLOSE
from workbench.rollout.choice import ChoiceKind, ToolChoice
from workbench.rollout.ports import GenerationRequest

if TYPE_CHECKING:
    import openai

CONNECT_TIMEOUT_S: Final = 10.0
"""A server that does not even take the connection is not waited for any longer."""


def open_openai(server: Server, model: str, *, name: str, wait: Callable[[float], None]) -> RemoteEngine:
    """A model of a server as an engine; nothing is sent yet.

    Args:
        server: Which server, and how it is asked.
        model: As the server names it.
        name: As `--model` takes it.
        wait: Lets seconds pass.
    """
    return RemoteEngine(_OpenAiLine(server, model), server, name=name, model=model, wait=wait)


def fetch_model_names(server: Server) -> tuple[str, ...]:
    """What the server offers, in its order.

    Raises:
        openai.OpenAIError: It cannot be asked.
    """
    client = _client(server)
    try:
        return tuple(
            model.id
            for model in client.models.list(extra_headers=_headers(server), timeout=CONNECT_TIMEOUT_S)
        )
    finally:
        client.close()


def _client(server: Server) -> "openai.OpenAI":
    import httpx2
    import openai

    return openai.OpenAI(
        base_url=server.base_url,
        api_key=server.key.reveal() if server.key else "none",
        max_retries=0,  # We wait ourselves: a person can stop us.
        timeout=httpx2.Timeout(server.timeout_s, connect=min(CONNECT_TIMEOUT_S, server.timeout_s)),
    )


def _headers(server: Server) -> dict[str, Any]:
    """What the client would add from its own environment variables is none of this server's business."""
    import openai

    headers: dict[str, Any] = {"OpenAI-Organization": openai.omit, "OpenAI-Project": openai.omit}
    return headers if server.key else {**headers, "Authorization": openai.omit}


class _OpenAiLine:
    def __init__(self, server: Server, model: str) -> None:
        self._server = server
        self._model = model
        self._client = _client(server)

    def ask(self, request: GenerationRequest) -> "_OpenAiAsk":
        return _OpenAiAsk(self._client, self._server, self._model, request)

    def refusal_of(self, error: BaseException) -> Refusal | None:
        return refusal_of_openai(error, timeout_s=self._server.timeout_s)

    def close(self) -> None:
        self._client.close()


def refusal_of_openai(error: BaseException, *, timeout_s: float) -> Refusal | None:
    """What an error of the client, or of what it is made of, means; None for any other."""
    import httpx2
    import openai

    match error:
        case openai.APIStatusError():
            header = error.response.headers.get("retry-after")
            return Refusal(status=error.status_code, words=_body(error), retry_after_s=retry_after_s(header))
        case openai.APITimeoutError() | httpx2.TimeoutException():
            return Refusal(status=None, words=silence(timeout_s), is_final=True)
        case openai.APIConnectionError() | httpx2.HTTPError():
            return Refusal(status=None, words=str(error.__cause__ or error) or "the connection broke off")
        case openai.APIError():
            return Refusal(status=None, words=error.message, is_final=True)
        case ValueError():
            return Refusal(status=None, words=NO_JSON, is_final=True)
        case _:
            return None


def _body(error: "openai.APIStatusError") -> str:
    try:
        return error.response.text
    except RuntimeError:  # The body of a stream was not read.
        return error.message


class _OpenAiAsk:
    """One request. *Source:* openai 3.54, httpx2 2.16 for the socket under a response."""

    def __init__(
        self, client: "openai.OpenAI", server: Server, model: str, request: GenerationRequest
    ) -> None:
        self._client = client
        self._server = server
        self._model = model
        self._request = request
        self._lock = Lock()
        self._is_over = False
        self._stream: openai.Stream[Any] | None = None

    def read(self) -> Iterable[JsonObject]:
        body = request_body(self._request, self._server, self._model)
        resource = (
            self._client.completions if self._server.mode is Mode.RAW else self._client.chat.completions
        )
        create = cast(Callable[..., Any], resource.create)
        stream = create(**body, extra_headers=_headers(self._server))
        with self._lock:
            self._stream = stream
            is_over = self._is_over
        with stream:
            if not is_over:
                for chunk in stream:
                    yield cast(JsonObject, plain(chunk.model_dump(exclude_unset=True, warnings=False)))

    def hang_up(self) -> None:
        """Shuts the socket down: closing it would not wake the thread that waits on it."""
        with self._lock:
            self._is_over, stream = True, self._stream
        network = stream.response.extensions.get("network_stream") if stream else None
        own = network.get_extra_info("socket") if network else None
        if isinstance(own, socket.socket):
            try:
                own.shutdown(socket.SHUT_RDWR)
            except OSError:
                return  # It is closed already: the stream came to its end.


def request_body(request: GenerationRequest, server: Server, model: str) -> dict[str, Any]:
    """The arguments of the client's `create`; what is not the protocol's own goes into `extra_body`."""
    sampling = request.sampling
    body: dict[str, Any] = {
        "model": model,
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_tokens": sampling.max_tokens,
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        "seed": sampling.seed,
        "extra_body": own_sampling(server.kind, sampling),
    }
    if sampling.presence_penalty:
        body["presence_penalty"] = sampling.presence_penalty
    if sampling.frequency_penalty:
        body["frequency_penalty"] = sampling.frequency_penalty
    if server.mode is Mode.RAW:
        stops = (TURN_CLOSE, *(text for text in request.stop_texts if text != TURN_CLOSE))
        logprobs = {"logprobs": 1} if request.wants_logprobs else {}
        return {**body, **logprobs, "prompt": request.prompt, "stop": list(stops)}
    if request.stop_texts:
        body["stop"] = list(request.stop_texts)
    if request.wants_logprobs:
        body["logprobs"] = True
    return {**body, **chat_fields(request, writes_tools=server.writes_tools)}


def chat_fields(request: GenerationRequest, *, writes_tools: bool) -> dict[str, Any]:
    """`messages`, and `tools` with `tool_choice` where the server writes them and there are any."""
    fields: dict[str, Any] = {
        "messages": to_chat_request(request.conversation) if request.conversation else []
    }
    if writes_tools and request.tools.specs:
        fields["tools"] = [spec.document for spec in request.tools.specs]
        fields["tool_choice"] = _choice(request.tool_choice)
    return fields


def _choice(choice: ToolChoice) -> JsonValue:
    if choice.kind is ChoiceKind.NAMED:
        return {"type": "function", "function": {"name": choice.tool}}
    return choice.kind.value
