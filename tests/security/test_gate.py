"""Which requests reach the page, its API and its MCP server, and the headers of every response."""

import http.client
import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from secrets import token_hex
from urllib.parse import quote, urlsplit

import brotli
import httpx
import pytest

from tests.security.conftest import PASSWORDS, SPACE_HOST
from tests.served import Server
from workbench.app.hosts import AllowedHosts, is_local, parse_authority
from workbench.errors import BadInput
from workbench.settings import read_settings
from workbench.ui.gate.bodies import BodyTooLarge, UploadQuota
from workbench.ui.gate.pages import ForeignPage, OpenPages, TooManyPages
from workbench.ui.gate.routes import route_of
from workbench.ui.script_files import scripts_address
from workbench.ui.serve import check_exposure
from workbench.ui.style_files import styles_address

pytestmark = pytest.mark.slow

CHECKOUT = Path(__file__).parents[2]

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
PARSE = ["Hello.", None, "auto", "tolerant", "stop", False]
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


@pytest.fixture(params=["laptop", "space"])
def open_server(request: pytest.FixtureRequest) -> Server:
    """A server where nobody has to log in."""
    return request.getfixturevalue(request.param)


@contextmanager
def logged_in(server: Server, name: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server.url, timeout=30) as client:
        answer = client.post("/login", data={"username": name, "password": PASSWORDS[name]})
        assert answer.status_code == 200, answer.text
        yield client


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


# What is served


@pytest.mark.parametrize(
    "path",
    [
        "/gradio_api/token",
        "/gradio_api/deep_link?session_hash=x",
        "/gradio_api/file=https://example.org/",
        "/gradio_api/file=HTTP://127.0.0.1:1/",
        "/gradio_api/file/https://example.org/",
        "/gradio_api/proxy=https://x.hf.space/",
        "/gradio_api/component_server",
        "/gradio_api/process_recording",
        "/gradio_api/vibe-code",
        "/gradio_api/stream/x/y/1/playlist.m3u8",
        "/gradio_api/custom_component/a/client/b/c",
        "/gradio_api/dev/reload",
        "/monitoring",
        "/monitoring/summary",
        "/docs",
        "/openapi.json",
        "//config",
        "/./config",
        "/config/../config",
    ],
)
def test_routes_that_the_page_does_not_need_are_not_served(laptop: Server, path: str) -> None:
    for method in ("GET", "POST"):
        assert ask(laptop, method, path).status == 404


def test_agents_are_served_only_if_mcp_is_turned_on() -> None:
    assert route_of("POST", "/gradio_api/mcp/", has_mcp=False, has_sign_in=False) is None
    assert route_of("GET", "/login/huggingface", has_mcp=False, has_sign_in=False) is None


def test_a_link_does_not_log_out(team: Server) -> None:
    with logged_in(team, "ann") as ann:
        question = ann.get("/logout")
        assert '<form method="post"' in question.text
        assert ann.get("/config").status_code == 200
        assert ann.post("/logout").status_code == 303
        assert ann.get("/config").status_code == 401


# Headers


def sent_everywhere(answer: http.client.HTTPResponse, *, is_on_space: bool) -> None:
    policy = answer.getheader("content-security-policy") or ""
    assert "frame-ancestors 'self'" in policy
    assert not re.search(r"(default|script)-src [^;]*('unsafe-inline'|\*|https?:)", policy)
    assert answer.getheader("x-content-type-options") == "nosniff"
    assert answer.getheader("referrer-policy") == "same-origin"
    assert "camera=()" in (answer.getheader("permissions-policy") or "")
    assert (answer.getheader("x-frame-options") is None) == is_on_space
    assert ("https://huggingface.co" in policy) == is_on_space


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/", 200),
        ("HEAD", "/", 200),
        ("GET", "/config", 200),
        ("GET", "/theme.css", 200),
        ("GET", "/static/img/logo.svg", None),
        ("GET", "/assets/../../x", 403),
        *(
            ("GET", f"/{folder}/{name}", 404)
            for folder in ("assets", "static", "svelte")
            for name in ("x" * 300, "%C3%A9" * 150, "x/" * 3000, "%00")
        ),
        ("GET", "/nothing", 404),
        ("POST", "/", 405),
        ("GET", "/gradio_api/queue/data", 400),
        ("POST", "/gradio_api/queue/join", 400),
        ("GET", "/gradio_api/file=/etc/passwd", 403),
        ("GET", "/gradio_api/heartbeat/abcdefgh", 200),
    ],
)
def test_every_answer_has_the_headers(
    open_server: Server, method: str, path: str, status: int | None
) -> None:
    answer = ask(open_server, method, path)
    assert status in (None, answer.status)
    sent_everywhere(answer, is_on_space="space" in str(open_server.folder))


