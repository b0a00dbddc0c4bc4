"""The labelling queue lists the rows of an import in the order of their file."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.engine import Connection

from workbench.store.tables.sessions import queue_place

revision = "0019"
down_revision = "0018"

BATCH = 500
"""Rows that are read at a time."""
SESSION = sa.table(
    "session", sa.column("id"), sa.column("created_at", sa.DateTime(timezone=True)), sa.column("queue_place")
)
IMPORT = sa.table("imported_row", *map(sa.column, ("session_id", "scope", "file", "number")))


def upgrade() -> None:
    """Add the column and fill it. Rows of the same file count as one import."""
    op.add_column("session", sa.Column("queue_place", sa.BigInteger(), nullable=False, server_default="0"))
    connection = op.get_bind()
    joined = SESSION.join(IMPORT, IMPORT.c.session_id == SESSION.c.id)
    files = sa.select(IMPORT.c.scope, IMPORT.c.file, sa.func.min(SESSION.c.created_at)).select_from(joined)
    starts = {
        (scope, file): start for scope, file, start in connection.execute(files.group_by("scope", "file"))
    }
    update = (
        SESSION.update().where(SESSION.c.id == sa.bindparam("key")).values(queue_place=sa.bindparam("place"))
    )
    for rows in _pages(connection):
        places = [
            {
                "key": row.id,
                "place": queue_place(
                    _utc(starts.get((row.scope, row.file), row.created_at)), row.number or 0
                ),
            }
            for row in rows
        ]
        connection.execute(update, places)
    op.create_index("ix_session_owner_queue_place", "session", ["owner", "queue_place"])


def _pages(connection: Connection) -> Iterator[list[Any]]:
    """Yield the sessions with their imported rows, some at a time."""
    joined = SESSION.outerjoin(IMPORT, IMPORT.c.session_id == SESSION.c.id)
    query = sa.select(SESSION.c.id, SESSION.c.created_at, IMPORT.c.scope, IMPORT.c.file, IMPORT.c.number)
    query = query.select_from(joined).order_by(SESSION.c.id).limit(BATCH)
    last = ""
    while rows := [*connection.execute(query.where(SESSION.c.id > last))]:
        yield rows
        last = rows[-1].id


def _utc(moment: datetime) -> datetime:
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
