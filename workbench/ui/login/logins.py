"""Who is logged in, and until when."""

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from secrets import token_urlsafe
from typing import Final

LONGEST_S: Final = 7 * 24 * 3600
"""Every login ends after this, however it is used."""
MOST_PER_ACCOUNT: Final = 50
"""Logins that an account may have at the same time; one more ends the oldest."""


@dataclass(slots=True)
class _Login:
    name: str
    since_s: float
    used_s: float


class Logins:
    """Logins by the hash of their token. They live in memory: a restart ends them all.

    Args:
        idle_s: A login that is not used for this long ends.
        clock: Seconds that only go up.
    """

    def __init__(self, idle_s: float, clock: Callable[[], float]) -> None:
        self._idle_s = idle_s
        self._clock = clock
        self._logins: dict[bytes, _Login] = {}

    def start(self, name: str) -> str:
        """Log an account in; give the token that shows it."""
        now_s = self._clock()
        self._logins = {key: login for key, login in self._logins.items() if self._holds(login, now_s)}
        own = [key for key, login in self._logins.items() if login.name == name]
        for key in own[: max(0, len(own) - MOST_PER_ACCOUNT + 1)]:
            del self._logins[key]
        token = token_urlsafe(32)
        self._logins[_key(token)] = _Login(name, now_s, now_s)
        return token

    def name_of(self, token: str) -> str | None:
        """The account that a token logs in, which counts as use; None if it does not, or not any more."""
        login = self._logins.get(_key(token))
        now_s = self._clock()
        if login is None or not self._holds(login, now_s):
            self.end(token)
            return None
        login.used_s = now_s
        return login.name

    def end(self, token: str) -> None:
        """Log out; a token that shows no login is ignored."""
        self._logins.pop(_key(token), None)

    def _holds(self, login: _Login, now_s: float) -> bool:
        return now_s - login.used_s <= self._idle_s and now_s - login.since_s <= max(LONGEST_S, self._idle_s)


def _key(token: str) -> bytes:
    return sha256(token.encode("utf-8", "surrogatepass")).digest()
