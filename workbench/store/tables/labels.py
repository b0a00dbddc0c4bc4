"""Labels, labelling projects and tasks. Labels and tasks are deleted with their session."""

from datetime import datetime
from typing import Any, ClassVar

from sqlalchemy import Float, ForeignKeyConstraint, Index, Text, UniqueConstraint, false
from sqlmodel import Field

from workbench.store.storable import StoredJson
from workbench.store.tables.base import StoreTable, UtcDateTime


class LabelProjectRow(StoreTable, table=True):
    """A labelling project."""

    __tablename__: ClassVar[Any] = "label_project"
    __table_args__: ClassVar[Any] = (UniqueConstraint("owner", "name"),)

    id: str = Field(primary_key=True, sa_type=Text)
    """A random id."""
    owner: str = Field(sa_type=Text)
    """The owner's key. Empty without logins."""
    name: str = Field(sa_type=Text)
    """Empty for the default project."""
    guidelines: str = Field(sa_type=Text)
    """Instructions for annotators."""
    questions: list[dict[str, Any]] = Field(sa_type=StoredJson(list))
    """The fields of each `Question`."""
    overlap: int
    """How many annotators label each session."""
    requires_verdicts: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    """Whether every call and answer needs a verdict before the session can be submitted."""
    created_at: datetime = Field(sa_type=UtcDateTime)
    deleted_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    """When it was deleted; it is purged 30 days later."""
    gold: list[str] | None = Field(default=None, sa_type=StoredJson(list, is_nullable=True))
    """The ids of the gold rows, which measure the annotators."""
    lots: list[dict[str, Any]] | None = Field(default=None, sa_type=StoredJson(list, is_nullable=True))
    """The fields of each `Lot`."""


class LabelMemberRow(StoreTable, table=True):
    """A person who works in a labelling project of another owner, or an annotator of the owner's own project."""

    __tablename__: ClassVar[Any] = "label_member"

    project_id: str = Field(
        primary_key=True, sa_type=Text, foreign_key="label_project.id", ondelete="CASCADE"
    )
    name: str = Field(primary_key=True, sa_type=Text, index=True)
    """Name of the account. Without accounts, the name of the annotator."""
    role: str = Field(sa_type=Text)
    """A `ProjectRole`, but not the owner's."""


class LabelTaskRow(StoreTable, table=True):
    """The state of a session in a project, for one annotator."""

    __tablename__: ClassVar[Any] = "label_task"
    __table_args__: ClassVar[Any] = (Index(None, "project_id", "assignee", "state"),)

    project_id: str = Field(primary_key=True, sa_type=Text, foreign_key="label_project.id")
    session_id: str = Field(
        primary_key=True, sa_type=Text, foreign_key="session.id", ondelete="CASCADE", index=True
    )
    assignee: str = Field(primary_key=True, sa_type=Text)
    """The annotator. Empty for a task that is not assigned."""
    state: str = Field(sa_type=Text)
    """A `QueueState`."""
    revision: int
    """Starts at 1 and rises by one with each change of the state."""
    updated_at: datetime = Field(sa_type=UtcDateTime)
    """When the state last changed."""


class LabelReviewRow(StoreTable, table=True):
    """How the annotators of a session compare in a project. Written with each label and each change of a task."""

    __tablename__: ClassVar[Any] = "label_review"
    __table_args__: ClassVar[Any] = (Index(None, "project_id", "undecided_count"),)

    project_id: str = Field(
        primary_key=True, sa_type=Text, foreign_key="label_project.id", ondelete="CASCADE"
    )
    session_id: str = Field(
        primary_key=True, sa_type=Text, foreign_key="session.id", ondelete="CASCADE", index=True
    )
    annotator_count: int
    """Number of annotators who have submitted the session; at least 2."""
    target_count: int
    """Number of messages and calls that they labelled."""
    disputed_count: int
    """Number of messages and calls that they disagree about."""
    undecided_count: int
    """Number of those without a deciding label."""
    disagreement: float = Field(sa_type=Float)
    """Share of the labelled messages and calls that they disagree about, from 0 to 1."""


