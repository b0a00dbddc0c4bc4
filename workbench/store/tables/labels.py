"""Labels, labelling projects and their queue. They are deleted with their session."""

from datetime import datetime
from typing import Any, ClassVar

from sqlalchemy import ForeignKeyConstraint, Text, UniqueConstraint
from sqlmodel import Field

from workbench.store.storable import StoredJson
from workbench.store.tables.base import StoreTable, UtcDateTime


class LabelProjectRow(StoreTable, table=True):
    """A labelling project."""

    __tablename__: ClassVar[Any] = "label_project"
    __table_args__: ClassVar[Any] = (UniqueConstraint("owner", "name"),)

    id: str = Field(primary_key=True, sa_type=Text)
    """Unguessable."""
    owner: str = Field(sa_type=Text)
    """Whose it is; empty for the one person of an own machine."""
    name: str = Field(sa_type=Text)
    """Empty for the one that is always there."""
    guidelines: str = Field(sa_type=Text)
    """What labellers are to read first."""
    questions: list[dict[str, Any]] = Field(sa_type=StoredJson(list))
    """The fields of `Question`, each."""
    overlap: int
    created_at: datetime = Field(sa_type=UtcDateTime)
    """When it was made."""


class LabelTaskRow(StoreTable, table=True):
    """A session that a labeller is to label, or has."""

    __tablename__: ClassVar[Any] = "label_task"

    project_id: str = Field(primary_key=True, sa_type=Text, foreign_key="label_project.id")
    session_id: str = Field(
        primary_key=True, sa_type=Text, foreign_key="session.id", ondelete="CASCADE", index=True
    )
    assignee: str = Field(primary_key=True, sa_type=Text)
    """Whose it is to label; empty for whoever comes."""
    state: str = Field(sa_type=Text)
    """A `QueueState`."""
    revision: int
    """Goes up by one with each change of the state, from 1."""
    updated_at: datetime = Field(sa_type=UtcDateTime)
    """When the state was last changed."""


class LabelRow(StoreTable, table=True):
    """A label, as it is now; what it said before is in the audit log."""

    __tablename__: ClassVar[Any] = "label"
    __table_args__: ClassVar[Any] = (
        UniqueConstraint("project_id", "message_id", "call_index", "slot"),
        ForeignKeyConstraint(
            ["session_id", "message_id"], ["message.session_id", "message.id"], ondelete="CASCADE"
        ),
    )

    id: str = Field(primary_key=True, sa_type=Text)
    """Unguessable."""
    project_id: str = Field(sa_type=Text, foreign_key="label_project.id")
    session_id: str = Field(sa_type=Text, index=True)
    message_id: str = Field(sa_type=Text, index=True)
    """What it is of, or whose call."""
    call_index: int
    """Place of the call in the message's reading, from 0; -1 for the message itself."""
    slot: str = Field(sa_type=Text)
    """Whose place it takes: a labeller's, or the deciding one's."""
    labeller: str = Field(sa_type=Text)
    """Who said it last."""
    verdict: str | None = Field(default=None, sa_type=Text)
    """A `Verdict`."""
    rating: int | None = Field(default=None)
    """From 1 to 5."""
    tags: list[str] = Field(sa_type=StoredJson(list))
    """In the order given; `LabelTagRow` has them to search by."""
    comment: str = Field(sa_type=Text)
    answers: dict[str, str] = Field(sa_type=StoredJson(dict))
    """By the question's name."""
    correction_text: str | None = Field(default=None, sa_type=Text)
    """What the message should say, byte for byte."""
    correction_call: dict[str, Any] | None = Field(default=None, sa_type=StoredJson(dict, is_nullable=True))
    """What the call should be: name and arguments."""
    corrected_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    """When the correction was last changed; None where there is none."""
    revision: int
    """Goes up by one with each change, from 1."""
    created_at: datetime = Field(sa_type=UtcDateTime, index=True)
    """When it was first saved."""
    updated_at: datetime = Field(sa_type=UtcDateTime)
    """When it was last changed."""


class LabelTagRow(StoreTable, table=True):
    """A tag of a label, to search by."""

    __tablename__: ClassVar[Any] = "label_tag"

    label_id: str = Field(primary_key=True, sa_type=Text, foreign_key="label.id", ondelete="CASCADE")
    tag: str = Field(primary_key=True, sa_type=Text, index=True)


class AcceptedMessageRow(StoreTable, table=True):
    """A message that holds although something above it was corrected."""

    __tablename__: ClassVar[Any] = "accepted_message"
    __table_args__: ClassVar[Any] = (
        ForeignKeyConstraint(
            ["session_id", "message_id"], ["message.session_id", "message.id"], ondelete="CASCADE"
        ),
    )

    message_id: str = Field(primary_key=True, sa_type=Text)
    session_id: str = Field(sa_type=Text)
    who: str = Field(sa_type=Text)
    """Who said so last."""
    accepted_at: datetime = Field(sa_type=UtcDateTime)
