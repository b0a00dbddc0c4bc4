"""What a search is asked, and what it finds."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from workbench.chat.finding import Span
from workbench.records.sessions import ListedSession, Origin


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchFilter:
    """What a session must have besides the words; None asks nothing."""

    has_fix: bool | None = None
    """Whether a message of it was repaired."""
    has_drop: bool | None = None
    """Whether a call block of it gave no call."""
    code: str | None = None
    """Code of a fix or finding of one of its messages."""
    verdict: str | None = None
    """Verdict on one of its messages or calls."""
    contract: str | None = None
    """Name of its contract, or the beginning of the contract's hash, of 6 signs or more."""
    model: str | None = None
    """Name of an engine that wrote in it."""
    tag: str | None = None
    """One of its tags, or of its labels'."""
    origin: Origin | None = None
    """Where the message with the words comes from; without words, any of its messages."""
    since: datetime | None = None
    """Last used then or later; aware."""
    until: datetime | None = None
    """Last used before; aware."""


NO_FILTER: Final = SearchFilter()
"""Asks nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Snippet:
    """A piece of a message around the words that were found."""

    text: str
    """On one line; an ellipsis where it was cut."""
    spans: tuple[Span, ...]
    """Where the words stand in it; empty where only a tool's name or a code was found."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundSession:
    """One session that a search found."""

    session: ListedSession
    """As the list shows it."""
    message_id: str | None
    """The newest message with the words; None where only its title or tags have them, or none were asked."""
    snippet: Snippet | None
    """Of that message; None where there is none."""
