"""Engines for servers that speak the OpenAI protocol, raw completions and chat, and for Hugging Face's router."""

from collections.abc import Callable, Iterable, Iterator
from http import HTTPStatus
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, cast

from workbench.chat.json_value import JsonObject, JsonValue, as_object
from workbench.engines.remote.answer_limits import (
    AnswerError,
    AnswerLimits,
    StreamTimeout,
    limits_of_completion,
    limits_of_list,
    retry_after_s,
)
from workbench.engines.remote.background_stream import BackgroundStream
from workbench.engines.remote.engine import AskAbilities, RemoteEngine, ServerFacts, ask_nothing
from workbench.engines.remote.event_stream import parse_bounded_json, read_answer
from workbench.engines.remote.failures import (
    CHECK_URL,
    Refusal,
    address_remedy,
    quoted,
    remote_failed,
    silence,
)
from workbench.engines.remote.openai_request import STREAMED, OpenAiRequest, build_request
from workbench.engines.remote.probes import RAW, PlainAnswer, ProbedServer
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
NO_LIST: Final = f"the answer is not a list of models; {CHECK_URL}"
BROKE_OFF: Final = "the connection was lost"


def open_openai(
    server: Server,
    model: str,
    *,
    name: str,
    wait: Callable[[float], None],
    facts: Callable[[], ServerFacts] = ServerFacts,
    ask_abilities: AskAbilities = ask_nothing,
) -> RemoteEngine:
    """Return an engine for a model on a server. Sends nothing yet.

    Args:
        model: Name of the model on the server.
        facts: Returns what is known about the server and the model, without asking.
        ask_abilities: Asks the server what it can do, before it must call a tool and the way to do that is not known.
    """
    client = _OpenAiClient(model, timeout_s=server.timeout_s)
    return RemoteEngine(
        client, server, name=name, model=model, wait=wait, facts=facts, ask_abilities=ask_abilities
    )


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
        raise RemoteFailed(server.place, "it has no list of models at this address", address_remedy(server))
    raise remote_failed(refusal, server, "")


def _read_models(
    server: Server, limits: AnswerLimits, connection: "GuardedConnection"
) -> Iterator[ServerList]:
    with _client(server, limits, connection) as client:
        create = cast(Any, client.models).with_streaming_response.list
        with create(extra_headers=_headers(server)) as response:
            body = b"".join(response.iter_bytes())
    try:
        models = parse_list(parse_bounded_json(body))
    except AnswerError:
        models = None
    if models is None:
        raise AnswerError(NO_LIST)
    yield models


def send_plain(server: Server, path: str, body: JsonObject, *, timeout_s: float) -> PlainAnswer:
    """Send a request that is not streamed, once, and return its answer, whatever its status is. Never raises.

    Args:
        path: `completions` or `chat/completions`.
        body: The JSON body, with `model` and `prompt` or `messages`.
        timeout_s: Maximum time until the answer is complete.
    """
    # Slow, and must not count towards the timeout.
    import_module("openai")

    limits = limits_of_list(timeout_s=timeout_s)
    connection, timeout = _connection(), StreamTimeout(limits)
    answers = BackgroundStream(
        lambda: _read_plain(server, path, body, limits, connection), connection.hang_up
    )
    try:
        items = answers.items(is_cancelled=lambda: False, keeps_waiting=timeout.keeps_waiting)
        choices = as_object(next(items, None)).get("choices")
    except Exception as error:  # noqa: BLE001 - whatever went wrong, only a status is evidence
        refusal = refusal_of(error, timeout_s=timeout_s)
        problem = f"status {refusal.status}" if refusal.status else quoted(refusal.message, server)
        return PlainAnswer(refusal.status, {}, problem)
    finally:
        answers.close()
    first = choices[0] if isinstance(choices, list) and choices else None
    return PlainAnswer(HTTPStatus.OK, as_object(first))


def _read_plain(
    server: Server, path: str, body: JsonObject, limits: AnswerLimits, connection: "GuardedConnection"
) -> Iterator[JsonValue]:
    with _client(server, limits, connection) as client:
        create = _streaming_create(client, is_raw=path == RAW)
        needed = {name: body[name] for name in ("model", "prompt", "messages") if name in body}
        with create(**needed, extra_body=body, extra_headers=_headers(server)) as response:
            yield parse_bounded_json(b"".join(response.iter_bytes()))


def _streaming_create(client: "openai.OpenAI", *, is_raw: bool) -> Any:
    resource = client.completions if is_raw else client.chat.completions
    return cast(Any, resource).with_streaming_response.create


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
    def __init__(self, model: str, *, timeout_s: float) -> None:
        self._model = model
        self._timeout_s = timeout_s

    def ask(
        self, request: GenerationRequest, server: Server, probed: ProbedServer | None
    ) -> "_OpenAiCompletion":
        limits = limits_of_completion(request.sampling.max_tokens, timeout_s=server.timeout_s)
        return _OpenAiCompletion(server, limits, build_request(request, server, self._model, probed))

    def refusal_of(self, error: Exception) -> Refusal:
        return refusal_of(error, timeout_s=self._timeout_s)


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

    def __init__(self, server: Server, limits: AnswerLimits, body: OpenAiRequest) -> None:
        self._server = server
        self._limits = limits
        self._body = body
        self._connection = _connection()

    def read(self) -> Iterable[JsonObject]:
        body = self._body
        with _client(self._server, self._limits, self._connection) as client:
            create = _streaming_create(client, is_raw=self._server.mode is Mode.RAW)
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
