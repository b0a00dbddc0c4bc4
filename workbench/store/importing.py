"""Rows of data sets, kept as sessions."""

import json
from collections.abc import Iterable
from datetime import datetime

from sqlmodel import Session, col, select

from workbench.chat.message import Message
from workbench.errors import StoreError
from workbench.records.corpus.material import NewImport
from workbench.records.labels.project import QueueState
from workbench.records.sessions import NewMessage, Origin
from workbench.store import rows
from workbench.store.labels import LabelStore
from workbench.store.noting import note_session
from workbench.store.owned import Owned
from workbench.store.scope import scope_of
from workbench.store.storable import refuse_unstorable
from workbench.store.tables import ImportRow, MessageRow, SessionRow, SessionTagRow
from workbench.store.version_texts import put_setup
from workbench.store.writing import new_id, show_leaf, write_message


class ImportStore(Owned):
    """Makes sessions of rows; one transaction a row, safe to use from several threads."""

    def find_import(self, digest: str) -> str | None:
        """The session, not deleted, that was made of the row of this digest; the oldest of several."""
        found = (
            select(ImportRow.session_id)
            .join(SessionRow, col(SessionRow.id) == col(ImportRow.session_id))
            .where(col(ImportRow.scope) == scope_of(self._owner), col(ImportRow.digest) == digest)
            .where(self._is_own(), col(SessionRow.deleted_at).is_(None))
            .order_by(col(SessionRow.created_at))
        )
        with self._database.reading() as db:
            return db.exec(found).first()

    def add_import(self, new: NewImport, *, digest: str) -> str:
        """A session made of a row, whole or not at all; gives its id.

        Raises:
            BadInput: It holds text that cannot be stored.
            StoreError: It could not be written, or has no message.
        """
        refuse_unstorable(new.setup, "setup")
        refuse_unstorable((*new.messages, *new.rejected), "row")
        refuse_unstorable((*new.tags, new.file), "tags")
        if not new.messages:
            raise StoreError("a row without a message makes no session")
        now = self._now()
        session = SessionRow(id=new_id(), owner=self._owner.key, created_at=now, updated_at=now, setup={})
        with self._database.writing() as db:
            put_setup(db, session, self._owner, rows.setup_document(new.setup))
            db.add(session)
            db.flush()
            own = _write(db, session, new.messages, None, now)
            parent = own[new.answer_start - 1] if new.answer_start else None
            rejected = _write(db, session, new.rejected, parent, now)
            # The open path is that of the answer which was chosen.
            show_leaf(db, session, own[-1])
            self._note(db, session, new, digest, (own, rejected))
            session_id = session.id
        if new.is_queued:
            labels = LabelStore(self._database, self._owner, self._clock)
            labels.move(session_id, QueueState.PENDING)
        return session_id

    def _note(
        self,
        db: Session,
        session: SessionRow,
        new: NewImport,
        digest: str,
        written: tuple[list[MessageRow], list[MessageRow]],
    ) -> None:
        """What stands beside the messages: the row itself, and tags."""
        own, rejected = ([one.id for one in messages] for messages in written)
        row_text = json.dumps(new.fields)
        db.add(
            ImportRow(
                session_id=session.id, scope=scope_of(self._owner), digest=digest, format=new.format, file=new.file,
                number=new.number, row_text=row_text, message_ids=own, rejected_ids=rejected,
            )
        )  # fmt: skip
        for position, tag in enumerate(dict.fromkeys(new.tags)):
            db.add(SessionTagRow(session_id=session.id, tag=tag, position=position))
        db.flush()
        note_session(db, session.id)


def _write(
    db: Session, session: SessionRow, messages: Iterable[Message], parent: MessageRow | None, now: datetime
) -> list[MessageRow]:
    """Each message under the one before; the first under `parent`."""
    written: list[MessageRow] = []
    for message in messages:
        place = rows.Place(id=new_id(), session_id=session.id, parent=parent, created_at=now)
        parent = write_message(db, NewMessage(message=message, origin=Origin.IMPORT), place).message
        if message.role == "user" and not session.title:
            session.title = rows.title_of(message.text)
        written.append(parent)
    return written
