"""Check API keys, and find the owner of each."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import Final

from starlette.datastructures import Headers

from workbench.app.passwords import check_hash, is_right
from workbench.errors import BadInput
from workbench.gateway.faults import RequestFault
from workbench.records.owner import LOCAL_OWNER, Owner, UserRole, account_key
from workbench.settings import Settings

SETTING: Final = "WORKBENCH_GATEWAY_KEYS"
_MOST_CHARS: Final = 1024
"""A longer key is refused without a check."""
_MOST_WAITING: Final = 16
"""Keys that may wait for their check. A check takes a core for half a second."""
_REMEMBERED: Final = 1000
"""Wrong keys that are remembered, so that they are not checked again."""


class GatewayKeys:
    """The keys of the settings.

    Only hashes of keys are known, and a check of one is slow on purpose. So a key is checked once, and its SHA-256 is
    remembered after that.

    Args:
        hashes: Hash of each key by its name. Empty if no key is needed.
        check: Compares a key with a hash.

    Raises:
        BadInput: A hash cannot be read.
    """

    def __init__(self, hashes: Mapping[str, str], check: Callable[[str, str], bool] = is_right) -> None:
        for name, hashed in hashes.items():
            check_hash(hashed, f"setting {SETTING}, key {name!r}")
        self._hashes = dict(hashes)
        self._check = check
        self._right: dict[bytes, str] = {}
        self._wrong: OrderedDict[bytes, None] = OrderedDict()
        self._checking = asyncio.Lock()
        self._waiting = 0

    async def name_of(self, headers: Headers) -> str:
        """Return the name of the key of a request. Empty if no key is needed.

        Raises:
            RequestFault: The key is missing or wrong, or too many keys are waiting for their check.
        """
        if not self._hashes:
            return ""
        scheme, _, key = headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer":
            key = headers.get("api-key", "") or headers.get("x-api-key", "")
        key = key.strip()
        if not key:
            raise _refused("The request has no API key. Send it as `Authorization: Bearer KEY`.")
        if len(key) > _MOST_CHARS:
            raise _refused("The API key is wrong.")
        digest = sha256(key.encode(errors="surrogatepass")).digest()
        name = self._right.get(digest) or await self._checked(digest, key)
        if name is None:
            raise _refused("The API key is wrong.")
        return name

    async def _checked(self, digest: bytes, key: str) -> str | None:
        if digest in self._wrong:
            return None
        if self._waiting >= _MOST_WAITING:
            raise RequestFault(
                429,
                "Too many API keys are being checked. Try again in 2 seconds.",
                "rate_limit_exceeded",
                kind="rate_limit_error",
                retry_after_s=2,
            )
        self._waiting += 1
        try:
            async with self._checking:
                if digest in self._right or digest in self._wrong:
                    return self._right.get(digest)
                name = await asyncio.to_thread(self._find, key)
        finally:
            self._waiting -= 1
        if name is not None:
            self._right[digest] = name
            return name
        self._wrong[digest] = None
        while len(self._wrong) > _REMEMBERED:
            self._wrong.popitem(last=False)
        return None

    def _find(self, key: str) -> str | None:
        return next((name for name, hashed in self._hashes.items() if self._check(key, hashed)), None)


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
