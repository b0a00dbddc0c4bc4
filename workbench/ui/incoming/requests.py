"""Check the requests of Gradio's protocol before Gradio reads them.

Gradio's routes expect the requests of its own browser side. An unknown event or session, or a value of a wrong type,
ends in a traceback on the server instead of a response. None of our code runs inside these routes, so an exception
from one of them means that the request is malformed. Exceptions from our handlers stay in Gradio's queue, which prints
their tracebacks.

The routes and fields are those of Gradio's documented protocol for clients; `gradio_parts/open_pages.py` looks up what
they name.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple, cast
from urllib.parse import parse_qs, unquote

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from workbench.chat.json_value import load_json
from workbench.ui.gradio_parts.open_pages import GradioPages
from workbench.ui.incoming.refusal import RefusalLog, problem_of_json
from workbench.ui.incoming.values import field_names

PREFIX: Final = "/gradio_api/"
MOST_BODY_BYTES: Final = 16 * 1024 * 1024
"""The largest body of an event. Files use another route with its own limit."""
MOST_SESSION_CHARS: Final = 128
"""The longest session or event name. Gradio's browser side uses 10 characters."""
UNUSED: Final = frozenset(
    {
        # Writes the state of any tab to a file, and shows it to anybody with its address.
        "deep_link",
        # These print their requests to the log.
        "custom_component",
        "component_server",
        "process_recording",
        "vibe-edit",
        "undo-vibe-edit",
        "vibe-code",
        "vibe-starter-queries",
        "run-history",
        "runs",
        "dev",
        "profiling",
    }
)
"""Gradio's routes that the page does not use."""
_OWN_FIELDS: Final = ("session_hash", "event_id", "trigger_id", "oauth_token")
"""Fields of Gradio's own, which any named call may have."""
_CALLS: Final = frozenset({"queue", "run", "api", "call"})
_BODIES: Final = _CALLS | {"cancel", "reset", "stream", "component_server"}


class _Refused(Exception):
    """The request is answered here and not passed on to Gradio."""

    def __init__(self, status: int, problem: str) -> None:
        super().__init__(problem)
        self.status = status
        self.problem = problem


class _GradioCall(NamedTuple):
    """A request of Gradio's protocol."""

    method: str
    steps: tuple[str, ...]
    """The decoded parts of the path after the prefix."""
    query: Mapping[str, list[str]]


class EventGuard:
    """ASGI middleware that refuses malformed requests of Gradio's protocol with a one-line message.

    Args:
        app: The application to pass requests on to.
        log: Logs refusals; None creates a log.
    """

    def __init__(self, app: ASGIApp, log: RefusalLog | None = None) -> None:
        self._app = app
        self._log = log or RefusalLog()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        call = _call_of(scope)
        if call is None:
            await self._app(scope, receive, send)
            return
        sender = _Sender(send)
        try:
            replayed = await _checked(call, GradioPages.of(scope), receive)
            await self._app(scope, replayed, sender)
        except _Refused as refused:
            self._log.note("/".join(call.steps), refused.problem)
            await _answer(refused.status, refused.problem, scope, receive, send)
        except Exception as error:  # noqa: BLE001 - Gradio's routes raise anything; see the module's docstring
            self._log.note("/".join(call.steps), f"{type(error).__name__}: {error}")
            if not sender.has_started:
                await _answer(400, "it is malformed", scope, receive, send)
            elif not sender.has_ended:
                await send({"type": "http.response.body", "body": b"", "more_body": False})


class _Sender:
    """Passes a response on, and remembers whether it has started and ended."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.has_started = False
        self.has_ended = False

    async def __call__(self, message: Message) -> None:
        self.has_started = True
        self.has_ended = message["type"] == "http.response.body" and not message.get("more_body", False)
        await self._send(message)


def _call_of(scope: Scope) -> _GradioCall | None:
    """Return the request, or None if it is not part of Gradio's protocol."""
    if scope["type"] != "http":
        return None
    path = str(scope["path"])
    _, found, rest = path.partition(PREFIX)
    if not found:
        # Anybody could turn on Gradio's monitoring, which writes its secret address to the log.
        is_unused = "/monitoring" in path
        return _GradioCall(method=str(scope["method"]), steps=("dev",), query={}) if is_unused else None
    steps = tuple(unquote(step) for step in rest.strip("/").split("/"))
    # MCP has its own protocol, and uploads are streamed.
    if steps[0] in ("mcp", "upload"):
        return None
    query = parse_qs(cast(bytes, scope.get("query_string", b"")).decode("latin-1"))
    return _GradioCall(method=str(scope["method"]), steps=steps, query=query)


