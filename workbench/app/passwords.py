"""Hash passwords so that they can be written into a setting.

A hash is `scrypt.N.r.p.SALT.HASH`: the cost as whole numbers, then salt and hash in URL-safe base64 without
padding. It contains no dollar sign and no colon, so it needs no quoting in shells and in `name:hash` pairs.

*Source:* RFC 7914 (scrypt), https://www.rfc-editor.org/rfc/rfc7914. The cost N = 2^15, r = 8, p = 3 is from
OWASP's Password Storage Cheat Sheet,
https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html
"""

import hashlib
import hmac
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Final, NamedTuple

from workbench.errors import BadInput

_MOST_BYTES: Final = 256 * 1024 * 1024
"""How much memory one check may use. scrypt uses 128 * N * r."""


class _Hash(NamedTuple):
    n: int
    r: int
    p: int
    salt: bytes
    digest: bytes


def hash_password(password: str, *, n: int = 2**15) -> str:
    """Return a hash of a password with a new random salt.

    Args:
        password: Any text that is not empty.
        n: The cost, a power of two. Tests use a lower one.

    Raises:
        BadInput: The password is empty.
    """
    if not password:
        raise BadInput("password", "it is empty", "enter a password")
    cost = _Hash(n=n, r=8, p=3, salt=secrets.token_bytes(16), digest=b"")
    return ".".join(("scrypt", str(n), "8", "3", _text(cost.salt), _text(_digest(password, cost))))


def is_right(password: str, hashed: str) -> bool:
    """Whether `hashed` is a hash of `password`.

    Raises:
        BadInput: `hashed` is not a hash of `hash_password`.
    """
    expected = _parse(hashed)
    return hmac.compare_digest(_digest(password, expected), expected.digest)


def check_hash(hashed: str, where: str) -> None:
    """Check that a text is a hash of `hash_password`. The error does not show the text, which may be a password.

    Args:
        where: Name of the setting, for the error.

    Raises:
        BadInput: The text is not such a hash.
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
    is_valid = name == "scrypt" and is_power and cost.r > 0 and cost.p > 0 and len(cost.digest) == 32
    if not is_valid or 128 * cost.n * cost.r > _MOST_BYTES // 2:
        raise BadInput("password", "its hash is not valid", "create one with `workbench auth hash NAME`")
    return cost


def _text(content: bytes) -> str:
    return urlsafe_b64encode(content).decode().rstrip("=")


def _bytes(text: str) -> bytes:
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))
