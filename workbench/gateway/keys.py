"""Check API keys, and find the owner of each."""

import asyncio
from asyncio import Future
from collections import OrderedDict
from collections.abc import Callable, Mapping
from hmac import compare_digest
from secrets import token_bytes
from time import monotonic
from typing import Final, Self, TypeVar

from starlette.datastructures import Headers

from workbench.app.api_keys import PREFIX, check_key_hash, hash_key, server_secret
from workbench.app.passwords import check_hash, is_right
from workbench.errors import BadInput
from workbench.gateway.faults import RequestFault
from workbench.records.owner import LOCAL_OWNER, Owner, UserRole, account_key
from workbench.settings import Settings

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")
SETTING: Final = "WORKBENCH_GATEWAY_KEYS"
_MOST_CHARS: Final = 1024
"""A longer key is refused without a check."""
_MOST_WAITING: Final = 256
"""Keys that may wait for a check with scrypt, which takes a core for half a second."""
_MOST_WAITING_AN_ADDRESS: Final = 64
_FREE_TRIES: Final = 20
"""Wrong keys of an address in an hour before its checks take twice as long."""
_HOUR_S: Final = 3600.0
_REMEMBERED: Final = 10_000
"""Addresses with wrong keys, wrong keys, and right keys with their addresses, that are remembered."""


class GatewayKeys:
    """The keys of the settings.

    A key of `workbench auth key` is recognized by one fast keyed hash. A secret that somebody chose may be guessed, so
    the settings hold a slow hash of it (scrypt), and it is checked once for each address. These checks run one at a
    time: the address with the fewest wrong keys first, and of an address the newest key. So a flood of wrong keys
    delays itself.

    Args:
        hashes: Hash of each key by its name. Empty if no key is needed.
        secret: The secret of the server, for keyed hashes.
        check: Compares a chosen secret with a hash.

    Raises:
        BadInput: A hash cannot be read.
    """

    def __init__(
        self, hashes: Mapping[str, str], secret: bytes, check: Callable[[str, str], bool] = is_right
    ) -> None:
        self._secret = secret
        self._fast: dict[str, bytes] = {}
        self._slow: dict[str, str] = {}
        for name, hashed in hashes.items():
            where = f"setting {SETTING}, key {name!r}"
            if hashed.startswith(PREFIX):
                check_key_hash(hashed, secret, where)
                self._fast[name] = hashed.encode()
            else:
                check_hash(hashed, where)
                self._slow[name] = hashed
        self._check = check
        self._right = _Recent[tuple[bytes, str], str]()
        self._wrong = _Recent[bytes, None]()
        self._wrong_counts = _Recent[str, tuple[int, float]]()
        self._waiting: list[tuple[str, Future[None]]] = []
        self._is_checking = False

    @classmethod
    def of(cls, settings: Settings) -> Self:
        """Create the keys of the settings. Only random keys need the secret in the data folder.

        Raises:
            BadInput: A hash or the secret cannot be read.
        """
        hashes = settings.gateway_keys
        has_random = any(hashed.startswith(PREFIX) for hashed in hashes.values())
        return cls(hashes, server_secret(settings.data) if has_random else token_bytes(32))

    async def name_of(self, headers: Headers, address: str) -> str:
        """Return the name of the key of a request. Empty if no key is needed.

        Args:
            headers: The headers of the request.
            address: The network address of its sender.

        Raises:
            RequestFault: The key is missing or wrong, or too many keys are waiting for their check.
        """
        if not self._fast and not self._slow:
            return ""
        scheme, _, key = headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer":
            key = headers.get("api-key", "") or headers.get("x-api-key", "")
        key = key.strip()
        if not key:
            raise _refused("The request has no API key. Send it as `Authorization: Bearer KEY`.")
        if len(key) > _MOST_CHARS:
            raise _refused("The API key is wrong.")
        hashed = hash_key(key, self._secret).encode()
        # All of them are compared, each in constant time, so the time says nothing about a hash.
        found = [name for name, known in self._fast.items() if compare_digest(hashed, known)]
        if not found and (
            name := self._right.get((hashed, address)) or await self._checked(hashed, key, address)
        ):
            found = [name]
        if not found:
            raise _refused("The API key is wrong.")
        return found[0]

    async def _checked(self, hashed: bytes, key: str, address: str) -> str | None:
        """Compare a key with the slow hashes when it is its turn."""
        if not self._slow or hashed in self._wrong:
            return None
        turn, rest_s = self._line_up(address), 0.0
        try:
            await turn
            # The same key may have been checked meanwhile.
            if (hashed, address) in self._right or hashed in self._wrong:
                return self._right.get((hashed, address))
            started_s = monotonic()
            name = await asyncio.to_thread(self._find, key)
            if name is not None:
                self._right[hashed, address] = name
                return name
            self._wrong[hashed] = None
            self._wrong_counts[address] = (self._wrong_count(address) + 1, monotonic())
            if self._wrong_count(address) > _FREE_TRIES:
                rest_s = monotonic() - started_s
            return None
        finally:
            if turn.done() and not turn.cancelled() and turn.exception() is None:
                asyncio.get_running_loop().call_later(rest_s, self._end_check)

    def _line_up(self, address: str) -> Future[None]:
        """Return what is done when it is the turn of a key of this address, or fails if too many keys are waiting."""
        turn: Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((address, turn))
        of_address = [waiting for waiting in self._waiting if waiting[0] == address]
        if len(of_address) > _MOST_WAITING_AN_ADDRESS:
            self._drop(of_address[0])
        elif len(self._waiting) > _MOST_WAITING:
            self._drop(max(self._waiting, key=lambda waiting: self._wrong_count(waiting[0])))
        self._start_check()
        return turn

    def _drop(self, waiting: tuple[str, Future[None]]) -> None:
        self._waiting.remove(waiting)
        if not waiting[1].done():
            message = "Too many API keys are being checked. Try again in 2 seconds."
            kind, code = "rate_limit_error", "rate_limit_exceeded"
            waiting[1].set_exception(RequestFault(429, message, code, kind=kind, retry_after_s=2))

    def _start_check(self) -> None:
        while self._waiting and not self._is_checking:
            first = min(reversed(self._waiting), key=lambda waiting: self._wrong_count(waiting[0]))
            self._waiting.remove(first)
            # The turn of a client that left is cancelled.
            if not first[1].done():
                self._is_checking = True
                first[1].set_result(None)

    def _end_check(self) -> None:
        self._is_checking = False
        self._start_check()

    def _wrong_count(self, address: str) -> int:
        count, last_s = self._wrong_counts.get(address, (0, 0.0))
        return count if monotonic() - last_s < _HOUR_S else 0

    def _find(self, key: str) -> str | None:
        return next((name for name, hashed in self._slow.items() if self._check(key, hashed)), None)


