"""A server withstands guessed passwords, floods of attempts and malformed forms, and serves nothing private without a login."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from html import unescape
from time import monotonic

import httpx
import pytest
from gradio_client import Client

from tests.security.conftest import PASSWORDS
from tests.served import Server
from workbench.ui.gate.passwords import LONGEST_WAIT_S


def log_in(server: Server, name: str, password: str, **headers: str) -> httpx.Response:
    return httpx.post(
        f"{server.url}/login", data={"username": name, "password": password}, headers=headers, timeout=60
    )


@pytest.mark.slow
def test_guessing_is_slowed_down_and_an_invented_address_does_not_help(team: Server) -> None:
    names = iter(f"guessed{number}" for number in range(99))

    def statuses(header: Callable[[int], dict[str, str]], name: str) -> list[int]:
        return [log_in(team, name, "wrong", **header(number)).status_code for number in range(8)]

    for header in (
        lambda _: {},
        lambda number: {"X-Forwarded-For": f"192.0.2.{number}"},
        lambda number: {"X-Real-IP": f"192.0.2.{number}"},
        lambda number: {"Forwarded": f"for=192.0.2.{number}"},
    ):
        name = next(names)
        assert statuses(header, name)[:6] == [400] * 5 + [429]
    refused = log_in(team, "guessed0", "wrong")
    if refused.status_code == 429:
        assert 1 <= int(refused.headers["retry-after"]) <= LONGEST_WAIT_S
        assert "Try again in" in refused.json()["detail"]


@pytest.mark.slow
def test_a_flood_of_wrong_passwords_does_not_delay_others(team: Server) -> None:
    with ThreadPoolExecutor(30) as pool:
        flood = [pool.submit(log_in, team, "flooded", f"wrong{number}") for number in range(60)]
        started_s = monotonic()
        answer = log_in(team, "bob", PASSWORDS["bob"])
        took_s = monotonic() - started_s
        statuses = sorted(one.result().status_code for one in flood)
    assert answer.status_code == 200
    assert took_s < 20
    assert set(statuses) == {400, 429}
    assert statuses.count(400) <= 8


@pytest.mark.slow
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"username=ann",
        b"password=x",
        b"\xff\xfe",
        b"a=b&" * 3000,
        b"username=a\x00b&password=%00",
        b"&&&=&",
    ],
)
def test_a_malformed_form_is_a_failed_login(team: Server, body: bytes) -> None:
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    answer = httpx.post(f"{team.url}/login", content=body, headers=form, timeout=30)
    assert answer.status_code in (400, 413, 429)
    for broken in (
        "multipart/form-data",
        "multipart/form-data; boundary=x",
        "application/json",
        "text/plain",
    ):
        answer = httpx.post(f"{team.url}/login", content=body, headers={"Content-Type": broken}, timeout=30)
        assert answer.status_code in (400, 413, 429)


@pytest.mark.slow
def test_the_server_can_end_the_login_of_a_cookie(team: Server) -> None:
    answer = log_in(team, "ann", PASSWORDS["ann"])
    flags = answer.headers["set-cookie"].split("; ")
    assert {"HttpOnly", "SameSite=Lax", "Path=/"} <= set(flags) and "Secure" not in flags
    cookie = {"Cookie": flags[0]}
    assert httpx.get(f"{team.url}/gradio_api/user", headers=cookie).json() == "ann"
    assert httpx.post(f"{team.url}/logout", headers=cookie).status_code == 303
    assert httpx.get(f"{team.url}/gradio_api/user", headers=cookie).status_code == 401


@pytest.mark.slow
def test_over_https_the_cookie_belongs_to_this_host(team: Server) -> None:
    answer = log_in(team, "ann", PASSWORDS["ann"], **{"X-Forwarded-Proto": "https"})
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith("__Host-") and "Secure" in cookie.split("; ")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("there", "expected"),
    [
        ("/?session=abc", "/?session=abc"),
        ("//evil.example/", "/evil.example/"),
        ("/\\evil.example", "/evil.example"),
        ("https://evil.example", "/https://evil.example"),
        ("\\\\evil.example", "/evil.example"),
        ("/a\r\nSet-Cookie: x=y", "/"),
        ("javascript:alert(1)", "/javascript:alert(1)"),
    ],
)
def test_a_login_redirects_only_to_this_page(team: Server, there: str, expected: str) -> None:
    answer = httpx.post(
        f"{team.url}/login",
        params={"next": there},
        data={"username": "ann", "password": PASSWORDS["ann"]},
        headers={"Accept": "text/html"},
        timeout=30,
    )
    assert answer.status_code == 303
    assert answer.headers["location"] == expected


@pytest.mark.slow
def test_the_login_leads_back_to_the_whole_address(team: Server) -> None:
    there = "/?tab=suites&run=7f&case=weather%2Frome&arm=a%26b"
    form = httpx.get(f"{team.url}{there}", headers={"Accept": "text/html"}, timeout=30).text
    action = unescape(form.partition('action="')[2].partition('"')[0])
    answer = httpx.post(
        f"{team.url}{action if action.startswith('/') else '/' + action}",
        data={"username": "ann", "password": PASSWORDS["ann"]},
        headers={"Accept": "text/html"},
        timeout=30,
    )
    assert (answer.status_code, answer.headers["location"]) == (303, there)


@pytest.mark.slow
def test_the_form_escapes_the_requested_address(team: Server) -> None:
    answer = httpx.get(f"{team.url}/", params={"session": '"><script>alert(1)</script>'}, timeout=30)
    assert "<script" not in answer.text


@pytest.mark.slow
@pytest.mark.parametrize(
    "path",
    [
        "/config",
        "/gradio_api/info",
        "/gradio_api/queue/status",
        "/gradio_api/file=/tmp/x",
        "/gradio_api/app_id",
        "/gradio_api/heartbeat/abcdefgh",
        "/gradio_api/queue/data?session_hash=x",
        "/gradio_api/upload_progress",
    ],
)
def test_without_a_login_nothing_private_is_served(team: Server, path: str) -> None:
    for cookie in ("", "workbench-login-7860=x", f"access-token-{'a' * 43}=x"):
        assert httpx.get(f"{team.url}{path}", headers={"Cookie": cookie}, timeout=30).status_code == 401


@pytest.mark.slow
@pytest.mark.parametrize(
    "path", ["queue/join", "call/parse", "run/parse", "api/parse", "upload", "cancel", "reset"]
)
def test_without_a_login_nothing_can_be_done(team: Server, path: str) -> None:
    answer = httpx.post(
        f"{team.url}/gradio_api/{path}", json={"session_hash": "x", "event_id": "y"}, timeout=30
    )
    assert answer.status_code == 401


@pytest.mark.slow
def test_a_program_logs_in_with_gradio_s_client(team: Server) -> None:
    with closing(
        Client(team.url, auth=("ann", PASSWORDS["ann"]), verbose=False, analytics_enabled=False)
    ) as ann:
        assert "calls" in ann.predict("Hello.", api_name="/parse")
    for auth in (("ann", "wrong"), None):
        with pytest.raises(Exception, match=r"[Ll]ogin|[Cc]redential|[Aa]uth"):
            Client(team.url, auth=auth, verbose=False, analytics_enabled=False)
