"""An HTTP client for one request: it stays on its host, reads up to a limit, and can be cancelled.

Each request has its own connection. Only then is the socket known from the first moment, so that another thread can
close it if the server sends nothing, or headers without end.

*Source:* the documentation of httpx2 2.16, event hooks and extension `trace`; httpcore2 2.16 for the event names.
"""

import ssl
import zlib
from collections.abc import Iterator, Mapping
from functools import cache
from ipaddress import IPv6Address, IPv6Network, ip_address
from socket import IPPROTO_TCP, SHUT_RDWR, gaierror, getaddrinfo, socket
from threading import Lock
from typing import Any, Final

import httpx2

from workbench.engines.remote.transport.answer_limits import ERROR_BYTES, AnswerError, AnswerLimits

CONNECT_TIMEOUT_S: Final = 10.0
"""How long to wait until a server accepts the connection."""
MOST_REDIRECTS: Final = 5
INTERNAL: Final = (
    "the address is not a public one; only an operator may add a server of this machine or its network"
)
_GLOBAL: Final = IPv6Network("2000::/3")
"""The IPv6 addresses of the internet. Others are internal, such as the site-local `fec0::/10`, or contain an IPv4
address, which a gateway (NAT64, RFC 6052 and 8215) or the system itself may use: `64:ff9b::127.0.0.1`.

*Source:* IANA, IPv6 Global Unicast Address Assignments
"""
_UNPACKED_AT_ONCE: Final = 64 << 10
_GZIP_OR_ZLIB: Final = 32 + zlib.MAX_WBITS
_PACKED: Final = ("gzip", "x-gzip", "deflate")
_CONNECTED: Final = ("connection.connect_tcp.complete", "connection.start_tls.complete")


class GuardedConnection:
    """The connection of one request."""

    def __init__(self, *, is_public_only: bool = False) -> None:
        """Connect to nothing yet.

        Args:
            is_public_only: Whether to send nothing to an address that only this machine or its network can reach.
        """
        self.is_public_only = is_public_only
        self._lock = Lock()
        self._sockets: list[socket] = []
        self._is_over = False

    def hang_up(self) -> None:
        """End the connection. This shuts the socket down, which wakes a thread that reads; closing it would not."""
        with self._lock:
            self._is_over = True
            for connected in self._sockets:
                _shut_down(connected)

    def trace(self, event: str, info: Mapping[str, Any]) -> None:
        """Record the socket that httpcore2 reports. With TLS, a second one replaces the first."""
        if event not in _CONNECTED:
            return
        connected = info["return_value"].get_extra_info("socket")
        if isinstance(connected, socket):
            if self.is_public_only:
                # The name may have another address now than when `on_request` looked.
                try:
                    _require_public(connected.getpeername()[0])
                except AnswerError:
                    # The client does not close a connection that it has not got.
                    connected.close()
                    raise
            with self._lock:
                self._sockets.append(connected)
                if self._is_over:
                    _shut_down(connected)


def guarded_client(base_url: str, limits: AnswerLimits, connection: GuardedConnection) -> httpx2.Client:
    """Return a client for one request to the server at `base_url`.

    If a limit is exceeded, reading from the client raises `AnswerError`.
    """
    home = _origin(httpx2.URL(base_url))

    def on_request(request: httpx2.Request) -> None:
        target = _origin(request.url)
        if target != home:
            raise AnswerError(f"it redirects to another host, {target}; nothing was sent there")
        if connection.is_public_only:
            _require_public(*_addresses(request.url.host))
        request.headers["Accept-Encoding"] = "identity"
        request.extensions = {**request.extensions, "trace": connection.trace}

    def on_response(response: httpx2.Response) -> None:
        packing = response.headers.pop("content-encoding", "identity").strip().lower()
        # A charset from the server could name any of Python's codecs, such as `zlib`.
        response.encoding = "utf-8"
        assert isinstance(response.stream, httpx2.SyncByteStream)
        is_answer = response.is_success
        response.stream = _GuardedBody(response.stream, packing, limits, is_answer=is_answer)

    timeout = httpx2.Timeout(limits.silence_s, connect=min(CONNECT_TIMEOUT_S, limits.silence_s))
    return httpx2.Client(
        timeout=timeout,
        follow_redirects=True,
        max_redirects=MOST_REDIRECTS,
        limits=httpx2.Limits(max_keepalive_connections=0),
        verify=_tls(),
        # A proxy would look the name up itself.
        trust_env=not connection.is_public_only,
        event_hooks={"request": [on_request], "response": [on_response]},
    )


