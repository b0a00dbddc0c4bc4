"""A session with one MCP server, kept open on a loop of its own until either side closes it."""

import asyncio
from asyncio import CancelledError as LoopCancelled
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine
from concurrent.futures import CancelledError, Future
from contextlib import asynccontextmanager, suppress
from threading import Event, Thread, current_thread
from typing import Any, Final, TypeVar, cast

import httpx
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import McpError
from mcp.types import ServerNotification, Tool, ToolListChangedNotification

from workbench.toolbox.mcp.bounds import (
    MOST_MESSAGE_BYTES,
    MOST_UNASKED,
    MOST_WINDOW_BYTES,
    WINDOW_S,
    InvalidLineCounter,
    McpServerConfig,
    McpServerRefused,
    RateLimit,
    list_all,
    shorten_sdk_logs,
)
from workbench.toolbox.mcp.program import end_group, program_streams

_STREAM: Final = "text/event-stream"


@asynccontextmanager
async def http_streams(server: McpServerConfig) -> AsyncGenerator[tuple[Any, Any]]:
    """The streams of a session with it; a redirect to another host is not followed.

    Raises:
        httpx.HTTPError: It does not answer.
    """
    timeout = httpx.Timeout(server.timeout, read=None)
    # Nothing packed: a kilobyte could unpack to a gigabyte.
    headers = {**server.headers, "Accept-Encoding": "identity"}
    async with (
        httpx.AsyncClient(headers=headers, timeout=timeout, transport=BoundedTransport()) as client,
        streamable_http_client(server.url, http_client=client) as (source, target, _),
    ):
        yield source, target