def test_refusals_and_logins_have_the_headers_too(team: Server, laptop: Server) -> None:
    for answer in (
        ask(team, "GET", "/config"),
        ask(team, "GET", "/"),
        ask(team, "POST", "/login", body=b"username=x"),
        ask(team, "GET", "/logout"),
        ask(laptop, "GET", "/", ("Host", "evil.example"), with_host=False),
        ask(laptop, "GET", "/", ("Origin", "null")),
        ask(laptop, "POST", "/gradio_api/mcp/", body=b"{}"),
    ):
        sent_everywhere(answer, is_on_space=False)


@pytest.mark.parametrize(
    ("address", "content_type", "part"),
    [
        (scripts_address(), "text/javascript", b"export default scripts"),
        (styles_address(), "text/css", b"#page-header"),
    ],
)
def test_scripts_and_styles_are_served_to_everybody_and_cached_forever(
    team: Server, address: str, content_type: str, part: bytes
) -> None:
    answer = ask(team, "GET", f"/{address}")
    assert answer.status == 200
    assert answer.getheader("cache-control") == "public, max-age=31536000, immutable"
    assert (answer.getheader("content-type") or "").startswith(content_type)
    assert part in answer.body
    sent_everywhere(answer, is_on_space=False)
    packed = ask(team, "GET", f"/{address}", ("Accept-Encoding", "gzip, br"))
    assert (packed.getheader("content-encoding"), answer.getheader("content-encoding")) == ("br", None)
    assert packed.getheader("vary") == answer.getheader("vary") == "Accept-Encoding"
    assert brotli.decompress(packed.body) == answer.body
    assert ask(team, "HEAD", f"/{address}").status == 200
    assert ask(team, "POST", f"/{address}", body=b"x").status == 405
    foreign = (("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "cors"))
    assert ask(team, "GET", f"/{address}", *foreign).status == 403


@pytest.mark.parametrize(
    "path",
    [
        "/scripts/0123456789abcdef/all.js",
        "/styles/0123456789abcdef/all.css",
        styles_address().replace("all", "page"),
        scripts_address().replace("all", "run_bar"),
        scripts_address().replace("all.js", "all.py"),
        scripts_address().replace("all", "..%2Fpage"),
        scripts_address().replace("all", "%2e%2e/mount"),
        "/scripts/",
    ],
)
def test_nothing_else_is_a_script(laptop: Server, path: str) -> None:
    answer = ask(laptop, "GET", f"/{path.lstrip('/')}")
    assert answer.status in (403, 404)
    assert "immutable" not in (answer.getheader("cache-control") or "")


def test_the_page_is_compressed_for_browsers_that_can_read_it(laptop: Server) -> None:
    plain, compressed = (
        httpx.get(laptop.url, headers={"Accept-Encoding": encoding}) for encoding in ("identity", "gzip, br")
    )
    assert "content-encoding" not in plain.headers
    assert compressed.headers["content-encoding"] == "gzip"
    assert int(compressed.headers["content-length"]) < len(plain.content) / 3
    assert re.sub('nonce="[^"]*"', "", compressed.text) == re.sub('nonce="[^"]*"', "", plain.text)
    assert {each.headers["vary"] for each in (plain, compressed)} == {"Accept-Encoding"}


def test_each_load_of_the_page_has_a_new_nonce_for_its_scripts(laptop: Server) -> None:
    seen = set[str]()
    for _ in range(2):
        answer = ask(laptop, "GET", "/")
        nonce = re.search(r"'nonce-([\w-]+)'", answer.getheader("content-security-policy") or "")
        assert nonce
        scripts = re.findall(r"<script[^>]*>", answer.body.decode())
        assert len(scripts) > 3
        assert all(f'nonce="{nonce[1]}"' in script for script in scripts)
        seen.add(nonce[1])
    assert len(seen) == 2


@pytest.mark.parametrize("name", ["x.html", "x.svg", "x.xhtml", "x.js", "x.xml", "x.pdf", "x"])
def test_an_uploaded_file_is_never_a_page(laptop: Server, name: str) -> None:
    files = {"files": (name, b"<html><script>alert(1)</script>", "text/html")}
    path = httpx.post(f"{laptop.url}/gradio_api/upload", files=files, timeout=30).json()[0]
    answer = httpx.get(f"{laptop.url}/gradio_api/file={path}", timeout=30)
    assert answer.headers["content-disposition"].startswith("attachment")
    assert answer.headers["content-type"] == "application/octet-stream"
    assert "sandbox" in answer.headers["content-security-policy"]


@pytest.mark.parametrize(
    ("fixture", "flags"),
    [
        ("laptop", {"HttpOnly", "SameSite=Lax"}),
        ("space", {"HttpOnly", "Secure", "SameSite=None", "Partitioned"}),
    ],
)
def test_cookies_have_protective_flags(request: pytest.FixtureRequest, fixture: str, flags: set[str]) -> None:
    answer = ask(request.getfixturevalue(fixture), "GET", "/")
    cookies = [value for name, value in answer.getheaders() if name.lower() == "set-cookie"]
    assert cookies
    for cookie in cookies:
        assert flags <= set(cookie.split("; ")), cookie
        assert "Domain=" not in cookie


# Tabs


def test_a_tab_belongs_to_its_browser(open_server: Server) -> None:
    with (
        httpx.Client(base_url=open_server.url, timeout=30) as own,
        httpx.Client(base_url=open_server.url) as other,
    ):
        jars = [client.get("/").headers["set-cookie"].partition(";")[0] for client in (own, other)]
        mine, theirs = ({"Cookie": jar} for jar in jars)
        tab = {"data": PARSE, "session_hash": "tabofmine1"}
        event = own.post("/gradio_api/call/parse", json=tab, headers=mine).json()["event_id"]
        for client, headers in ((other, theirs), (other, {}), (other, {"x-workbench-key": "k" * 32})):
            for path in (
                "/gradio_api/queue/data?session_hash=tabofmine1",
                "/gradio_api/call/parse/tabofmine1",
                "/gradio_api/call/v2/parse/tabofmine1",
                "/gradio_api/heartbeat/tabofmine1",
            ):
                assert client.get(path, headers=headers).status_code == 403, path
            for path in ("queue/join", "call/parse", "cancel"):
                assert client.post(f"/gradio_api/{path}", json=tab, headers=headers).status_code == 403, path
        assert "event: complete" in own.get(f"/gradio_api/call/parse/{event}", headers=mine).text


def test_a_tab_of_an_account_belongs_to_that_account(team: Server) -> None:
    with logged_in(team, "ann") as ann, logged_in(team, "bob") as bob:
        tab = {"data": PARSE, "session_hash": "tabofann12"}
        assert ann.post("/gradio_api/call/parse", json=tab).status_code == 200
        assert bob.get("/gradio_api/queue/data?session_hash=tabofann12").status_code == 403
        assert httpx.get(f"{team.url}/gradio_api/queue/data?session_hash=tabofann12").status_code == 401


@pytest.mark.parametrize("session_hash", ["../x", "x" * 65, "a b", "é", "a/b", 7, ["x"], {"a": 1}, True])
def test_a_session_hash_of_another_form_is_refused(laptop: Server, session_hash: object) -> None:
    call = {"data": ["x"], "session_hash": session_hash, "fn_index": 0}
    for path in ("queue/join", "call/parse", "cancel"):
        answer = httpx.post(f"{laptop.url}/gradio_api/{path}", json=call, timeout=30)
        assert answer.status_code == 400


@pytest.mark.parametrize("unknown", ["abcdefgh", "x" * 64, "x" * 65, "a b", "..", "%00", "é"])
def test_a_stream_of_an_unknown_tab_or_call_says_so_and_leaves_no_traceback(
    laptop: Server, unknown: str
) -> None:
    tab = httpx.get(f"{laptop.url}/gradio_api/queue/data", params={"session_hash": unknown}, timeout=30)
    assert '"session_not_found": true' in tab.text
    call = httpx.get(f"{laptop.url}/gradio_api/call/parse/{quote(unknown, safe='')}", timeout=30)
    assert call.status_code == 404 or call.text.startswith("event: error")
    assert "Traceback" not in (laptop.folder / "server.log").read_text()


def test_a_query_with_two_session_hashes_is_refused(laptop: Server) -> None:
    assert ask(laptop, "GET", "/gradio_api/queue/data?session_hash=a&session_hash=b").status == 400


def test_the_least_recently_used_tab_is_dropped_unless_it_is_connected() -> None:
    dropped = list[str]()
    pages = OpenPages(10, dropped.append)
    pages.use("shown", "ann")
    with pages.listening("shown"):
        for number in range(9):
            pages.use(f"tab{number}", "bob")
        pages.use("tab0", "bob")
        pages.use("one-more", "cleo")
        assert dropped == ["tab1"]
        assert len(pages) == 10
    with pytest.raises(ForeignPage):
        pages.use("shown", "bob")


def test_open_streams_cannot_use_up_all_tabs() -> None:
    dropped = list[str]()
    pages = OpenPages(20, dropped.append)
    with ExitStack() as streams:
        for number in range(20):
            pages.use(f"tab{number}", "flood" if number else "ann")
            streams.enter_context(pages.listening(f"tab{number}"))
        pages.use("new", "bob")
        assert dropped == ["tab1"]
    pages = OpenPages(20, dropped.append)
    with ExitStack() as streams:
        for number in range(20):
            pages.use(f"tab{number}", f"visitor{number}")
            streams.enter_context(pages.listening(f"tab{number}"))
        with pytest.raises(TooManyPages):
            pages.use("new", "bob")


def memory_mb(server: Server) -> float:
    status = Path(f"/proc/{server.pid}/status").read_text()
    return int(re.findall(r"VmRSS:\s+(\d+)", status)[0]) / 1024


def open_tabs(server: Server, count: int) -> float:
    """Return the megabytes that new tabs take."""
    with httpx.Client(base_url=server.url, timeout=30) as client:

        def open_tab() -> None:
            tab = {"data": PARSE, "session_hash": token_hex(8)}
            event_id = client.post("/gradio_api/call/parse", json=tab).json()["event_id"]
            assert "event: complete" in client.get(f"/gradio_api/call/parse/{event_id}").text

        for _ in range(20):
            open_tab()
        before_mb = memory_mb(server)
        for _ in range(count):
            open_tab()
        return memory_mb(server) - before_mb


@pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
def test_a_new_tab_takes_little_memory(laptop: Server) -> None:
    assert open_tabs(laptop, 200) < 60


@pytest.mark.soak
@pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
def test_two_thousand_tabs_take_limited_memory(laptop: Server) -> None:
    taken_mb = open_tabs(laptop, 2000)
    print(f"2,000 tabs: {taken_mb:.0f} MB")
    assert taken_mb < 150


# Bodies


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"null", b"{", b'{"data": NaN', b"[" * 100_000, b'{"a":' * 100_000, b"\xff\xfe\x00"]
)
def test_a_call_that_is_not_a_json_object_is_refused_without_a_traceback(laptop: Server, body: bytes) -> None:
    json_type = ("Content-Type", "application/json")
    for path in ("queue/join", "call/parse", "call/v2/parse", "run/parse", "cancel", "reset"):
        assert ask(laptop, "POST", f"/gradio_api/{path}", json_type, body=body).status == 400
    assert "Traceback" not in (laptop.folder / "server.log").read_text()


