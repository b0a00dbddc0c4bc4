"""API keys of the gateway: random keys, of which the settings hold a keyed hash.

A key is made here and has 256 random bits, so nobody can guess it, and one fast hash is enough to recognize it. The
setting holds `hmac.ID.HASH`: the beginning of the hash of the server's secret, so that a key of another server is
noticed, and the HMAC-SHA-256 of the key with this secret, which is a file in the data folder.

*Source:* RFC 2104 (HMAC), https://www.rfc-editor.org/rfc/rfc2104.
"""

import hashlib
import hmac
import secrets
from base64 import urlsafe_b64encode
from contextlib import suppress
from pathlib import Path
from typing import Final

from workbench.errors import BadInput

PREFIX: Final = "hmac."
SECRET_FILE: Final = "gateway.secret"
"""File in the data folder with the server's secret."""
_KEY_PREFIX: Final = "wb-"
_SECRET_BYTES: Final = 32


def new_key() -> str:
    """Return a new random key."""
    return _KEY_PREFIX + secrets.token_urlsafe(_SECRET_BYTES)


def server_secret(data: Path) -> bytes:
    """Return the secret of the server with this data folder. The first call creates it.

    Raises:
        BadInput: The file cannot be read or written, or does not hold a secret.
    """
    path = data / SECRET_FILE
    try:
        data.mkdir(parents=True, exist_ok=True)
        with suppress(FileExistsError):
            path.touch(0o600, exist_ok=False)
            path.write_bytes(secrets.token_hex(_SECRET_BYTES).encode())
        secret = path.read_bytes().strip()
    except OSError as error:
        raise BadInput(f"file {path}", str(error.strerror or error), "set WORKBENCH_DATA") from error
    if len(secret) != 2 * _SECRET_BYTES:
        raise BadInput(
            f"file {path}",
            "it does not hold a secret",
            "delete it, and make new keys with `workbench auth key`",
        )
    return secret


def hash_key(key: str, secret: bytes) -> str:
    """Return the hash of a key for the settings.

    >>> hash_key("wb-x", b"0" * 64)
    'hmac.60e05bd1.EItrfPFz2Dtg_Bz_Rr2t-NXdbtVJWEJFqmFRdg25QcY'
    """
    digest = hmac.digest(secret, key.encode("utf-8", "surrogatepass"), "sha256")
    return f"{PREFIX}{_id_of(secret)}.{_text(digest)}"


def check_key_hash(hashed: str, secret: bytes, where: str) -> None:
    """Check that a text is a hash of `hash_key`, made with this secret.

    Args:
        where: Name of the setting, for the error.

    Raises:
        BadInput: It is not, or was made on a server with another data folder.
    """
    remedy = "make a new key with `workbench auth key NAME`"
    _, secret_id, digest = hashed.split(".") if hashed.count(".") == 2 else ("", "", "")
    if len(digest) != len(_text(bytes(32))):
        raise BadInput(where, "its hash is not valid", remedy)
    if secret_id != _id_of(secret):
        raise BadInput(
            where, "it was made with another data folder", f"{remedy}, or copy the file {SECRET_FILE}"
        )


def _id_of(secret: bytes) -> str:
    return hashlib.sha256(secret).hexdigest()[:8]


def _text(digest: bytes) -> str:
    return urlsafe_b64encode(digest).decode().rstrip("=")
