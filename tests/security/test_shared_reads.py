"""A share link gives access to the session that it shows and to nothing else."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tests.store.examples import SETUP, completion, user
from workbench.app.opened_session import open_shared
from workbench.errors import StoreError
from workbench.records.owner import Owner
from workbench.store.store import OwnedStore, Store

SECRET = "the secret that Ann deleted"


@dataclass(frozen=True, kw_only=True)
class Shared:
    """A session that Ann shares with Bob, and one that she does not."""

    ann: OwnedStore
    bob: OwnedStore
    key: str
    session: str
    kept: tuple[str, ...]
    deleted: tuple[str, ...]
    private: str
    """A message of Ann's other session."""


@pytest.fixture
def shared(tmp_path: Path) -> Iterator[Shared]:
    with closing(Store(f"sqlite:///{tmp_path / 'workbench.sqlite3'}")) as store:
        ann, bob = store.of(Owner(key="ann")), store.of(Owner(key="bob"))
        session = ann.sessions.create_session(replace(SETUP, ephemeral="only Ann's"))
        path = ann.sessions.append_all(session.id, (user("hi"), completion("hello")), parent_id=None)
        gone = ann.sessions.append_all(
            session.id, (user(SECRET), completion(f"about {SECRET}")), parent_id=path[-1].id
        )
        ann.sessions.delete_message(session.id, gone[0].id)
        other = ann.sessions.create_session(SETUP)
        private = ann.sessions.append(other.id, user(f"elsewhere, {SECRET}"), parent_id=None)
        yield Shared(
            ann=ann,
            bob=bob,
            key=ann.sharing.share(session.id),
            session=session.id,
            kept=tuple(one.id for one in path),
            deleted=tuple(one.id for one in gone),
            private=private.id,
        )


def _reads(store: OwnedStore, key: str, leaf_id: str | None) -> str:
    """Return everything that can be read with a key, as text."""
    found = store.sharing.find_shared(key)
    return repr((found, store.sharing.shared_path(key, leaf_id=leaf_id), store.sharing.shared_tree(key)))


def test_the_shared_session_can_be_read(shared: Shared) -> None:
    for leaf_id in (None, *shared.kept):
        said = _reads(shared.bob, shared.key, leaf_id)
        assert "hi" in said
        assert SECRET not in said
        assert not any(one in said for one in shared.deleted)


@pytest.mark.parametrize("place", [0, 1])
def test_a_deleted_message_cannot_be_read_by_its_id(shared: Shared, place: int) -> None:
    with pytest.raises(StoreError, match="no message"):
        shared.bob.sharing.shared_path(shared.key, leaf_id=shared.deleted[place])


def test_a_message_of_another_session_cannot_be_read(shared: Shared) -> None:
    for leaf_id in (shared.private, "nothing", "", "a\0", "\ud800"):
        with pytest.raises(StoreError, match="no message"):
            shared.bob.sharing.shared_path(shared.key, leaf_id=leaf_id)


def test_messages_below_a_deleted_message_cannot_be_read(shared: Shared) -> None:
    """A model that still generates when its message is deleted continues below it."""
    late = shared.ann.sessions.append(
        shared.session, completion(f"late, {SECRET}"), parent_id=shared.deleted[-1]
    )
    # It is the open leaf now. The link shows the path up to what was deleted.
    assert SECRET not in repr(shared.bob.sharing.shared_path(shared.key))
    with pytest.raises(StoreError, match="no message"):
        shared.bob.sharing.shared_path(shared.key, leaf_id=late.id)
    copy = shared.bob.sharing.copy_shared(shared.key)
    assert SECRET not in repr(shared.bob.sessions.path(copy.id))


def test_a_copy_of_a_shared_session_has_no_deleted_messages(shared: Shared) -> None:
    copy = shared.bob.sharing.copy_shared(shared.key)
    text = repr((shared.bob.sessions.path(copy.id), shared.bob.sessions.deleted_messages(copy.id)))
    assert SECRET not in text
    assert "only Ann's" not in repr(copy)
    assert "only Ann's" not in text


def test_the_key_works_only_for_the_shared_session(shared: Shared) -> None:
    """The key and the visible ids are refused where an owner needs their own."""
    bob = shared.bob
    for session_id in (shared.session, shared.key):
        assert bob.sessions.find_session(session_id) is None
        assert bob.corpus.material(session_id) is None
        assert list(bob.facts.of_session(session_id)) == []
        for read in (
            bob.sessions.path,
            bob.sessions.tree,
            bob.sessions.deleted_messages,
            bob.sessions.copy_session,
            bob.labels.stale,
            bob.sharing.share,
            bob.sharing.unshare,
            bob.sessions.delete_session,
        ):
            with pytest.raises(StoreError):
                read(session_id)
    with pytest.raises(StoreError):
        bob.sessions.restore_message(shared.session, shared.deleted[0])


def test_a_restored_message_can_be_read_again(shared: Shared) -> None:
    shared.ann.sessions.restore_message(shared.session, shared.deleted[0])
    assert SECRET in repr(shared.bob.sharing.shared_path(shared.key, leaf_id=shared.deleted[1]))


@pytest.mark.parametrize("change", ["unshare", "delete_session"])
def test_a_disabled_link_gives_access_to_nothing(shared: Shared, change: str) -> None:
    {"unshare": shared.ann.sharing.unshare, "delete_session": shared.ann.sessions.delete_session}[change](
        shared.session
    )
    assert shared.bob.sharing.find_shared(shared.key) is None
    for leaf_id in (None, *shared.kept, *shared.deleted):
        with pytest.raises(StoreError, match="no longer valid"):
            shared.bob.sharing.shared_path(shared.key, leaf_id=leaf_id)
    for read in (shared.bob.sharing.shared_tree, shared.bob.sharing.copy_shared):
        with pytest.raises(StoreError, match="no longer valid"):
            read(shared.key)


def test_opening_a_link_does_not_show_deleted_messages(shared: Shared) -> None:
    class Link:
        """What `open_shared` asks of the services."""

        sharing = shared.bob.sharing

    opened = open_shared(Link(), shared.key)  # pyright: ignore[reportArgumentType]
    assert opened
    assert opened.deleted == ()
    assert SECRET not in repr(opened)