class _GuardedBody(httpx2.SyncByteStream):
    """A response body, unpacked up to the limit."""

    def __init__(
        self, body: httpx2.SyncByteStream, packing: str, limits: AnswerLimits, *, is_answer: bool
    ) -> None:
        self._body = body
        self._packing = packing
        self._limits = limits
        self._is_answer = is_answer

    def __iter__(self) -> Iterator[bytes]:
        limit = self._limits.body_bytes if self._is_answer else ERROR_BYTES
        size = 0
        for piece in self._unpacked(limit):
            size += len(piece)
            if size > limit:
                if self._is_answer:
                    raise AnswerError(f"the answer is larger than {limit:,} bytes")
                return
            yield piece

    def close(self) -> None:
        self._body.close()

    def _unpacked(self, limit: int) -> Iterator[bytes]:
        packed = self._packed(limit)
        if self._packing in ("", "identity"):
            return packed
        if self._packing not in _PACKED:
            raise AnswerError(f"the answer is compressed with {self._packing[:40]!r}, which is not supported")
        return _unpack(packed)

    def _packed(self, limit: int) -> Iterator[bytes]:
        size = 0
        for count, piece in enumerate(self._body):
            size += len(piece)
            # Yield the piece that exceeds the limit too: the reader reports the problem.
            yield piece
            if size > limit:
                return
            if count > self._limits.network_pieces:
                raise AnswerError(f"the answer came in more than {self._limits.network_pieces:,} pieces")


def _unpack(packed: Iterator[bytes]) -> Iterator[bytes]:
    """Unpack gzip or deflate in pieces of limited size, because a kilobyte may unpack to a megabyte."""
    unpacker = zlib.decompressobj(_GZIP_OR_ZLIB)
    try:
        for piece in packed:
            waiting = piece
            while waiting and not unpacker.eof:
                yield unpacker.decompress(waiting, _UNPACKED_AT_ONCE)
                waiting = unpacker.unconsumed_tail
    except zlib.error:
        raise AnswerError("the compressed answer cannot be unpacked") from None


def _origin(url: httpx2.URL) -> str:
    """Return scheme, host and port of a URL."""
    ports = {"http": 80, "https": 443}
    return f"{url.scheme}://{url.host}:{url.port or ports.get(url.scheme, 0)}"


def _addresses(host: str) -> list[str]:
    """Return the addresses of a host. Empty if it has none, which connecting then reports."""
    try:
        return [str(found[4][0]) for found in getaddrinfo(host, None, proto=IPPROTO_TCP)]
    except (gaierror, UnicodeError):
        return []


def _require_public(*addresses: str) -> None:
    """Refuse addresses of this machine, of private networks and of the cloud's own services.

    An IPv6 address can contain an IPv4 address in several ways: `::ffff:127.0.0.1` is 127.0.0.1.

    Raises:
        AnswerError: One of the addresses is not public.
    """
    for text in addresses:
        address = ip_address(text.partition("%")[0])
        if isinstance(address, IPv6Address):
            is_global = address in _GLOBAL and address.teredo is None
            address = address.ipv4_mapped or address.sixtofour or (address if is_global else None)
        if address is None or not address.is_global or address.is_multicast:
            raise AnswerError(INTERNAL)


def _shut_down(connected: socket) -> None:
    try:
        # Not the method of the SSL socket, which would remove TLS while another thread reads.
        socket.shutdown(connected, SHUT_RDWR)
    except OSError:
        return  # The socket is closed already, or was replaced by the one with TLS.


@cache
def _tls() -> ssl.SSLContext:
    """Return a shared TLS context, because loading the certificates takes longer than many requests."""
    return httpx2.create_ssl_context()
