"""Attacks on the login: guessed passwords, floods of attempts, and logins that should have ended."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from html import unescape
from time import monotonic

import httpx
import pytest
from gradio_client import Client

from tests.aside import run_aside
from tests.security.conftest import PASSWORDS
from tests.served import Server
from workbench.app.passwords import hash_password
from workbench.errors import BadInput
from workbench.settings import read_settings
from workbench.ui.gate.login import LoginService
from workbench.ui.gate.passwords import (
    AT_ONCE,
    FREE_TRIES,
    FREE_TRIES_IN_ALL,
    LONGEST_S,
    LONGEST_WAIT_S,
    MOST_PER_ACCOUNT,
    MOST_WAITING,
    LoginLimits,
    Logins,
    PasswordChecks,
    TooBusy,
)

HERE, THERE = "9.9.9.9", "9.9.9.10"


class SteppedClock:
    """A clock that tests move forward."""

    def __init__(self) -> None:
        self.now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s


# Waits between tries


def tried(limits: LoginLimits, clock: SteppedClock, name: str, address: str, times: int) -> list[float]:
    """Make wrong attempts, each as soon as it is allowed, and return the waits before them."""
    waits = list[float]()
    for _ in range(times):
        wait_s = limits.begin(name, address)
        if wait_s:
            clock.now_s += wait_s
            assert limits.begin(name, address) == 0
        waits.append(wait_s)
    return waits


def test_after_some_free_attempts_each_one_waits_twice_as_long() -> None:
    limits = LoginLimits(clock := SteppedClock())
    waits = tried(limits, clock, "ann", HERE, 15)
    assert waits[:FREE_TRIES] == [0] * FREE_TRIES
    assert waits[FREE_TRIES : FREE_TRIES + 7] == [1, 2, 4, 8, 16, 32, LONGEST_WAIT_S]
    assert waits[-1] == LONGEST_WAIT_S


def test_an_attempt_that_comes_too_early_does_not_increase_the_wait() -> None:
    limits = LoginLimits(clock := SteppedClock())
    tried(limits, clock, "ann", HERE, FREE_TRIES)
    assert [limits.begin("ann", HERE) for _ in range(50)] == [1] * 50
    clock.now_s += 1
    assert limits.begin("ann", HERE) == 0


def test_an_attacker_elsewhere_cannot_lock_the_owner_out() -> None:
    limits = LoginLimits(clock := SteppedClock())
    tried(limits, clock, "ann", HERE, 20)
    assert limits.begin("ann", HERE) > 0
    assert limits.begin("ann", THERE) == 0
    assert limits.begin("bob", HERE) == 0


def test_many_addresses_and_many_names_make_the_waits_begin_earlier() -> None:
    limits = LoginLimits(SteppedClock())
    for number in range(FREE_TRIES_IN_ALL):
        assert limits.begin("ann", f"9.9.8.{number}") == 0
        assert limits.begin(f"name{number}", THERE) == 0
    for name, address in (("ann", HERE), ("mine", THERE)):
        assert limits.begin(name, address) == 0
        assert limits.begin(name, address) > 0


def test_many_attackers_cannot_lock_the_owner_out() -> None:
    limits = LoginLimits(clock := SteppedClock())
    for number in range(300):
        tried(limits, clock, "ann", f"9.9.{number // 100}.{number}", 3)
        limits.begin(f"name{number}", HERE)
        assert limits.begin("ann", f"8.8.{number // 100}.{number}") == 0


def test_an_address_is_known_after_a_login_and_only_for_its_account() -> None:
    limits = LoginLimits(SteppedClock())
    limits.begin("ann", HERE)
    assert not limits.knows("ann", HERE)
    limits.succeed("ann", HERE)
    assert limits.knows("ann", HERE)
    assert not limits.knows("bob", HERE) and not limits.knows("ann", THERE)


def test_the_addresses_of_an_account_are_limited_and_others_cannot_remove_them() -> None:
    limits = LoginLimits(SteppedClock())
    limits.succeed("ann", HERE)
    for number in range(1000):
        limits.begin(f"name{number}", f"8.8.8.{number}")
        limits.succeed("bob", f"7.7.7.{number}")
    assert limits.knows("ann", HERE)
    assert len(limits._known["bob"]) == MOST_PER_ACCOUNT


def test_the_right_password_or_a_quiet_hour_resets_the_waits() -> None:
    limits = LoginLimits(clock := SteppedClock())
    tried(limits, clock, "ann", HERE, FREE_TRIES - 1)
    limits.begin("ann", HERE)
    limits.succeed("ann", HERE)
    assert tried(limits, clock, "ann", HERE, FREE_TRIES) == [0] * FREE_TRIES
    clock.now_s += 3601
    assert tried(limits, clock, "ann", HERE, FREE_TRIES) == [0] * FREE_TRIES


@pytest.mark.parametrize("address", (HERE, "127.0.0.1", ""))
def test_attempts_for_other_accounts_do_not_lead_to_a_wait(address: str) -> None:
    limits = LoginLimits(SteppedClock())
    for number in range(1000):
        limits.begin(f"name{number}", address)
    assert limits.begin("bob", address) == 0


def test_a_million_names_take_limited_memory() -> None:
    limits = LoginLimits(SteppedClock())
    for number in range(30_000):
        limits.begin(f"name{number}" + "x" * 5000, f"host{number}")
    assert len(limits._tries) <= 10_000
    assert sum(len(name) for name, _ in limits._tries) <= 12_000_000


# Checks of passwords


def test_a_login_during_a_flood_is_checked_next_and_the_flood_is_refused() -> None:
    gate, order = threading.Event(), list[str]()

    def check(password: str, hashed: str) -> bool:
        order.append(password)
        gate.wait(30)
        return True

    async def flooded() -> None:
        checks = PasswordChecks({"bob": hash_password("x", n=2)}, check=check)
        flood = [
            asyncio.create_task(checks.is_right(f"name{number}", f"flood{number}")) for number in range(60)
        ]
        while len(order) < AT_ONCE:
            await asyncio.sleep(0)
        bob = asyncio.create_task(checks.is_right("bob", "bob's"))
        await asyncio.sleep(0)
        gate.set()
        assert await bob
        ends = await asyncio.gather(*flood, return_exceptions=True)
        assert sum(isinstance(end, TooBusy) for end in ends) == 60 - AT_ONCE - MOST_WAITING + 1

    run_aside(flooded())
    assert "bob's" in order[AT_ONCE : 2 * AT_ONCE]
    assert len(order) == AT_ONCE + MOST_WAITING


def test_a_client_that_disconnects_frees_its_turn() -> None:
    async def left() -> bool:
        checks = PasswordChecks({"bob": hash_password("right", n=2**8)})
        for _ in range(3):
            tasks = [asyncio.create_task(checks.is_right("bob", "wrong")) for _ in range(10)]
            await asyncio.sleep(0)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        return await asyncio.wait_for(checks.is_right("bob", "right"), 30)

    assert run_aside(left())


@pytest.mark.parametrize(
    ("name", "password"),
    [
        ("ann", "bob!"),
        ("nobody", "nobody"),
        ("", ""),
        ("ann", "a" * 100_000),
        ("a" * 100_000, "ann!"),
        ("ann", "\ud800"),
        ("ANN", "ann!"),
    ],
)
def test_a_name_is_accepted_only_with_its_own_password(name: str, password: str) -> None:
    checks = PasswordChecks({name: hash_password(f"{name}!", n=2**8) for name in ("ann", "bob")})
    assert not run_aside(checks.is_right(name, password))
    assert run_aside(checks.is_right("ann", "ann!"))
    assert run_aside(checks.is_right("bob", "bob!"))


def test_an_unknown_name_takes_as_long_as_the_slowest_account() -> None:
    costs = list[int]()

    def check(password: str, hashed: str) -> bool:
        costs.append(int(hashed.split(".")[1]))
        return False

    checks = PasswordChecks(
        {"ann": hash_password("x", n=2**4), "bob": hash_password("x", n=2**8)}, check=check
    )
    run_aside(checks.is_right("nobody", "x"))
    assert costs == [2**8]


def test_nobody_can_log_in_without_accounts() -> None:
    assert LoginService.of(read_settings({})) is None


def test_an_invalid_hash_is_reported_before_the_page_is_served() -> None:
    with pytest.raises(BadInput, match=r"WORKBENCH_AUTH, account 'ann'.*workbench auth hash"):
        LoginService.of(read_settings({"WORKBENCH_AUTH": "ann:opensesame"}))


# Logins


def test_a_login_ends_when_it_is_unused_and_after_its_maximum_time() -> None:
    logins = Logins(3600, clock := SteppedClock())
    idle, busy = logins.start("ann"), logins.start("ann")
    started_s = clock.now_s
    while clock.now_s < started_s + LONGEST_S:
        assert logins.name_of(busy) == "ann"
        clock.now_s += 3000
    assert logins.name_of(idle) is None
    assert logins.name_of(busy) is None


def test_a_login_that_was_ended_is_invalid() -> None:
    logins = Logins(3600, SteppedClock())
    here, there = logins.start("ann"), logins.start("ann")
    logins.end(here)
    assert (logins.name_of(here), logins.name_of(there)) == (None, "ann")
    assert len({here, there, logins.start("ann")}) == 3


@pytest.mark.parametrize("token", ["", "x", "\ud800", "a" * 100_000])
def test_an_invented_token_is_invalid(token: str) -> None:
    logins = Logins(3600, SteppedClock())
    logins.start("ann")
    assert logins.name_of(token) is None


def test_the_logins_of_one_account_are_limited_and_do_not_affect_others() -> None:
    logins = Logins(3600, SteppedClock())
    bob = logins.start("bob")
    first, *_, last = (logins.start("ann") for _ in range(MOST_PER_ACCOUNT + 1))
    assert (logins.name_of(first), logins.name_of(last), logins.name_of(bob)) == (None, "ann", "bob")


# The server


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
