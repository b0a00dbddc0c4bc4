"""Hash passwords so that they can be written into a setting.

A hash is `scrypt.N.r.p.SALT.HASH`: the cost as whole numbers, then salt and hash in URL-safe base64
without padding. No dollar sign and no colon, so that shells and `name:hash` pairs take it as it is.

*Source:* RFC 7914 (scrypt); the cost is OWASP's Password Storage Cheat Sheet's, N = 2^15, r = 8, p = 3.
"""

import hashlib
import hmac
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Final, NamedTuple

from workbench.errors import BadInput

_MOST_BYTES: Final = 256 * 1024 * 1024
"""Memory that one check may take; scrypt takes 128 * N * r."""


class _Hash(NamedTuple):
    n: int
    r: int
    p: int
    salt: bytes
    digest: bytes


def hash_password(password: str, *, n: int = 2**15) -> str:
    """A new hash of a password, under a salt of its own.

    Args:
        password: Any text but an empty one.
        n: The cost, a power of two; tests take less.

    Raises:
        BadInput: It is empty.
    """
    if not password:
        raise BadInput("password", "it is empty", "choose one")
    made = _Hash(n=n, r=8, p=3, salt=secrets.token_bytes(16), digest=b"")
    return ".".join(("scrypt", str(n), "8", "3", _text(made.salt), _text(_digest(password, made))))


def is_right(password: str, hashed: str) -> bool:
    """Whether `hashed` is a hash of `password`.

    Raises:
        BadInput: It is no hash of ours.
    """
    wanted = _parse(hashed)
    return hmac.compare_digest(_digest(password, wanted), wanted.digest)


def check_hash(hashed: str, where: str) -> None:
    """Refuses what is no hash of ours; the text is not shown, for it may be a password.

    Raises:
        BadInput: It is none; `where` is said.
    """
    try:
        _parse(hashed)
    except BadInput as error:
        raise BadInput(where, error.problem, error.remedy) from None


def _digest(password: str, cost: _Hash) -> bytes:
    return hashlib.scrypt(
        password.encode("utf-8", "surrogatepass"),
        salt=cost.salt,
        n=cost.n,
        r=cost.r,
        p=cost.p,
        maxmem=_MOST_BYTES,
        dklen=32,
    )


def _parse(hashed: str) -> _Hash:
    parts = hashed.split(".")
    try:
        name, n, r, p, salt, digest = parts
        cost = _Hash(n=int(n), r=int(r), p=int(p), salt=_bytes(salt), digest=_bytes(digest))
    except ValueError:
        name, cost = "", _Hash(0, 0, 0, b"", b"")
    is_power = cost.n > 1 and cost.n & (cost.n - 1) == 0
    is_sound = name == "scrypt" and is_power and cost.r > 0 and cost.p > 0 and len(cost.digest) == 32
    if not is_sound or 128 * cost.n * cost.r > _MOST_BYTES // 2:
        raise BadInput("password", "its hash cannot be read", "make one by `workbench auth hash NAME`")
    return cost


def _text(content: bytes) -> str:
    return urlsafe_b64encode(content).decode().rstrip("=")


def _bytes(text: str) -> bytes:
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))
