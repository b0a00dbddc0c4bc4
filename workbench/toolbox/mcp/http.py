"""Exchange messages with an MCP server over HTTP: streamable HTTP, or the older SSE.

*Source:* https://modelcontextprotocol.io/specification/2025-06-18/basic/transports
"""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import Any, Final

from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client

from workbench.toolbox.mcp.bounds import (
    MOST_MESSAGE_BYTES,
    MOST_WINDOW_BYTES,
    WINDOW_S,
    McpServerRefused,
    RateLimit,
)
from workbench.toolbox.mcp.config import McpServerConfig
from workbench.toolbox.mcp.sdk import httpx

_STREAM: Final = "text/event-stream"
_IDLE_S: Final = 3600.0
"""Time without any event after which an SSE connection ends."""
OTHER_TRANSPORT: Final = frozenset({400, 404, 405})
"""Status of a server that does not support streamable HTTP at this address, as the specification lists them."""
_ADVICE: Final = {
    401: "set `headers` with its key",
    403: "set `headers` with its key, or check the host in its address",
    404: "check the path of its address, which often ends in /mcp or /sse",
    405: "check the path of its address, which often ends in /mcp or /sse",
}


class HttpLog:
    """How the server answered last, to explain why a session ended."""

    def __init__(self) -> None:
        self.status: int | None = None
        """Status of the last request that the server refused."""
        self.is_complete = False
        """Whether the last answer was complete, unlike an event stream: nothing else will answer that request."""

    def cause(self) -> str:
        """Return which status the server answered with. Empty if it refused nothing."""
        if self.status is None:
            return ""
        try:
            words = f" ({HTTPStatus(self.status).phrase})"
        except ValueError:
            words = ""
        advice = _ADVICE.get(self.status)
        return f"the server answered with status {self.status}{words}" + (f"; {advice}" if advice else "")


@asynccontextmanager
async def http_streams(
    server: McpServerConfig, log: HttpLog, *, is_sse: bool
) -> AsyncGenerator[tuple[Any, Any]]:
    """Open the streams of a session. Redirects to other hosts are not followed.

    Args:
        log: Gets the status of a refused request.
        is_sse: Whether to use SSE instead of streamable HTTP.

    Raises:
        OSError: The server does not answer.
    """
    limits = httpx.Timeout(server.timeout, read=None)
    # No compression: a kilobyte could unpack to a gigabyte.
    fields = {**server.headers, "Accept-Encoding": "identity"}

    def client(headers: object = None, timeout: object = None, auth: object = None) -> httpx.AsyncClient:
        """Return a client with the headers and time limits of this server, whatever the SDK asks for."""
        return httpx.AsyncClient(headers=fields, timeout=limits, transport=BoundedTransport(log))

    if is_sse:
        streams = sse_client(server.url, sse_read_timeout=_IDLE_S, httpx_client_factory=client)
        async with streams as (source, target):
            yield source, target
        return
    async with client() as http, streamable_http_client(server.url, http_client=http) as opened:
        yield opened[0], opened[1]


class BoundedTransport(httpx.AsyncHTTPTransport):
    """HTTP transport that stops at answers that are compressed or larger than a message may be."""

    def __init__(self, log: HttpLog) -> None:
        super().__init__()
        self._log = log

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request. The body of its response is limited."""
        response = await super().handle_async_request(request)
        # Servers need not support GET and DELETE.
        if request.method == "POST":
            is_stream = response.headers.get("content-type", "").startswith(_STREAM)
            self._log.is_complete = response.status_code == HTTPStatus.OK and not is_stream
            if response.status_code >= 400:
                self._log.status = response.status_code
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
            place = max(chunk.rfind(b"\n\n"), chunk.rfind(b"\r\n\r\n")) if self._is_endless else -1
            size = size + len(chunk) if place < 0 else len(chunk) - place
            if size > MOST_MESSAGE_BYTES:
                raise McpServerRefused(f"it sent a message of more than {MOST_MESSAGE_BYTES // 2**20} MiB")
            yield chunk

    async def aclose(self) -> None:
        """Close the body."""
        await self._stream.aclose()
