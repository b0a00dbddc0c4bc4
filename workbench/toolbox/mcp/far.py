"""A server at an address: its answers are counted as they come."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

import httpx
from mcp.client.streamable_http import streamable_http_client

from workbench.toolbox.mcp.bounds import MOST_MESSAGE_BYTES, MOST_WINDOW_BYTES, WINDOW_S, Misbehaved, Window
from workbench.toolbox.mcp.servers import Server

_STREAM: Final = "text/event-stream"


@asynccontextmanager
async def far_streams(server: Server) -> AsyncGenerator[tuple[Any, Any]]:
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
        window = Window(MOST_WINDOW_BYTES, f"it sent too much within {WINDOW_S:g} s")
        size = 0
        async for chunk in self._stream:
            window.add(len(chunk))
            place = chunk.rfind(b"\n\n") if self._is_endless else -1
            size = size + len(chunk) if place < 0 else len(chunk) - place
            if size > MOST_MESSAGE_BYTES:
                raise Misbehaved(f"it sent a message of more than {MOST_MESSAGE_BYTES // 2**20} MiB")
            yield chunk

    async def aclose(self) -> None:
        """Closes it."""
        await self._stream.aclose()
