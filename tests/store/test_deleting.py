"""Deleted sessions can be restored for 30 days and are then purged."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.store.examples import GENERATION, SETUP, completion, tool_result, user
from tests.store.opening import sessions_in
from workbench.errors import StoreError
from workbench.records.owner import LOCAL_OWNER
from workbench.store.sessions.sessions import SessionStore
from workbench.store.store import Store

TABLES = ("session", "session_tag", "message", "generation", "tool_run", "unfinished", "prompt")


class Wall:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = datetime(2026, 11, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def wall() -> Wall:
    return Wall()


@pytest.fixture
def timed(url: str, wall: Wall) -> Iterator[Store]:
    with closing(Store(url, now=wall)) as store:
        yield store


def _talk(store: SessionStore, prompt: str) -> str:
    session = store.create_session(SETUP)
    new = (user("hi"), completion("a", prompt_text=prompt), tool_result("12:00"))
    leaf = store.append_all(session.id, new, parent_id=None)[-1]
    store.save_unfinished(session.id, "half", GENERATION, parent_id=leaf.id)
    store.tag_session(session.id, ["a", "b"])
    return session.id


def test_a_deleted_session_is_hidden_and_can_be_restored(timed: Store) -> None:
    store = timed.of(LOCAL_OWNER).sessions
    session_id = _talk(store, "p")
    before, path = store.find_session(session_id), store.path(session_id)
    store.delete_session(session_id)
    assert store.find_session(session_id) is None
    assert store.list_sessions() == ()
    for call in (lambda: store.path(session_id), lambda: store.delete_session(session_id)):
        with pytest.raises(StoreError, match="there is no session"):
            call()
    (listed,) = store.list_sessions(is_deleted=True)
    assert (listed.id, listed.deleted_at) == (session_id, datetime(2026, 11, 1, tzinfo=UTC))
    store.restore_session(session_id)
    assert (store.find_session(session_id), store.path(session_id)) == (before, path)
    assert store.list_sessions(is_deleted=True) == ()


def test_a_session_that_was_not_deleted_cannot_be_restored(timed: Store) -> None:
    store = timed.of(LOCAL_OWNER).sessions
    for session_id in (_talk(store, "p"), "nowhere", "a\0"):
        with pytest.raises(StoreError):
            store.restore_session(session_id)


def test_after_30_days_a_session_is_purged(timed: Store, wall: Wall) -> None:
    store = timed.of(LOCAL_OWNER).sessions
    session_id = _talk(store, "p")
    store.delete_session(session_id)
    wall.now += timedelta(days=30, seconds=-1)
    assert timed.purge() == 0
    assert store.list_sessions(is_deleted=True)
    wall.now += timedelta(seconds=1)
    assert store.list_sessions(is_deleted=True) == ()
    with pytest.raises(StoreError, match="there is no session"):
        store.restore_session(session_id)
    assert timed.purge() == 1
    assert timed.purge() == 0


def test_purging_deletes_all_rows_and_unused_prompts(file: Path, wall: Wall) -> None:
    url = f"sqlite:///{file}"
    with sessions_in(url, now=wall) as store:
        purged, stays = _talk(store, "of the one that goes"), _talk(store, "of the one that stays")
        shared = _talk(store, "of both")
        store.append(stays, completion("b", prompt_text="of both"), parent_id=None)
        store.delete_session(purged)
        store.delete_session(shared)
    wall.now += timedelta(days=31)
    # Opening the store purges old sessions.
    with sessions_in(url, now=wall) as store:
        assert [session.id for session in store.list_sessions()] == [stays]
    with closing(sqlite3.connect(file)) as connection:
        counts = {table: _count(connection, table) for table in TABLES}
        prompts = connection.execute("SELECT text FROM prompt ORDER BY text").fetchall()
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    assert counts == {
        "session": 1, "session_tag": 2, "message": 4, "generation": 2, "tool_run": 1, "unfinished": 1, "prompt": 2,
    }  # fmt: skip
    assert prompts == [("of both",), ("of the one that stays",)]


def _count(connection: sqlite3.Connection, table: str) -> int:
    return connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
