"""Check passwords with limits on attempts and concurrent checks, and track who is logged in."""

import asyncio
from asyncio import Future
from collections import OrderedDict, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from secrets import token_urlsafe
from typing import Final

from workbench.app.passwords import check_hash, hash_password, is_right

AT_ONCE: Final = 2
"""Checks that run at the same time. Each takes a core for half a second, and 32 MB."""
MOST_WAITING: Final = 16
_MOST_CHARS: Final = 1024
"""Longer names and passwords are rejected without a check."""


class TooBusy(Exception):
    """Too many passwords are waiting to be checked."""


class PasswordChecks:
    """Compares passwords with the hashes of accounts, outside the server's event loop.

    The newest attempt is checked first, and the oldest is rejected when too many wait. A flood of attempts then delays
    itself, while somebody who logs in after it waits for one check only.

    Args:
        accounts: Password hashes by account name.
        check: Compares a password with a hash.

    Raises:
        BadInput: The hash of an account cannot be read.
    """

    def __init__(self, accounts: Mapping[str, str], check: Callable[[str, str], bool] = is_right) -> None:
        for name, hashed in accounts.items():
            check_hash(hashed, f"setting WORKBENCH_AUTH, account {name!r}")
        self._accounts = dict(accounts)
        self._check = check
        # An unknown name takes as long as a wrong password, so that the time does not reveal which names exist.
        self._nobody = hash_password("nobody", n=max(map(_cost, accounts.values()), default=2**14))
        self._running = 0
        self._waiting: deque[Future[None]] = deque()

    async def is_right(self, name: str, password: str) -> bool:
        """Whether the password is the account's.

        Raises:
            TooBusy: Too many others are waiting.
        """
        if len(name) > _MOST_CHARS or len(password) > _MOST_CHARS:
            return False
        await self._turn()
        try:
            hashed = self._accounts.get(name, self._nobody)
            return await asyncio.to_thread(self._check, password, hashed) and name in self._accounts
        finally:
            self._running -= 1
            self._start_next()

    async def _turn(self) -> None:
        turn: Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        self._start_next()
        if len(self._waiting) > MOST_WAITING:
            self._waiting.popleft().set_exception(TooBusy())
        await turn

    def _start_next(self) -> None:
        while self._running < AT_ONCE and self._waiting:
            turn = self._waiting.pop()
            # The turn of a client that left is cancelled.
            if not turn.cancelled():
                self._running += 1
                turn.set_result(None)


def _cost(hashed: str) -> int:
    return int(hashed.split(".")[1])


FREE_TRIES: Final = 5
"""Wrong passwords for one account from one address before the first wait."""
FREE_TRIES_IN_ALL: Final = 100
"""Wrong passwords for one account from all addresses, or from one address for all accounts. After them, one attempt is
free instead of `FREE_TRIES`."""
LONGEST_WAIT_S: Final = 60
FORGOTTEN_AFTER_S: Final = 3600
"""How long wrong passwords count after the last one, in seconds."""
MOST_PER_ACCOUNT: Final = 50
"""Logins that an account may have at the same time, and addresses of an account that are remembered. A further one
replaces the oldest."""
_MOST_KEYS: Final = 10_000


@dataclass(slots=True)
class _Tries:
    wrong: int = 0
    last_s: float = 0.0
    free_from_s: float = 0.0