class LabelRow(StoreTable, table=True):
    """The current content of a label. The audit log has the previous contents."""

    __tablename__: ClassVar[Any] = "label"
    __table_args__: ClassVar[Any] = (
        UniqueConstraint("project_id", "message_id", "call_index", "slot"),
        Index(None, "project_id", "session_id"),
        ForeignKeyConstraint(
            ["session_id", "message_id"], ["message.session_id", "message.id"], ondelete="CASCADE"
        ),
    )

    id: str = Field(primary_key=True, sa_type=Text)
    """A random id."""
    project_id: str = Field(sa_type=Text, foreign_key="label_project.id")
    session_id: str = Field(sa_type=Text, index=True)
    message_id: str = Field(sa_type=Text, index=True)
    """The labelled message, or the message of the labelled call."""
    call_index: int
    """Index of the call in the message's reading, from 0. -1 for the whole message."""
    slot: str = Field(sa_type=Text)
    """`labeller:NAME`, `model:NAME` for a label of a model, or `decision` for the deciding label."""
    labeller: str = Field(sa_type=Text)
    """The annotator who last saved it."""
    verdict: str | None = Field(default=None, sa_type=Text)
    """A value of `workbench.records.label.Verdict`. None if no verdict was given."""
    rating: int | None = Field(default=None)
    """From 1 to 5."""
    tags: list[str] = Field(sa_type=StoredJson(list))
    """`LabelTagRow` has the same tags, for searching."""
    comment: str = Field(sa_type=Text)
    answers: dict[str, str] = Field(sa_type=StoredJson(dict))
    """Answers to the project's questions, by the question's name."""
    correction_text: str | None = Field(default=None, sa_type=Text)
    """The corrected text of the message, byte for byte."""
    correction_call: dict[str, Any] | None = Field(default=None, sa_type=StoredJson(dict, is_nullable=True))
    """Name and arguments of the corrected call. An added call also has a `result`, and `before` if it is one."""
    corrected_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    """When the correction last changed. None if there is no correction."""
    revision: int
    """Starts at 1 and rises by one with each change."""
    created_at: datetime = Field(sa_type=UtcDateTime, index=True)
    updated_at: datetime = Field(sa_type=UtcDateTime)


class LabelTagRow(StoreTable, table=True):
    """A tag of a label, for searching."""

    __tablename__: ClassVar[Any] = "label_tag"

    label_id: str = Field(primary_key=True, sa_type=Text, foreign_key="label.id", ondelete="CASCADE")
    tag: str = Field(primary_key=True, sa_type=Text, index=True)


class AcceptedMessageRow(StoreTable, table=True):
    """A message that an annotator accepted although a message above it was corrected."""

    __tablename__: ClassVar[Any] = "accepted_message"
    __table_args__: ClassVar[Any] = (
        ForeignKeyConstraint(
            ["session_id", "message_id"], ["message.session_id", "message.id"], ondelete="CASCADE"
        ),
    )

    message_id: str = Field(primary_key=True, sa_type=Text)
    session_id: str = Field(sa_type=Text)
    who: str = Field(primary_key=True, sa_type=Text)
    """The person who accepted it."""
    accepted_at: datetime = Field(sa_type=UtcDateTime)


class LabelActionRow(StoreTable, table=True):
    """An applied action of an annotator, so that it is applied once and can be undone."""

    __tablename__: ClassVar[Any] = "label_action"
    __table_args__: ClassVar[Any] = (UniqueConstraint("project_id", "slot", "client", "client_number"),)

    number: int | None = Field(default=None, primary_key=True)
    """Increases in the order in which actions were applied."""
    project_id: str = Field(sa_type=Text, foreign_key="label_project.id")
    session_id: str = Field(sa_type=Text, foreign_key="session.id", ondelete="CASCADE", index=True)
    slot: str = Field(sa_type=Text)
    """The labels that it changed, as in `LabelRow.slot`."""
    labeller: str = Field(sa_type=Text)
    client: str = Field(sa_type=Text)
    """The page that sent it."""
    client_number: int
    """Number of the action in that page, from 1."""
    kind: str = Field(sa_type=Text)
    """An `ActionKind`."""
    changes: list[dict[str, Any]] = Field(sa_type=StoredJson(list))
    """Each changed field with its value before and after."""
    is_undone: bool
    at: datetime = Field(sa_type=UtcDateTime)
