"""A team's server and its gateway behind real proxies, with the files of the docs."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from tests.docs.test_proxies import PORTS, PROXIES, found, free_port, running
from tests.served import Server, served, write_script
from workbench.app.api_keys import hash_key, new_key, server_secret
from workbench.app.passwords import hash_password
from workbench.ui.gate.passwords import FREE_TRIES

pytestmark = pytest.mark.slow

PASSWORDS = {"ann": "ann's password", "bob": "bob's password"}
KEY = new_key()
STRANGER, OWNER = "127.0.0.2", "127.0.0.3"
MOST = 6
TOKENS = 30
LONG_S = 8
"""A wait that does not end while a test looks."""


@dataclass(frozen=True)
class Team:
    """A server behind a proxy."""

    server: Server
    url: str
    """The address of the proxy."""

    @contextmanager
    def client(self, address: str, *, url: str = "", **headers: str) -> Iterator[httpx.Client]:
        transport = httpx.HTTPTransport(local_address=address)
        with httpx.Client(
            transport=transport, base_url=url or self.url, headers=headers, timeout=60
        ) as client:
            yield client


@pytest.fixture(scope="module")
def team_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("proxied")
    script = write_script(folder / "script.yaml", {"text": "word " * TOKENS, "seconds_per_token": 0.1})
    accounts = ",".join(f"{name}:{hash_password(password, n=2**8)}" for name, password in PASSWORDS.items())
    variables = {
        "WORKBENCH_AUTH": accounts,
        "WORKBENCH_TRUSTED_PROXIES": "127.0.0.1",
        "WORKBENCH_MAX_CONNECTIONS": str(MOST),
        "WORKBENCH_GATEWAY_KEYS": f"ann:{hash_key(KEY, server_secret(folder / 'data'))} bob:{hash_password('chosen', n=2**12)}",
    }
    yield from served(folder, f"scripted:{script}", "--gateway", **variables)


@pytest.fixture(scope="module", params=PROXIES)
def team(
    request: pytest.FixtureRequest, team_server: Server, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Team]:
    found(request.param)
    folder, port = tmp_path_factory.mktemp("proxy"), free_port()
    own_port = team_server.url.rpartition(":")[2]
    backends: Any = [SimpleNamespace(port=own_port) for _ in PORTS]
    with running(PROXIES[request.param](folder, port, backends), port, folder) as url:
        yield Team(team_server, url)


def posted(client: httpx.Client, name: str, password: str, **headers: str) -> httpx.Response:
    """Send a login form. Caddy loses the body of about one answer in 5,000, so it is asked again.

    When an answer begins, Go's server closes the body of the request, which its proxy may still be reading to the end.
    """
    for _ in range(3):
        try:
            return client.post("/login", data={"username": name, "password": password}, headers=headers)
        except httpx.RemoteProtocolError:
            continue
    raise AssertionError("the proxy lost the answer three times")


def log_in(client: httpx.Client, name: str, password: str, **headers: str) -> int:
    return posted(client, name, password, **headers).status_code


def wait_s(client: httpx.Client, name: str) -> int:
    """Send a wrong password, and return for how long its sender has to wait."""
    return int(posted(client, name, "wrong").headers.get("Retry-After", 0))


def test_a_stranger_cannot_keep_the_owner_of_an_account_out(team: Team) -> None:
    ended = threading.Event()

    def guess() -> None:
        with team.client(STRANGER) as client:
            while not ended.is_set():
                log_in(client, "bob", "wrong")

    guessing = threading.Thread(target=guess)
    guessing.start()
    try:
        with team.client(STRANGER) as other:
            # The first waits are so short that one may end before the right password arrives.
            until = time.monotonic() + 60
            while wait_s(other, "bob") < LONG_S and time.monotonic() < until:
                time.sleep(0.05)
            # Inventing other addresses does not help.
            for header in ({"X-Forwarded-For": OWNER}, {"Forwarded": f"for={OWNER}"}, {"X-Real-IP": OWNER}):
                assert log_in(other, "bob", PASSWORDS["bob"], **header) == 429
        for _ in range(5):
            with team.client(OWNER) as bob:
                assert log_in(bob, "bob", PASSWORDS["bob"]) == 200
    finally:
        ended.set()
        guessing.join()


def test_the_right_password_does_not_wait_where_the_account_logged_in_before(team: Team) -> None:
    with team.client(OWNER) as ann:
        assert log_in(ann, "ann", PASSWORDS["ann"]) == 200
        statuses = [log_in(ann, "ann", "wrong") for _ in range(FREE_TRIES + 3)]
        assert statuses[-1] == 429
        assert log_in(ann, "ann", "wrong again") == 429
        assert log_in(ann, "ann", PASSWORDS["ann"]) == 200


def test_without_the_proxy_an_invented_address_does_not_count(team: Team) -> None:
    with team.client("127.0.0.4", url=team.server.url) as client:
        statuses = [
            log_in(client, "ann", "wrong", **{"X-Forwarded-For": f"9.9.9.{number}"})
            for number in range(FREE_TRIES + 2)
        ]
        assert statuses[-1] == 429


def test_wrong_keys_of_a_stranger_do_not_delay_others(team: Team) -> None:
    ended = threading.Event()

    def guess(thread: int) -> None:
        with team.client(STRANGER) as client:
            number = 0
            while not ended.is_set():
                number += 1
                client.get("/v1/models", headers={"Authorization": f"Bearer wrong-{thread}-{number}"})

    guessing = [threading.Thread(target=guess, args=(thread,)) for thread in range(8)]
    for thread in guessing:
        thread.start()
    try:
        for key in (KEY, "chosen"):
            with team.client(OWNER, Authorization=f"Bearer {key}") as client:
                began_s = time.monotonic()
                assert client.get("/v1/models").status_code == 200
                assert time.monotonic() - began_s < 5
    finally:
        ended.set()
        for thread in guessing:
            thread.join()


def test_a_stream_arrives_piece_by_piece_and_is_not_cut(team: Team) -> None:
    arrived: list[float] = []
    body = {"messages": [{"role": "user", "content": "Hi"}], "stream": True}
    with team.client(OWNER, Authorization=f"Bearer {KEY}") as client:
        body["model"] = client.get("/v1/models").json()["data"][0]["id"]
        with client.stream("POST", "/v1/chat/completions", json=body) as response:
            assert response.status_code == 200
            text = ""
            for part in response.iter_text():
                arrived.append(time.monotonic())
                text += part
    assert text.rstrip().endswith("data: [DONE]")
    assert len(arrived) > TOKENS / 3 and arrived[-1] - arrived[0] > TOKENS * 0.05


def test_the_proxy_may_open_more_connections_than_anybody_else(team: Team) -> None:
    with ExitStack() as closing:
        clients = [closing.enter_context(team.client(OWNER)) for _ in range(2 * MOST)]
        for client in clients:
            assert client.get("/v1/models").status_code == 401
        port = int(team.server.url.rpartition(":")[2])
        for path in (b"/", b"/v1/models") * (MOST // 2):
            opened = socket.create_connection(
                ("127.0.0.1", port), source_address=("127.0.0.9", 0), timeout=30
            )
            closing.enter_context(opened).sendall(b"GET " + path + b" HTTP/1.1\r\n")
        with team.client("127.0.0.9", url=team.server.url) as further:
            answer = further.get("/health")
        assert answer.status_code == 429 and "WORKBENCH_MAX_CONNECTIONS" in answer.text
