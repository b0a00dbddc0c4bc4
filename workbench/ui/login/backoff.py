"""How often somebody may try to log in."""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Final

FREE_TRIES: Final = 5
"""Wrong passwords of one account from one address before the first wait."""
FREE_TRIES_IN_ALL: Final = 100
"""Wrong passwords of one account from everywhere, and of one public address for all accounts, before the first wait."""
LONGEST_WAIT_S: Final = 60
FORGOTTEN_AFTER_S: Final = 3600
"""Wrong passwords count for this long after the last one."""
_MOST_KEYS: Final = 10_000


@dataclass(slots=True)
class _Tries:
    wrong: int = 0
    last_s: float = 0.0
    free_from_s: float = 0.0


class LoginLimits:
    """Waits of 1, 2, 4… up to 60 seconds between tries, once too many were wrong.

    The account counts together with the address, so that a stranger elsewhere does not lock its owner out; a much
    higher limit holds for the account from everywhere, and for a public address with all accounts. An address of a
    private network may be a proxy's, which everybody has: nobody waits for what others do from there. A try counts as
    wrong from its start: of many at the same time, only as many are checked as are free.

    Args:
        clock: Seconds that only go up.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._tries: OrderedDict[tuple[str, str], _Tries] = OrderedDict()

    def begin(self, name: str, address: str) -> float:
        """Count a try; give the seconds to wait if it is too early, and then it does not count."""
        now_s = self._clock()
        counted = [(self._of(key, now_s), free) for key, free in _keys(name, address)]
        wait_s = max(tries.free_from_s - now_s for tries, _ in counted)
        if wait_s > 0:
            return wait_s
        for tries, free in counted:
            tries.wrong, tries.last_s = tries.wrong + 1, now_s
            if tries.wrong >= free:
                tries.free_from_s = now_s + min(LONGEST_WAIT_S, 2 ** min(10, tries.wrong - free))
        return 0.0

    def succeed(self, name: str, address: str) -> None:
        """The password was right: forget the wrong ones of this account. Those of the address still count."""
        self.take_back(name, address)
        for key, _ in _keys(name, address)[:2]:
            self._tries.pop(key, None)

    def take_back(self, name: str, address: str) -> None:
        """Count a try no longer: its password was not wrong, or was not looked at."""
        now_s = self._clock()
        for key, _ in _keys(name, address):
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


def _keys(name: str, address: str) -> tuple[tuple[tuple[str, str], int], ...]:
    account = ((name, address), FREE_TRIES), ((name, ""), FREE_TRIES_IN_ALL)
    return (*account, (("", address), FREE_TRIES_IN_ALL)) if _is_public(address) else account


def _is_public(address: str) -> bool:
    try:
        return ip_address(address).is_global
    except ValueError:
        return False
