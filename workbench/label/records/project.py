"""Labelling projects and their queues: what to label, who labels it, and its state."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final, NamedTuple

from workbench.errors import BadInput
from workbench.records.label_words import ProjectRole, QueueState


class Assignment(NamedTuple):
    """A session assigned to an annotator."""

    session_id: str
    annotator: str


def plan_assignments(
    session_ids: Sequence[str],
    annotators: Sequence[str],
    *,
    overlap: int,
    existing: Iterable[Assignment] = (),
) -> Sequence[Assignment]:
    """Plan the assignments that are missing.

    Each session is assigned to `overlap` different annotators. Those with the fewest sessions come first; if they
    have equally many, the order of `annotators` counts.

    Args:
        session_ids: Sessions to label, in order.
        annotators: Available annotators.
        overlap: Number of annotators per session.
        existing: Assignments that were made before. They count towards the overlap and the loads.

    Raises:
        BadInput: There are fewer annotators than a session needs.
    """
    names = tuple(dict.fromkeys(annotators))
    if len(names) < overlap:
        raise BadInput(
            "annotators",
            f"{len(names)} available, but each session needs {overlap}",
            "name more annotators or lower the overlap",
        )
    load: Counter[str] = Counter()
    before: dict[str, set[str]] = defaultdict(set)
    for assignment in existing:
        # A task of nobody in particular is in the queue, but nobody has to label it yet.
        if assignment.annotator:
            load[assignment.annotator] += 1
            before[assignment.session_id].add(assignment.annotator)
    planned: list[Assignment] = []
    for session_id in dict.fromkeys(session_ids):
        assigned = before.get(session_id, set())
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


class Member(NamedTuple):
    """A person who works in another person's labelling project."""

    name: str
    """Name of the account, or of the annotator if there are no accounts."""
    role: ProjectRole


REFERENCE_SEPARATOR: Final = "/"
"""Between the owner's name and the project's name, in the reference of somebody else's project."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """A labelling project."""

    name: str
    """Empty for the default project, whose queue contains every session."""
    guidelines: str = ""
    """Instructions for annotators."""
    questions: tuple[Question, ...] = ()
    """Questions for each label; names are unique."""
    overlap: int = 1
    """Number of annotators per session."""
    requires_verdicts: bool = False
    """Whether every call and every answer needs a verdict before the session can be submitted."""
    members: tuple[Member, ...] = ()
    """The annotators and reviewers; names are unique. Without accounts, the annotators that rows are assigned to."""
    owner: str = ""
    """Name of the account that owns the project; empty if it is your own."""
    role: ProjectRole = ProjectRole.OWNER

    @property
    def reference(self) -> str:
        """The name under which you reach the project: `NAME` for your own, `OWNER/NAME` for somebody else's."""
        return f"{self.owner}{REFERENCE_SEPARATOR}{self.name}" if self.owner else self.name

    def names(self, role: ProjectRole) -> tuple[str, ...]:
        """Return the names of the members with this role."""
        return tuple(member.name for member in self.members if member.role is role)


@dataclass(frozen=True, slots=True, kw_only=True)
class DeletedProject:
    """A deleted labelling project that can be restored."""

    name: str
    deleted_at: datetime
    """UTC."""


class QueueOrder(StrEnum):
    """Order of a labelling queue. None of them depends on when a session was last used, so items never jump."""

    OLDEST = "oldest"
    """First created or imported first."""
    NEWEST = "newest"
    """Last created or imported first."""
    RANDOM = "random"
    """In a random order, which a seed determines."""
    FINDINGS = "findings"
    """Most findings and fixes first."""
    AGREEMENT = "agreement"
    """Least agreement of the annotators first. For owners and reviewers."""
    CONFIDENCE = "confidence"
    """Lowest probability of the model's tokens first; sessions without stored log probabilities come last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueSort:
    """How a labelling queue is ordered."""

    order: QueueOrder | None = None
    """None: the oldest first in a project. In the queue of all sessions, the newest session or import first, and the
    rows of an import in the order of their file."""
    seed: int = 0
    """Determines a random order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueItem:
    """A session in a labelling queue."""

    session_id: str
    title: str
    state: QueueState
    """In a review: done if there is nothing left to decide."""
    assignee: str
    """Annotator that it is assigned to; empty for anybody."""
    revision: int
    """Increases by 1 with each change of the state; 0 if it was never changed."""
    label_count: int
    """Number of labels in the project, by all annotators whose labels you may see."""
    updated_at: datetime
    """When the session was last used, UTC."""
    row_id: str = ""
    """Id of the imported row, as its file has it; empty if it has none."""
    row_number: int | None = None
    """Number of the imported row in its file, from 1; None if it was not imported."""
    format: str = ""
    """Format of the imported row; empty if it was not imported."""
    file: str = ""
    """File of the imported row; empty if it was not imported."""
    disputed_count: int = 0
    """In a review: number of messages and calls that annotators disagree about and nobody has decided."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueFilter:
    """Conditions for items of a queue. None means no condition."""

    state: QueueState | None = None
    assignee: str | None = None
    """Name of the annotator; empty for items of nobody in particular."""
    tag: str | None = None
    """The session, or a label of it in the project, has this tag."""
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
    format: str | None = None
    """Format of the imported row."""
    source: str | None = None
    """Name of the file that the row was imported from."""
    tool: str | None = None
    """Name of a tool that a message calls."""
    finding: str | None = None
    """Code of a finding or fix in one of its messages."""
    row: str | None = None
    """Id of the imported row, or the beginning of the session's id."""
    is_disputed: bool | None = None
    """Whether annotators disagree about something that nobody has decided. For owners and reviewers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueuePage:
    """A page of the queue."""

    items: tuple[QueueItem, ...]
    """In the order that was asked for."""
    total: int
    """Number of items that match the filter."""
    first: int = 0
    """Index of the first item of the page in the queue, from 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotatorProgress:
    """How far an annotator is in a project."""

    name: str
    """Empty for items of nobody in particular."""
    counts: Mapping[QueueState, int] = field(hash=False)
    """Number of items in each state."""

    @property
    def done(self) -> int:
        """Number of items that are done."""
        return self.counts.get(QueueState.DONE, 0)

    @property
    def total(self) -> int:
        """Number of items that are not rejected."""
        return sum(self.counts.values()) - self.counts.get(QueueState.DISCARDED, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectProgress:
    """How far a project is."""

    annotators: tuple[AnnotatorProgress, ...]
    """Sorted by name. For an annotator of somebody else's project only their own progress."""
    compared: int = 0
    """Number of sessions that two or more annotators have submitted. 0 for annotators."""
    disputed: int = 0
    """Number of those with something left to decide."""
    disagreed: int = 0
    """Number of those that annotators disagreed about, decided or not."""

    @property
    def done(self) -> int:
        """Number of items that are done, of all annotators."""
        return sum(annotator.done for annotator in self.annotators)

    @property
    def total(self) -> int:
        """Number of items that are not rejected, of all annotators."""
        return sum(annotator.total for annotator in self.annotators)