async def _checked(call: _GradioCall, pages: GradioPages, receive: Receive) -> Receive:
    """Check a request; return the `Receive` to pass it on with.

    Raises:
        _Refused: The request is malformed.
    """
    if call.steps[0] in UNUSED:
        raise _Refused(404, "this route does not exist")
    if call.method == "GET":
        _check_stream(call, pages)
    if call.method != "POST" or call.steps[0] not in _BODIES:
        return receive
    body = await _read(receive)
    try:
        value = load_json(body.decode())
    except ValueError as error:
        raise _Refused(400, "the body is not JSON") from error
    problem = problem_of_json(value, takes_surrogates=call.steps[0] in _CALLS)
    if problem:
        raise _Refused(422, f"in the body, {problem}")
    if not isinstance(value, dict):
        raise _Refused(422, "the body is not an object")
    if call.steps[0] in _CALLS:
        _check_call(call, cast(Mapping[str, object], value), pages)
    elif not _is_name(cast(Mapping[str, object], value).get("session_hash", "")):
        raise _Refused(422, "the session_hash is not valid")
    return _replaying(body, receive)


def _check_call(call: _GradioCall, body: Mapping[str, object], pages: GradioPages) -> None:
    """Refuse events that the page does not have, and fields of wrong types."""
    is_named = call.steps[:2] == ("call", "v2")
    if not is_named and not isinstance(body.get("data"), list):
        raise _Refused(422, "data is not a list")
    if not is_named:
        _check_fields(body)
    index = body.get("fn_index")
    if call.steps[0] == "queue" or (index is not None and call.steps[0] in ("run", "api")):
        event = pages.event(index)
    else:
        event = pages.event_named(call.steps[-1] if len(call.steps) > 1 else "")
        if is_named and event is not None and event.api_visibility == "private":
            event = None
    if event is None or cast(Any, event).fn is None:
        raise _Refused(404, "the page has no such event")
    if is_named:
        _check_names(body, field_names(event))


def _check_names(body: Mapping[str, object], known: Sequence[str]) -> None:
    """Refuse a field that the event does not have. Gradio would fail without naming it."""
    unknown = next((name for name in body if name not in (*known, *_OWN_FIELDS)), None)
    if unknown is not None:
        problem = f"there is no field {unknown[:60]!r}; the fields are {', '.join(known)}"
        raise _Refused(422, problem)


def _check_fields(body: Mapping[str, object]) -> None:
    for name in ("session_hash", "event_id"):
        value = body.get(name)
        if value is not None and not _is_name(value):
            raise _Refused(422, f"the {name} is not valid")
    if not isinstance(body.get("trigger_id"), int | None):
        raise _Refused(422, "trigger_id is not a number")
    if not isinstance(body.get("event_data"), dict | list | str | int | float | None):
        raise _Refused(422, "event_data is not JSON")
    # Only Gradio's queue combines events into batches, and none of our events uses batches.
    if body.get("batched") or not isinstance(body.get("simple_format", False), bool):
        raise _Refused(422, "it is not a single event")


def _check_stream(call: _GradioCall, pages: GradioPages) -> None:
    """Refuse to stream the events of an unknown session, since Gradio would fail after starting its response."""
    if call.steps[:2] == ("queue", "data"):
        hashes = call.query.get("session_hash", [""])
        if not pages.has_stream(hashes[0]):
            raise _Refused(404, "there is no such session")
    elif call.steps[0] == "call" and len(call.steps) > 2 and not pages.has_answers(call.steps[-1]):
        raise _Refused(404, "there is no such event")


def _is_name(value: object) -> bool:
    """Whether a value can be the name of a session or an event."""
    return isinstance(value, str) and len(value) <= MOST_SESSION_CHARS and value.isprintable()


async def _read(receive: Receive) -> bytes:
    pieces: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] != "http.request":
            raise _Refused(400, "it ended early")
        piece = cast(bytes, message.get("body", b""))
        size += len(piece)
        if size > MOST_BODY_BYTES:
            raise _Refused(413, f"the body is larger than {MOST_BODY_BYTES // 2**20} MiB")
        pieces.append(piece)
        if not message.get("more_body", False):
            return b"".join(pieces)


def _replaying(body: bytes, receive: Receive) -> Receive:
    """Return a `Receive` that replays the body that was read, then continues with `receive`."""
    is_read = False

    async def replay() -> Message:
        nonlocal is_read
        if is_read:
            return await receive()
        is_read = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay


async def _answer(status: int, problem: str, scope: Scope, receive: Receive, send: Send) -> None:
    message = f"Invalid request: {problem}."
    # Gradio's browser side and Python client show `error`, FastAPI's clients show `detail`.
    await JSONResponse({"detail": message, "error": message}, status_code=status)(scope, receive, send)
