"""Sessions with their setups and times are stored, listed and read, also by several threads and processes at once."""

import json
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from tests.store.examples import SETUP, completion, tool_result, user
from tests.store.opening import sessions_in
from tests.store.sessions.chains import append_chain, texts
from workbench.chat.message import Message, Role
from workbench.errors import StoreError
from workbench.records.owner import LOCAL_OWNER
from workbench.records.sessions import MessageOrigin, NewMessage
from workbench.store.sessions.sessions import SessionStore
from workbench.store.store import Store


class TestSession:
    def test_a_new_session_is_empty(self, store: SessionStore) -> None:
        session = store.create_session(SETUP)
        assert (session.title, session.leaf_id, session.message_count) == ("", None, 0)
        assert session.setup == SETUP
        assert store.find_session(session.id) == session
        assert store.path(session.id) == ()

    @pytest.mark.parametrize("session_id", ["", "nowhere", "a\0", "\ud83e", "' OR 1=1 --"])
    def test_an_unknown_id_is_reported(self, store: SessionStore, session_id: str) -> None:
        assert store.find_session(session_id) is None
        with pytest.raises(StoreError, match="there is no session"):
            store.path(session_id)
        with pytest.raises(StoreError, match="there is no session"):
            store.save_setup(session_id, SETUP)
        with pytest.raises(StoreError, match="there is no session"):
            store.append(session_id, user("hi"), parent_id=None)

    def test_the_title_is_the_first_text_of_the_user(self, store: SessionStore) -> None:
        session = store.create_session(SETUP)
        system = NewMessage(message=Message(role=Role.SYSTEM, text="You are"), origin=MessageOrigin.PERSON)
        append_chain(store, session.id, system, user(" \n"), user("  What\nis " + "x" * 99), user("other"))
        found = store.find_session(session.id)
        assert found and found.title == "What is " + "x" * 51 + "…"

    def test_a_changed_setup_counts_as_using_the_session(self, url: str) -> None:
        moments = iter(datetime(2026, 1, 1, tzinfo=UTC) + timedelta(minutes=n) for n in range(99))
        with sessions_in(url, now=lambda: next(moments)) as store:
            session = store.create_session(SETUP)
            store.save_setup(session.id, SETUP)
            assert store.find_session(session.id) == session
            store.save_setup(session.id, replace(SETUP, model="other"))
            found = store.find_session(session.id)
        assert found and found.setup == replace(SETUP, model="other")
        assert found.updated_at > session.updated_at == found.created_at

    def test_the_list_contains_sessions_with_messages_most_recently_used_first(
        self, store: SessionStore
    ) -> None:
        first, second, third, _empty = [store.create_session(SETUP).id for _ in range(4)]
        for session_id in (first, second, third):
            append_chain(store, session_id, user(session_id))
        store.append(first, user("again"), parent_id=None)
        assert [session.id for session in store.list_sessions()] == [first, third, second]
        assert [session.id for session in store.list_sessions(limit=1, offset=1)] == [third]
        assert [session.message_count for session in store.list_sessions()] == [2, 1, 1]

    def test_times_are_stored_in_utc(self, url: str) -> None:
        moment = datetime(2026, 3, 1, 0, 30, 0, 5, tzinfo=timezone(timedelta(hours=2)))
        with sessions_in(url, now=lambda: moment) as store:
            session = store.create_session(SETUP)
            stored = store.append(session.id, user("hi"), parent_id=None)
        with sessions_in(url) as store:
            found = store.find_session(session.id)
            assert store.path(session.id) == (stored,)
        assert found and found.created_at == moment
        assert {found.created_at.tzinfo, found.updated_at.tzinfo, stored.created_at.tzinfo} <= {UTC}


