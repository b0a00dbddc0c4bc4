"""Append chains of messages to sessions, and read what is stored."""

import sqlite3
from contextlib import closing
from pathlib import Path

from workbench.records.sessions import NewMessage
from workbench.store.sessions.sessions import SessionStore


def append_chain(
    store: SessionStore, session_id: str, *messages: NewMessage, parent_id: str | None = None
) -> list[str]:
    """Append messages, each under the previous one, and return their ids."""
    ids: list[str] = []
    for new in messages:
        parent_id = store.append(session_id, new, parent_id=parent_id).id
        ids.append(parent_id)
    return ids


def texts(store: SessionStore, session_id: str) -> list[str]:
    return [stored.message.text for stored in store.path(session_id)]


def count_rows(file: Path, table: str) -> int:
    with closing(sqlite3.connect(file)) as connection:
        return connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
