"""Engines for servers that speak the OpenAI protocol, raw completions and chat, and for Hugging Face's router."""

from collections.abc import Callable, Iterable, Iterator
from http import HTTPStatus
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, cast

from workbench.chat.json_value import JsonObject
from workbench.engines.remote.answer_limits import (
    AnswerError,
    AnswerLimits,
    StreamTimeout,
    limits_of_completion,
    limits_of_list,
    retry_after_s,
)
from workbench.engines.remote.background_stream import BackgroundStream
from workbench.engines.remote.engine import RemoteEngine
from workbench.engines.remote.event_stream import parse_bounded_json, read_answer
from workbench.engines.remote.failures import Refusal, remote_failed, silence
from workbench.engines.remote.openai_request import STREAMED, build_request
from workbench.engines.remote.server import Mode, Server
from workbench.engines.remote.server_lists import ServerList, parse_list
from workbench.errors import RemoteFailed, WorkbenchError
from workbench.rollout.ports import GenerationRequest
from workbench.settings import Secret

if TYPE_CHECKING:
    import httpx2
    import openai

    from workbench.engines.remote.guarded_client import GuardedConnection


LIST_TIMEOUT_S: Final = 10.0
"""Timeout for the list of models, if nobody waits for it."""
CHECK_URL: Final = "check the base URL, which should end with /v1"
NO_LIST: Final = "the server sent something that is not a list of models"
BROKE_OFF: Final = "the connection was lost"


def open_openai(server: Server, model: str, *, name: str, wait: Callable[[float], None]) -> RemoteEngine:
    """Return an engine for a model on a server. Sends nothing yet.

    Args:
        model: Name of the model on the server.
    """
    return RemoteEngine(_OpenAiClient(server, model), server, name=name, model=model, wait=wait)


def fetch_model_names(server: Server) -> tuple[str, ...]:
    """Return the names of the models on a server, in its order.

    Raises:
        RemoteFailed: The server cannot be reached, or its answer cannot be used.
    """
    return fetch_models(server, timeout_s=min(LIST_TIMEOUT_S, server.timeout_s)).names


def fetch_models(server: Server, *, timeout_s: float) -> ServerList:
    """Return the list of a server's models.

    Args:
        timeout_s: Maximum time until the list is complete.

    Raises:
        RemoteFailed: The server cannot be reached, or its answer cannot be used.
    """
    # Slow, and must not count towards the timeout.
    import_module("openai")

    limits = limits_of_list(timeout_s=timeout_s)
    connection, timeout = _connection(), StreamTimeout(limits)
    lists = BackgroundStream(lambda: _read_models(server, limits, connection), connection.hang_up)
    try:
        items = lists.items(is_cancelled=lambda: False, keeps_waiting=timeout.keeps_waiting)
        return next(items, ServerList())
    except WorkbenchError:
        raise
    except Exception as error:  # noqa: BLE001 - any error that an answer causes becomes a message
        refusal = refusal_of(error, timeout_s=limits.silence_s)
    finally:
        lists.close()
    if refusal.status == HTTPStatus.NOT_FOUND:
        raise RemoteFailed(server.place, "it has no list of models at this address", CHECK_URL)
    raise remote_failed(refusal, server, "")


def _read_models(
    server: Server, limits: AnswerLimits, connection: "GuardedConnection"
) -> Iterator[ServerList]:
    with _client(server, limits, connection) as client:
        create = cast(Any, client.models).with_streaming_response.list
        with create(extra_headers=_headers(server)) as response:
            value = parse_bounded_json(b"".join(response.iter_bytes()))
    models = parse_list(value)
    if models is None:
        raise AnswerError(NO_LIST)
    yield models


def _connection() -> "GuardedConnection":
    from workbench.engines.remote.guarded_client import GuardedConnection

    return GuardedConnection()


def _client(server: Server, limits: AnswerLimits, connection: "GuardedConnection") -> "openai.OpenAI":
    import openai

    from workbench.engines.remote.guarded_client import guarded_client

    http = guarded_client(server.base_url, limits, connection)
    return openai.OpenAI(
        base_url=server.base_url,
        api_key=server.key.reveal() if server.key else "none",
        max_retries=0,  # We retry ourselves, so that people can cancel it.
        timeout=http.timeout,
        http_client=http,
    )


def _headers(server: Server) -> dict[str, Any]:
    """Return headers that remove what the client adds from its own environment variables."""
    import openai

    headers: dict[str, Any] = {"OpenAI-Organization": openai.omit, "OpenAI-Project": openai.omit}
    return headers if server.key else {**headers, "Authorization": openai.omit}


