"""Share sessions with others by a key."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from sqlmodel import Session, col, select

from workbench.errors import StoreError
from workbench.records.owner import Owner
from workbench.records.sessions import NewMessage, StoredMessage, StoredSession, TreeNode, without_ephemeral
from workbench.store import rows
from workbench.store.message_writer import new_id, write_message
from workbench.store.owner_scope import OwnerScope
from workbench.store.paths import read_path, read_tree
from workbench.store.search_index import index_session_names
from workbench.store.storable import problem_of
from workbench.store.tables import SessionRow, SessionTagRow
from workbench.store.version_rows import put_setup


def copy_session(db: Session, source: SessionRow, owner: Owner, now: datetime) -> SessionRow:
    """Writes the copy for `owner`; of another's session it has no ephemeral part."""
    is_own = source.owner == owner.key
    copy = SessionRow(
        id=new_id(),
        owner=owner.key,
        title=source.title,
        created_at=now,
        updated_at=now,
        setup={},
        copied_from=source.id,
    )
    put_setup(db, copy, owner, source.setup if is_own else {**source.setup, "ephemeral": ""})
    db.add(copy)
    db.flush()
    for row in db.exec(select(SessionTagRow).where(col(SessionTagRow.session_id) == source.id)).all():
        db.add(SessionTagRow(session_id=copy.id, tag=row.tag, position=row.position))
    parent = None
    for kept in read_path(db, source, None, is_for_others=True):
        place = rows.MessagePosition(id=new_id(), session_id=copy.id, parent=parent, created_at=now)
        parent = write_message(db, _new(kept if is_own else without_ephemeral(kept)), place).message
        copy.leaf_id = parent.id
    index_session_names(db, copy.id)
    db.flush()
    return copy


def _new(kept: StoredMessage) -> NewMessage:
    return NewMessage(
        message=kept.message, origin=kept.origin, generation=kept.generation, tool_run=kept.tool_run
    )


class SharingStore(OwnerScope):
    """What one owner shows to others, and sees of theirs; one transaction a method."""

    def share(self, session_id: str) -> str:
        """The key that shows a session of one's own; the same until it is unshared.

        Raises:
            StoreError: There is no such session, or it could not be written.
        """
        with self._database.writing() as db:
            row = self._own(db, session_id)
            row.share_key = row.share_key or new_id()
            return row.share_key

    def unshare(self, session_id: str) -> None:
        """From now on the key shows nothing; sharing again makes another.

        Raises:
            StoreError: There is no such session, or it could not be written.
        """
        with self._database.writing() as db:
            self._own(db, session_id).share_key = None

    def find_shared(self, key: str) -> StoredSession | None:
        """The session, whoever's it is, without its ephemeral part; None where the key shows nothing.

        Raises:
            StoreError: It could not be read.
        """
        with self._database.reading() as db:
            row = _find_shared(db, key)
            if row is None:
                return None
            session = self._value(db, row)
            return replace(session, is_own=False, share_key=None, setup=replace(session.setup, ephemeral=""))

    def shared_path(self, key: str, *, leaf_id: str | None = None) -> Sequence[StoredMessage]:
        """Its messages from the root to `leaf_id`, or to the open leaf, without ephemeral parts.

        Raises:
            StoreError: The key shows nothing, the leaf is not one of its messages or was deleted, or it could
                not be read.
        """
        with self._database.reading() as db:
            path = read_path(db, _shared(db, key), leaf_id, is_for_others=True)
            return tuple(without_ephemeral(kept) for kept in path)

    def shared_tree(self, key: str) -> Sequence[TreeNode]:
        """All its messages, without their texts.

        Raises:
            StoreError: The key shows nothing, or it could not be read.
        """
        with self._database.reading() as db:
            return read_tree(db, _shared(db, key))

    def copy_shared(self, key: str) -> StoredSession:
        """A new session of one's own, with its open path.

        Raises:
            StoreError: The key shows nothing, or it could not be written.
        """
        with self._database.writing() as db:
            return self._value(db, copy_session(db, _shared(db, key), self._owner, self._now()))


def _find_shared(db: Session, key: str) -> SessionRow | None:
    if problem_of(key):
        return None
    is_shown = (col(SessionRow.share_key) == key, col(SessionRow.deleted_at).is_(None))
    return db.exec(select(SessionRow).where(*is_shown)).first()


def _shared(db: Session, key: str) -> SessionRow:
    row = _find_shared(db, key)
    if row is None:
        raise StoreError("this link shows no session any more; ask for a new one")
    return row
