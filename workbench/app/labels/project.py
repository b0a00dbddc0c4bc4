"""Labelling projects and the queue: what is to be labelled, by whom, and how far it is."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Something that a project asks beside the verdict."""

    name: str
    """Under which the answer is kept."""
    text: str
    """As labellers read it."""
    choices: tuple[str, ...] = ()
    """The answers there are; empty where any text is one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """How something is labelled."""

    name: str
    """Empty for the one that is always there, whose queue holds every session."""
    guidelines: str = ""
    """What labellers are to read first."""
    questions: tuple[Question, ...] = ()
    """Asked of each label; names are unique."""
    overlap: int = 1
    """Labellers that each session is given to."""


class QueueState(StrEnum):
    """How far a session's labelling is."""

    PENDING = "pending"
    """Nobody began."""
    DRAFT = "draft"
    """Begun."""
    DONE = "done"
    """Finished."""
    DISCARDED = "discarded"
    """Not to be labelled."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueItem:
    """A session in the queue, for one labeller."""

    session_id: str
    """The session."""
    title: str
    """Its title."""
    state: QueueState
    """How far it is."""
    assignee: str
    """Whose it is to label; empty for whoever comes."""
    revision: int
    """Goes up by one with each change of the state; 0 where it was never changed."""
    label_count: int
    """Labels that the project has of it, by anybody."""
    updated_at: datetime
    """When the session was last used, UTC."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueFilter:
    """Which items are wanted; what is None does not count."""

    state: QueueState | None = None
    """How far it is."""
    assignee: str | None = None
    """Whose it is to label."""
    tag: str | None = None
    """Some label of the project has it."""
    verdict: str | None = None
    """Some label of the project says so; a `Verdict`."""
    contract_version: str | None = None
    """The session's contract text has this hash, or one that begins so."""
    model: str | None = None
    """Some completion came from the engine of this name."""
    has_fix: bool | None = None
    """Whether some completion took a fix to be read."""
    since: datetime | None = None
    """The session was used then or later."""
    until: datetime | None = None
    """The session was last used before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueuePage:
    """A part of the queue."""

    items: tuple[QueueItem, ...]
    """Sessions that were used last come first."""
    total: int
    """Items on all pages."""