class BoundedTransport(httpx.AsyncHTTPTransport):
    """Ends an answer that is larger than a message may be, or is packed."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """One request."""
        response = await super().handle_async_request(request)
        packing = response.headers.get("content-encoding", "identity")
        if packing != "identity":
            await response.aclose()
            raise httpx.DecodingError(f"it sent an answer packed by {packing[:20]!r}", request=request)
        stream = response.stream
        assert isinstance(stream, httpx.AsyncByteStream)
        is_endless = response.headers.get("content-type", "").startswith(_STREAM)
        response.stream = _Counted(stream, is_endless=is_endless)
        return response


class _Counted(httpx.AsyncByteStream):
    """The body of an answer, as long as it keeps within its limit.

    A stream of events has no end: of it, one event is bounded, and how much comes within some seconds.
    """

    def __init__(self, stream: httpx.AsyncByteStream, *, is_endless: bool) -> None:
        self._stream = stream
        self._is_endless = is_endless

    async def __aiter__(self) -> AsyncIterator[bytes]:
        window = RateLimit(MOST_WINDOW_BYTES, f"it sent too much within {WINDOW_S:g} s")
        size = 0
        async for chunk in self._stream:
            window.add(len(chunk))
            place = chunk.rfind(b"\n\n") if self._is_endless else -1
            size = size + len(chunk) if place < 0 else len(chunk) - place
            if size > MOST_MESSAGE_BYTES:
                raise McpServerRefused(f"it sent a message of more than {MOST_MESSAGE_BYTES // 2**20} MiB")
            yield chunk

    async def aclose(self) -> None:
        """Closes it."""
        await self._stream.aclose()


CLOSE_S: Final = 5.0
"""How long a session may take to end by itself."""
_LISTING_S: Final = 1.0
"""Least time between two listings that the server asks for."""
_T = TypeVar("_T")


class McpConnection:
    """One attempt to talk to a server. Its methods are called from any thread.

    Args:
        name: As the settings file names it.
        server: How to reach it.
        on_tools: Called, on a thread of its own, when the server says that its tools are others now.
    """

    def __init__(self, name: str, server: McpServerConfig, on_tools: Callable[[], None]) -> None:
        self._name = name
        self._server = server
        self._on_tools = on_tools
        self._loop = asyncio.new_event_loop()
        self._ready = Event()
        self._thread: Thread | None = None
        self._work: asyncio.Task[None] | None = None
        self._session: ClientSession | None = None
        self._listing: asyncio.Task[None] | None = None
        self._is_stale = False
        self._pid: int | None = None
        self._bad = InvalidLineCounter()
        self._unasked = RateLimit(MOST_UNASKED, "it sent too many messages that nobody asked for")
        self.ended = ""
        """Why it ended; empty while it has not."""
        self.is_refused = False
        """Whether the server did what no server may: then it is not tried again."""
        self.tools: tuple[Tool, ...] = ()
        """What the server lists."""

    def open(self) -> None:
        """Connects, and lists the tools. What was begun is ended again if that does not work.

        Raises:
            ConnectionError: The server does not answer, not in time, or not as a server does.
        """
        shorten_sdk_logs()
        self._thread = Thread(target=self._run, name=f"mcp-{self._name}", daemon=True)
        self._thread.start()
        if not self._ready.wait(self._server.timeout):
            self.ended = self.ended or f"no answer within {self._server.timeout:g} s"
        if self.ended:
            self.close()
            raise ConnectionError(self.ended)

    @property
    def is_open(self) -> bool:
        """Whether the server can be asked."""
        return self._session is not None and not self.ended

    def ask(self, work: Callable[[ClientSession], Coroutine[Any, Any, _T]], timeout_s: float) -> _T:
        """What the server answers.

        Args:
            work: Asks it, on the session's own loop.
            timeout_s: How long that may take.

        Raises:
            ConnectionError: The session has ended.
            TimeoutError: No answer came in time.
        """
        session = self._session
        if session is None or self.ended:
            raise ConnectionError(self.ended or "it ended")
        coroutine = work(session)
        try:
            future: Future[_T] = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        except RuntimeError as error:
            coroutine.close()
            raise ConnectionError(self.ended or "it ended") from error
        try:
            return future.result(timeout_s)
        except TimeoutError:
            future.cancel()
            raise
        except CancelledError as error:
            raise ConnectionError(self.ended or "it ended") from error

    def begin_closing(self) -> None:
        """Ends the session without waiting for its end."""
        self.ended = self.ended or "it was closed"
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._cancel)

    def close(self) -> None:
        """Ends the session, and the program behind it with all that it started; may be called again."""
        self.begin_closing()
        if self._thread is None or self._thread is current_thread():
            return
        self._thread.join(CLOSE_S)
        if self._pid is not None:
            # Most often they have ended by now.
            end_group(self._pid)

    def _cancel(self) -> None:
        # Once: a second time would break off the ending of the program.
        if self._work is not None and not self._work.cancelling():
            self._work.cancel()

    def _run(self) -> None:
        try:
            self._loop.run_until_complete(self._begin())
            self.ended = self.ended or "it ended"
        except BaseException as error:  # noqa: BLE001 - reported to whoever asks next: the thread has nobody to tell
            self.is_refused = _is_refusal(error)
            self.ended = self.ended or _words(error)
        finally:
            self._session = None
            with suppress(BaseException):
                self._end_tasks()
            self._loop.close()
            self._ready.set()

    def _end_tasks(self) -> None:
        """Nobody must wait for an answer that cannot come any more."""
        left = asyncio.all_tasks(self._loop)
        for task in left:
            task.cancel()
        self._loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
        self._loop.run_until_complete(self._loop.shutdown_asyncgens())

    async def _begin(self) -> None:
        self._work = asyncio.current_task()
        if self.ended:
            return
        async with (
            self._streams() as (source, target),
            ClientSession(source, target, message_handler=self._on_message) as session,
        ):
            await session.initialize()
            self.tools = await list_all(session)
            self._session = session
            self._ready.set()
            # Until this task is cancelled, or the streams fail.
            await asyncio.Event().wait()

    @asynccontextmanager
    async def _streams(self) -> AsyncGenerator[tuple[Any, Any]]:
        if self._server.url:
            async with http_streams(self._server) as streams:
                yield streams
            return
        async with program_streams(self._server, self._note_pid) as (source, target):
            yield source, target

    def _note_pid(self, pid: int) -> None:
        self._pid = pid

    async def _on_message(self, message: object) -> None:
        try:
            if isinstance(message, Exception):
                self._bad.add(_words(message))
                return
            self._unasked.add()
        except McpServerRefused as error:
            self.ended, self.is_refused = str(error), True
            self._cancel()
            return
        # Listing waits for an answer, which comes after this message: not here, or it never would.
        if isinstance(message, ServerNotification) and isinstance(message.root, ToolListChangedNotification):
            self._list_again()

    def _list_again(self) -> None:
        """Lists the tools; once at a time, however often the server says that they are others."""
        self._is_stale = True
        if self._listing is None or self._listing.done():
            self._listing = self._loop.create_task(self._list_while_stale())

    async def _list_while_stale(self) -> None:
        while self._is_stale and self._session is not None:
            self._is_stale = False
            try:
                async with asyncio.timeout(self._server.timeout):
                    self.tools = await list_all(self._session)
            except McpServerRefused as error:
                self.ended, self.is_refused = str(error), True
                self._cancel()
                return
            except (McpError, TimeoutError):
                # It is going: whoever uses one of its tools is told.
                return
            await asyncio.to_thread(self._on_tools)
            await asyncio.sleep(_LISTING_S)


def _is_refusal(error: BaseException) -> bool:
    if isinstance(error, BaseExceptionGroup):
        return any(map(_is_refusal, cast(BaseExceptionGroup[BaseException], error).exceptions))
    return isinstance(error, McpServerRefused)


def _words(error: BaseException) -> str:
    """The innermost words of an error; the SDK wraps them in groups."""
    inner = error
    while isinstance(inner, BaseExceptionGroup):
        parts = cast(BaseExceptionGroup[BaseException], inner).exceptions
        inner = next((one for one in parts if _is_refusal(one)), parts[0])
    if isinstance(inner, LoopCancelled):
        return "it was closed"
    return " ".join(str(inner).split())[:200] or type(inner).__name__
