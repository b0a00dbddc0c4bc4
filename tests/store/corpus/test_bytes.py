"""Messages are stored byte for byte."""

import random

import pytest

from tests.store.examples import SETUP, completion, user
from tests.store.opening import sessions_in
from workbench.errors import BadInput
from workbench.store.sessions.sessions import SessionStore

PIECES = (
    " ", "\n", "\r\n", "\r", "\t", "\u00a0", "\ufeff", "\u2028", "a", "ß", "é", "e\u0301", "👩‍👩‍👧", "🦉", "𝕳",
    "\x01", "\x1b[0m", "\x7f", "\uffff", "\U0010ffff", "'", '"', "\\", "%s", "{{ x }}", "${x}", "<tool_call>",
    "<|im_end|>", "</think>", "null", "\\u0000", "--", ";", "?", ":name",
)  # fmt: skip


def _message(source: random.Random, number: int) -> str:
    if number % 500 == 0:
        return "".join(source.choices(PIECES, k=1000)) * 400
    return " " * source.randrange(4) + "".join(source.choices(PIECES, k=source.randrange(60)))


@pytest.mark.slow
def test_a_thousand_messages_are_stored_byte_for_byte(store: SessionStore, url: str) -> None:
    source = random.Random(4)
    messages = [_message(source, number) for number in range(1000)]
    assert max(len(text.encode()) for text in messages) > 1_000_000
    session = store.create_session(SETUP)
    new = [user(text) if number % 2 else completion(text) for number, text in enumerate(messages)]
    for start in range(0, 1000, 100):
        found = store.find_session(session.id)
        assert found
        store.append_all(session.id, new[start : start + 100], parent_id=found.leaf_id)
    with sessions_in(url) as other:
        assert [stored.message.text.encode() for stored in other.path(session.id)] == [
            text.encode() for text in messages
        ]


@pytest.mark.parametrize("place", [0, 7, 500_000])
def test_a_nul_is_rejected_with_its_position(store: SessionStore, place: int) -> None:
    session = store.create_session(SETUP)
    text = "x" * place + "\0" + "y"
    with pytest.raises(BadInput, match=rf"message\.text: character {place + 1} is NUL \(U\+0000\)"):
        store.append(session.id, user(text), parent_id=None)
    assert store.tree(session.id) == ()