class _Recent(OrderedDict[_Key, _Value]):
    """A dict that holds the last `_REMEMBERED` entries."""

    def __setitem__(self, key: _Key, value: _Value) -> None:
        super().__setitem__(key, value)
        self.move_to_end(key)
        while len(self) > _REMEMBERED:
            self.popitem(last=False)


def _refused(message: str) -> RequestFault:
    return RequestFault(401, message, "invalid_api_key")


def owner_of_key(settings: Settings, name: str) -> Owner:
    """Return who owns the requests with a key.

    On a server with accounts, a key belongs to the account of the same name. Without accounts, all keys belong to the
    local user, who sees their sessions on the page; the models are shared fairly between the keys.
    """
    if settings.accounts and name:
        role = UserRole.ADMIN if name in settings.admins else UserRole.MEMBER
        return Owner(key=account_key(name), name=name, role=role)
    if name:
        return Owner(key=LOCAL_OWNER.key, role=UserRole.MEMBER, name=name, address=f"key:{name}")
    return LOCAL_OWNER


def check_keys(settings: Settings) -> None:
    """Check that each key belongs to an account, on a server with accounts.

    Raises:
        BadInput: A key belongs to nobody.
    """
    for name in settings.gateway_keys:
        if settings.accounts and name not in settings.accounts:
            raise BadInput(
                f"setting {SETTING}",
                f"there is no account {name!r}",
                "use the name of an account of WORKBENCH_AUTH",
            )
