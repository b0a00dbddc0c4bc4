"""The port of labels."""

from collections.abc import Collection, Sequence
from typing import Protocol

from workbench.records.labels.agreement import Judgement
from workbench.records.labels.label import Label, NewLabel, Target
from workbench.records.labels.project import (
    Assignment,
    Project,
    QueueFilter,
    QueueItem,
    QueuePage,
    QueueState,
)


class Labels(Protocol):
    """The labels of one owner's sessions. Every method commits before it returns, and may raise StoreError.

    What is done is written to the audit log. A project is named by its name; the empty one is always there.
    """

    def save(self, new: NewLabel) -> Label:
        """A label, or a new revision of it; what it says already is no change.

        Raises:
            BadInput: It says what cannot be said of its target, or what the project does not ask.
            WriteConflict: Somebody saved another one since `base_revision`.
        """
        ...

    def find(
        self, target: Target, *, labeller: str = "", project: str = "", is_deciding: bool = False
    ) -> Label | None:
        """The label of that labeller, or the deciding one whoever wrote it; None where there is none."""
        ...

    def list_labels(
        self, *, session_id: str | None = None, project: str | None = None, limit: int = 100, offset: int = 0
    ) -> Sequence[Label]:
        """Labels in the order in which they were made; None takes those of all sessions, or projects."""
        ...

    def accept(self, session_id: str, message_id: str, *, who: str = "") -> None:
        """A message that comes after a correction holds all the same: it is not stale any more."""
        ...

    def stale(self, session_id: str, *, leaf_id: str | None = None) -> Collection[str]:
        """Ids of the stale messages on the path to `leaf_id` (None: to the open leaf), in order."""
        ...

    def queue(self, wanted: QueueFilter, *, project: str = "", limit: int = 50, offset: int = 0) -> QueuePage:
        """What is to be labelled, or was; sessions that were used last come first."""
        ...

    def move(
        self,
        session_id: str,
        state: QueueState,
        *,
        project: str = "",
        assignee: str = "",
        base_revision: int | None = None,
        who: str = "",
    ) -> QueueItem:
        """Says how far a session's labelling is.

        Raises:
            WriteConflict: Somebody moved it since `base_revision`; None does not care.
        """
        ...

    def assign(
        self, session_ids: Sequence[str], labellers: Sequence[str], *, project: str, who: str = ""
    ) -> Sequence[Assignment]:
        """Gives sessions out, each to as many labellers as the project wants; those that have it count.

        Raises:
            BadInput: There are fewer labellers than a session needs.
        """
        ...

    def save_project(self, project: Project, *, who: str = "") -> Project:
        """Makes a project, or changes it.

        Raises:
            BadInput: It asks two questions of one name, or its overlap is below 1.
        """
        ...

    def find_project(self, name: str) -> Project | None:
        """The project of that name; None where there is none."""
        ...

    def list_projects(self) -> Sequence[Project]:
        """All projects, sorted by name."""
        ...

    def judgements(self, *, project: str = "") -> Sequence[Judgement]:
        """Every verdict that a labeller gave, the deciding ones left out; an item is a message or a call."""
        ...
