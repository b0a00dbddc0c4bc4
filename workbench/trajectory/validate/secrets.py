"""Find keys, access tokens, passwords and personal data in a text by their shape."""

import re
from collections.abc import Iterator
from functools import lru_cache
from string import ascii_uppercase
from typing import Final, NamedTuple

import jsonschema_rs

from workbench.chat.finding import Span


class SecretMatch(NamedTuple):
    """A place in a text that should not be trained on."""

    code: str
    """`secret` or `personal-data`."""
    what: str
    """Kind of secret, in words; never the text itself."""
    span: Span
    is_key: bool = True
    """Whether it has the shape of a key or token, which no tool that generates passwords returns."""


class _Shape(NamedTuple):
    """The shape of one kind of secret."""

    kind: str
    """Name of its group in the regular expression."""
    words: str
    """Description for people."""
    pattern: str
    hints: tuple[str, ...]
    """Every text with this kind of secret contains one of these strings."""


_SHAPES: Final = (
    _Shape(
        "private_key",
        "a private key",
        r"-----BEGIN (?:[A-Z]{2,12} ){0,3}PRIVATE KEY-----",
        ("PRIVATE KEY",),
    ),
    _Shape("aws", "an AWS access key", r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b", ("AKIA", "ASIA")),
    _Shape(
        "github",
        "a GitHub token",
        r"\b(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{22,255})\b",
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
    ),
    _Shape("gitlab", "a GitLab token", r"\bglpat-[A-Za-z0-9_-]{20,64}", ("glpat-",)),
    _Shape("hugging_face", "a Hugging Face token", r"\bhf_[A-Za-z0-9]{30,64}\b", ("hf_",)),
    _Shape("slack", "a Slack token", r"\bxox[abeoprs]-[A-Za-z0-9-]{10,250}", ("xox",)),
    _Shape("google", "a Google key", r"\bAIza[A-Za-z0-9_-]{35}", ("AIza",)),
    _Shape(
        "stripe",
        "a payment key",
        r"\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,255}\b",
        ("k_live_", "k_test_"),
    ),
    _Shape("model_api", "a model API key", r"\bsk-(?:[a-z]{2,12}-)*[A-Za-z0-9_-]{20,255}", ("sk-",)),
    _Shape(
        "npm",
        "a package registry token",
        r"\b(?:npm_[A-Za-z0-9]{36}|pypi-[A-Za-z0-9_-]{50,255})\b",
        ("npm_", "pypi-"),
    ),
    _Shape(
        "web_token",
        "a JSON web token",
        r"\beyJ[\w-]{10,2000}\.eyJ[\w-]{10,4000}\.[\w-]{10,2000}",
        ("eyJ",),
    ),
    _Shape("bearer", "a bearer token", r"\b[Bb]earer [A-Za-z0-9._~+/-]{24,2000}=*", ("earer ",)),
    _Shape(
        "url_password",
        "a password in a URL",
        r"\b[a-z][a-z0-9+.-]{1,20}://[^\s/:@\"'<>]{1,64}:[^\s/@\"'<>]{3,128}@",
        ("://",),
    ),
    _Shape(
        "assigned",
        "a password or key",
        r"\b(?i:api[_-]?key|secret[_-]?key|access[_-]?token|auth[_-]?token|client[_-]?secret|passwo?r?d)"
        r"[\"']{0,2}[ \t]{0,3}[:=][ \t]{0,3}[\"']?(?=[^\s\"',;<>{}]{0,100}[0-9])(?=[^\s\"',;<>{}]{0,100}[A-Za-z])"
        r"[^\s\"',;<>{}]{12,256}",
        (),
    ),
    _Shape(
        "mail",
        "an email address",
        r"\b[A-Za-z0-9][A-Za-z0-9._%+-]{0,63}@(?:[A-Za-z0-9-]{1,63}\.){1,4}[A-Za-z]{2,24}\b",
        ("@",),
    ),
    _Shape(
        "card",
        "a payment card number",
        r"(?<![\w.-])[3-6]\d{3}(?:[ -]?\d{4}){2}[ -]?\d{1,4}(?![\w-])",
        (),
    ),
    _Shape(
        "account",
        "a bank account number",
        r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?\b",
        (),
    ),
    _Shape(
        "phone",
        "a phone number",
        r"(?<![\w.+/=-])(?:\+\d{1,3}[ .-]?(?:\(\d{1,4}\)[ .-]?)?\d{1,4}(?:[ .-]?\d{2,4}){1,4}"
        r"|\([2-9]\d{2}\) ?[2-9]\d{2}[ .-]\d{4}|[2-9]\d{2}[.-][2-9]\d{2}[.-]\d{4})(?![\w-])",
        (),
    ),
)
"""In the order in which they are tried."""
_BY_HINT: Final = tuple((shape.kind, shape.hints) for shape in _SHAPES if shape.hints)
_WORDS: Final = {shape.kind: shape.words for shape in _SHAPES}
_PASSWORDS: Final = frozenset({"url_password", "assigned"})
_PERSONAL: Final = frozenset({"mail", "card", "account", "phone"})
_ASSIGNED: Final = ("apikey", "secretkey", "accesstoken", "authtoken", "clientsecret", "passw")
"""A text without one of these words (in lower case, without `_` and `-`) assigns no password or key."""
_WITHOUT_HINTS: Final = jsonschema_rs.Draft202012Validator(
    {
        "not": {
            "pattern": "|".join(
                [re.escape(hint) for _, hints in _BY_HINT for hint in hints]
                + [f"(?i:{'[_-]*'.join(word)})" for word in _ASSIGNED]
            )
        }
    }
)
_CARD_BEGINS: Final = re.compile(r"[3-6](?<![\w.-].)\d{3}[ -]?\d{4}[ -]?\d{4}")
_PHONE_BEGINS: Final = re.compile(
    r"[+(0-9](?<![\w.+/=-].)(?:(?<=\+)\d{1,3}[ .(-]?\d|(?<=\()\d{3}\) ?\d{3}[ .-]\d|\d{2}[.-]\d{3}[.-]\d{4})"
)
_ACCOUNT_BEGINS: Final = re.compile(r"[A-Z][A-Z]\d{2} ?[A-Z0-9]{4} ?[A-Z0-9]{4}")
"""The beginnings of the patterns above. Each starts with a set of characters, which makes the search fast."""
_OUTLINE: Final = bytes.maketrans(b"0123456789" + ascii_uppercase.encode(), b"0" * 10 + b"A" * 26)
"""Translates each digit to `0` and each capital letter to `A`."""
_CARD_OUTLINES: Final = (b"0000 0000", b"0000-0000", b"00000000")
_PHONE_OUTLINES: Final = (b"+0", b"(000)", b"000-000", b"000.000")
"""The outline of every text with a number contains one of these; most texts are ruled out by that."""
_FEWEST_IN_PHONE: Final = 8
"""Digits of an international number with its country code. *Source:* ITU-T E.164, which allows up to 15."""
_COUNTING: Final = "01234567890123456789"
_RESERVED: Final = re.compile(
    r"@(?:[\w-]+\.)*(?:example\.(?:com|net|org)|[\w-]+\.(?:example|test|invalid))\Z", re.I
)
"""Domains that nobody can own. *Source:* https://www.rfc-editor.org/rfc/rfc2606, rfc6761."""


def secrets_in(text: str) -> Iterator[SecretMatch]:
    """Yield the places of a text that look like a secret or like personal data, in order.

    Each kind is reported once per text. Addresses of reserved domains such as `example.com` belong to nobody and
    are skipped. Card and account numbers count only if their check digits are right.

    >>> [(match.code, match.what) for match in secrets_in("write to ann@corp.com or ann@example.com")]
    [('personal-data', 'an email address')]
    """
    kinds = frozenset(_possible_in(text))
    if not kinds:
        return
    reported_kinds: set[str] = set()
    for match in _expression(kinds).finditer(text):
        kind = match.lastgroup or ""
        if kind in reported_kinds or not _holds(kind, match.group()):
            continue
        reported_kinds.add(kind)
        code = "personal-data" if kind in _PERSONAL else "secret"
        yield SecretMatch(code, _WORDS[kind], Span(*match.span()), kind not in _PASSWORDS)


def may_have_secrets(text: str) -> bool:
    """Whether `secrets_in` has to look at a text. False for a joined text means that none of its parts has a secret.

    Looking for the hints once in all texts of a row takes less time than once in each.
    """
    return any(True for _ in _possible_in(text))


def _possible_in(text: str) -> Iterator[str]:
    """Yield the kinds whose hints occur in a text. Most texts have none, so no regular expression has to run."""
    if _may_have_hint(text):
        for kind, hints in _BY_HINT:
            if any(hint in text for hint in hints):
                yield kind
        squeezed = text.lower().replace("_", "").replace("-", "")
        if any(word in squeezed for word in _ASSIGNED):
            yield "assigned"
    outline = text.encode(errors="surrogatepass").translate(_OUTLINE)
    if any(part in outline for part in _CARD_OUTLINES) and _CARD_BEGINS.search(text):
        yield "card"
    if b"AA00" in outline and _ACCOUNT_BEGINS.search(text):
        yield "account"
    if any(part in outline for part in _PHONE_OUTLINES) and _PHONE_BEGINS.search(text):
        yield "phone"


def _may_have_hint(text: str) -> bool:
    """Whether one of the hints, or a word of `_ASSIGNED`, may occur in a text.

    The validator of JSON Schema looks for all of them at once, in a tenth of the time of one search for each.
    """
    try:
        return not _WITHOUT_HINTS.is_valid(text)
    except ValueError:  # half of a surrogate pair
        return True


@lru_cache(maxsize=200)
def _expression(kinds: frozenset[str]) -> "re.Pattern[str]":
    """Return an expression that matches these kinds; where several match, the first kind wins."""
    return re.compile(
        "|".join(f"(?P<{shape.kind}>{shape.pattern})" for shape in _SHAPES if shape.kind in kinds)
    )


def _holds(kind: str, found: str) -> bool:
    if kind == "mail":
        return not _RESERVED.search(found)
    if kind == "phone":
        return _may_be_dialled(found)
    if kind == "card":
        return _has_luhn_digit(re.sub(r"\D", "", found))
    return kind != "account" or _has_iban_digits(found.replace(" ", ""))


def _may_be_dialled(found: str) -> bool:
    """Whether a number can belong to somebody: the right length, not for examples, not 1234567."""
    digits = re.sub(r"\D", "", found)
    is_american = not found.startswith("+") or digits.startswith("1")
    if is_american:
        local = digits[-10:]
        # Numbers with 555 are for films and examples.
        is_valid = (
            len(digits) in (10, 11) and "0" not in (local[0], local[3]) and "1" not in (local[0], local[3])
        )
        if not is_valid or local[3:6] == "555" or local[:3] == "555":
            return False
    is_long_enough = _FEWEST_IN_PHONE <= len(digits) <= 15
    return is_long_enough and len(set(digits[-7:])) > 2 and digits[-7:] not in _COUNTING


def _has_luhn_digit(digits: str) -> bool:
    """Check the Luhn digit. *Source:* ISO/IEC 7812-1, annex B."""
    doubled = [int(digit) * (1 + place % 2) for place, digit in enumerate(reversed(digits))]
    return len(set(digits)) > 1 and sum(number // 10 + number % 10 for number in doubled) % 10 == 0


def _has_iban_digits(account: str) -> bool:
    """Check the IBAN's two check digits. *Source:* ISO 13616; ISO 7064, MOD 97-10."""
    numbers = "".join(str(int(char, 36)) for char in account[4:] + account[:4])
    return int(numbers) % 97 == 1
