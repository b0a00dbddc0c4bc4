"""The list of sessions: tags, titles and damage."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.store.examples import SETUP, completion, user
from workbench.errors import BadInput, StoreError
from workbench.records.session_tree import find_children, find_siblings, newest_leaf
from workbench.store.sessions.sessions import SessionStore


def _talk(store: SessionStore, text: str) -> str:
    session = store.create_session(SETUP)
    store.append_all(session.id, (user(text), completion("a")), parent_id=None)
    return session.id


@pytest.mark.parametrize(
    ("setup", "damage"),
    [("{", "Expecting property name"), ('{"max_rounds": "many"}', "setup.max_rounds"), ("[]", "setup")],
    ids=["no JSON", "no number", "no object"],
)
def test_a_damaged_session_is_listed_with_its_problem(
    store: SessionStore, file: Path, setup: str, damage: str
) -> None:
    good, bad = _talk(store, "good"), _talk(store, "bad")
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("UPDATE session SET setup = ? WHERE id = ?", (setup, bad))
    listed = {session.id: session for session in store.list_sessions()}
    assert listed[good].damage is None
    assert damage in (listed[bad].damage or "")
    assert listed[bad].title == "bad"
    with pytest.raises(StoreError):
        store.find_session(bad)
    store.delete_session(bad)
    assert [session.id for session in store.list_sessions()] == [good]
    assert [session.damage is None for session in store.list_sessions(is_deleted=True)] == [False]


def test_a_given_title_stays(store: SessionStore) -> None:
    session_id = _talk(store, "first words")
    store.rename_session(session_id, "  Flumbusters\nof Cairo ")
    store.append(session_id, user("other words"), parent_id=None)
    assert [session.title for session in store.list_sessions()] == ["Flumbusters of Cairo"]
    store.rename_session(session_id, "")
    store.append(session_id, user("new words"), parent_id=None)
    found = store.find_session(session_id)
    assert found and found.title == "new words"
    with pytest.raises(BadInput, match="NUL"):
        store.rename_session(session_id, "a\0")


def test_tags_keep_their_order_without_repetitions(store: SessionStore) -> None:
    session_id = _talk(store, "hi")
    store.tag_session(session_id, ["zeta", " alpha ", "zeta", "", "größe 🦉"])
    found = store.find_session(session_id)
    assert found and found.tags == ("zeta", "alpha", "größe 🦉")
    assert [session.tags for session in store.list_sessions()] == [found.tags]
    store.tag_session(session_id, [])
    assert [session.tags for session in store.list_sessions()] == [()]
    with pytest.raises(BadInput, match="NUL"):
        store.tag_session(session_id, ["a\0"])


def test_the_tree_shows_branches_and_any_leaf_can_be_opened(store: SessionStore) -> None:
    session = store.create_session(SETUP)
    root, first, old = store.append_all(session.id, (user("s"), user("q"), completion("old")), parent_id=None)
    second, new = store.append_all(session.id, (user("q2"), completion("new")), parent_id=root.id)
    tree = store.tree(session.id)
    assert [node.id for node in tree] == [root.id, first.id, old.id, second.id, new.id]
    assert find_siblings(tree)[first.id] == find_siblings(tree)[second.id] == (first.id, second.id)
    assert find_children(tree, root.id) == (first.id, second.id)
    assert [newest_leaf(tree, node.id) for node in (root, first, second, old)] == [
        new.id,
        old.id,
        new.id,
        old.id,
    ]
    assert [stored.id for stored in store.path(session.id, leaf_id=old.id)] == [root.id, first.id, old.id]
    assert [stored.id for stored in store.path(session.id)] == [root.id, second.id, new.id]
    store.open_leaf(session.id, old.id)
    assert [stored.id for stored in store.path(session.id)] == [root.id, first.id, old.id]
    for call in (store.open_leaf, lambda one, leaf: store.path(one, leaf_id=leaf)):
        with pytest.raises(StoreError, match="has no message"):
            call(session.id, "nowhere")
