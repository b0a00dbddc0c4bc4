"""Password hashes."""

from base64 import urlsafe_b64encode

import pytest

from workbench.app.passwords import check_hash, hash_password, is_right
from workbench.errors import BadInput


@pytest.mark.parametrize("password", ["a", " wide  open ", "größe 🦉", "x" * 500])
def test_only_the_exact_password_is_accepted(password: str) -> None:
    hashed = hash_password(password, n=2**8)
    assert is_right(password, hashed)
    for wrong in (password + " ", password[:-1], ""):
        assert not is_right(wrong, hashed)


def test_hashes_are_salted_and_need_no_quoting_in_a_shell() -> None:
    first, second = hash_password("a", n=2**8), hash_password("a", n=2**8)
    assert first != second
    assert not set(first) & set("$:,'\" \\`!")


def test_the_hash_matches_the_test_vector_of_the_rfc() -> None:
    # RFC 7914, section 12, third row: password "pleaseletmein", salt "SodiumChloride", N=16384, r=8, p=1;
    # the first 32 bytes of its 64, since scrypt's last step is PBKDF2.
    digest = bytes.fromhex("7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2")
    hashed = "scrypt.16384.8.1.U29kaXVtQ2hsb3JpZGU." + urlsafe_b64encode(digest).decode().rstrip("=")
    assert is_right("pleaseletmein", hashed)


@pytest.mark.parametrize(
    "hashed",
    [
        "",
        "password",
        "scrypt.2.8.1..",
        "scrypt.3.8.1.YQ.YQ",
        "scrypt.16777216.8.1.YQ." + "A" * 43,
        "md5.2.8.1.YQ.YQ",
    ],
)
def test_an_invalid_hash_is_rejected_and_not_shown(hashed: str) -> None:
    with pytest.raises(BadInput, match="is not valid") as caught:
        check_hash(hashed, "account 'ann'")
    assert not hashed or hashed not in str(caught.value)


def test_an_empty_password_is_rejected() -> None:
    with pytest.raises(BadInput, match="empty"):
        hash_password("")
