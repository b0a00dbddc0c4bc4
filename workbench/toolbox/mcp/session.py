"""A session with one MCP server. It stays open on its own event loop until one side closes it."""

import asyncio
from asyncio import CancelledError as LoopCancelled
from collections.abc import Callable, Coroutine
from concurrent.futures import CancelledError, Future
from contextlib import AbstractAsyncContextManager, suppress
from threading import Event, Thread, current_thread
from typing import Any, Final, TypeVar, cast

from mcp import ClientSession
from pydantic import ValidationError

from workbench.toolbox.mcp.bounds import (
    MOST_UNASKED,
    InvalidLineCounter,
    McpServerRefused,
    RateLimit,
    ServerTool,
    list_all,
    shorten_sdk_logs,
)
from workbench.toolbox.mcp.config import McpServerConfig
from workbench.toolbox.mcp.http import OTHER_TRANSPORT, HttpLog, http_streams
from workbench.toolbox.mcp.program import ProgramLog, end_group, program_streams
from workbench.toolbox.mcp.sdk import McpError, is_tool_change
from workbench.toolspec.form_faults import first_fault

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
        self._is_cancelled = False
        self._is_stale = False
        self._pid: int | None = None
        self._invalid_messages = InvalidLineCounter()
        self._unasked = RateLimit(MOST_UNASKED, "it sent too many messages that nobody asked for")
        self._http = HttpLog()
        self.log = ProgramLog()
        """Standard error of the program. Empty for a server over HTTP."""
        self.ended = ""
        """Why the session ended. Empty while it has not."""
        self.is_refused = False
        """Whether the server broke a limit; then it is not started again."""
        self.tools: tuple[ServerTool, ...] = ()
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
            why = self._http.cause() or f"no answer within {self._server.timeout:g} s"
            self.ended = self.ended or why + self._said()
        if self.ended:
            self.close()
            raise ConnectionError(self.ended)

    @property
    def is_open(self) -> bool:
        """Whether requests can be sent."""
        return self._session is not None and not self.ended

    @property
    def is_ending(self) -> bool:
        """Whether no more requests can be sent, or the program has ended, which the session notes a moment later."""
        return not self.is_open or self.log.exit_code is not None

    def cause(self) -> str:
        """Return why the session ended, or is about to. Empty if it has not."""
        if self._thread is not None and self.is_ending:
            self._thread.join(CLOSE_S)
        return self.ended or self.log.cause()

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
        # Only once: a second cancellation would interrupt ending the program. The task's own count of cancellations
        # does not say so, since the task groups of anyio reset it.
        if self._work is not None and not self._is_cancelled:
            self._is_cancelled = True
            self._work.cancel()

    def _run(self) -> None:
        try:
            self._loop.run_until_complete(self._begin())
            self.ended = self.ended or "it ended"
        except BaseException as error:  # noqa: BLE001 - the next request reports it
            self.is_refused = self.is_refused or _is_refusal(error)
            self.ended = self.ended or self._cause(error)
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
        if self._server.command:
            await self._hold(program_streams(self._server, self._note_pid, self.log))
            return
        is_sse = self._server.type == "sse"
        try:
            await self._hold(http_streams(self._server, self._http, is_sse=is_sse))
        except Exception:
            # As the specification describes: a server that refuses streamable HTTP may support the older SSE.
            if self.ended or self._server.type != "auto" or self._http.status not in OTHER_TRANSPORT:
                raise
            try:
                await self._hold(http_streams(self._server, HttpLog(), is_sse=True))
            except Exception as error:
                if self._ready.is_set():
                    raise
                raise ConnectionError(self._http.cause()) from error

    async def _hold(self, streams: AbstractAsyncContextManager[tuple[Any, Any]]) -> None:
        """Keep a session open over these streams, until this task is cancelled or the streams fail."""
        async with (
            streams as (source, target),
            ClientSession(source, target, message_handler=self._on_message) as session,
        ):
            await session.initialize()
            self.tools = await list_all(session)
            self._session = session
            self._http.status = None
            self._ready.set()
            await asyncio.Event().wait()

    def _cause(self, error: BaseException) -> str:
        """Describe why the session ended."""
        message = _innermost_message(error)
        if self.is_refused:
            return message
        if isinstance(error, FileNotFoundError) and not self._server.cwd:
            return f"the program {self._server.command!r} was not found"
        if self._server.command:
            return (self.log.cause() or message) + self._said()
        if cause := self._http.cause():
            return cause
        return message if self._ready.is_set() else f"{self._server.url} cannot be used: {message}"

    def _said(self) -> str:
        """Return what the program wrote about a problem at its start, as the end of a message."""
        said = "" if self._ready.is_set() else self.log.said()
        return f"; it wrote: {said}" if said else ""

    def _note_pid(self, pid: int) -> None:
        self._pid = pid

    async def _on_message(self, message: object) -> None:
        try:
            if isinstance(message, Exception):
                problem = _innermost_message(message)
                if self._http.is_complete and not self._ready.is_set():
                    self.ended = f"{self._server.url} cannot be used, since its answer is not an MCP message: {problem}"
                    self._cancel()
                self._invalid_messages.add(problem)
                return
            self._unasked.add()
        except McpServerRefused as error:
            self.ended, self.is_refused = str(error), True
            self._cancel()
            return
        # Listing the tools waits for an answer. Waiting here would block this handler, and the answer with it.
        if is_tool_change(message):
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
    if isinstance(inner, ValidationError):
        return " ".join(filter(None, first_fault(inner)))
    return " ".join(str(inner).split())[:200] or type(inner).__name__
