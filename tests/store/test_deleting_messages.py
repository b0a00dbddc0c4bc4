"""A message is deleted with all that follows it, and brought back."""

import pytest

from tests.store.examples import SETUP, completion, user
from tests.store.opening import sessions_in
from workbench.errors import BadInput, StoreError


def texts(path):
    return [kept.message.text for kept in path]


@pytest.fixture
def store(url):
    with sessions_in(url) as store:
        yield store


@pytest.fixture
def talk(store):
    """A session of two branches below the first message; its id, and the ids of its messages."""
    session = store.create_session(SETUP)
    first = store.append(session.id, user("one"), parent_id=None)
    left = store.append_all(session.id, (user("left"), completion("far left")), parent_id=first.id)
    right = store.append_all(session.id, (user("right"), completion("far right")), parent_id=first.id)
    return session.id, first.id, [one.id for one in left], [one.id for one in right]


def test_the_path_ends_before_what_was_deleted(store, talk) -> None:
    session, first, left, right = talk
    store.delete_message(session, right[0])
    assert texts(store.path(session)) == ["one"]
    assert [node.id for node in store.tree(session)] == [first, *left]
    assert store.find_session(session).message_count == 3
    (gone,) = store.deleted_messages(session)
    assert (gone.message_id, gone.excerpt, gone.count) == (right[0], "right", 2)


def test_another_branch_leaves_the_open_path_as_it_is(store, talk) -> None:
    session, _, left, _ = talk
    store.delete_message(session, left[1])
    assert texts(store.path(session)) == ["one", "right", "far right"]


def test_what_was_deleted_comes_back_whole(store, talk) -> None:
    session, _, _, right = talk
    before = store.path(session), store.tree(session)
    store.delete_message(session, right[0])
    assert store.restore_message(session, right[0]) == right[1]
    assert (store.path(session), store.tree(session)) == before
    assert list(store.deleted_messages(session)) == []


def test_the_part_that_was_deleted_first_comes_back_by_itself(store, talk) -> None:
    session, _, _, right = talk
    store.delete_message(session, right[1])
    store.delete_message(session, right[0])
    with pytest.raises(StoreError, match="the message above it is deleted too"):
        store.restore_message(session, right[1])
    store.restore_message(session, right[0])
    assert texts(store.path(session)) == ["one", "right"]
    store.restore_message(session, right[1])
    assert texts(store.path(session)) == ["one", "right", "far right"]


def test_what_a_session_begins_with_stays(store, talk) -> None:
    session, first, _, right = talk
    with pytest.raises(BadInput, match="delete the session instead"):
        store.delete_message(session, first)
    store.delete_message(session, right[0])
    with pytest.raises(StoreError, match="it was not deleted"):
        store.restore_message(session, first)
