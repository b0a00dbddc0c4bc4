"""Connections that let the server wait end, those that wait for the server do not, and one address cannot open too many."""

import asyncio
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from types import SimpleNamespace

import httpx
import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, StreamingResponse
from starlette.routing import Route

from workbench.app import connections
from workbench.app.clients import TrustedProxies
from workbench.app.connections import OpenConnections, limited_connections
from workbench.settings import read_settings

HEAD_S, BODY_S, UNREAD_S = 0.6, 0.8, 0.8
PATIENT_S = 1.5
"""Limits where nothing may be cut: a busy machine stops a client for over half a second. What takes long takes longer."""
LATE_S = 4.0
"""Time in which a connection must have ended."""
MOST = 5
LARGE = 30_000_000
"""A response that waits for its client in the memory of the server, not only in that of the system."""


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "HEAD_S", HEAD_S)
    monkeypatch.setattr(connections, "BODY_S", BODY_S)
    monkeypatch.setattr(connections, "UNREAD_S", UNREAD_S)


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HEAD_S", "BODY_S", "UNREAD_S"):
        monkeypatch.setattr(connections, name, PATIENT_S)


async def slow(request: Request) -> PlainTextResponse:
    await asyncio.sleep(3 * HEAD_S)
    return PlainTextResponse("slow")


async def echo(request: Request) -> PlainTextResponse:
    return PlainTextResponse(str(len(await request.body())))


async def later(request: Request) -> PlainTextResponse:
    await asyncio.sleep(3 * BODY_S)
    return await echo(request)


async def events(request: Request) -> StreamingResponse:
    async def all_of():
        for number in range(3):
            yield f"data: {number}\n\n"
            await asyncio.sleep(HEAD_S)

    return StreamingResponse(all_of(), media_type="text/event-stream")


async def endless(request: Request) -> StreamingResponse:
    async def all_of():
        try:
            while True:
                yield b"x" * 100_000
                await asyncio.sleep(0)
        finally:
            request.app.state.ended.set()

    return StreamingResponse(all_of())


async def large(request: Request) -> PlainTextResponse:
    return PlainTextResponse("x" * LARGE)


@contextmanager
def serving(**variables: str) -> Iterator[SimpleNamespace]:
    """Serve an application with the limits, in a thread."""
    app = Starlette(
        routes=[
            Route("/slow", slow),
            Route("/events", events),
            Route("/endless", endless),
            Route("/large", large),
            Route("/echo", echo, methods=["POST"]),
            Route("/later", later, methods=["POST"]),
        ]
    )
    app.state.ended = threading.Event()
    http = limited_connections(read_settings(variables))
    config = uvicorn.Config(
        app, port=0, http=http, log_level="warning", lifespan="off", timeout_graceful_shutdown=1
    )  # type: ignore[arg-type]
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.005)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield SimpleNamespace(port=port, url=f"http://127.0.0.1:{port}", ended=app.state.ended)
    finally:
        server.should_exit = True
        thread.join(timeout=10)


def connected(port: int, sent: bytes = b"", source: str = "127.0.0.1") -> socket.socket:
    opened = socket.create_connection(("127.0.0.1", port), timeout=LATE_S, source_address=(source, 0))
    opened.sendall(sent)
    return opened


def rest_of(opened: socket.socket) -> bytes:
    """Return what arrives until the server ends the connection, which it must."""
    received = b""
    with suppress(ConnectionError):
        while part := opened.recv(65536):
            received += part
    return received


HEAD = b"GET /slow HTTP/1.1\r\nHost: x\r\n"
POST = b"POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n"
WAITING = {
    "nothing": b"",
    "a part of the first line": b"GET /sl",
    "a head without its end": HEAD,
    "an unknown method without its end": b"BREW / HT",
    "a head without its end after a request": b"POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n"
    + HEAD,
    "a body that does not come": POST,
    "a part of a body": POST + b"x" * 500,
    "a chunk that does not come": b"POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel",
    "a body that nobody reads": b"POST /nowhere HTTP/1.1\r\nHost: x\r\nContent-Length: 99999\r\n\r\nx",
    "a WebSocket": HEAD + b"Upgrade: websocket\r\nConnection: Upgrade\r\n",
}


@pytest.mark.usefixtures("short")
@pytest.mark.parametrize("what", WAITING)
def test_a_connection_that_lets_the_server_wait_ends(what: str) -> None:
    with serving() as server, connected(server.port, WAITING[what]) as opened:
        rest_of(opened)


@pytest.mark.usefixtures("short")
@pytest.mark.parametrize("first", [HEAD + b"X-Slow: ", POST])
def test_single_bytes_do_not_extend_the_time(first: bytes) -> None:
    with serving() as server, connected(server.port, first) as opened:
        until = time.monotonic() + LATE_S
        with pytest.raises(OSError):
            while time.monotonic() < until:
                opened.sendall(b"x")
                time.sleep(0.1)


