"""Connections that wait for their client end, and one address cannot open too many of them."""

import asyncio
from collections import Counter
from collections.abc import Callable
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING, Any, Final, cast

from workbench.app.clients import TrustedProxies, network_of
from workbench.settings import Settings

if TYPE_CHECKING:
    from uvicorn.protocols.http.h11_impl import H11Protocol as _HTTPProtocol
    from uvicorn.protocols.http.h11_impl import RequestResponseCycle
else:
    # Which class it is depends on the installed packages. The attributes used here are the same.
    from uvicorn.protocols.http.auto import AutoHTTPProtocol as _HTTPProtocol

HEAD_S: Final = 20.0
"""How long the head of a request may take, from the beginning of the connection or the end of the last response."""
BODY_S: Final = 90.0
"""How long a body may take, besides the time for its bytes. Most routes refuse a body that takes 60 seconds."""
BODY_BYTES_A_SECOND: Final = 10_000
"""The speed at which the bytes of a body have to arrive."""
UNREAD_S: Final = 60.0
"""How long a client may read nothing of a response that waits for it."""
_REFUSAL: Final = (
    "There are too many open connections from your address. WORKBENCH_MAX_CONNECTIONS sets the limit. If this is the "
    "address of a proxy, name it in WORKBENCH_TRUSTED_PROXIES.\n"
)


class OpenConnections:
    """The open connections of each address.

    Args:
        most: The most connections of an address.
        proxies: Addresses without a limit.
    """

    def __init__(self, most: int, proxies: TrustedProxies) -> None:
        self._most = most
        self._proxies = proxies
        self._counts: Counter[str] = Counter()

    def open(self, address: str) -> bool:
        """Count a connection. Return False if there are too many from its address."""
        network = network_of(address)
        self._counts[network] += 1
        return self._counts[network] <= self._most or self._proxies.trusts(address)

    def close(self, address: str) -> None:
        """Stop counting a connection."""
        network = network_of(address)
        self._counts[network] -= 1
        if not self._counts[network]:
            del self._counts[network]


def limited_connections(settings: Settings) -> Callable[..., asyncio.Protocol]:
    """Return what creates uvicorn's HTTP protocol for each connection, with limits. It is uvicorn's setting `http`."""
    connections = OpenConnections(settings.max_connections, TrustedProxies(settings.trusted_proxies))
    return partial(_LimitedConnection, connections)


class _Awaited(Enum):
    """What the server waits for."""

    HEAD = "head"
    BODY = "body"
    OWN_ANSWER = "own answer"


class _LimitedConnection(_HTTPProtocol):
    """A connection that ends if the client lets the server wait.

    uvicorn itself ends a connection without a request after five seconds, but only after the first response and as long
    as no byte arrives. A response that takes long, such as a stream of events, is not limited.

    *Source:* uvicorn 0.54, protocols/http/h11_impl.py and httptools_impl.py.
    """

    def __init__(self, connections: OpenConnections, **uvicorn: Any) -> None:
        super().__init__(**uvicorn)
        self._opened = connections
        self._address = ""
        self._awaited: _Awaited | None = None
        self._since_s = 0.0
        self._body_bytes = 0
        self._timer: asyncio.TimerHandle | None = None
        self._unread: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:
        super().connection_made(transport)
        self._address = self.client[0] if self.client else ""
        if self._opened.open(self._address):
            self._look()
            return
        body = _REFUSAL.encode()
        head = f"HTTP/1.1 429 Too Many Requests\r\ncontent-type: text/plain\r\ncontent-length: {len(body)}"
        transport.write(f"{head}\r\nretry-after: 10\r\nconnection: close\r\n\r\n".encode() + body)
        transport.close()

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        self._body_bytes += len(data)
        super().data_received(data)
        self._look()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._look()

    def connection_lost(self, exc: Exception | None) -> None:
        self._opened.close(self._address)
        for timer in (self._timer, self._unread):
            if timer is not None:
                timer.cancel()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._expect_reading()

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None

    def _expect_reading(self) -> None:
        """End the connection if the client reads nothing for a while. A large response may take long."""
        unsent = self.transport.get_write_buffer_size()

        def look() -> None:
            if self.transport.get_write_buffer_size() < unsent:
                self._expect_reading()
            else:
                self.transport.abort()

        self._unread = self.loop.call_later(UNREAD_S, look)

    def _should_upgrade(self) -> bool:
        # Nothing here uses WebSockets.
        return False

    def _look(self) -> None:
        """Note what the server waits for, and start the time if that has changed."""
        # None before the first request.
        cycle = cast("RequestResponseCycle | None", self.cycle)
        if cycle is None or cycle.response_complete:
            awaited = _Awaited.HEAD
        else:
            awaited = _Awaited.BODY if cycle.more_body else _Awaited.OWN_ANSWER
        if awaited is self._awaited:
            return
        self._awaited, self._since_s, self._body_bytes = awaited, self.loop.time(), 0
        if self._timer is not None:
            self._timer.cancel()
        if awaited is not _Awaited.OWN_ANSWER:
            self._timer = self.loop.call_at(self._deadline_s(), self._end_if_late)

    def _deadline_s(self) -> float:
        if self._awaited is _Awaited.HEAD:
            return self._since_s + HEAD_S
        return self._since_s + BODY_S + self._body_bytes / BODY_BYTES_A_SECOND

    def _end_if_late(self) -> None:
        if self.loop.time() < (deadline_s := self._deadline_s()):
            self._timer = self.loop.call_at(deadline_s, self._end_if_late)
        elif self._awaited is _Awaited.BODY and self.flow.read_paused:
            # It is the server that has not taken what arrived.
            self._timer = self.loop.call_later(BODY_S, self._end_if_late)
        elif self._awaited is _Awaited.HEAD and self.transport.get_write_buffer_size():
            # The client has not read the last response yet.
            self._timer = self.loop.call_later(HEAD_S, self._end_if_late)
            if self._unread is None:
                self._expect_reading()
        else:
            self.transport.abort()
