"""Sessions are shared by a link, and copied."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace

import pytest

from tests.store.examples import GENERATION, SETUP, completion, tool_result, user
from workbench.errors import StoreError
from workbench.records.owner import Owner
from workbench.store.store import OwnedStore, Store

PROMPT = "<|im_start|>system\nYou can call tools.\n\nThe user is Ada.<|im_end|>\n"
EPHEMERAL = "The user is Ada."


@pytest.fixture
def both(url: str) -> Iterator[tuple[OwnedStore, OwnedStore]]:
    with closing(Store(url)) as store:
        yield store.of(Owner(key="ann")), store.of(Owner(key="bob"))


def _talk(own: OwnedStore) -> str:
    session = own.sessions.create_session(replace(SETUP, ephemeral=EPHEMERAL))
    new = (
        user("hi"),
        completion("a", prompt_text=PROMPT, ephemeral=EPHEMERAL),
        tool_result("12:00"),
        completion("b"),
    )
    own.sessions.append_all(session.id, new, parent_id=None)
    own.sessions.tag_session(session.id, ["good", "first"])
    return session.id


def test_a_shared_session_keeps_its_key_until_it_is_unshared(both: tuple[OwnedStore, OwnedStore]) -> None:
    ann, bob = both
    session_id = _talk(ann)
    key = ann.sharing.share(session_id)
    assert len(key) >= 20
    assert ann.sharing.share(session_id) == key
    found = ann.sessions.find_session(session_id)
    assert found and found.share_key == key
    assert bob.sharing.find_shared(key)
    ann.sharing.unshare(session_id)
    assert bob.sharing.find_shared(key) is None
    with pytest.raises(StoreError, match="no longer valid"):
        bob.sharing.shared_path(key)
    assert ann.sharing.share(session_id) != key


@pytest.mark.parametrize("key", ["", "nothing", "a\0"])
def test_an_unknown_key_shows_nothing(both: tuple[OwnedStore, OwnedStore], key: str) -> None:
    _talk(both[0])
    assert both[1].sharing.find_shared(key) is None


def test_a_deleted_session_is_no_longer_shared(both: tuple[OwnedStore, OwnedStore]) -> None:
    ann, bob = both
    session_id = _talk(ann)
    key = ann.sharing.share(session_id)
    ann.sessions.delete_session(session_id)
    assert bob.sharing.find_shared(key) is None


def test_others_do_not_see_ephemeral_text(both: tuple[OwnedStore, OwnedStore]) -> None:
    ann, bob = both
    key = ann.sharing.share(_talk(ann))
    found = bob.sharing.find_shared(key)
    assert found and found.setup == SETUP
    generation = bob.sharing.shared_path(key)[1].generation
    assert generation and EPHEMERAL not in repr(generation)
    assert generation.prompt_text == "<|im_start|>system\nYou can call tools.<|im_end|>\n"
    assert not generation.is_exact
    copy = bob.sharing.copy_shared(key)
    assert EPHEMERAL not in repr((copy, bob.sessions.path(copy.id)))


def test_a_copy_belongs_to_the_visitor_and_outlives_the_link(both: tuple[OwnedStore, OwnedStore]) -> None:
    ann, bob = both
    session_id = _talk(ann)
    key = ann.sharing.share(session_id)
    copy = bob.sharing.copy_shared(key)
    ann.sharing.unshare(session_id)
    ann.sessions.delete_session(session_id)
    assert (copy.is_own, copy.copied_from, copy.title, copy.tags) == (
        True,
        session_id,
        "hi",
        ("good", "first"),
    )
    assert [stored.message.text for stored in bob.sessions.path(copy.id)] == ["hi", "a", "12:00", "b"]
    bob.sessions.append(copy.id, user("go on"), parent_id=copy.leaf_id)
    assert [session.id for session in bob.sessions.list_sessions()] == [copy.id]


def test_a_copy_of_your_own_session_is_complete(both: tuple[OwnedStore, OwnedStore]) -> None:
    ann, _ = both
    session_id = _talk(ann)
    copy = ann.sessions.copy_session(session_id)
    assert copy.setup.ephemeral == EPHEMERAL
    old, new = ann.sessions.path(session_id), ann.sessions.path(copy.id)
    assert [(message.message, message.generation, message.tool_run) for message in new] == [
        (stored.message, stored.generation, stored.tool_run) for stored in old
    ]
    assert new[1].generation and new[1].generation.engine_name == GENERATION.engine_name
    assert not {stored.id for stored in old} & {message.id for message in new}
