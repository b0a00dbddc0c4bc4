"""Requests for another host or from another origin are refused, however the host and the origin are spelled."""

import json
import socket

import httpx
import pytest

from tests.security.conftest import SPACE_HOST
from tests.security.gate_requests import ask, port_of
from tests.served import Server
from workbench.app.hosts import AllowedHosts, parse_authority
from workbench.errors import BadInput
from workbench.settings import read_settings

pytestmark = pytest.mark.slow

REBOUND = (
    "evil.example",
    "evil.example:{port}",
    "localhost.evil.example",
    "127.0.0.1.nip.io:{port}",
    "localhost@evil.example",
    "evil.example@127.0.0.1:{port}",
    "localhost.",
    "127.0.0.1.:{port}",
    "foo.localhost",
    "0.0.0.0:{port}",
    "192.168.0.10:{port}",
    "[::ffff:10.0.0.1]:{port}",
    "2130706433",
    "0x7f000001",
    "127.1",
    "127.0.0.1:{port}:80",
    "127.0.0.1:99999",
    "127.0.0.1, evil.example",
    "127.0.0.1/evil",
    "local\thost",
    "lоcalhost",
    "*",
    "",
)
OWN = (
    "127.0.0.1:{port}",
    "localhost:{port}",
    "LOCALHOST",
    "localhost:80",
    "127.8.9.10",
    "[::1]:{port}",
    "[0:0::1]",
)
FOREIGN = (
    "null",
    "http://evil.example",
    "http://127.0.0.1",
    "http://127.0.0.1:1",
    "https://127.0.0.1:{port}",
    "http://localhost:{port}",
    "http://sub.127.0.0.1:{port}",
    "http://127.0.0.1:{port}@evil.example",
    "http://evil.example@127.0.0.1:{port}",
    "http://127.0.0.1.:{port}",
    "http://127.0.0.1:{port}.evil.example",
    "http://127.0.0.1:{port}/path",
    "http://127.0.0.1:{port}, http://evil.example",
    "http://[::1]:{port}",
    "http://[::ffff:127.0.0.1]:{port}",
    "file://",
    "chrome-extension://abcdef",
    "127.0.0.1:{port}",
    "//127.0.0.1:{port}",
    "",
)


# Hosts


@pytest.mark.parametrize("host", REBOUND)
@pytest.mark.parametrize(
    "path", ["/", "/config", "/gradio_api/mcp/", "/assets/x.js", "/gradio_api/queue/join"]
)
def test_a_host_that_is_not_ours_is_refused(laptop: Server, host: str, path: str) -> None:
    method = "POST" if path.endswith(("join", "mcp/")) else "GET"
    answer = ask(
        laptop, method, path, ("Host", host.format(port=port_of(laptop))), with_host=False, body=b"{}"
    )
    assert answer.status in (400, 421), answer.body[:200]
    assert b"gradio_config" not in answer.body


@pytest.mark.parametrize("host", OWN)
def test_the_own_hosts_are_answered(laptop: Server, host: str) -> None:
    answer = ask(laptop, "GET", "/theme.css", ("Host", host.format(port=port_of(laptop))), with_host=False)
    assert answer.status == 200


def test_a_request_with_two_hosts_or_none_is_refused(laptop: Server) -> None:
    own = ("Host", f"127.0.0.1:{port_of(laptop)}")
    assert ask(laptop, "GET", "/config", own, ("Host", "evil.example"), with_host=False).status == 400
    assert ask(laptop, "GET", "/config", with_host=False).status == 400
    with socket.create_connection(("127.0.0.1", port_of(laptop)), timeout=30) as raw:
        raw.sendall(b"GET /config HTTP/1.0\r\n\r\n")
        assert raw.recv(4096).split()[1] == b"400"


