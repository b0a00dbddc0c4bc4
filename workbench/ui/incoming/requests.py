"""Check the requests of Gradio's protocol before Gradio reads them.

Gradio's routes take what they are sent for what its own browser side sends: an unknown event, an unknown session or a
value of a wrong type ends in a traceback of the server instead of an answer. Nothing of ours runs within these routes
themselves, so an exception that leaves one is about the request. What our handlers raise stays within Gradio's queue,
which prints its traceback.

*Source:* gradio 6.31, routes.py, `create_app`; queueing.py, `push`.
"""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple, cast
from urllib.parse import parse_qs, unquote

from gradio.blocks import Blocks
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from workbench.chat.json_value import load_json
from workbench.ui.incoming.refusal import RefusalLog, problem_of_json

PREFIX: Final = "/gradio_api/"
MOST_BODY_BYTES: Final = 16 * 1024 * 1024
"""Of one event. Files come by another route, which has a limit of its own."""
MOST_SESSION_CHARS: Final = 128
"""Gradio's own browser side makes 10."""
UNUSED: Final = frozenset(
    {
        # Writes the state of any tab into a file, and shows it to whoever has its address.
        "deep_link",
        # Print to the log whatever they are asked.
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
"""Routes of Gradio's that the page does not use."""
_CALLS: Final = frozenset({"queue", "run", "api", "call"})
_BODIES: Final = _CALLS | {"cancel", "reset", "stream", "component_server"}


class _Refused(Exception):
    """Answered here, and not handed on to Gradio."""

    def __init__(self, status: int, problem: str) -> None:
        super().__init__(problem)
        self.status = status
        self.problem = problem


class _GradioCall(NamedTuple):
    """A request of Gradio's protocol."""

    method: str
    steps: tuple[str, ...]
    """The parts of its path after the prefix, decoded."""
    query: Mapping[str, list[str]]


class EventGuard:
    """ASGI middleware that answers malformed requests of Gradio's protocol with one line.

    Args:
        app: What is behind it.
        log: Is told what was refused; None makes one.
    """

    def __init__(self, app: ASGIApp, log: RefusalLog | None = None) -> None:
        self._app = app
        self._log = log or RefusalLog()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        call = _call_of(scope)
        if call is None:
            await self._app(scope, receive, send)
            return
        sender = _Sender(send)
        try:
            replayed = await _checked(call, scope["app"].get_blocks(), receive)
            await self._app(scope, replayed, sender)
        except _Refused as refused:
            self._log.note("/".join(call.steps), refused.problem)
            await _answer(refused.status, refused.problem, scope, receive, send)
        except Exception as error:  # noqa: BLE001 - Gradio's routes raise anything; see the module's docstring
            self._log.note("/".join(call.steps), f"{type(error).__name__}: {error}")
            if not sender.has_started:
                await _answer(400, "it cannot be used", scope, receive, send)
            elif not sender.has_ended:
                await send({"type": "http.response.body", "body": b"", "more_body": False})


class _Sender:
    """Passes an answer on, and remembers how far it is."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.has_started = False
        self.has_ended = False

    async def __call__(self, message: Message) -> None:
        self.has_started = True
        self.has_ended = message["type"] == "http.response.body" and not message.get("more_body", False)
        await self._send(message)


def _call_of(scope: Scope) -> _GradioCall | None:
    """The request, if it is one of Gradio's protocol."""
    if scope["type"] != "http":
        return None
    path = str(scope["path"])
    _, found, rest = path.partition(PREFIX)
    if not found:
        # Anybody could turn Gradio's monitoring on: it writes its secret address to the log.
        is_unused = "/monitoring" in path
        return _GradioCall(method=str(scope["method"]), steps=("dev",), query={}) if is_unused else None
    steps = tuple(unquote(step) for step in rest.strip("/").split("/"))
    # MCP has its own protocol, and uploads are read as they come.
    if steps[0] in ("mcp", "upload"):
        return None
    query = parse_qs(cast(bytes, scope.get("query_string", b"")).decode("latin-1"))
    return _GradioCall(method=str(scope["method"]), steps=steps, query=query)


async def _checked(call: _GradioCall, blocks: Blocks, receive: Receive) -> Receive:
    """What hands the request on.

    Raises:
        _Refused: It is malformed.
    """
    if call.steps[0] in UNUSED:
        raise _Refused(404, "there is nothing here")
    if call.method == "GET":
        _check_stream(call, blocks)
    if call.method != "POST" or call.steps[0] not in _BODIES:
        return receive
    body = await _read(receive)
    try:
        value = load_json(body.decode())
    except ValueError as error:
        raise _Refused(400, "its body is not JSON") from error
    problem = problem_of_json(value, takes_surrogates=call.steps[0] in _CALLS)
    if problem:
        raise _Refused(422, f"in its body, {problem}")
    if not isinstance(value, dict):
        raise _Refused(422, "its body is not an object")
    if call.steps[0] in _CALLS:
        _check_call(call, cast(Mapping[str, object], value), blocks)
    elif not _is_name(cast(Mapping[str, object], value).get("session_hash", "")):
        raise _Refused(422, "its session_hash is not one")
    return _replaying(body, receive)


def _check_call(call: _GradioCall, body: Mapping[str, object], blocks: Blocks) -> None:
    """Refuse an event that the page does not have, and fields of wrong types."""
    is_named = call.steps[:2] == ("call", "v2")
    if not is_named and not isinstance(body.get("data"), list):
        raise _Refused(422, "its data is not a list")
    if not is_named:
        _check_fields(body)
    index = body.get("fn_index")
    if call.steps[0] == "queue" or (index is not None and call.steps[0] in ("run", "api")):
        event = blocks.fns.get(index) if isinstance(index, int) and not isinstance(index, bool) else None
    else:
        name = call.steps[-1] if len(call.steps) > 1 else ""
        event = next((one for one in blocks.fns.values() if one.api_name == name), None)
        if is_named and event is not None and event.api_visibility == "private":
            event = None
    if event is None or cast(Any, event).fn is None:
        raise _Refused(404, "the page has no such event")


def _check_fields(body: Mapping[str, object]) -> None:
    for name in ("session_hash", "event_id"):
        value = body.get(name)
        if value is not None and not _is_name(value):
            raise _Refused(422, f"its {name} is not one")
    if not isinstance(body.get("trigger_id"), int | None):
        raise _Refused(422, "its trigger_id is not a number")
    if not isinstance(body.get("event_data"), dict | list | str | int | float | None):
        raise _Refused(422, "its event_data cannot be used")
    # Only Gradio's queue gathers events into batches, and no event of ours is one.
    if body.get("batched") or not isinstance(body.get("simple_format", False), bool):
        raise _Refused(422, "it is not a single event")


def _check_stream(call: _GradioCall, blocks: Blocks) -> None:
    """Refuse to stream the events of a session that has none: Gradio fails once its answer has begun."""
    # Gradio's own queue is not public, and there is no other place that tells.
    queue = cast(Any, blocks)._queue
    if call.steps[:2] == ("queue", "data"):
        hashes = call.query.get("session_hash", [""])
        if hashes[0] not in queue.pending_messages_per_session:
            raise _Refused(404, "there is no such session")
    elif call.steps[0] == "call" and len(call.steps) > 2:
        event_id = call.steps[-1]
        is_known = event_id in queue.event_ids_to_events or event_id in queue.pending_messages_per_session
        if not is_known and not any(event_id in ids for ids in queue.pending_event_ids_session.values()):
            raise _Refused(404, "there is no such event")


def _is_name(value: object) -> bool:
    """Whether it can be the name of a session or an event."""
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
            raise _Refused(413, f"its body is larger than {MOST_BODY_BYTES // 2**20} MiB")
        pieces.append(piece)
        if not message.get("more_body", False):
            return b"".join(pieces)


def _replaying(body: bytes, receive: Receive) -> Receive:
    """Gives the body that was read, then what comes after it."""
    is_read = False

    async def replay() -> Message:
        nonlocal is_read
        if is_read:
            return await receive()
        is_read = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay


async def _answer(status: int, problem: str, scope: Scope, receive: Receive, send: Send) -> None:
    said = f"This request cannot be used: {problem}."
    # Gradio's browser side and its Python client show `error`, FastAPI's clients `detail`.
    await JSONResponse({"detail": said, "error": said}, status_code=status)(scope, receive, send)
