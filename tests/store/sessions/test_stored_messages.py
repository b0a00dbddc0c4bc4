"""Texts, calls, generations and tool runs are stored unchanged."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.store.examples import GENERATION, SETUP, completion, tool_result, user
from tests.store.opening import sessions_in
from tests.store.sessions.chains import append_chain, count_rows
from workbench.chat.message import Message, Role, ToolCall
from workbench.errors import BadInput, StoreError
from workbench.records.sessions import MessageOrigin, NewMessage, StoredMessage
from workbench.rollout.events import Timing
from workbench.rollout.sampling import Sampling
from workbench.store.sessions.sessions import SessionStore

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


class TestBytes:
    @pytest.mark.parametrize("text", UNUSUAL_TEXTS, ids=lambda text: ascii(text[:20]))
    def test_unusual_text_is_stored_unchanged(self, store: SessionStore, url: str, text: str) -> None:
        session = store.create_session(SETUP)
        append_chain(store, session.id, completion(text, prompt_text=text))
        with sessions_in(url) as other:
            (stored,) = other.path(session.id)
        assert stored.message.text == text
        assert stored.generation and stored.generation.prompt_text == text

    @pytest.mark.slow
    @given(text=ANY_TEXT)
    def test_any_text_is_stored_unchanged(self, shared: SessionStore, text: str) -> None:
        session = shared.create_session(replace(SETUP, contract_text=text))
        new = replace(tool_result(text), message=Message(role=Role.TOOL, text=text, name=text, thought=text))
        stored = shared.append(session.id, new, parent_id=None)
        assert stored.message == new.message
        assert shared.path(session.id) == (stored,)
        found = shared.find_session(session.id)
        assert found and found.setup.contract_text == text

    @pytest.mark.slow
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


class TestGenerations:
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
        assert count_rows(file, "message") == 13
        assert count_rows(file, "generation") == 4
        assert count_rows(file, "prompt") == 1

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
        assert count_rows(file, "generation") == 2
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


def _copy_of(stored: StoredMessage) -> NewMessage:
    return NewMessage(
        message=stored.message, origin=stored.origin, generation=stored.generation, copy_of=stored.id
    )
