"""Messages are deleted with everything below them, and restored."""

import pytest

from tests.store.examples import SETUP, completion, user
from tests.store.opening import sessions_in
from workbench.errors import BadInput, StoreError


def texts(path):
    return [stored.message.text for stored in path]


@pytest.fixture
def store(url):
    with sessions_in(url) as store:
        yield store


@pytest.fixture
def talk(store):
    """A session with two branches below the first message: its id and the ids of its messages."""
    session = store.create_session(SETUP)
    first = store.append(session.id, user("one"), parent_id=None)
    left = store.append_all(session.id, (user("left"), completion("far left")), parent_id=first.id)
    right = store.append_all(session.id, (user("right"), completion("far right")), parent_id=first.id)
    return session.id, first.id, [stored.id for stored in left], [stored.id for stored in right]


def test_the_path_ends_before_a_deleted_message(store, talk) -> None:
    session, first, left, right = talk
    store.delete_message(session, right[0])
    assert texts(store.path(session)) == ["one"]
    assert [node.id for node in store.tree(session)] == [first, *left]
    assert store.find_session(session).message_count == 3
    (deleted,) = store.deleted_messages(session)
    assert (deleted.message_id, deleted.excerpt, deleted.count) == (right[0], "right", 2)


def test_deleting_on_another_branch_does_not_change_the_open_path(store, talk) -> None:
    session, _, left, _ = talk
    store.delete_message(session, left[1])
    assert texts(store.path(session)) == ["one", "right", "far right"]


def test_deleted_messages_can_be_restored(store, talk) -> None:
    session, _, _, right = talk
    before = store.path(session), store.tree(session)
    store.delete_message(session, right[0])
    assert store.restore_message(session, right[0]) == right[1]
    assert (store.path(session), store.tree(session)) == before
    assert list(store.deleted_messages(session)) == []


def test_parts_that_were_deleted_separately_are_restored_separately(store, talk) -> None:
    session, _, _, right = talk
    store.delete_message(session, right[1])
    store.delete_message(session, right[0])
    with pytest.raises(StoreError, match="the message above it is deleted too"):
        store.restore_message(session, right[1])
    store.restore_message(session, right[0])
    assert texts(store.path(session)) == ["one", "right"]
    store.restore_message(session, right[1])
    assert texts(store.path(session)) == ["one", "right", "far right"]


def test_the_first_message_cannot_be_deleted(store, talk) -> None:
    session, first, _, right = talk
    with pytest.raises(BadInput, match="delete the session instead"):
        store.delete_message(session, first)
    store.delete_message(session, right[0])
    with pytest.raises(StoreError, match="it was not deleted"):
        store.restore_message(session, first)