@pytest.mark.usefixtures("short")
def test_a_connection_without_a_further_request_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving() as server, connected(server.port, POST + b"x" * 1000) as opened:
        assert rest_of(opened).endswith(b"1000")


@pytest.mark.usefixtures("patient")
@pytest.mark.slow
def test_a_slow_answer_and_a_stream_are_not_cut() -> None:
    with serving() as server, httpx.Client(base_url=server.url, timeout=30) as client:
        assert client.get("/slow").text == "slow"
        assert client.get("/events").text.count("data:") == 3
        assert client.post("/later", content=b"x" * 500_000).text == "500000"
        time.sleep(HEAD_S / 2)
        assert client.get("/slow").text == "slow"


@pytest.mark.usefixtures("patient")
@pytest.mark.slow
def test_a_long_body_that_keeps_coming_is_not_cut() -> None:
    def parts() -> Iterator[bytes]:
        for _ in range(20):
            yield b"x" * 10_000
            time.sleep(0.1)

    with serving() as server:
        assert httpx.post(f"{server.url}/echo", content=parts(), timeout=30).text == "200000"


@pytest.mark.usefixtures("short")
def test_a_client_that_reads_nothing_of_a_complete_response_is_forgotten() -> None:
    request = b"GET /large HTTP/1.1\r\nHost: x\r\n\r\n"
    with serving(WORKBENCH_MAX_CONNECTIONS="1") as server, connected(server.port, request):
        until = time.monotonic() + LATE_S
        while (status := httpx.post(f"{server.url}/echo").status_code) == 429 and time.monotonic() < until:
            time.sleep(0.05)
        assert status == 200


@pytest.mark.usefixtures("short")
def test_a_client_that_reads_nothing_ends_its_own_response() -> None:
    with serving() as server, connected(server.port, b"GET /endless HTTP/1.1\r\nHost: x\r\n\r\n"):
        assert server.ended.wait(3 * LATE_S)


@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize("how", ["close", "keep-alive"])
@pytest.mark.slow
def test_a_client_that_reads_slowly_gets_the_whole_response(how: str) -> None:
    request = f"GET /large HTTP/1.1\r\nHost: x\r\nConnection: {how}\r\n\r\n".encode()
    received = 0
    with serving() as server, connected(server.port, request) as opened:
        while part := opened.recv(1_000_000):
            received += len(part)
            time.sleep(3 * UNREAD_S * len(part) / LARGE)
    assert received > LARGE


def test_an_address_has_a_limit_of_open_connections_and_others_are_not_affected() -> None:
    with serving(WORKBENCH_MAX_CONNECTIONS=str(MOST)) as server, ExitStack() as closing:
        opened = [closing.enter_context(connected(server.port, HEAD)) for _ in range(MOST)]
        refused = rest_of(closing.enter_context(connected(server.port, HEAD + b"\r\n")))
        assert refused.startswith(b"HTTP/1.1 429 ") and b"WORKBENCH_MAX_CONNECTIONS" in refused
        transport = httpx.HTTPTransport(local_address="127.0.0.2")
        with httpx.Client(transport=transport, base_url=server.url, timeout=30) as other:
            assert other.post("/echo", content=b"xx").text == "2"
        opened[0].close()
        until = time.monotonic() + LATE_S
        while (status := httpx.post(f"{server.url}/echo").status_code) == 429 and time.monotonic() < until:
            time.sleep(0.05)
        assert status == 200


def test_a_trusted_proxy_has_no_limit() -> None:
    variables = {"WORKBENCH_MAX_CONNECTIONS": "2", "WORKBENCH_TRUSTED_PROXIES": "127.0.0.0/30"}
    with serving(**variables) as server, ExitStack() as closing:
        for _ in range(10):
            closing.enter_context(connected(server.port, HEAD))
        assert httpx.post(f"{server.url}/echo", content=b"xx").text == "2"


def test_an_ipv6_network_counts_as_one_address() -> None:
    opened = OpenConnections(MOST, TrustedProxies(()))
    assert all(opened.open(f"2001:db8:1:2::{number}") for number in range(MOST))
    assert not opened.open("2001:db8:1:2::ffff")
    assert opened.open("2001:db8:1:3::1")
    for number in range(3):
        opened.close(f"2001:db8:1:2::{number}")
    assert opened.open("2001:db8:1:2::1") and opened.open("2001:db8:1:2::2")


def test_closed_connections_take_no_memory() -> None:
    opened = OpenConnections(MOST, TrustedProxies(()))
    for number in range(1000):
        opened.open(f"10.0.{number // 250}.{number % 250}")
        opened.close(f"10.0.{number // 250}.{number % 250}")
    assert not opened._counts


def test_the_limit_of_connections_is_a_whole_number() -> None:
    from workbench.errors import BadInput

    for text in ("0", "many", "-1", "1.5"):
        with pytest.raises(BadInput, match="WORKBENCH_MAX_CONNECTIONS"):
            read_settings({"WORKBENCH_MAX_CONNECTIONS": text})
