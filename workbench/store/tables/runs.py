"""Runs of suites, and what came of each play."""

from datetime import datetime
from typing import Any, ClassVar

from sqlalchemy import Text
from sqlmodel import Field

from workbench.store.stored_json import StoredJson
from workbench.store.tables.base import StoreTable, UtcDateTime


class RunRow(StoreTable, table=True):
    """A run."""

    __tablename__: ClassVar[Any] = "run"

    id: str = Field(primary_key=True, sa_type=Text)
    """Unguessable."""
    owner: str = Field(sa_type=Text, index=True)
    """Whose it is, as `workbench.store.scope` writes it."""
    title: str = Field(sa_type=Text)
    """For a person."""
    state: str = Field(sa_type=Text)
    """A `RunState`."""
    total: int
    """Plays."""
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
    """The run."""
    key: str = Field(primary_key=True, sa_type=Text)
    """Of the job, in the run."""
    status: str = Field(sa_type=Text)
    """A `Status`."""
    result: dict[str, Any] = Field(sa_type=StoredJson(dict))
    """The whole; see `workbench.suite.result.result_document`."""
    created_at: datetime = Field(sa_type=UtcDateTime)
    """When it came."""


class RunSessionRow(StoreTable, table=True):
    """A session that is a rollout of a run."""

    __tablename__: ClassVar[Any] = "run_session"

    session_id: str = Field(primary_key=True, sa_type=Text, foreign_key="session.id", ondelete="CASCADE")
    """The session."""
    run_id: str = Field(sa_type=Text, index=True)
    """The run, which may be deleted by now: its rollouts stay what they are."""
