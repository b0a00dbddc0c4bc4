"""Requests to a server with exactly the given headers, and browsers that have logged in."""

import http.client
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

import httpx

from tests.security.conftest import PASSWORDS
from tests.served import Server


def port_of(server: Server) -> int:
    return urlsplit(server.url).port or 0


def ask(
    server: Server,
    method: str,
    path: str,
    *headers: tuple[str, str],
    body: bytes = b"",
    with_host: bool = True,
) -> http.client.HTTPResponse:
    """Send a request with only these headers."""
    connection = http.client.HTTPConnection("127.0.0.1", port_of(server), timeout=30)
    connection.putrequest(method, path, skip_host=not with_host, skip_accept_encoding=True)
    for name, value in headers:
        connection.putheader(name, value.encode())
    if body:
        connection.putheader("Content-Length", str(len(body)))
    connection.endheaders(body or None)
    response = connection.getresponse()
    response.body = b"" if "event-stream" in response.getheader("content-type", "") else response.read()
    connection.close()
    return response


@contextmanager
def logged_in(server: Server, name: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server.url, timeout=30) as client:
        answer = client.post("/login", data={"username": name, "password": PASSWORDS[name]})
        assert answer.status_code == 200, answer.text
        yield client
