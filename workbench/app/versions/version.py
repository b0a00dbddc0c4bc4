"""Versions as values: what is kept of a text that somebody saved, and the names that point at it."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

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
class KeptText:
    """A text under its hash: one that was played, or is some version's."""

    kind: VersionKind
    """What it is a text of."""
    hash: str
    """SHA-256 (hex) of the text in UTF-8, as `sha256sum` of its file."""
    text: str
    """Byte for byte."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewVersion:
    """A version on its way into the store."""

    kind: VersionKind
    """What it is a version of."""
    name: str
    """Whose history it goes on."""
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
    """What it is a version of."""
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
    """Versions of that name that one can read."""


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
