"""Engines for servers that speak the OpenAI protocol, raw completions and chat, and for Hugging Face's router."""

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

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
from workbench.engines.remote.probes import PlainAnswer, ProbedServer
from workbench.engines.remote.server import Server
from workbench.engines.remote.server_lists import ServerList, parse_list
from workbench.errors import RemoteFailed, WorkbenchError
from workbench.rollout.ports import GenerationRequest
from workbench.settings import Secret

if TYPE_CHECKING:
    import httpx2

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
    with _answer(server, "models", None, limits, connection) as pieces:
        body = b"".join(pieces)
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
    with _answer(server, path, body, limits, connection) as pieces:
        yield parse_bounded_json(b"".join(pieces))


def _connection() -> "GuardedConnection":
    from workbench.engines.remote.guarded_client import GuardedConnection

    return GuardedConnection()


@contextmanager
def _answer(
    server: Server, path: str, body: JsonObject | None, limits: AnswerLimits, connection: "GuardedConnection"
) -> Generator[Iterator[bytes]]:
    """Send a request and yield its answer in pieces.

    Args:
        path: Path after the server's base URL.
        body: JSON for a POST request. None sends a GET request.

    Raises:
        httpx2.HTTPStatusError: The answer has an error status. Its body was read.
    """
    from workbench.engines.remote.guarded_client import guarded_client

    headers = {"Authorization": f"Bearer {server.key.reveal()}"} if server.key else {}
    url = f"{server.base_url.rstrip('/')}/{path}"
    with (
        guarded_client(server.base_url, limits, connection) as client,
        client.stream("POST" if body else "GET", url, json=body, headers=headers) as response,
    ):
        if not response.is_success:
            response.read()
        yield response.raise_for_status().iter_bytes()


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

    limit = _answer_error_in(error)
    if limit is not None:
        return Refusal(status=None, message=str(limit), is_final=True)
    match error:
        case httpx2.HTTPStatusError():
            return _status_refusal(error.response)
        case httpx2.TimeoutException():
            return Refusal(status=None, message=silence(timeout_s), is_final=True)
        case httpx2.TooManyRedirects():
            return Refusal(status=None, message=str(error), is_final=True)
        case httpx2.HTTPError() | httpx2.StreamError():
            return Refusal(status=None, message=str(error).strip() or BROKE_OFF)
        case _:
            message = f"the answer cannot be used ({type(error).__name__})"
            return Refusal(status=None, message=message, is_final=True)


def _answer_error_in(error: BaseException | None) -> AnswerError | None:
    """Return our own error if the client wrapped it into one of its errors."""
    while error is not None and not isinstance(error, AnswerError):
        error = error.__cause__ or error.__context__
    return error


def _status_refusal(response: "httpx2.Response") -> Refusal:
    wait_s = retry_after_s(response.headers.get("retry-after"))
    return Refusal(status=response.status_code, message=response.text, retry_after_s=wait_s)


class _OpenAiCompletion:
    """One request."""

    def __init__(self, server: Server, limits: AnswerLimits, body: OpenAiRequest) -> None:
        self._server = server
        self._limits = limits
        self._body = body
        self._connection = _connection()

    def read(self) -> Iterable[JsonObject]:
        body = {**self._body.body, **STREAMED}
        with _answer(self._server, self._body.path, body, self._limits, self._connection) as pieces:
            yield from read_answer(
                pieces, most_bytes=self._limits.event_bytes, most_document_bytes=self._limits.body_bytes
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
