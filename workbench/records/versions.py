"""Versions: stored texts, the tags that point to them, and references such as `NAME@3`."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from hashlib import sha256
from typing import Final

from workbench.errors import BadInput
from workbench.names import usable_name

FROM_FILE: Final = "file"
"""Author of a version that was read from a file."""


class VersionKind(StrEnum):
    """Kind of text that has versions."""

    CONTRACT = "contract"
    """A contract's file text: front matter, then the text."""
    TOOLS = "tools"
    """A YAML file of the catalog, or offered tools as a JSON array."""
    PRESET = "preset"
    """Sampling as a JSON object."""
    SUITE = "suite"
    """A suite's file text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredText:
    """A text with its hash, which was used in a conversation or belongs to a version."""

    kind: VersionKind
    hash: str
    """SHA-256 (hex) of the text in UTF-8, as `sha256sum` of its file."""
    text: str
    """Byte for byte."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewVersion:
    """A version to be stored."""

    kind: VersionKind
    name: str
    text: str
    """Byte for byte."""
    message: str = ""
    """Description of the change; one or more lines."""
    parent_id: str | None = None
    """The version that was edited, of any name; None for the newest version of this name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """A saved text. It never changes."""

    id: str
    """SHA-256 (hex) of owner, kind, name, parent and text, so saving the same text again gives the same id. Renaming
    does not change it."""
    kind: VersionKind
    name: str
    """Name of the history that it belongs to, such as a contract's name."""
    number: int
    """Position in the history, from 1. An owner's versions continue the numbers of the shared library."""
    text: str
    """Byte for byte."""
    text_hash: str
    """SHA-256 (hex) of the text in UTF-8, as `sha256sum` of its file."""
    parent_id: str | None
    """The version that it is based on; None for the first one."""
    message: str
    """Description of the change; may be empty."""
    author: str
    """Who saved it; `FROM_FILE` if it was read from a file."""
    created_at: datetime
    """When it was saved, UTC."""
    is_shared: bool
    """True for versions of the shared library, which everybody can read."""
    tags: tuple[str, ...] = ()
    """Tags that point to it, such as `production`, sorted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionLine:
    """A name with its history."""

    head: Version
    """The newest version; the owner's versions count as newer than the shared library's."""
    version_count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DeletedName:
    """A deleted name that can be restored."""

    id: str
    """Identifies the deletion; a name can be deleted more than once."""
    kind: VersionKind
    name: str
    deleted_at: datetime
    """UTC."""


class FileState(StrEnum):
    """How a file compares with the versions of its name."""

    SAME = "same"
    """The newest version has the file's text."""
    TAKEN = "taken"
    """The file had a new text, which is now the newest version."""
    BEHIND = "behind"
    """The file has not changed since it was last seen; there is a newer version."""
    DIVERGED = "diverged"
    """Both the file and the newest version were changed, so the file was not read as a version."""


HASH_PREFIX_CHARS: Final = 4
"""Minimum number of characters of a shortened hash."""
MAX_NAME_CHARS: Final = 100
"""A name is also used as a file name."""

_NAME: Final = re.compile(
    r"[^\x00-\x1f\x7f/\\:@*?\"<>|. ]([^\x00-\x1f\x7f/\\:@*?\"<>|]*[^\x00-\x1f\x7f/\\:@*?\"<>|. ])?"
)
_DEVICES: Final = frozenset(
    ("con", "prn", "aux", "nul", *(f"{port}{number}" for port in ("com", "lpt") for number in range(1, 10)))
)
"""Names that Windows reserves for devices, with any extension."""
_TAG: Final = re.compile(r"[A-Za-z][A-Za-z0-9._-]{0,99}")
_NUMBER: Final = re.compile(r"v?([0-9]{1,9})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """A reference to a version, written `KIND:NAME@WHICH`."""

    kind: VersionKind | None
    """None if it was left out."""
    name: str
    which: str
    """A number, a tag or a hash; empty for the newest version."""


def no_such_contract(name: str, names: Sequence[str]) -> BadInput:
    """Return the error for a contract that does not exist, with the names of those that do."""
    others = f"use one of {', '.join(names)}"
    empty = "the folder prompts/ here has no contracts; start in another folder, or set WORKBENCH_HOME"
    return BadInput(f"contract {name!r}", "no such contract", others if names else empty)


def parse_reference(text: str) -> Reference:
    """Parse a reference.

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
        raise BadInput(
            f"version {text!r}", "the name is missing", "write NAME, NAME@3, NAME@production or KIND:NAME"
        )
    return Reference(kind=VersionKind(kind_text) if colon else None, name=name, which=which)


def name_in(reference: str) -> str:
    """Return the name in a reference, or the whole text if it is not a reference.

    >>> name_in("minimal@production"), name_in("minimal")
    ('minimal', 'minimal')
    """
    if not reference:
        # The fields of a page that is still loading have no name yet.
        return reference
    try:
        return parse_reference(reference).name
    except BadInput:
        return reference


def number_of(which: str) -> int | None:
    """Return the version number in `which`, or None if it is a tag or a hash.

    >>> number_of("v3"), number_of("3"), number_of("production")
    (3, 3, None)
    """
    match = _NUMBER.fullmatch(which)
    return int(match[1]) if match else None


def check_name(name: str) -> None:
    """Raise if a name cannot be a file name on every system.

    Raises:
        BadInput: The name is empty, too long, reserved, or has an invisible character, or one that paths or references
            use.
    """
    usable_name(name, f"version name {name!r}")
    is_device = name.partition(".")[0].rstrip().lower() in _DEVICES
    if len(name) > MAX_NAME_CHARS or is_device or not _NAME.fullmatch(name):
        raise BadInput(
            f"version name {name!r}",
            "not usable as a file name",
            f'use up to {MAX_NAME_CHARS} characters, none of / \\ : @ * ? " < > |, no dot or space at the ends',
        )


def check_tag(tag: str) -> None:
    """Raise if a tag could be mistaken for a version number or has unusual characters.

    Raises:
        BadInput: The tag is not allowed.
    """
    if not _TAG.fullmatch(tag) or number_of(tag) is not None:
        raise BadInput(
            f"tag {tag!r}",
            "not a valid tag",
            "begin with a letter, then use letters, digits, . _ -; a tag like v3 would be a version number",
        )


def hash_of(text: str) -> str:
    """Return the SHA-256 (hex) of a text in UTF-8.

    >>> hash_of("")[:8]
    'e3b0c442'
    """
    return sha256(text.encode()).hexdigest()