class LoginLimits:
    """Requires waits of 1, 2, 4… up to 60 seconds between attempts, after too many wrong passwords.

    Wrong passwords for an account from an address lead to waits for this account from this address only. So a stranger
    cannot lock an account's owner out. Many wrong passwords for the account from all addresses, or from the address for
    all accounts, make the waits begin earlier. From an address with a login before, the right password is accepted even
    during a wait. An attempt counts as wrong when it starts, so simultaneous attempts cannot exceed the limit.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._tries: OrderedDict[tuple[str, str], _Tries] = OrderedDict()
        self._known: dict[str, OrderedDict[str, None]] = {}

    def begin(self, name: str, address: str) -> float:
        """Count an attempt; return 0, or the seconds to wait if it is too early. Early attempts do not count."""
        now_s = self._clock()
        tries, *totals = (self._of(key, now_s) for key in _keys(name, address))
        if tries.free_from_s > now_s:
            return tries.free_from_s - now_s
        free = 1 if any(total.wrong >= FREE_TRIES_IN_ALL for total in totals) else FREE_TRIES
        for counted in (tries, *totals):
            counted.wrong, counted.last_s = counted.wrong + 1, now_s
        if tries.wrong >= free:
            tries.free_from_s = now_s + min(LONGEST_WAIT_S, 2 ** min(10, tries.wrong - free))
        return 0.0

    def knows(self, name: str, address: str) -> bool:
        """Whether the account has logged in from this address before."""
        return address in self._known.get(name, ())

    def succeed(self, name: str, address: str) -> None:
        """Forget the account's wrong passwords after a right one, and remember the address."""
        self.take_back(name, address)
        for key in _keys(name, address)[:2]:
            self._tries.pop(key, None)
        known = self._known.setdefault(name, OrderedDict())
        known[address] = None
        known.move_to_end(address)
        while len(known) > MOST_PER_ACCOUNT:
            known.popitem(last=False)

    def take_back(self, name: str, address: str) -> None:
        """Stop counting an attempt whose password was right, or was not checked."""
        now_s = self._clock()
        for key in _keys(name, address):
            if tries := self._tries.get(key):
                tries.wrong = max(0, tries.wrong - 1)
                tries.free_from_s = min(tries.free_from_s, now_s)

    def _of(self, key: tuple[str, str], now_s: float) -> _Tries:
        tries = self._tries.get(key)
        if tries is None or now_s - tries.last_s > FORGOTTEN_AFTER_S:
            tries = self._tries[key] = _Tries(last_s=now_s)
        self._tries.move_to_end(key)
        while len(self._tries) > _MOST_KEYS:
            self._tries.popitem(last=False)
        return tries


def _keys(name: str, address: str) -> tuple[tuple[str, str], ...]:
    name = name[:_MOST_CHARS]
    return (name, address), (name, ""), ("", address)


LONGEST_S: Final = 7 * 24 * 3600
"""The longest duration of a login, even if it is in use."""


@dataclass(slots=True)
class _Login:
    name: str
    since_s: float
    used_s: float


class Logins:
    """Logins by the hash of their token. They are held in memory, so a restart ends them all.

    Args:
        idle_s: How long a login may be unused before it ends.
    """

    def __init__(self, idle_s: float, clock: Callable[[], float]) -> None:
        self._idle_s = idle_s
        self._clock = clock
        self._logins: dict[bytes, _Login] = {}

    def start(self, name: str) -> str:
        """Log an account in; return the login's token."""
        now_s = self._clock()
        self._logins = {key: login for key, login in self._logins.items() if self._is_valid(login, now_s)}
        own = [key for key, login in self._logins.items() if login.name == name]
        for key in own[: max(0, len(own) - MOST_PER_ACCOUNT + 1)]:
            del self._logins[key]
        token = token_urlsafe(32)
        self._logins[_key(token)] = _Login(name, now_s, now_s)
        return token

    def name_of(self, token: str) -> str | None:
        """Return the account of a token, or None if the login does not exist or has ended. Counts as use."""
        login = self._logins.get(_key(token))
        now_s = self._clock()
        if login is None or not self._is_valid(login, now_s):
            self.end(token)
            return None
        login.used_s = now_s
        return login.name

    def end(self, token: str) -> None:
        """End the login of a token. An unknown token is ignored."""
        self._logins.pop(_key(token), None)

    def _is_valid(self, login: _Login, now_s: float) -> bool:
        return now_s - login.used_s <= self._idle_s and now_s - login.since_s <= max(LONGEST_S, self._idle_s)


def _key(token: str) -> bytes:
    return sha256(token.encode("utf-8", "surrogatepass")).digest()