def chunks(size_bytes: int, head: bytes = b"") -> Iterator[bytes]:
    """Yield a body without a declared size."""
    yield head
    for _ in range(size_bytes // 65536):
        yield b"x" * 65536


def test_a_call_that_is_too_large_is_refused(laptop: Server) -> None:
    for content in (b"x" * 20_000_001, chunks(21_000_000, b'{"data": ["')):
        answer = httpx.post(f"{laptop.url}/gradio_api/queue/join", content=content, timeout=60)
        assert answer.status_code == 413
    answer = ask(laptop, "POST", "/gradio_api/queue/join", ("Content-Length", "400000000"))
    assert answer.status == 413


def stored_bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in (folder / "gradio").rglob("*") if path.is_file())


@pytest.mark.parametrize("way", ["declared", "in chunks"])
def test_an_upload_that_is_too_large_is_refused_and_leaves_nothing(laptop: Server, way: str) -> None:
    head = b'--b\r\nContent-Disposition: form-data; name="files"; filename="big.bin"\r\n\r\n'
    form = {"Content-Type": "multipart/form-data; boundary=b"}
    before = stored_bytes(laptop.folder)
    for size_bytes in (2_200_000, 40_000_000):
        body: bytes | Iterator[bytes] = chunks(size_bytes, head)
        if way == "declared":
            body = b"".join(body) + b"\r\n--b--\r\n"
        try:
            answer = httpx.post(f"{laptop.url}/gradio_api/upload", content=body, headers=form, timeout=60)
        except httpx.WriteError:
            # The server hung up on what it does not read.
            continue
        assert answer.status_code == 413
    assert stored_bytes(laptop.folder) - before < 3_000_000
    assert "Traceback" not in (laptop.folder / "server.log").read_text()


