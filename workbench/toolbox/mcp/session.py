"""A session with one MCP server. It stays open on its own event loop until one side closes it."""

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
    """Open the streams of a session over HTTP. Redirects are not followed.

    Raises:
        httpx.HTTPError: The server does not answer.
    """
    timeout = httpx.Timeout(server.timeout, read=None)
    # No compression: a kilobyte could unpack to a gigabyte.
    headers = {**server.headers, "Accept-Encoding": "identity"}
    async with (
        httpx.AsyncClient(headers=headers, timeout=timeout, transport=BoundedTransport()) as client,
        streamable_http_client(server.url, http_client=client) as (source, target, _),
    ):
        yield source, target


class BoundedTransport(httpx.AsyncHTTPTransport):
    """HTTP transport that stops at answers that are compressed or larger than a message may be."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request. The body of its response is limited."""
        response = await super().handle_async_request(request)
        encoding = response.headers.get("content-encoding", "identity")
        if encoding != "identity":
            await response.aclose()
            raise httpx.DecodingError(f"it sent an answer compressed with {encoding[:20]!r}", request=request)
        stream = response.stream
        assert isinstance(stream, httpx.AsyncByteStream)
        is_endless = response.headers.get("content-type", "").startswith(_STREAM)
        response.stream = _Counted(stream, is_endless=is_endless)
        return response


class _Counted(httpx.AsyncByteStream):
    """The body of a response, up to its limit.

    An event stream has no end. The limits apply to each event, and to the bytes within some seconds.
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
        """Close the body."""
        await self._stream.aclose()


CLOSE_S: Final = 5.0
"""Time that a session has to end."""
_LISTING_S: Final = 1.0
"""Minimum time between two requests for the list of tools."""
_T = TypeVar("_T")


class McpConnection:
    """One session with a server. It can be used from any thread.

    Args:
        name: Name of the server in the settings file.
        on_tools: Called in another thread when the server has announced new tools and they have been listed.
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
        self._invalid_messages = InvalidLineCounter()
        self._unasked = RateLimit(MOST_UNASKED, "it sent too many messages that nobody asked for")
        self.ended = ""
        """Why the session ended. Empty while it has not."""
        self.is_refused = False
        """Whether the server broke a limit; then it is not started again."""
        self.tools: tuple[Tool, ...] = ()
        """Tools that the server listed last."""

    def open(self) -> None:
        """Connect to the server and list its tools. If this fails, everything that was started is ended.

        Raises:
            ConnectionError: The server does not answer in time, or its answer is invalid.
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
        """Whether requests can be sent."""
        return self._session is not None and not self.ended

    def ask(self, work: Callable[[ClientSession], Coroutine[Any, Any, _T]], timeout_s: float) -> _T:
        """Send a request and return the answer.

        Args:
            work: Sends the request; it runs on the session's event loop.
            timeout_s: Maximum time, in seconds.

        Raises:
            ConnectionError: The session has ended.
            TimeoutError: There was no answer in time.
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
        """Start to end the session, without waiting for it."""
        self.ended = self.ended or "it was closed"
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._cancel)

    def close(self) -> None:
        """End the session and its program, with all child processes. It can be called more than once."""
        self.begin_closing()
        if self._thread is None or self._thread is current_thread():
            return
        self._thread.join(CLOSE_S)
        if self._pid is not None:
            # Usually the program has ended by now.
            end_group(self._pid)

    def _cancel(self) -> None:
        # Only once: a second cancellation would interrupt ending the program.
        if self._work is not None and not self._work.cancelling():
            self._work.cancel()

    def _run(self) -> None:
        try:
            self._loop.run_until_complete(self._begin())
            self.ended = self.ended or "it ended"
        except BaseException as error:  # noqa: BLE001 - the next request reports it
            self.is_refused = _is_refusal(error)
            self.ended = self.ended or _innermost_message(error)
        finally:
            self._session = None
            with suppress(BaseException):
                self._end_tasks()
            self._loop.close()
            self._ready.set()

    def _end_tasks(self) -> None:
        """Cancel all tasks, so that nobody waits for an answer that cannot arrive any more."""
        tasks = asyncio.all_tasks(self._loop)
        for task in tasks:
            task.cancel()
        self._loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
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
            # Wait until this task is cancelled or the streams fail.
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
                self._invalid_messages.add(_innermost_message(message))
                return
            self._unasked.add()
        except McpServerRefused as error:
            self.ended, self.is_refused = str(error), True
            self._cancel()
            return
        # Listing the tools waits for an answer. Waiting here would block this handler, and the answer with it.
        if isinstance(message, ServerNotification) and isinstance(message.root, ToolListChangedNotification):
            self._list_again()

    def _list_again(self) -> None:
        """List the tools again. Only one listing runs at a time, however often the server announces changes."""
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
                # The session is ending. The next call of one of its tools reports the problem.
                return
            await asyncio.to_thread(self._on_tools)
            await asyncio.sleep(_LISTING_S)


def _is_refusal(error: BaseException) -> bool:
    if isinstance(error, BaseExceptionGroup):
        return any(map(_is_refusal, cast(BaseExceptionGroup[BaseException], error).exceptions))
    return isinstance(error, McpServerRefused)


def _innermost_message(error: BaseException) -> str:
    """Return the message of the innermost error; the SDK wraps errors in exception groups."""
    inner = error
    while isinstance(inner, BaseExceptionGroup):
        parts = cast(BaseExceptionGroup[BaseException], inner).exceptions
        inner = next((part for part in parts if _is_refusal(part)), parts[0])
    if isinstance(inner, LoopCancelled):
        return "it was closed"
    return " ".join(str(inner).split())[:200] or type(inner).__name__
