"""Labelling projects and their queue: what is to be labelled, by whom, and its state."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from workbench.errors import BadInput


class Assignment(NamedTuple):
    """One session, given to one labeller."""

    session_id: str
    labeller: str


def plan_assignments(
    session_ids: Sequence[str], labellers: Sequence[str], *, overlap: int, given: Iterable[Assignment] = ()
) -> Sequence[Assignment]:
    """What is to be given out beyond what was given already.

    Each session comes to `overlap` different labellers, those with the least to do first; where the load is
    equal, in the order named.

    Args:
        session_ids: What is to be labelled, in order.
        labellers: Who can be asked.
        overlap: Labellers a session.
        given: What was given out before.

    Raises:
        BadInput: There are fewer labellers than a session needs.
    """
    names = tuple(dict.fromkeys(labellers))
    if len(names) < overlap:
        raise BadInput(
            "labellers", f"{len(names)} for an overlap of {overlap}", "name more, or lower the overlap"
        )
    before = list(given)
    load = Counter(assignment.labeller for assignment in before)
    planned: list[Assignment] = []
    for session_id in dict.fromkeys(session_ids):
        have = {assignment.labeller for assignment in before if assignment.session_id == session_id}
        free = sorted((name for name in names if name not in have), key=lambda name: load[name])
        for name in free[: max(0, overlap - len(have))]:
            load[name] += 1
            planned.append(Assignment(session_id, name))
    return planned


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Something that a project asks beside the verdict."""

    name: str
    """Under which the answer is kept."""
    text: str
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
    DONE = "done"
    DISCARDED = "discarded"


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueItem:
    """A session in the queue, for one labeller."""

    session_id: str
    title: str
    state: QueueState
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
    assignee: str | None = None
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
