"""Share sessions with others by a link.

Idea: a link contains a random key of 128 bits. Anyone who has the key may read the session, without any other
permission. The key is a column of the session, so a session has at most one.

Invariants:

- A key gives read access only. To continue a shared session, a user copies it, and the copy is theirs.
- Unsharing deletes the key, and sharing again creates a new one. An old link never works again.
- A reader with a key gets no ephemeral system text: not in the setup, not in the prompts, and not in a copy.
- Deleted messages do not exist for such a reader: the open path ends before the first deleted message, and
  naming a deleted message is an error. The messages of a deleted session cannot be read at all.
- Unknown, old and malformed keys all give the same answer.

Example: Ann shares a session with the branches A-B-C and A-D and deletes C. Bob opens the link: he sees A-B and
A-D, but a link to C is an error. He copies the session, and gets A-B as a new session of his own. Ann
unshares: Bob's link stops working, and his copy stays.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from sqlmodel import Session, col, select

from workbench.errors import StoreError
from workbench.records.owner import Owner
from workbench.records.sessions import (
    NewMessage,
    StoredMessage,
    StoredSession,
    TreeNode,
    copy_of,
    without_ephemeral,
)
from workbench.store import rows
from workbench.store.owner_scope import OwnerScope
from workbench.store.paths import read_path, read_tree
from workbench.store.rows import new_id
from workbench.store.sessions.message_writer import write_message
from workbench.store.sessions.search_index import index_session_names
from workbench.store.storable import problem_of
from workbench.store.tables import SessionRow, SessionTagRow
from workbench.store.tables.sessions import queue_place
from workbench.store.versions.version_rows import put_setup


def copy_session(db: Session, source: SessionRow, owner: Owner, now: datetime) -> SessionRow:
    """Write a copy of a session's open path for `owner`. A copy of another owner's session has no ephemeral text."""
    is_own = source.owner == owner.key
    copy = SessionRow(
        id=new_id(),
        owner=owner.key,
        title=source.title,
        created_at=now,
        updated_at=now,
        setup={},
        copied_from=source.id,
        queue_place=queue_place(now),
    )
    put_setup(db, copy, owner, source.setup if is_own else {**source.setup, "ephemeral": ""})
    db.add(copy)
    db.flush()
    for row in db.exec(select(SessionTagRow).where(col(SessionTagRow.session_id) == source.id)).all():
        db.add(SessionTagRow(session_id=copy.id, tag=row.tag, position=row.position))
    parent = None
    for message in read_path(db, source, None, is_for_others=True):
        place = rows.MessagePosition(id=new_id(), session_id=copy.id, parent=parent, created_at=now)
        parent = write_message(db, _new(message if is_own else without_ephemeral(message)), place).message
        copy.leaf_id = parent.id
    index_session_names(db, copy.id)
    db.flush()
    return copy


def _new(stored: StoredMessage) -> NewMessage:
    return replace(copy_of(stored), copy_of=None)


class SharingStore(OwnerScope):
    """Shares one owner's sessions, and reads sessions that others share. Each method is one transaction."""

    def share(self, session_id: str) -> str:
        """Share one of the owner's sessions and return its key. A shared session keeps its key.

        Raises:
            StoreError: The session does not exist, or could not be written.
        """
        with self._database.writing() as db:
            row = self._own_session(db, session_id)
            row.share_key = row.share_key or new_id()
            return row.share_key

    def unshare(self, session_id: str) -> None:
        """Stop sharing a session. Its key no longer works, and sharing again creates a new key.

        Raises:
            StoreError: The session does not exist, or could not be written.
        """
        with self._database.writing() as db:
            self._own_session(db, session_id).share_key = None

    def find_shared(self, key: str) -> StoredSession | None:
        """Return the session with this key, of any owner, without ephemeral text. None if the key is not valid.

        Raises:
            StoreError: The session could not be read.
        """
        with self._database.reading() as db:
            row = _find_shared(db, key)
            if row is None:
                return None
            session = self._value(db, row)
            return replace(session, is_own=False, share_key=None, setup=replace(session.setup, ephemeral=""))

    def shared_path(self, key: str, *, leaf_id: str | None = None) -> Sequence[StoredMessage]:
        """Return the messages of a shared session from the root to a leaf, without ephemeral text.

        Args:
            leaf_id: The last message. None takes the open leaf.

        Raises:
            StoreError: The key is not valid, the leaf is not one of the session's messages or was deleted, or
                the messages could not be read.
        """
        with self._database.reading() as db:
            path = read_path(db, _shared(db, key), leaf_id, is_for_others=True)
            return tuple(without_ephemeral(message) for message in path)

    def shared_tree(self, key: str) -> Sequence[TreeNode]:
        """Return all messages of a shared session, without their texts.

        Raises:
            StoreError: The key is not valid, or the messages could not be read.
        """
        with self._database.reading() as db:
            return read_tree(db, _shared(db, key))

    def copy_shared(self, key: str) -> StoredSession:
        """Create a session of this owner with a copy of the shared session's open path.

        Raises:
            StoreError: The key is not valid, or the copy could not be written.
        """
        with self._database.writing() as db:
            self._require_room_for_session(db)
            return self._value(db, copy_session(db, _shared(db, key), self._owner, self._now()))


def _find_shared(db: Session, key: str) -> SessionRow | None:
    if problem_of(key):
        return None
    is_shown = (col(SessionRow.share_key) == key, col(SessionRow.deleted_at).is_(None))
    return db.exec(select(SessionRow).where(*is_shown)).first()


def _shared(db: Session, key: str) -> SessionRow:
    row = _find_shared(db, key)
    if row is None:
        raise StoreError("this link is no longer valid; ask for a new one")
    return row
