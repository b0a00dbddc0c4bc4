"""Versions as values: stored texts, the names that point to them, and references such as `NAME@3`."""

import re
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from hashlib import sha256
from typing import Final

from workbench.errors import BadInput

FROM_FILE: Final = "file"
"""Author of a version that was taken from a file."""


class VersionKind(StrEnum):
    """What a text is a version of."""

    CONTRACT = "contract"
    """A contract's file text: front matter, then the text."""
    TOOLS = "tools"
    """A file of the catalog as YAML, or offered tools as a JSON array."""
    PRESET = "preset"
    """Sampling as a JSON object."""
    SUITE = "suite"
    """A suite's file text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredText:
    """A text under its hash: one that was played, or is some version's."""

    kind: VersionKind
    hash: str
    """SHA-256 (hex) of the text in UTF-8, as `sha256sum` of its file."""
    text: str
    """Byte for byte."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewVersion:
    """A version on its way into the store."""

    kind: VersionKind
    name: str
    text: str
    """Byte for byte."""
    message: str = ""
    """What was changed, and why; one line or more."""
    parent_id: str | None = None
    """The version that was edited, of any name; None takes the newest of this name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """A text that somebody saved. It never changes."""

    id: str
    """SHA-256 (hex) of whose it is, kind, name, parent and text: saving the same again gives the same."""
    kind: VersionKind
    name: str
    """Whose history it belongs to, such as a contract's name."""
    number: int
    """Place in the history, from 1; one's own go on from the shared library's."""
    text: str
    """Byte for byte."""
    text_hash: str
    """SHA-256 (hex) of the text in UTF-8, as `sha256sum` of its file."""
    parent_id: str | None
    """The version that it was made from; None for a first one."""
    message: str
    """What was changed, and why; may be empty."""
    author: str
    """Who saved it; `FROM_FILE` where it was taken from a file."""
    created_at: datetime
    """When it was saved, UTC."""
    is_shared: bool
    """True for the shared library's, which everybody reads."""
    tags: tuple[str, ...] = ()
    """Names that point at it, sorted, such as `production`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionLine:
    """One name and its history."""

    head: Version
    """The newest version; one's own before the shared library's."""
    version_count: int


class FileState(StrEnum):
    """How a file and the versions of its name stand to each other."""

    SAME = "same"
    """The newest version has the file's text."""
    TAKEN = "taken"
    """The file had a new text; it is the newest version now."""
    BEHIND = "behind"
    """The file has not changed since it was last seen; there is a newer version."""
    DIVERGED = "diverged"
    """The file was changed, and so was the newest version; nothing was taken."""


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