def test_many_files_of_one_upload_count_together(laptop: Server) -> None:
    before = stored_bytes(laptop.folder)
    files = [("files", (f"{number}.bin", bytes(1_000_000))) for number in range(5)]
    assert httpx.post(f"{laptop.url}/gradio_api/upload", files=files, timeout=60).status_code == 413
    assert stored_bytes(laptop.folder) == before


def test_a_stranger_cannot_fill_the_disk_with_many_uploads(space: Server) -> None:
    files = [("files", ("a.bin", bytes(19_000_000)))]
    codes = list[int]()
    for number in range(12):
        # A new browser each time, and an address that it makes up: the last one counts, which a proxy adds.
        headers = {"X-Forwarded-For": f"93.184.216.{number}, 198.35.26.96"}
        codes.append(
            httpx.post(f"{space.url}/gradio_api/upload", files=files, headers=headers, timeout=60).status_code
        )
    assert codes == [200] * 10 + [429] * 2
    other = {"X-Forwarded-For": "198.35.26.97"}
    assert (
        httpx.post(f"{space.url}/gradio_api/upload", files=files, headers=other, timeout=60).status_code
        == 200
    )


def test_the_received_part_of_a_broken_upload_counts() -> None:
    now_s = 0.0
    quota = UploadQuota(100, lambda: now_s)
    quota.count("a", 90)
    assert (quota.left_bytes("a"), quota.left_bytes("b")) == (10, 100)
    with pytest.raises(BodyTooLarge):
        quota.count("a", 11)
    assert quota.left_bytes("a") == 0
    now_s = 3601.0
    assert quota.left_bytes("a") == 100


