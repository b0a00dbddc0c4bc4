"""Runs of suites and their results; comparisons, answers and votes. They are deleted with their session."""

from datetime import datetime
from typing import Any, ClassVar

from sqlalchemy import Text
from sqlmodel import Field

from workbench.store.storable import StoredJson
from workbench.store.tables.base import StoreTable, UtcDateTime


class RunRow(StoreTable, table=True):
    """A run."""

    __tablename__: ClassVar[Any] = "run"

    id: str = Field(primary_key=True, sa_type=Text)
    """Unguessable."""
    owner: str = Field(sa_type=Text, index=True)
    """Whose it is, as `workbench.store.owner_scope` writes it."""
    title: str = Field(sa_type=Text)
    """For a person."""
    state: str = Field(sa_type=Text)
    """A `RunState`."""
    total: int
    plan: dict[str, Any] = Field(sa_type=StoredJson(dict))
    """All that it depends on; see `workbench.suite.plan.plan_document`."""
    created_at: datetime = Field(sa_type=UtcDateTime, index=True)
    """When it was begun."""
    updated_at: datetime = Field(sa_type=UtcDateTime)
    """When its last result came, or its state changed."""


class CaseResultRow(StoreTable, table=True):
    """What came of one play."""

    __tablename__: ClassVar[Any] = "case_result"

    run_id: str = Field(primary_key=True, sa_type=Text, foreign_key="run.id", ondelete="CASCADE")
    key: str = Field(primary_key=True, sa_type=Text)
    status: str = Field(sa_type=Text)
    """A `CaseStatus`."""
    result: dict[str, Any] = Field(sa_type=StoredJson(dict))
    """The whole; see `workbench.suite.result.result_document`."""
    created_at: datetime = Field(sa_type=UtcDateTime)


class RunSessionRow(StoreTable, table=True):
    """A session that is a rollout of a run."""

    __tablename__: ClassVar[Any] = "run_session"

    session_id: str = Field(primary_key=True, sa_type=Text, foreign_key="session.id", ondelete="CASCADE")
    run_id: str = Field(sa_type=Text, index=True)
    """The run, which may be deleted by now: its rollouts stay what they are."""


class ComparisonRow(StoreTable, table=True):
    """A comparison; its owner is its session's."""

    __tablename__: ClassVar[Any] = "comparison"

    id: str = Field(primary_key=True, sa_type=Text)
    """Unguessable; stands in the address bar."""
    session_id: str = Field(sa_type=Text, foreign_key="session.id", ondelete="CASCADE", index=True)
    title: str = Field(sa_type=Text)
    """The first words of what was asked."""
    turns: list[str] = Field(sa_type=StoredJson(list))
    """Ids of the user's messages that are answered, in order."""
    columns: list[dict[str, Any]] = Field(sa_type=StoredJson(list))
    """Each column's contract as it was asked for, and its setup as `rows.setup_document` writes it."""
    goes_on: bool
    """Whether a column answers each turn behind its own answers."""
    created_at: datetime = Field(sa_type=UtcDateTime, index=True)
    """When it was begun."""


class ComparisonAnswerRow(StoreTable, table=True):
    """What a column made of a turn."""

    __tablename__: ClassVar[Any] = "comparison_answer"

    comparison_id: str = Field(
        primary_key=True, sa_type=Text, foreign_key="comparison.id", ondelete="CASCADE"
    )
    turn: int = Field(primary_key=True)
    """The turn's place among those that are compared, from 0."""
    place: int = Field(primary_key=True)
    """The column's, from 0."""
    asked_id: str | None = Field(default=None, sa_type=Text)
    """The user's message below which it stands; None where none was reached."""
    leaf_id: str | None = Field(default=None, sa_type=Text)
    """Its last message; None where nothing came."""
    problem: str = Field(sa_type=Text)
    """Why it is not whole; empty where it is."""
    created_at: datetime = Field(sa_type=UtcDateTime)


class ComparisonVoteRow(StoreTable, table=True):
    """What is held of the answers to a turn."""

    __tablename__: ClassVar[Any] = "comparison_vote"

    comparison_id: str = Field(
        primary_key=True, sa_type=Text, foreign_key="comparison.id", ondelete="CASCADE"
    )
    turn: int = Field(primary_key=True)
    """The turn's place among those that are compared, from 0."""
    kind: str = Field(sa_type=Text)
    """A `VoteKind`."""
    place: int | None = Field(default=None)
    """The better column's, from 0; None but for `best`."""
    updated_at: datetime = Field(sa_type=UtcDateTime)
    """When it was last said."""
