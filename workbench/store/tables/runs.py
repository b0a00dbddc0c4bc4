"""Runs of suites and their results, and comparisons with their answers and votes.

A comparison is deleted with its session.
"""

from datetime import datetime
from typing import Any, ClassVar

from sqlalchemy import Text
from sqlmodel import Field

from workbench.store.storable import StoredJson
from workbench.store.tables.base import StoreTable, UtcDateTime


class RunRow(StoreTable, table=True):
    """A run of suites."""

    __tablename__: ClassVar[Any] = "run"

    id: str = Field(primary_key=True, sa_type=Text)
    """A random id."""
    owner: str = Field(sa_type=Text, index=True)
    """The owner's key. Empty without logins."""
    title: str = Field(sa_type=Text)
    state: str = Field(sa_type=Text)
    """A `RunState`."""
    total: int
    """How many results the run will have: arms × cases × repetitions."""
    plan: dict[str, Any] = Field(sa_type=StoredJson(dict))
    """Everything that the results depend on, as `workbench.suite.plan.plan_document` returns it."""
    created_at: datetime = Field(sa_type=UtcDateTime, index=True)
    updated_at: datetime = Field(sa_type=UtcDateTime)
    """When the last result was stored or the state changed."""
    deleted_at: datetime | None = Field(default=None, sa_type=UtcDateTime, index=True)
    """None if the run is not deleted."""
    writer: str | None = Field(default=None, sa_type=Text)
    """The process that runs it or ran it last, as `unfinished.this_writer` names it. None in runs of
    earlier versions."""
    share_key: str | None = Field(default=None, sa_type=Text, unique=True, index=True)
    """Lets anybody who knows it read the report. None if it is not shared."""


class RunTagRow(StoreTable, table=True):
    """A tag of a run."""

    __tablename__: ClassVar[Any] = "run_tag"

    run_id: str = Field(primary_key=True, sa_type=Text, foreign_key="run.id", ondelete="CASCADE")
    tag: str = Field(primary_key=True, sa_type=Text)
    position: int
    """Position among the run's tags, from 0."""


class CaseResultRow(StoreTable, table=True):
    """The result of one repetition of a case in one arm."""

    __tablename__: ClassVar[Any] = "case_result"

    run_id: str = Field(primary_key=True, sa_type=Text, foreign_key="run.id", ondelete="CASCADE")
    key: str = Field(primary_key=True, sa_type=Text)
    status: str = Field(sa_type=Text)
    """A `CaseStatus`."""
    result: dict[str, Any] = Field(sa_type=StoredJson(dict))
    """The result as `workbench.suite.result.result_document` returns it."""
    created_at: datetime = Field(sa_type=UtcDateTime)


class RunSessionRow(StoreTable, table=True):
    """A session that is a rollout of a run."""

    __tablename__: ClassVar[Any] = "run_session"

    session_id: str = Field(primary_key=True, sa_type=Text, foreign_key="session.id", ondelete="CASCADE")
    run_id: str = Field(sa_type=Text, index=True)
    """The run. It may have been deleted; the session still counts as a rollout."""


class ComparisonRow(StoreTable, table=True):
    """A comparison. It belongs to the owner of its session."""

    __tablename__: ClassVar[Any] = "comparison"

    id: str = Field(primary_key=True, sa_type=Text)
    """A random id, which appears in the page's address."""
    session_id: str = Field(sa_type=Text, foreign_key="session.id", ondelete="CASCADE", index=True)
    title: str = Field(sa_type=Text)
    """The first words of the first compared user message."""
    turns: list[str] = Field(sa_type=StoredJson(list))
    """Ids of the user messages that the columns answer, first to last."""
    columns: list[dict[str, Any]] = Field(sa_type=StoredJson(list))
    """For each column, the requested contract and the setup as `rows.setup_document` returns it."""
    goes_on: bool
    """True if each column continues from its own earlier answers, False if from the session's messages."""
    created_at: datetime = Field(sa_type=UtcDateTime, index=True)


class ComparisonAnswerRow(StoreTable, table=True):
    """A column's answer to a turn."""

    __tablename__: ClassVar[Any] = "comparison_answer"

    comparison_id: str = Field(
        primary_key=True, sa_type=Text, foreign_key="comparison.id", ondelete="CASCADE"
    )
    turn: int = Field(primary_key=True)
    """Index of the turn in the comparison's `turns`, from 0."""
    place: int = Field(primary_key=True)
    """Index of the column, from 0."""
    asked_id: str | None = Field(default=None, sa_type=Text)
    """The user message that was answered. None if the column failed before that."""
    leaf_id: str | None = Field(default=None, sa_type=Text)
    """The last message of the answer. None if the column wrote nothing."""
    problem: str = Field(sa_type=Text)
    """Why the answer is incomplete. Empty if it is complete."""
    created_at: datetime = Field(sa_type=UtcDateTime)


class ComparisonVoteRow(StoreTable, table=True):
    """The vote on the answers to a turn."""

    __tablename__: ClassVar[Any] = "comparison_vote"

    comparison_id: str = Field(
        primary_key=True, sa_type=Text, foreign_key="comparison.id", ondelete="CASCADE"
    )
    turn: int = Field(primary_key=True)
    """Index of the turn in the comparison's `turns`, from 0."""
    kind: str = Field(sa_type=Text)
    """A `VoteKind`."""
    place: int | None = Field(default=None)
    """Index of the best column, from 0. None unless the kind is `best`."""
    updated_at: datetime = Field(sa_type=UtcDateTime)
