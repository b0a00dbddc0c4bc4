"""Only the needed routes are served, every response has protective headers, and other machines need an account."""

import http.client
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import brotli
import httpx
import pytest

from tests.security.gate_requests import ask, logged_in
from tests.served import Server
from workbench.app.hosts import is_local
from workbench.errors import BadInput
from workbench.settings import read_settings
from workbench.ui.gate.routes import route_of
from workbench.ui.script_files import scripts_address
from workbench.ui.serve import check_exposure
from workbench.ui.style_files import styles_address

pytestmark = pytest.mark.slow

CHECKOUT = Path(__file__).parents[2]


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


def test_the_container_says_what_to_set_before_others_can_use_the_page(tmp_path: Path) -> None:
    given = {name: value for name, value in os.environ.items() if not name.startswith("WORKBENCH_")}
    given |= {"WORKBENCH_HOST": "0.0.0.0", "WORKBENCH_DATA": str(tmp_path), "WORKBENCH_MODEL": "replay"}
    entries = ([sys.executable, "app.py"], [sys.executable, "-m", "workbench", "serve"])
    for entry in entries:
        ended = subprocess.run(entry, env=given, cwd=CHECKOUT, capture_output=True, text=True, timeout=120)
        assert ended.returncode == 2
        assert "WORKBENCH_AUTH" in ended.stderr and "WORKBENCH_NO_LOGIN=1" in ended.stderr
        assert "Traceback" not in ended.stderr
