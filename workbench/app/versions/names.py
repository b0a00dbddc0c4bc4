"""What versions and the names that point at them can be called, and how a person refers to one."""

import re
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from workbench.app.versions.version import VersionKind
from workbench.errors import BadInput

HASH_PREFIX_CHARS: Final = 4
"""A hash may be cut to this many characters at least."""
MAX_NAME_CHARS: Final = 100
"""A name is a file's name too."""

_NAME: Final = re.compile(
    r"[^\x00-\x1f\x7f/\\:@*?\"<>|. ]([^\x00-\x1f\x7f/\\:@*?\"<>|]*[^\x00-\x1f\x7f/\\:@*?\"<>|. ])?"
)
_DEVICES: Final = frozenset(
    ("con", "prn", "aux", "nul", *(f"{port}{number}" for port in ("com", "lpt") for number in range(1, 10)))
)
"""Names that Windows keeps for devices, whatever ending follows."""
_TAG: Final = re.compile(r"[A-Za-z][A-Za-z0-9._-]{0,99}")
_NUMBER: Final = re.compile(r"v?([0-9]{1,9})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """What a person wrote to name a version: `KIND:NAME@WHICH`."""

    kind: VersionKind | None
    """None where it was left out."""
    name: str
    """The name."""
    which: str
    """A number, a tag or a hash; empty takes the newest."""


def parse_reference(text: str) -> Reference:
    """Takes a reference apart.

    >>> parse_reference("tools:nonsense@v3")
    Reference(kind=<VersionKind.TOOLS: 'tools'>, name='nonsense', which='v3')

    Raises:
        BadInput: The kind is unknown, or there is no name.
    """
    kind_text, colon, rest = text.rpartition(":")
    name, _, which = rest.partition("@")
    kinds = ", ".join(kind.value for kind in VersionKind)
    if colon and kind_text not in tuple(VersionKind):
        raise BadInput(f"version {text!r}", f"unknown kind {kind_text!r}", f"use one of {kinds}")
    if not name:
        raise BadInput(f"version {text!r}", "no name", "write NAME, NAME@3, NAME@production or KIND:NAME")
    return Reference(kind=VersionKind(kind_text) if colon else None, name=name, which=which)


def number_of(which: str) -> int | None:
    """The number that `which` says; None where it is a tag or a hash.

    >>> number_of("v3"), number_of("3"), number_of("production")
    (3, 3, None)
    """
    match = _NUMBER.fullmatch(which)
    return int(match[1]) if match else None


def check_name(name: str) -> None:
    """Refuses what cannot name a file everywhere.

    Raises:
        BadInput: It is empty, too long, or holds a character that paths or references use.
    """
    is_device = name.partition(".")[0].rstrip().lower() in _DEVICES
    if len(name) > MAX_NAME_CHARS or is_device or not _NAME.fullmatch(name):
        raise BadInput(
            f"version name {name!r}",
            "it cannot name a file",
            f'up to {MAX_NAME_CHARS} characters, none of / \\ : @ * ? " < > |, no dot or blank at its ends',
        )


def check_tag(tag: str) -> None:
    """Refuses what would be taken for a number, or cannot be typed.

    Raises:
        BadInput: It cannot be a tag.
    """
    if not _TAG.fullmatch(tag) or number_of(tag) is not None:
        raise BadInput(
            f"tag {tag!r}", "it cannot name a version", "begin with a letter; then letters, digits, . _ -"
        )


def hash_of(text: str) -> str:
    """SHA-256 (hex) of a text in UTF-8.

    >>> hash_of("")[:8]
    'e3b0c442'
    """
    return sha256(text.encode()).hexdigest()
