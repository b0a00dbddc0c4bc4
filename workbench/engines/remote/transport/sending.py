"""Send requests to servers, and explain the errors.

httpx2 is slow to import, so that only a request loads it.
"""

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from typing import TYPE_CHECKING, Final, NamedTuple

from workbench.chat.json_value import JsonObject, as_object
from workbench.engines.remote.server import Server
from workbench.engines.remote.transport.answer_limits import (
    AnswerError,
    AnswerLimits,
    StreamTimeout,
    limits_of_list,
    retry_after_s,
)
from workbench.engines.remote.transport.background_stream import BackgroundStream
from workbench.engines.remote.transport.event_stream import parse_bounded_json
from workbench.engines.remote.transport.failures import TEMPORARY, Refusal, describe_silence, quoted

if TYPE_CHECKING:
    import httpx2

    from workbench.engines.remote.transport.guarded_client import GuardedConnection

BROKE_OFF: Final = "the connection was lost"
_OPEN: Final = TEMPORARY - {HTTPStatus.INTERNAL_SERVER_ERROR}
"""Temporary refusals. A failure with status 500 is more likely one of this request."""
FINAL: Final = (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN, HTTPStatus.TOO_MANY_REQUESTS)
"""Refusals of the key or the rate: the next request is refused too."""


class PlainAnswer(NamedTuple):
    """The answer to a request that is not streamed."""

    status: int | None
    """HTTP status. None if there was no usable answer."""
    choice: JsonObject
    """The first choice. Empty if there is none."""
    problem: str = ""
    """Why there was no usable answer. Empty if there was one."""
    prompt_tokens: int | None = None
    """How many tokens the prompt had. None if the server does not say."""
    message: str = ""
    """The server's own words about a failure. Empty if there was none."""

    @property
    def is_open(self) -> bool:
        """Whether the same request may show something at another time."""
        return self.status is None or self.status in _OPEN or self.status in FINAL


def send_plain(server: Server, path: str, body: JsonObject, timeout_s: float) -> PlainAnswer:
    """Send a request that is not streamed, once, and return its answer, whatever its status is. Never raises.

    Args:
        path: `completions` or `chat/completions`.
        body: The JSON body, with `model` and `prompt` or `messages`.
        timeout_s: Maximum time until the answer is complete.
    """
    try:
        answer = parse_bounded_json(read_body(server, path, body, timeout_s=timeout_s))
    except Exception as error:  # noqa: BLE001 - whatever went wrong, only a status is evidence
        refusal = refusal_of(error, timeout_s=timeout_s)
        problem = f"status {refusal.status}" if refusal.status else quoted(refusal.message, server)
        return PlainAnswer(refusal.status, {}, problem, message=quoted(refusal.message, server))
    choices = as_object(answer).get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    tokens = as_object(as_object(answer).get("usage")).get("prompt_tokens")
    return PlainAnswer(
        HTTPStatus.OK, as_object(first), prompt_tokens=tokens if isinstance(tokens, int) else None
    )


def read_body(server: Server, path: str, body: JsonObject | None, *, timeout_s: float) -> bytes:
    """Send a request that is not streamed and return its answer. Raises any error, which `refusal_of` explains.

    Args:
        path: Path after the server's base URL.
        body: JSON for a POST request. None sends a GET request.
        timeout_s: Maximum time until the answer is complete.
    """
    limits = limits_of_list(timeout_s=timeout_s)
    connection, timeout = new_connection(server), StreamTimeout(limits)

    def read() -> Iterator[bytes]:
        with answer_pieces(server, path, body, limits, connection) as pieces:
            yield b"".join(pieces)

    answers = BackgroundStream(read, connection.hang_up)
    try:
        return next(answers.items(is_cancelled=lambda: False, keeps_waiting=timeout.keeps_waiting), b"")
    finally:
        answers.close()


def new_connection(server: Server) -> "GuardedConnection":
    """Return a connection that can be ended from another thread. For a guest's server, only to a public address."""
    from workbench.engines.remote.transport.guarded_client import GuardedConnection

    return GuardedConnection(is_public_only=server.is_guest)


@contextmanager
def answer_pieces(
    server: Server, path: str, body: JsonObject | None, limits: AnswerLimits, connection: "GuardedConnection"
) -> Generator[Iterator[bytes]]:
    """Send a request and yield its answer in pieces.

    Args:
        path: Path after the server's base URL.
        body: JSON for a POST request. None sends a GET request.

    Raises:
        httpx2.HTTPStatusError: The answer has an error status. Its body was read.
    """
    from workbench.engines.remote.transport.guarded_client import guarded_client

    headers = {"Authorization": f"Bearer {server.key.reveal()}"} if server.key else {}
    url = f"{server.base_url.rstrip('/')}/{path}"
    with (
        guarded_client(server.base_url, limits, connection) as client,
        client.stream("POST" if body else "GET", url, json=body, headers=headers) as response,
    ):
        if not response.is_success:
            response.read()
        yield response.raise_for_status().iter_bytes()


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
            return Refusal(status=None, message=describe_silence(timeout_s), is_final=True)
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