def test_a_forwarded_host_changes_nothing(laptop: Server) -> None:
    for name in ("X-Forwarded-Host", "X-Gradio-Server", "X-Original-Host", "Forwarded"):
        value = (
            "http://evil.example"
            if name == "X-Gradio-Server"
            else "host=evil.example" * (name == "Forwarded")
        )
        answer = ask(laptop, "GET", "/config", (name, value or "evil.example"))
        assert answer.status == 200
        assert b"evil.example" not in answer.body


def test_the_refusal_of_a_host_says_how_to_allow_it(laptop: Server) -> None:
    answer = ask(laptop, "GET", "/", ("Host", "workbench.example.org"), with_host=False)
    assert b"WORKBENCH_ALLOWED_HOSTS=workbench.example.org" in answer.body


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("workbench.example.org", 200),
        ("WORKBENCH.example.org:8443", 200),
        ("192.168.0.10:7860", 200),
        ("[fe80::1]", 200),
        ("example.org", 421),
        ("x.workbench.example.org", 421),
        ("workbench.example.org.evil.example", 421),
    ],
)
def test_a_server_on_all_addresses_accepts_any_address_and_the_allowed_names(
    team: Server, host: str, expected: int
) -> None:
    assert ask(team, "GET", "/theme.css", ("Host", host), with_host=False).status == expected


def test_a_space_answers_to_its_own_host(space: Server) -> None:
    assert ask(space, "GET", "/config", ("Host", SPACE_HOST), with_host=False).status == 200
    assert ask(space, "GET", "/config", ("Host", "other.hf.space"), with_host=False).status == 421


def test_any_name_is_allowed_where_the_settings_say_so() -> None:
    allowed = AllowedHosts.of(read_settings({"WORKBENCH_ALLOWED_HOSTS": "*"}))
    authority = parse_authority("anything.example")
    assert authority and allowed.allows(authority)
    address = parse_authority("192.168.0.10")
    assert address and not allowed.allows(address)


@pytest.mark.parametrize(
    "host", ["http://a.example", "a.example:80", "a b", "a/b", "*.example.org", "a@b", "-.-."]
)
def test_a_setting_that_is_not_a_host_is_refused(host: str) -> None:
    with pytest.raises(BadInput, match="WORKBENCH_ALLOWED_HOSTS"):
        read_settings({"WORKBENCH_ALLOWED_HOSTS": host})


# Origins


@pytest.mark.parametrize("origin", FOREIGN)
@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/gradio_api/queue/join"),
        ("POST", "/gradio_api/call/parse"),
        ("POST", "/gradio_api/upload"),
        ("POST", "/gradio_api/cancel"),
        ("POST", "/logout"),
        ("GET", "/gradio_api/queue/data?session_hash=x"),
        ("GET", "/config"),
        ("OPTIONS", "/gradio_api/queue/join"),
        ("POST", "/gradio_api/mcp/"),
        ("DELETE", "/gradio_api/mcp/"),
    ],
)
def test_another_origin_is_refused(laptop: Server, method: str, path: str, origin: str) -> None:
    given = ("Origin", origin.format(port=port_of(laptop)))
    answer = ask(
        laptop, method, path, given, ("Access-Control-Request-Method", "POST"), body=b"{}" * (method != "GET")
    )
    assert answer.status == 403
    assert not [name for name, _ in answer.getheaders() if name.lower().startswith("access-control")]


def test_two_origins_are_refused(laptop: Server) -> None:
    own = ("Origin", laptop.url)
    assert ask(laptop, "GET", "/config", own, own).status == 403
    assert ask(laptop, "GET", "/config", own).status == 200


@pytest.mark.parametrize(
    ("host", "origin"),
    [
        ("localhost:{port}", "http://LOCALHOST:{port}"),
        ("[::1]:{port}", "http://[0::1]:{port}"),
        ("localhost", "http://localhost:80"),
        ("localhost:80", "http://localhost"),
    ],
)
def test_the_own_origin_is_accepted_in_every_spelling(laptop: Server, host: str, origin: str) -> None:
    port = port_of(laptop)
    headers = (("Host", host.format(port=port)), ("Origin", origin.format(port=port)))
    assert ask(laptop, "GET", "/config", *headers, with_host=False).status == 200


