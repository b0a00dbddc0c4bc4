"""Wrong passwords lead to waits, a flood of checks delays nobody, and logins end in time. No server is needed."""

import asyncio
import threading

import pytest

from tests.aside import run_aside
from tests.clock import Clock
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


# Waits between tries


def tried(limits: LoginLimits, clock: Clock, name: str, address: str, times: int) -> list[float]:
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
    limits = LoginLimits(clock := Clock())
    waits = tried(limits, clock, "ann", HERE, 15)
    assert waits[:FREE_TRIES] == [0] * FREE_TRIES
    assert waits[FREE_TRIES : FREE_TRIES + 7] == [1, 2, 4, 8, 16, 32, LONGEST_WAIT_S]
    assert waits[-1] == LONGEST_WAIT_S


def test_an_attempt_that_comes_too_early_does_not_increase_the_wait() -> None:
    limits = LoginLimits(clock := Clock())
    tried(limits, clock, "ann", HERE, FREE_TRIES)
    assert [limits.begin("ann", HERE) for _ in range(50)] == [1] * 50
    clock.now_s += 1
    assert limits.begin("ann", HERE) == 0


def test_an_attacker_elsewhere_cannot_lock_the_owner_out() -> None:
    limits = LoginLimits(clock := Clock())
    tried(limits, clock, "ann", HERE, 20)
    assert limits.begin("ann", HERE) > 0
    assert limits.begin("ann", THERE) == 0
    assert limits.begin("bob", HERE) == 0


def test_many_addresses_and_many_names_make_the_waits_begin_earlier() -> None:
    limits = LoginLimits(Clock())
    for number in range(FREE_TRIES_IN_ALL):
        assert limits.begin("ann", f"9.9.8.{number}") == 0
        assert limits.begin(f"name{number}", THERE) == 0
    for name, address in (("ann", HERE), ("mine", THERE)):
        assert limits.begin(name, address) == 0
        assert limits.begin(name, address) > 0


def test_many_attackers_cannot_lock_the_owner_out() -> None:
    limits = LoginLimits(clock := Clock())
    for number in range(300):
        tried(limits, clock, "ann", f"9.9.{number // 100}.{number}", 3)
        limits.begin(f"name{number}", HERE)
        assert limits.begin("ann", f"8.8.{number // 100}.{number}") == 0


def test_an_address_is_known_after_a_login_and_only_for_its_account() -> None:
    limits = LoginLimits(Clock())
    limits.begin("ann", HERE)
    assert not limits.knows("ann", HERE)
    limits.succeed("ann", HERE)
    assert limits.knows("ann", HERE)
    assert not limits.knows("bob", HERE) and not limits.knows("ann", THERE)


def test_the_addresses_of_an_account_are_limited_and_others_cannot_remove_them() -> None:
    limits = LoginLimits(Clock())
    limits.succeed("ann", HERE)
    for number in range(1000):
        limits.begin(f"name{number}", f"8.8.8.{number}")
        limits.succeed("bob", f"7.7.7.{number}")
    assert limits.knows("ann", HERE)
    assert len(limits._known["bob"]) == MOST_PER_ACCOUNT


def test_the_right_password_or_a_quiet_hour_resets_the_waits() -> None:
    limits = LoginLimits(clock := Clock())
    tried(limits, clock, "ann", HERE, FREE_TRIES - 1)
    limits.begin("ann", HERE)
    limits.succeed("ann", HERE)
    assert tried(limits, clock, "ann", HERE, FREE_TRIES) == [0] * FREE_TRIES
    clock.now_s += 3601
    assert tried(limits, clock, "ann", HERE, FREE_TRIES) == [0] * FREE_TRIES


@pytest.mark.parametrize("address", (HERE, "127.0.0.1", ""))
def test_attempts_for_other_accounts_do_not_lead_to_a_wait(address: str) -> None:
    limits = LoginLimits(Clock())
    for number in range(1000):
        limits.begin(f"name{number}", address)
    assert limits.begin("bob", address) == 0


def test_a_million_names_take_limited_memory() -> None:
    limits = LoginLimits(Clock())
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
    logins = Logins(3600, clock := Clock())
    idle, busy = logins.start("ann"), logins.start("ann")
    started_s = clock.now_s
    while clock.now_s < started_s + LONGEST_S:
        assert logins.name_of(busy) == "ann"
        clock.now_s += 3000
    assert logins.name_of(idle) is None
    assert logins.name_of(busy) is None


def test_a_login_that_was_ended_is_invalid() -> None:
    logins = Logins(3600, Clock())
    here, there = logins.start("ann"), logins.start("ann")
    logins.end(here)
    assert (logins.name_of(here), logins.name_of(there)) == (None, "ann")
    assert len({here, there, logins.start("ann")}) == 3


@pytest.mark.parametrize("token", ["", "x", "\ud800", "a" * 100_000])
def test_an_invented_token_is_invalid(token: str) -> None:
    logins = Logins(3600, Clock())
    logins.start("ann")
    assert logins.name_of(token) is None


def test_the_logins_of_one_account_are_limited_and_do_not_affect_others() -> None:
    logins = Logins(3600, Clock())
    bob = logins.start("bob")
    first, *_, last = (logins.start("ann") for _ in range(MOST_PER_ACCOUNT + 1))
    assert (logins.name_of(first), logins.name_of(last), logins.name_of(bob)) == (None, "ann", "bob")
