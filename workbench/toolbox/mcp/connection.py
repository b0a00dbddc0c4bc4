"""One MCP server, held open on a loop of its own. *Source:* MCP 2025-06-18; the official Python SDK."""

import asyncio
import os
from collections.abc import AsyncGenerator, Callable, Coroutine, Mapping
from concurrent.futures import Future
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from threading import Event, Thread
from typing import Any, Final, TypeVar, cast

import httpx
from anyio import BrokenResourceError, ClosedResourceError
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import McpError
from mcp.types import (
    CallToolResult,
    PaginatedRequestParams,
    ServerNotification,
    TextContent,
    Tool,
    ToolListChangedNotification,
)

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.toolbox.mcp.servers import Server

_PING_S: Final = 3.0
_CLOSE_S: Final = 5.0
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerTool:
    """A tool as its server lists it."""

    name: str
    """As the server knows it."""
    description: str
    """For the model; may be empty."""
    schema: JsonObject = field(hash=False)
    """JSON Schema of the arguments."""


class Connection:
    """A session with one server. Its methods are called from any thread.

    Args:
        name: As the settings file names it.
        server: How to reach it.
        on_tools: Called, on a thread of its own, when the server says that its tools are others now.
    """

    def __init__(self, name: str, server: Server, on_tools: Callable[[], None] = lambda: None) -> None:
        self._on_tools = on_tools
        self._name = name
        self._server = server
        self._loop = asyncio.new_event_loop()
        self._ready = Event()
        self._stop: asyncio.Event | None = None
        self._session: ClientSession | None = None
        self._listing: asyncio.Task[None] | None = None
        self._ended = ""
        self.tools: tuple[ServerTool, ...] = ()
        """What it lists."""

    def open(self) -> None:
        """Connects, and lists the tools.

        Raises:
            ConnectionError: It does not answer, or not in time.
        """
        Thread(target=self._run, name=f"mcp-{self._name}", daemon=True).start()
        if not self._ready.wait(self._server.timeout):
            self._ended = f"no answer within {self._server.timeout:g} s"
        if self._ended:
            raise ConnectionError(self._ended)

    def check(self) -> bool:
        """Whether it still answers; says so where it does not."""
        session = self._live_session()
        try:
            self._wait(session.send_ping(), _PING_S)
        except TimeoutError:
            raise ConnectionError(f"the MCP server {self._name!r} does not answer") from None
        except Exception as error:
            raise ConnectionError(f"the MCP server {self._name!r} is gone: {_words(error)}") from error
        return True

    def call(self, tool: str, arguments: Mapping[str, object]) -> JsonValue:
        """The result of one call: structured where the server gives it so, else its text.

        Raises:
            ConnectionError: The server is gone.
            TimeoutError: It gave nothing in time.
        """
        session, timeout_s = self._live_session(), self._server.timeout
        limit = timedelta(seconds=timeout_s)
        try:
            result = self._wait(
                session.call_tool(tool, dict(arguments), read_timeout_seconds=limit), timeout_s + 1
            )
        except (ClosedResourceError, BrokenResourceError) as error:
            raise ConnectionError(f"the MCP server {self._name!r} is gone: its line is closed") from error
        except McpError as error:
            if self._ended or "closed" in str(error).lower():
                raise ConnectionError(f"the MCP server {self._name!r} is gone: {error}") from error
            return {"error": str(error)}
        return _value(result)

    def close(self) -> None:
        """Ends the session, and the program behind it."""
        if self._stop is not None and self._loop.is_running():
            self._loop.call_soon_threadsafe(self._stop.set)

    def _live_session(self) -> ClientSession:
        if self._session is None or self._ended or not self._loop.is_running():
            raise ConnectionError(f"the MCP server {self._name!r} is gone: {self._ended or 'it ended'}")
        return self._session

    def _wait(self, work: Coroutine[Any, Any, _T], timeout_s: float) -> _T:
        future: Future[_T] = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result(timeout_s)
        except TimeoutError:
            future.cancel()
            raise

    def _run(self) -> None:
        try:
            self._loop.run_until_complete(self._hold())
            self._ended = self._ended or "it was closed"
        except BaseException as error:  # noqa: BLE001 - told by whoever asks next: the thread has nobody to tell
            self._ended = self._ended or _words(error)
        finally:
            self._session = None
            self._ready.set()
            self._loop.close()

    async def _hold(self) -> None:
        self._stop = asyncio.Event()
        async with (
            _streams(self._server) as (source, target),
            ClientSession(source, target, message_handler=self._on_message) as session,
        ):
            await session.initialize()
            self.tools = await _list_tools(session)
            self._session = session
            self._ready.set()
            await self._stop.wait()

    async def _on_message(self, message: object) -> None:
        # Listing waits for an answer, which comes in behind this message: not here, or it never would.
        if isinstance(message, ServerNotification) and isinstance(message.root, ToolListChangedNotification):
            self._listing = asyncio.get_running_loop().create_task(self._list_again())

    async def _list_again(self) -> None:
        if self._session is None:
            return
        try:
            self.tools = await _list_tools(self._session)
        except McpError:
            # It is going: whoever uses one of its tools is told.
            return
        await asyncio.to_thread(self._on_tools)


async def _list_tools(session: ClientSession) -> tuple[ServerTool, ...]:
    listed = await session.list_tools()
    tools = list(listed.tools)
    while listed.nextCursor:
        listed = await session.list_tools(params=PaginatedRequestParams(cursor=listed.nextCursor))
        tools += listed.tools
    return tuple(map(_listed, tools))


@asynccontextmanager
async def _streams(server: Server) -> AsyncGenerator[tuple[Any, Any]]:
    if server.url:
        timeout = httpx.Timeout(server.timeout, read=None)
        async with (
            httpx.AsyncClient(headers=server.headers, timeout=timeout, follow_redirects=True) as client,
            streamable_http_client(server.url, http_client=client) as (source, target, _),
        ):
            yield source, target
        return
    parameters = StdioServerParameters(command=server.command, args=list(server.args), env=server.env or None)
    # What the program says on standard error is not the model's, and would tear a terminal's screen.
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        async with stdio_client(parameters, errlog=nowhere) as (source, target):
            yield source, target


def _listed(tool: Tool) -> ServerTool:
    schema = cast(JsonObject, tool.inputSchema)
    return ServerTool(name=tool.name, description=tool.description or "", schema=schema)


def _value(result: CallToolResult) -> JsonValue:
    texts = [block.text for block in result.content if isinstance(block, TextContent)]
    if result.isError:
        return {"error": "\n".join(texts) or "the tool failed"}
    if result.structuredContent is not None:
        return cast(JsonObject, result.structuredContent)
    if len(texts) == 1 and len(result.content) == 1:
        return texts[0]
    return {
        "content": [
            cast(JsonObject, block.model_dump(mode="json", exclude_none=True)) for block in result.content
        ]
    }


def _words(error: BaseException) -> str:
    """The innermost words of an error; the SDK wraps them in groups."""
    inner = error
    while isinstance(inner, BaseExceptionGroup):
        inner = cast(BaseExceptionGroup[BaseException], inner).exceptions[0]
    return " ".join(str(inner).split())[:200] or type(inner).__name__
