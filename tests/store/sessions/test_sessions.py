"""Sessions and messages are stored unchanged, and nothing is overwritten."""

import json
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.store.examples import GENERATION, SETUP, completion, tool_result, user
from tests.store.opening import sessions_in
from workbench.chat.message import Message, Role, ToolCall
from workbench.errors import BadInput, StoreError
from workbench.records.owner import LOCAL_OWNER
from workbench.records.sessions import MessageOrigin, NewMessage, StoredMessage
from workbench.rollout.events import Timing
from workbench.rollout.sampling import Sampling
from workbench.store.sessions.sessions import SessionStore
from workbench.store.store import Store

ANY_TEXT = st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
"""All texts that can be stored."""

UNUSUAL_TEXTS = [
    "",
    " ",
    "\n\n  leading",
    "trailing \t\n",
    "a\r\nb\rc\n",
    "\r",
    "🦉👩‍👩‍👧 e\u0301 \u00e9",
    "\ufeff\u200b\u2028\x01\x1b\x7f\uffff",
    "<|im_start|>' \" \\ %s :name ? {{ tools }}",
    "x" * 1_000_000,
]


@pytest.fixture(scope="module")
def shared() -> Iterator[SessionStore]:
    """One store in memory for many examples."""
    with sessions_in("sqlite://") as opened:
        yield opened


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


