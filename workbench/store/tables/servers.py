"""The tables of servers that share a PostgreSQL database, and of what they have in progress. Empty on SQLite.

The rows live for seconds to minutes. Sessions and runs are named without a foreign key, because the first message of a
session may be written after its turn has started.
"""

from datetime import datetime
from typing import Any, ClassVar

from sqlalchemy import Text
from sqlmodel import Field

from workbench.store.storable import StoredJson
from workbench.store.tables.base import StoreTable, UtcDateTime


class ServerRow(StoreTable, table=True):
    """A server process that is running, or whose end nobody has noticed yet."""

    __tablename__: ClassVar[Any] = "server"

    id: str = Field(primary_key=True, sa_type=Text)
    """A random id."""
    writer: str = Field(sa_type=Text)
    """The process, as `workbench.store.sessions.unfinished.this_writer` names it."""
    beat_at: datetime = Field(sa_type=UtcDateTime)
    """The last sign of life, on the clock of the database."""


class ServerMessageRow(StoreTable, table=True):
    """A message from one server to another one. Deleted when it is read."""

    __tablename__: ClassVar[Any] = "server_message"

    number: int | None = Field(default=None, primary_key=True)
    """None before the row is written."""
    server_id: str = Field(sa_type=Text, index=True)
    """Who gets it."""
    document: dict[str, Any] = Field(sa_type=StoredJson(dict))


class LiveTurnRow(StoreTable, table=True):
    """A turn in progress. A session has at most one."""

    __tablename__: ClassVar[Any] = "live_turn"

    owner: str = Field(primary_key=True, sa_type=Text)
    """The owner's key. Empty without logins."""
    session_id: str = Field(primary_key=True, sa_type=Text)
    id: str = Field(sa_type=Text)
    server_id: str = Field(sa_type=Text, index=True)
    """The server that runs it."""
    request: dict[str, Any] = Field(sa_type=StoredJson(dict))
    """What other servers need to show it: its setup and the number of its samples."""


class LiveEventRow(StoreTable, table=True):
    """Some events of a turn that is watched on another server."""

    __tablename__: ClassVar[Any] = "live_event"

    turn_id: str = Field(primary_key=True, sa_type=Text)
    number: int = Field(primary_key=True)
    """Increases within the turn, from 1."""
    document: dict[str, Any] = Field(sa_type=StoredJson(dict))
    created_at: datetime = Field(sa_type=UtcDateTime)
    """On the clock of the database."""


class LiveRunRow(StoreTable, table=True):
    """A suite run in progress. An owner has at most one."""

    __tablename__: ClassVar[Any] = "live_run"

    owner: str = Field(primary_key=True, sa_type=Text)
    """The owner's key. Empty without logins."""
    run_id: str = Field(sa_type=Text)
    server_id: str = Field(sa_type=Text, index=True)
    """The server that runs it. If that server has ended, another one continues the run."""
    person: dict[str, Any] | None = Field(default=None, sa_type=StoredJson(dict, is_nullable=True))
    """The fields of the `Owner`. None if no other server can continue the run."""
