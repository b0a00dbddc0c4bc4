"""Labelling projects and their queues: what to label, who labels it, and its state."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from workbench.errors import BadInput


class Assignment(NamedTuple):
    """A session assigned to a labeller."""

    session_id: str
    labeller: str


def plan_assignments(
    session_ids: Sequence[str], labellers: Sequence[str], *, overlap: int, existing: Iterable[Assignment] = ()
) -> Sequence[Assignment]:
    """Plan the assignments that are missing.

    Each session is assigned to `overlap` different labellers. Those with the fewest sessions come first; if they
    have equally many, the order of `labellers` counts.

    Args:
        session_ids: Sessions to label, in order.
        labellers: Available labellers.
        overlap: Number of labellers per session.
        given: Existing assignments.

    Raises:
        BadInput: There are fewer labellers than a session needs.
    """
    names = tuple(dict.fromkeys(labellers))
    if len(names) < overlap:
        raise BadInput(
            "labellers",
            f"{len(names)} available, but each session needs {overlap}",
            "name more labellers or lower the overlap",
        )
    before = list(existing)
    load = Counter(assignment.labeller for assignment in before)
    planned: list[Assignment] = []
    for session_id in dict.fromkeys(session_ids):
        assigned = {assignment.labeller for assignment in before if assignment.session_id == session_id}
        free = sorted((name for name in names if name not in assigned), key=lambda name: load[name])
        for name in free[: max(0, overlap - len(assigned))]:
            load[name] += 1
            planned.append(Assignment(session_id, name))
    return planned


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """An additional question of a project."""

    name: str
    """Key of the answer."""
    text: str
    choices: tuple[str, ...] = ()
    """Allowed answers; empty if any text is allowed."""
    is_required: bool = False
    """Whether a session needs an answer, on any of its messages and calls, before it can be submitted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """A labelling project."""

    name: str
    """Empty for the default project, whose queue contains every session."""
    guidelines: str = ""
    """Instructions for labellers."""
    questions: tuple[Question, ...] = ()
    """Questions for each label; names are unique."""
    overlap: int = 1
    """Number of labellers per session."""
    requires_verdicts: bool = False
    """Whether every call and every answer needs a verdict before the session can be submitted."""


class QueueState(StrEnum):
    """State of a session in the labelling queue."""

    PENDING = "pending"
    """Not started."""
    DRAFT = "draft"
    DONE = "done"
    DISCARDED = "discarded"


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueItem:
    """A session in a labelling queue."""

    session_id: str
    title: str
    state: QueueState
    assignee: str
    """Labeller that it is assigned to; empty for anybody."""
    revision: int
    """Increases by 1 with each change of the state; 0 if it was never changed."""
    label_count: int
    """Number of labels in the project, by all labellers."""
    updated_at: datetime
    """When the session was last used, UTC."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueFilter:
    """Conditions for items of a queue. None means no condition."""

    state: QueueState | None = None
    assignee: str | None = None
    tag: str | None = None
    """A label of the project has this tag."""
    verdict: str | None = None
    """A label of the project has this `Verdict`."""
    contract_version: str | None = None
    """Hash of the session's contract text, or its beginning."""
    model: str | None = None
    """Name of an engine that generated one of its completions."""
    has_fix: bool | None = None
    """Whether a completion needed a fix."""
    since: datetime | None = None
    """The session was last used at or after this time."""
    until: datetime | None = None
    """The session was last used before this time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueuePage:
    """A page of the queue."""

    items: tuple[QueueItem, ...]
    """The most recently used session first."""
    total: int
