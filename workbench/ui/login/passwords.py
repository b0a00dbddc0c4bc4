"""Checking passwords without letting a flood of checks keep others waiting."""

import asyncio
from asyncio import Future
from collections import deque
from collections.abc import Callable, Mapping
from typing import Final

from workbench.app.passwords import check_hash, hash_password, is_right

AT_ONCE: Final = 2
"""Checks that run at the same time: each takes a core for half a second, and 32 MB."""
MOST_WAITING: Final = 16
_MOST_CHARS: Final = 1024
"""A longer name or password is wrong without a check."""


class TooBusy(Exception):
    """More passwords are to be checked than can be; try again."""


class PasswordChecks:
    """Compares passwords with the hashes of accounts, off the server's loop.

    Who came last is served first, and who waited longest is sent away when too many wait: a flood then delays itself,
    while somebody who comes after it waits for one check only.

    Args:
        accounts: Hash by name.
        check: Compares a password with a hash.

    Raises:
        BadInput: The hash of an account cannot be read.
    """

    def __init__(self, accounts: Mapping[str, str], check: Callable[[str, str], bool] = is_right) -> None:
        for name, hashed in accounts.items():
            check_hash(hashed, f"setting WORKBENCH_AUTH, account {name!r}")
        self._accounts = dict(accounts)
        self._check = check
        # An unknown name takes as long as a wrong password, so that the time does not show which names exist.
        self._nobody = hash_password("nobody", n=max(map(_cost, accounts.values()), default=2**14))
        self._running = 0
        self._waiting: deque[Future[None]] = deque()

    async def is_right(self, name: str, password: str) -> bool:
        """Whether it is the password of the account.

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
            # A client that left took its turn with it.
            if not turn.cancelled():
                self._running += 1
                turn.set_result(None)


def _cost(hashed: str) -> int:
    return int(hashed.split(".")[1])
