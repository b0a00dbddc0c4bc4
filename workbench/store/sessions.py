"""Sessions in a database."""

from collections.abc import Sequence
from datetime import datetime

from sqlmodel import col, delete, update

from workbench.records.run_config import RunConfig
from workbench.records.sessions import ListedSession, StoredSession
from workbench.store import rows
from workbench.store.deleting import kept_since
from workbench.store.listing import list_rows
from workbench.store.message_writer import new_id
from workbench.store.messages import MessageStore
from workbench.store.search_index import note_session
from workbench.store.sharing import copy_session
from workbench.store.storable import problem_of, refuse_unstorable
from workbench.store.tables import SessionRow, SessionTagRow
from workbench.store.version_rows import put_setup


class SessionStore(MessageStore):
    """Keeps one owner's sessions; one transaction a method, safe to use from several threads."""

    def create_session(self, setup: RunConfig) -> StoredSession:
        """A new, empty session.

        Raises:
            BadInput: The setup holds text that cannot be stored.
            StoreError: It could not be written.
        """
        refuse_unstorable(setup, "setup")
        now = self._now()
        row = SessionRow(id=new_id(), owner=self._owner.key, created_at=now, updated_at=now, setup={})
        with self._database.writing() as db:
            put_setup(db, row, self._owner, rows.setup_document(setup))
            db.add(row)
            db.flush()
            return self._value(db, row)

    def find_session(self, session_id: str) -> StoredSession | None:
        """The session of that id; None where there is none, or only another's.

        Raises:
            StoreError: It could not be read.
        """
        with self._database.reading() as db:
            row = self._find_seen(db, session_id)
            return None if row is None else self._value(db, row)

    def list_sessions(
        self, *, limit: int = 50, offset: int = 0, is_deleted: bool = False, is_of_all: bool = False
    ) -> Sequence[ListedSession]:
        """The sessions that hold a message, last used first; one that is damaged says so.

        Raises:
            StoreError: They could not be read.
        """
        allowed = self._is_seen() if is_of_all else self._is_own()
        state = (
            col(SessionRow.deleted_at) > kept_since(self._now())
            if is_deleted
            else col(SessionRow.deleted_at).is_(None)
        )
        with self._database.reading() as db:
            return list_rows(
                db, self._owner, allowed, state, is_deleted=is_deleted, limit=limit, offset=offset
            )

    def save_setup(self, session_id: str, setup: RunConfig) -> None:
        """What the session is set to from now on; one that is as it was is no use of the session.

        Raises:
            BadInput: The setup holds text that cannot be stored.
            StoreError: There is no such session, or it could not be written.
        """
        refuse_unstorable(setup, "setup")
        with self._database.writing() as db:
            row = self._own(db, session_id)
            document = rows.setup_document(setup)
            if row.setup != document:
                put_setup(db, row, self._owner, document)
                row.updated_at = self._now()

    def rename_session(self, session_id: str, title: str) -> None:
        """A title of one's own, as one line; an empty one gives way to the next that the user says.

        Raises:
            BadInput: The title holds text that cannot be stored.
            StoreError: There is no such session, or it could not be written.
        """
        refuse_unstorable(title, "title")
        self._update(session_id, title=rows.title_of(title))

    def tag_session(self, session_id: str, tags: Sequence[str]) -> None:
        """These tags instead of those it had, each once, in this order; blanks around them are cut.

        Raises:
            BadInput: A tag holds text that cannot be stored.
            StoreError: There is no such session, or it could not be written.
        """
        refuse_unstorable(tags, "tags")
        wanted = dict.fromkeys(tag.strip() for tag in tags if tag.strip())
        with self._database.writing() as db:
            session = self._own(db, session_id)
            db.exec(delete(SessionTagRow).where(col(SessionTagRow.session_id) == session.id))
            db.add_all(
                SessionTagRow(session_id=session.id, tag=tag, position=position)
                for position, tag in enumerate(wanted)
            )
            note_session(db, session.id)

    def delete_session(self, session_id: str) -> None:
        """Hides the session; it is purged when 30 days are over.

        Raises:
            StoreError: There is no such session, or it could not be written.
        """
        self._update(session_id, deleted_at=self._now())

    def restore_session(self, session_id: str) -> None:
        """Undoes deleting.

        Raises:
            StoreError: There is no such deleted session, or it could not be written.
        """
        self._update(session_id, is_deleted=True, deleted_at=None)

    def copy_session(self, session_id: str) -> StoredSession:
        """A new session of one's own, with the open path of that one.

        Raises:
            StoreError: There is no such session, or it could not be written.
        """
        with self._database.writing() as db:
            source = self._seen(db, session_id)
            return self._value(db, copy_session(db, source, self._owner, self._now()))

    def _update(self, session_id: str, *, is_deleted: bool = False, **values: str | datetime | None) -> None:
        """Writes columns of an own session, also of one whose setup is damaged."""
        deleted_at = col(SessionRow.deleted_at)
        state = deleted_at > kept_since(self._now()) if is_deleted else deleted_at.is_(None)
        with self._database.writing() as db:
            if not problem_of(session_id):
                its_own = (col(SessionRow.id) == session_id, state, self._is_own())
                if db.exec(update(SessionRow).where(*its_own).values(**values)).rowcount:
                    if "title" in values:
                        note_session(db, session_id)
                    return
            raise self._not_own(db, session_id)