class TestBytes:
    @pytest.mark.parametrize("text", UNUSUAL_TEXTS, ids=lambda text: ascii(text[:20]))
    def test_unusual_text_is_stored_unchanged(self, store: SessionStore, url: str, text: str) -> None:
        session = store.create_session(SETUP)
        append_chain(store, session.id, completion(text, prompt_text=text))
        with sessions_in(url) as other:
            (stored,) = other.path(session.id)
        assert stored.message.text == text
        assert stored.generation and stored.generation.prompt_text == text

    @given(text=ANY_TEXT)
    def test_any_text_is_stored_unchanged(self, shared: SessionStore, text: str) -> None:
        session = shared.create_session(replace(SETUP, contract_text=text))
        new = replace(tool_result(text), message=Message(role=Role.TOOL, text=text, name=text, thought=text))
        stored = shared.append(session.id, new, parent_id=None)
        assert stored.message == new.message
        assert shared.path(session.id) == (stored,)
        found = shared.find_session(session.id)
        assert found and found.setup.contract_text == text

    @given(text=ANY_TEXT)
    def test_the_bytes_in_the_table_are_the_text_in_utf_8(self, shared: SessionStore, text: str) -> None:
        session = shared.create_session(SETUP)
        stored = shared.append(session.id, user(text), parent_id=None)
        with shared._database.reading() as db:
            query = "SELECT CAST(text AS BLOB) FROM message WHERE id = ?"
            stored = db.connection().exec_driver_sql(query, (stored.id,)).scalar_one()
        assert (stored or b"") == text.encode()

    def test_structured_calls_keep_the_order_of_their_keys(self, store: SessionStore) -> None:
        call = ToolCall(name="now", arguments={"z": 1, "a": [None, 1.5, {"ü": "\r"}], "big": 2**70})
        message = Message(role=Role.ASSISTANT, text="", calls=(call, call), thought="")
        session = store.create_session(SETUP)
        store.append(session.id, NewMessage(message=message, origin=MessageOrigin.IMPORT), parent_id=None)
        (stored,) = store.path(session.id)
        assert stored.message == message
        assert list(stored.message.calls[0].arguments) == ["z", "a", "big"]

    @pytest.mark.parametrize(
        ("text", "problem"),
        [("ab\0", "character 3 is NUL"), ("\ud83e", "character 1 is half of a surrogate pair (U+D83E)")],
        ids=["nul", "surrogate"],
    )
    def test_text_that_cannot_be_stored_is_rejected_and_nothing_is_written(
        self, store: SessionStore, text: str, problem: str
    ) -> None:
        session = store.create_session(SETUP)
        for new, where in (
            (user(text), "message.text"),
            (completion("fine", prompt_text=text), "generation.prompt_text"),
            (tool_result("fine", rule=text), "tool run.rule"),
        ):
            with pytest.raises(BadInput) as caught:
                store.append_all(session.id, (user("fine"), new), parent_id=None)
            assert problem in str(caught.value)
            assert caught.value.where == where
        with pytest.raises(BadInput, match=r"setup\.contract_text"):
            store.save_setup(session.id, replace(SETUP, contract_text=text))
        with pytest.raises(BadInput, match=r"setup\.tools_text"):
            store.create_session(replace(SETUP, tools_text=text))
        assert store.find_session(session.id) == session


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

    def test_generations_and_tool_runs_are_stored_unchanged(self, store: SessionStore) -> None:
        session = store.create_session(SETUP)
        new = [user("hi"), completion("<tool_call>\n{}"), tool_result("12:00")]
        append_chain(store, session.id, *new)
        stored = store.path(session.id)
        assert [(item.message, item.origin, item.generation, item.tool_run) for item in stored] == [
            (message.message, message.origin, message.generation, message.tool_run) for message in new
        ]
        assert [item.parent_id for item in stored] == [None, stored[0].id, stored[1].id]

    def test_append_and_path_return_equal_messages(self, store: SessionStore) -> None:
        session = store.create_session(SETUP)
        stored: list[object] = []
        parent_id = None
        for new in (user("hi"), completion("a"), tool_result("b"), completion("c")):
            appended = store.append(session.id, new, parent_id=parent_id)
            parent_id = appended.id
            stored.append(appended)
        assert list(store.path(session.id)) == stored

    def test_copies_share_the_generation_and_prompts_are_stored_once(
        self, store: SessionStore, file: Path
    ) -> None:
        session = store.create_session(SETUP)
        whole_seconds = replace(GENERATION.timing, seconds=2, time_to_first_token_s=1)
        append_chain(
            store,
            session.id,
            user("q"),
            completion("a"),
            completion("b"),
            completion("c", timing=whole_seconds),
        )
        originals = store.path(session.id)
        for _ in range(2):
            copies = [_copy_of(stored) for stored in store.path(session.id)]
            append_chain(store, session.id, *copies)
            copied = store.path(session.id)
            assert [stored.copy_of for stored in copied] == [stored.id for stored in originals]
            assert [stored.generation for stored in copied] == [stored.generation for stored in originals]
        other = store.create_session(SETUP)
        append_chain(store, other.id, completion("a"))
        assert _count(file, "message") == 13
        assert _count(file, "generation") == 4
        assert _count(file, "prompt") == 1

    def test_a_copy_of_another_session_s_message_is_rejected(self, store: SessionStore) -> None:
        theirs, ours = store.create_session(SETUP), store.create_session(SETUP)
        stored = store.append(theirs.id, completion("a"), parent_id=None)
        with pytest.raises(StoreError, match="has no message"):
            store.append(ours.id, _copy_of(stored), parent_id=None)
        assert store.path(ours.id) == ()

    def test_whole_numbers_and_floats_are_stored_alike(self, store: SessionStore) -> None:
        session = store.create_session(replace(SETUP, sampling=Sampling(temperature=0)))
        new = completion("a", sampling=Sampling(temperature=1, seed=3))
        first = store.append(session.id, new, parent_id=None)
        assert store.path(session.id) == (first,)
        store.save_setup(session.id, replace(SETUP, sampling=Sampling(temperature=0.0)))
        found = store.find_session(session.id)
        assert found and found.setup.sampling == Sampling()

    def test_the_same_text_generated_again_has_its_own_generation(
        self, store: SessionStore, file: Path
    ) -> None:
        session = store.create_session(SETUP)
        slow = Timing(
            prompt_tokens=40, cached_tokens=0, completion_tokens=9, time_to_first_token_s=3.0, seconds=4.0
        )
        append_chain(store, session.id, completion("a"), completion("a", timing=slow))
        assert _count(file, "generation") == 2
        assert [stored.generation and stored.generation.timing for stored in store.path(session.id)] == [
            GENERATION.timing,
            slow,
        ]

    def test_counts_that_are_not_known_stay_unknown(self, store: SessionStore) -> None:
        session = store.create_session(SETUP)
        unknown = Timing(seconds=2.0)
        append_chain(store, session.id, completion("a", timing=unknown))
        assert [stored.generation and stored.generation.timing for stored in store.path(session.id)] == [
            unknown
        ]

    def test_a_prompt_of_0_tokens_of_an_older_release_was_not_counted(self, store: SessionStore) -> None:
        session = store.create_session(SETUP)
        old = replace(GENERATION.timing, prompt_tokens=0)
        append_chain(store, session.id, completion("a", timing=old))
        (stored,) = store.path(session.id)
        assert stored.generation
        timing = stored.generation.timing
        assert (timing.prompt_tokens, timing.cached_tokens, timing.completion_tokens) == (None, None, None)

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
        assert _count(file, "prompt") == 0

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


def _copy_of(stored: StoredMessage) -> NewMessage:
    return NewMessage(
        message=stored.message, origin=stored.origin, generation=stored.generation, copy_of=stored.id
    )


def _count(file: Path, table: str) -> int:
    with closing(sqlite3.connect(file)) as connection:
        return connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
