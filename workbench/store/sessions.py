"""Sessions in the database, and the list of them."""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any
from typing import cast as typed

from sqlalchemy import ColumnElement, ScalarSelect, Text, cast, exists
from sqlalchemy.orm import QueryableAttribute, defer
from sqlmodel import Session, col, delete, func, select, update

from workbench.records.owner import Owner
from workbench.records.run_config import RunConfig
from workbench.records.sessions import ListedSession, StoredSession
from workbench.store import rows
from workbench.store.deleting import is_shown, restorable_since
from workbench.store.message_writer import new_id
from workbench.store.messages import MessageStore
from workbench.store.search_index import index_session_names
from workbench.store.sharing import copy_session
from workbench.store.storable import problem_of, refuse_unstorable
from workbench.store.tables import MessageRow, RunSessionRow, SessionRow, SessionTagRow
from workbench.store.version_rows import put_setup


def list_rows(
    db: Session,
    owner: Owner,
    *conditions: ColumnElement[bool],
    is_deleted: bool,
    limit: int,
    offset: int,
) -> tuple[ListedSession, ...]:
    """A page of the sessions that hold a message and meet the conditions, as `owner` sees them."""
    last = col(SessionRow.deleted_at) if is_deleted else col(SessionRow.updated_at)
    page = (
        # The setup as text: a row whose JSON is damaged must not fail the others.
        select(SessionRow, cast(col(SessionRow.setup), Text), _message_count())
        .options(defer(typed(QueryableAttribute[Any], SessionRow.setup)))
        .where(col(SessionRow.leaf_id).is_not(None), ~is_rollout(), *conditions)
        .order_by(last.desc(), col(SessionRow.id))
        .limit(limit)
        .offset(offset)
    )
    found = db.exec(page).all()
    tags = _tags(db, [row.id for row, _, _ in found])
    return tuple(
        ListedSession(
            id=row.id,
            title=row.title,
            tags=tuple(tags.get(row.id, ())),
            created_at=row.created_at,
            updated_at=row.updated_at,
            deleted_at=row.deleted_at,
            message_count=message_count,
            is_own=row.owner == owner.key,
            is_shared=row.share_key is not None,
            damage=_damage(setup),
        )
        for row, setup, message_count in found
    )


def _message_count() -> ScalarSelect[int]:
    """How many messages the session of the outer query has."""
    of_session = col(MessageRow.session_id) == col(SessionRow.id)
    return (
        select(func.count())
        .select_from(MessageRow)
        .where(of_session, is_shown())
        .correlate(SessionRow)
        .scalar_subquery()
    )


def is_rollout() -> ColumnElement[bool]:
    """Whether the session of the outer query is a rollout of a run."""
    return exists().where(col(RunSessionRow.session_id) == col(SessionRow.id)).correlate(SessionRow)


def _tags(db: Session, session_ids: Sequence[str]) -> dict[str, list[str]]:
    found = db.exec(
        select(SessionTagRow.session_id, SessionTagRow.tag)
        .where(col(SessionTagRow.session_id).in_(session_ids))
        .order_by(col(SessionTagRow.position))
    )
    tags: dict[str, list[str]] = {}
    for session_id, tag in found:
        tags.setdefault(session_id, []).append(tag)
    return tags


def _damage(setup: str) -> str | None:
    """What of a setup's text cannot be read."""
    try:
        rows.setup_value(json.loads(setup))
    except (ValueError, TypeError) as error:
        return str(error)
    return None


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
        self, *, limit: int = 50, offset: int = 0, is_deleted: bool = False, all_owners: bool = False
    ) -> Sequence[ListedSession]:
        """The sessions that hold a message, last used first; one that is damaged says so.

        Raises:
            StoreError: They could not be read.
        """
        allowed = self._is_seen() if all_owners else self._is_own()
        state = (
            col(SessionRow.deleted_at) > restorable_since(self._now())
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
            index_session_names(db, session.id)

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
        state = deleted_at > restorable_since(self._now()) if is_deleted else deleted_at.is_(None)
        with self._database.writing() as db:
            if not problem_of(session_id):
                its_own = (col(SessionRow.id) == session_id, state, self._is_own())
                if db.exec(update(SessionRow).where(*its_own).values(**values)).rowcount:
                    if "title" in values:
                        index_session_names(db, session_id)
                    return
            raise self._not_own(db, session_id)