class _OpenAiClient:
    def __init__(self, server: Server, model: str) -> None:
        self._server = server
        self._model = model

    def ask(self, request: GenerationRequest) -> "_OpenAiCompletion":
        return _OpenAiCompletion(self._server, self._model, request)

    def refusal_of(self, error: Exception) -> Refusal:
        return refusal_of(error, timeout_s=self._server.timeout_s)


def refusal_of(error: Exception, *, timeout_s: float) -> Refusal:
    """Explain an error: of our limits, of the client, of its libraries, or any other."""
    import httpx2
    import openai

    limit = _answer_error_in(error)
    if limit is not None:
        return Refusal(status=None, message=str(limit), is_final=True)
    match error:
        case openai.APIStatusError():
            return _status_refusal(error.response)
        case openai.APITimeoutError() | httpx2.TimeoutException():
            return Refusal(status=None, message=silence(timeout_s), is_final=True)
        case openai.APIConnectionError(__cause__=httpx2.TooManyRedirects() as cause):
            return Refusal(status=None, message=str(cause), is_final=True)
        case openai.APIConnectionError() | httpx2.HTTPError() | httpx2.StreamError():
            return Refusal(status=None, message=str(error.__cause__ or error).strip() or BROKE_OFF)
        case _:
            message = f"the answer cannot be used ({type(error).__name__})"
            return Refusal(status=None, message=message, is_final=True)


def _answer_error_in(error: BaseException | None) -> AnswerError | None:
    """Return our own error if the client wrapped it into one of its errors."""
    while error is not None and not isinstance(error, AnswerError):
        error = error.__cause__ or error.__context__
    return error


def _status_refusal(response: "httpx2.Response") -> Refusal:
    import httpx2

    try:
        message = response.text
    except httpx2.StreamError:  # The body of the stream was not read.
        message = ""
    wait_s = retry_after_s(response.headers.get("retry-after"))
    return Refusal(status=response.status_code, message=message, retry_after_s=wait_s)


class _OpenAiCompletion:
    """One request."""

    def __init__(self, server: Server, model: str, request: GenerationRequest) -> None:
        self._server = server
        self._model = model
        self._request = request
        self._limits = limits_of_completion(request.sampling.max_tokens, timeout_s=server.timeout_s)
        self._connection = _connection()

    def read(self) -> Iterable[JsonObject]:
        body = build_request(self._request, self._server, self._model)
        with _client(self._server, self._limits, self._connection) as client:
            resource = client.completions if self._server.mode is Mode.RAW else client.chat.completions
            create = cast(Any, resource).with_streaming_response.create
            headers = _headers(self._server)
            with create(**body.fields, **STREAMED, extra_body=body.own, extra_headers=headers) as response:
                yield from read_answer(
                    response.iter_bytes(),
                    most_bytes=self._limits.event_bytes,
                    most_document_bytes=self._limits.body_bytes,
                )

    def hang_up(self) -> None:
        """End the connection, even while it waits."""
        self._connection.hang_up()


ROUTER_URL: Final = "https://router.huggingface.co/v1"
"""*Source:* Hugging Face's documentation of Inference Providers, "OpenAI-compatible API"."""


def open_hf_inference(
    repository: str,
    *,
    name: str,
    token: Secret | None,
    timeout_s: float,
    wait: Callable[[float], None],
    base_url: str | None = None,
) -> RemoteEngine:
    """Return an engine for a model of the hub's Inference Providers. Sends nothing yet.

    Args:
        repository: `OWNER/NAME` for the provider that the account prefers, or `OWNER/NAME:PROVIDER`.
        token: Access token of the account that pays. Required by the router.
        timeout_s: Maximum time without data.
        base_url: Address of another endpoint with the same protocol. None uses the router.
    """
    server = Server(
        name="hf-inference",
        base_url=base_url or ROUTER_URL,
        key=token,
        needs_key=base_url is None,
        key_variable="HF_TOKEN, or sign in (on a Space with Hugging Face, elsewhere with `hf auth login`)",
        timeout_s=timeout_s,
    )
    return open_openai(server, repository, name=name, wait=wait)


def stored_token() -> Secret | None:
    """Return the access token that huggingface_hub finds on this machine, or None."""
    from huggingface_hub import get_token

    token = get_token()
    return Secret(token) if token else None