def test_the_origin_is_https_behind_an_https_proxy(team: Server) -> None:
    host = ("Host", "workbench.example.org")
    https = ("X-Forwarded-Proto", "https")
    for headers, expected in (
        ((https, ("Origin", "https://workbench.example.org")), 400),
        ((https, ("Origin", "http://workbench.example.org")), 403),
        ((("Origin", "https://workbench.example.org"),), 403),
    ):
        assert ask(team, "POST", "/login", host, *headers, with_host=False, body=b"a=b").status == expected
    answer = ask(team, "GET", "/", host, https, with_host=False)
    assert "login" in answer.body.decode()


@pytest.mark.parametrize("site", ["cross-site", "same-site", "other"])
def test_a_page_of_another_site_without_an_origin_is_refused(laptop: Server, site: str) -> None:
    for path in (
        "/config",
        "/gradio_api/queue/data?session_hash=x",
        "/gradio_api/heartbeat/x",
        "/assets/x.js",
    ):
        for mode in ("no-cors", "navigate", "cors"):
            headers = (("Sec-Fetch-Site", site), ("Sec-Fetch-Mode", mode))
            assert ask(laptop, "GET", path, *headers).status == 403, path
    assert ask(laptop, "POST", "/", ("Sec-Fetch-Site", site), ("Sec-Fetch-Mode", "navigate")).status == 403
    assert ask(laptop, "GET", "/", ("Sec-Fetch-Site", site), ("Sec-Fetch-Mode", "no-cors")).status == 403


@pytest.mark.parametrize(
    "referer", ["http://evil.example/a", "http://127.0.0.1:1/", "https://x", "about:blank", "x"]
)
def test_without_other_headers_the_referer_decides(laptop: Server, referer: str) -> None:
    headers = ("Referer", referer)
    assert ask(laptop, "POST", "/gradio_api/queue/join", headers, body=b"{}").status == 403
    assert ask(laptop, "GET", "/gradio_api/queue/data?session_hash=x", headers).status == 403
    assert ask(laptop, "GET", "/", headers).status == 200


def test_a_link_and_the_address_bar_open_the_page(open_server: Server) -> None:
    for site in ("cross-site", "same-site", "none", "same-origin"):
        headers = (("Sec-Fetch-Site", site), ("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Dest", "document"))
        assert ask(open_server, "GET", "/?session=x", *headers).status == 200


def test_a_program_without_any_of_these_headers_is_served(open_server: Server) -> None:
    call = httpx.post(f"{open_server.url}/gradio_api/call/v2/parse", json={"text": "Hello."}, timeout=30)
    event_id = call.json()["event_id"]
    answer = httpx.get(f"{open_server.url}/gradio_api/call/parse/{event_id}", timeout=30)
    assert "event: complete" in answer.text


def test_a_preflight_of_the_own_origin_allows_nothing(laptop: Server) -> None:
    asked = (("Origin", laptop.url), ("Access-Control-Request-Method", "PUT"))
    answer = ask(laptop, "OPTIONS", "/config", *asked)
    assert not [name for name, _ in answer.getheaders() if name.lower().startswith("access-control")]


def test_agents_pass_the_same_gate(laptop: Server) -> None:
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-03-26",
            "capabilities": {},
            "clientInfo": {"name": "x", "version": "1"},
        },
    }
    headers = (("Accept", "application/json, text/event-stream"), ("Content-Type", "application/json"))
    body = json.dumps(hello).encode()
    assert ask(laptop, "POST", "/gradio_api/mcp/", *headers, body=body).status == 200
    assert (
        ask(laptop, "POST", "/gradio_api/mcp/", *headers, ("Origin", "http://evil.example"), body=body).status
        == 403
    )
