"""Messages of a session are a tree: each follows another one of the same session, and a branch overwrites nothing."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.store.examples import SETUP, completion, tool_result, user
from tests.store.sessions.chains import append_chain, count_rows, texts
from workbench.errors import StoreError
from workbench.store.sessions.sessions import SessionStore


class TestTree:
    def test_a_branch_keeps_the_messages_of_the_old_leaf(self, store: SessionStore) -> None:
        session = store.create_session(SETUP)
        root, _question, old_leaf = append_chain(store, session.id, user("s"), user("q"), completion("old"))
        append_chain(store, session.id, user("q2"), completion("new"), parent_id=root)
        assert texts(store, session.id) == ["s", "q2", "new"]
        found = store.find_session(session.id)
        assert found and found.message_count == 5
        store.append(session.id, user("go on"), parent_id=old_leaf)
        assert texts(store, session.id) == ["s", "q", "old", "go on"]

    def test_several_messages_are_appended_as_a_chain(self, store: SessionStore) -> None:
        session = store.create_session(SETUP)
        stored = store.append_all(session.id, (user("a"), completion("b"), tool_result("c")), parent_id=None)
        assert store.path(session.id) == stored
        assert [item.parent_id for item in stored] == [None, stored[0].id, stored[1].id]
        found = store.find_session(session.id)
        assert found and (found.leaf_id, found.title) == (stored[-1].id, "a")

    def test_several_messages_are_appended_completely_or_not_at_all(
        self, store: SessionStore, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        session = store.create_session(SETUP)
        other = store.append(store.create_session(SETUP).id, user("other"), parent_id=None)
        ids = iter(["fresh", other.id])
        monkeypatch.setattr("workbench.store.rows.new_id", lambda: next(ids))
        with pytest.raises(StoreError, match=r"UNIQUE|unique constraint"):
            store.append_all(session.id, (user("a"), user("b")), parent_id=None)
        assert store.find_session(session.id) == session

    def test_a_second_root_is_a_branch(self, store: SessionStore) -> None:
        session = store.create_session(SETUP)
        append_chain(store, session.id, user("one"), completion("two"))
        stored = store.append(session.id, user("other root"), parent_id=None)
        assert store.path(session.id) == (stored,)
        assert stored.parent_id is None

    @pytest.mark.parametrize("parent_id", ["nowhere", "", "a\0"])
    def test_an_unknown_parent_is_rejected(self, store: SessionStore, parent_id: str) -> None:
        session = store.create_session(SETUP)
        with pytest.raises(StoreError, match="has no message"):
            store.append(session.id, user("hi"), parent_id=parent_id)
        assert store.find_session(session.id) == session

    def test_a_parent_of_another_session_is_rejected(self, store: SessionStore, file: Path) -> None:
        theirs, ours = store.create_session(SETUP), store.create_session(SETUP)
        (parent_id,) = append_chain(store, theirs.id, user("theirs"))
        with pytest.raises(StoreError, match="has no message"):
            store.append(ours.id, completion("hi"), parent_id=parent_id)
        assert store.find_session(ours.id) == ours
        assert count_rows(file, "prompt") == 0

    def test_the_database_itself_rejects_a_parent_of_another_session(
        self, store: SessionStore, file: Path
    ) -> None:
        theirs, ours = store.create_session(SETUP), store.create_session(SETUP)
        (parent_id,) = append_chain(store, theirs.id, user("theirs"))
        append_chain(store, ours.id, user("ours"), user("leaf"))
        with closing(sqlite3.connect(file)) as connection:
            connection.execute("PRAGMA foreign_keys = ON")
            with pytest.raises(sqlite3.IntegrityError, match="FOREIGN KEY"):
                connection.execute(
                    "UPDATE message SET parent_id = ? WHERE session_id = ? AND position = 1",
                    (parent_id, ours.id),
                )
                connection.commit()

    def test_a_long_path_is_returned_in_order(self, store: SessionStore) -> None:
        session = store.create_session(SETUP)
        numbers = [str(number) for number in range(300)]
        *_, parent_id = append_chain(store, session.id, *map(user, numbers[:50]))
        store.append_all(session.id, [user(number) for number in numbers[50:]], parent_id=parent_id)
        assert texts(store, session.id) == numbers