class TestTogether:
    @pytest.mark.parametrize("place", ["file", "memory"])
    def test_concurrent_appends_lose_nothing(self, url: str, place: str) -> None:
        with sessions_in("sqlite://" if place == "memory" else url) as store:
            session = store.create_session(SETUP)
            root = store.append(session.id, user("root"), parent_id=None)

            def talk(name: int) -> list[str]:
                messages = [completion(f"{name}.{number}") for number in range(12)]
                return append_chain(store, session.id, *messages, parent_id=root.id)

            with ThreadPoolExecutor(6) as pool:
                branches = list(pool.map(talk, range(6)))
            found = store.find_session(session.id)
            assert found and found.message_count == 1 + 6 * 12
            assert found.leaf_id in {branch[-1] for branch in branches}
            name = texts(store, session.id)[-1].partition(".")[0]
            assert texts(store, session.id) == ["root", *(f"{name}.{number}" for number in range(12))]

    def test_a_reader_does_not_wait_for_a_writer(self, store: SessionStore) -> None:
        session = store.create_session(SETUP)
        append_chain(store, session.id, user("hi"))
        with store._database.writing():
            assert texts(store, session.id) == ["hi"]

    @pytest.mark.slow
    def test_another_process_reads_the_same_messages(self, store: SessionStore, url: str) -> None:
        session = store.create_session(SETUP)
        stored = [store.append(session.id, user(" hi\r\n🦉"), parent_id=None)]
        stored.append(store.append(session.id, completion("a"), parent_id=stored[0].id))
        program = (
            "import sys; from contextlib import closing; from workbench.records.owner import LOCAL_OWNER\n"
            "from workbench.store.store import Store\n"
            "with closing(Store(sys.argv[1])) as store:\n"
            "    path = store.of(LOCAL_OWNER).sessions.path(sys.argv[2])\n"
            "print(ascii([repr(one) for one in path]))"
        )
        run = subprocess.run(
            [sys.executable, "-X", "dev", "-W", "error", "-c", program, url, session.id],
            capture_output=True,
            text=True,
            check=False,
        )
        assert run.stderr == ""
        assert run.stdout.strip() == ascii([repr(item) for item in stored])

    def test_the_file_is_valid_after_use(self, store: SessionStore, file: Path) -> None:
        session = store.create_session(SETUP)
        (root,) = append_chain(store, session.id, user("hi"))
        append_chain(store, session.id, completion("a"), tool_result("b"), parent_id=root)
        with closing(sqlite3.connect(file)) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
            assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)

    def test_closing_removes_the_side_files_and_can_be_repeated(self, url: str, file: Path) -> None:
        store = Store(url)
        store.of(LOCAL_OWNER).sessions.create_session(SETUP)
        store.close()
        store.close()
        assert [path.name for path in file.parent.iterdir()] == [file.name]


class TestRows:
    def test_missing_keys_of_an_older_setup_get_defaults(self, store: SessionStore, file: Path) -> None:
        session = store.create_session(SETUP)
        older = {"contract_name": "minimal", "contract_text": " x", "sampling": {"seed": 7}, "gone": 1}
        with closing(sqlite3.connect(file)) as connection, connection:
            connection.execute("UPDATE session SET setup = ?", (json.dumps(older),))
        found = store.find_session(session.id)
        assert found and (found.setup.contract_text, found.setup.tools_text) == (" x", "[]")
        assert (found.setup.sampling.seed, found.setup.sampling.max_tokens) == (7, 256)

    @pytest.mark.parametrize(
        "change",
        ["UPDATE session SET setup = '{'", 'UPDATE session SET setup = \'{"max_rounds": "many"}\''],
        ids=["no JSON", "no number"],
    )
    def test_a_damaged_row_raises_a_store_error(self, store: SessionStore, file: Path, change: str) -> None:
        session = store.create_session(SETUP)
        with closing(sqlite3.connect(file)) as connection, connection:
            connection.execute(change)
        with pytest.raises(
            StoreError, match=r"^session .*column setup|^session .*setup\.max_rounds"
        ) as caught:
            store.find_session(session.id)
        assert "workbench db check" in str(caught.value)
        assert "pydantic" not in str(caught.value)