# Exposure


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.0.10", "workbench.example.org", ""])
def test_other_machines_need_an_account_or_no_login(host: str) -> None:
    with pytest.raises(BadInput, match=r"WORKBENCH_AUTH.*--no-login"):
        check_exposure(replace(read_settings({}), host=host))
    for word in ({"WORKBENCH_NO_LOGIN": "1"}, {"WORKBENCH_AUTH": "ann:x"}, {"SPACE_ID": "someone/workbench"}):
        check_exposure(replace(read_settings(word), host=host))


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "LocalHost", "::1", "127.5.5.5", "::ffff:127.0.0.1"]
)
def test_the_own_machine_needs_no_account(host: str) -> None:
    assert is_local(host)
    check_exposure(read_settings({"WORKBENCH_HOST": host}))


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


def test_the_container_says_what_to_set_before_others_can_use_the_page(tmp_path: Path) -> None:
    given = {name: value for name, value in os.environ.items() if not name.startswith("WORKBENCH_")}
    given |= {"WORKBENCH_HOST": "0.0.0.0", "WORKBENCH_DATA": str(tmp_path), "WORKBENCH_MODEL": "replay"}
    entries = ([sys.executable, "app.py"], [sys.executable, "-m", "workbench", "serve"])
    for entry in entries:
        ended = subprocess.run(entry, env=given, cwd=CHECKOUT, capture_output=True, text=True, timeout=120)
        assert ended.returncode == 2
        assert "WORKBENCH_AUTH" in ended.stderr and "WORKBENCH_NO_LOGIN=1" in ended.stderr
        assert "Traceback" not in ended.stderr
