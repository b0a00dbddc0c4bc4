"""Create, list, change, copy and delete sessions."""

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any
from typing import cast as typed

from sqlalchemy import ColumnElement, ScalarSelect, Text, cast
from sqlalchemy.orm import QueryableAttribute, defer
from sqlmodel import Session, col, delete, func, select, update

from workbench.chat.message import Message, Role
from workbench.names import usable_tags
from workbench.records.owner import Owner
from workbench.records.run_config import RunConfig
from workbench.records.sessions import (
    ListedSession,
    MessageOrigin,
    NewMessage,
    StoredMessage,
    StoredSession,
    copy_of,
)
from workbench.store import rows
from workbench.store.deleting import is_shown, restorable_since
from workbench.store.owner_scope import is_rollout
from workbench.store.paths import read_path
from workbench.store.rows import new_id
from workbench.store.sessions.messages import MessageStore
from workbench.store.sessions.search_index import index_session_names
from workbench.store.sessions.sharing import copy_session
from workbench.store.storable import problem_of
from workbench.store.tables import MessageRow, RecordedSessionRow, SessionRow, SessionTagRow
from workbench.store.tables.sessions import queue_place
from workbench.store.titles import given_title
from workbench.store.versions.version_rows import put_setup


def list_rows(
    db: Session,
    owner: Owner,
    *conditions: ColumnElement[bool],
    is_deleted: bool,
    limit: int,
    offset: int,
) -> tuple[ListedSession, ...]:
    """Return a page of the sessions that have messages and meet the conditions, as `owner` sees them.

    Rollouts of suites are left out. The order is most recently used first, or most recently deleted first.
    """
    last = col(SessionRow.deleted_at) if is_deleted else col(SessionRow.updated_at)
    page = (
        # The setup is read as text, so that one damaged row does not break the list.
        select(SessionRow, cast(col(SessionRow.setup), Text), _message_count(), _client())
        .options(defer(typed(QueryableAttribute[Any], SessionRow.setup)))
        .where(col(SessionRow.leaf_id).is_not(None), ~is_rollout(), *conditions)
        .order_by(last.desc(), col(SessionRow.id))
        .limit(limit)
        .offset(offset)
    )
    found = db.exec(page).all()
    tags = _tags(db, [row.id for row, *_ in found])
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
            client=client,
            damage=_damage(setup),
        )
        for row, setup, message_count, client in found
    )


def _message_count() -> ScalarSelect[int]:
    """Return an expression for the number of messages in the session of the outer query."""
    of_session = col(MessageRow.session_id) == col(SessionRow.id)
    return (
        select(func.count())
        .select_from(MessageRow)
        .where(of_session, is_shown())
        .correlate(SessionRow)
        .scalar_subquery()
    )


def _client() -> ScalarSelect[str]:
    """Return an expression for the client of the session of the outer query. NULL if the gateway did not record it."""
    of_session = col(RecordedSessionRow.session_id) == col(SessionRow.id)
    return select(RecordedSessionRow.client).where(of_session).correlate(SessionRow).scalar_subquery()


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
    """Return why a setup's text cannot be read, or None if it can."""
    try:
        rows.setup_value(json.loads(setup))
    except (ValueError, TypeError) as error:
        return str(error)
    return None


class SessionStore(MessageStore):
    """One owner's sessions. Each method is one transaction. Thread-safe."""

    def create_session(self, setup: RunConfig, *, session_id: str | None = None) -> StoredSession:
        """Create a session without messages.

        Args:
            session_id: The id of the session, a random one if it is None.

        Raises:
            BadInput: The setup contains text that cannot be stored.
            StoreError: The session could not be written.
        """
        self._accept_setup(setup)
        with self._database.writing() as db:
            return self._value(db, self._create(db, setup, session_id or new_id()))

    def begin_turn(
        self,
        session_id: str,
        setup: RunConfig,
        system: Message,
        *,
        text: str | None,
        origin: MessageOrigin = MessageOrigin.PERSON,
        leaf_id: str | None = None,
        is_new: bool = False,
    ) -> Sequence[StoredMessage]:
        """Save the setup and the user's message of a turn, in one transaction. On an error, nothing is stored.

        If the system message of the path is another one, the path is copied under the new one. The old branch stays,
        because its completions were generated with the old text.

        Args:
            text: The user's message. A user message without an answer at the end of the path becomes its sibling. None
                continues the path as it is.
            origin: Who says the text.
            leaf_id: The message to continue from. None takes the open leaf.
            is_new: True creates the session.

        Returns:
            The path from the system message to the last message before the model's answer.

        Raises:
            BadInput: The setup or the text contains text that cannot be stored, or exceeds a limit.
            StoreError: The session or the message does not exist, or could not be written.
        """
        self._accept_setup(setup)
        user = Message(role=Role.USER, text=text or "")
        said = [] if text is None else [NewMessage(message=user, origin=origin)]
        for message in said:
            self._accept_message(message)
        with self._database.writing() as db:
            if is_new:
                session = self._create(db, setup, session_id)
            else:
                session = self._own_session(db, session_id)
                self._put_setup(db, session, setup)
            path = read_path(db, session, leaf_id)
            if said and path and path[-1].message.role is Role.USER:
                said = [replace(message, world_patch=path[-1].world_patch) for message in said]
                path = path[:-1]
            new, parent_id = said, path[-1].id if path else None
            if not path or path[0].message != system:
                has_root = bool(path) and path[0].message.role is Role.SYSTEM
                patch = path[0].world_patch if has_root else ()
                root = NewMessage(message=system, origin=MessageOrigin.PERSON, world_patch=patch)
                self._accept_message(root)
                rest = path[1:] if has_root else path
                path, new, parent_id = (), [root, *map(copy_of, rest), *said], None
            self._require_room_for(db, session, new)
            return (*path, *self._write(db, session, new, parent_id))

    def _create(self, db: Session, setup: RunConfig, session_id: str) -> SessionRow:
        self._require_room_for_session(db)
        now = self._now()
        row = SessionRow(
            id=session_id,
            owner=self._owner.key,
            created_at=now,
            updated_at=now,
            setup={},
            queue_place=queue_place(now),
        )
        put_setup(db, row, self._owner, rows.setup_document(setup))
        db.add(row)
        db.flush()
        return row

    def _put_setup(self, db: Session, row: SessionRow, setup: RunConfig) -> None:
        document = rows.setup_document(setup)
        if row.setup != document:
            put_setup(db, row, self._owner, document)
            row.updated_at = self._now()

    def find_session(self, session_id: str) -> StoredSession | None:
        """Return the session with this id. None if the owner may not read it or it does not exist.

        Raises:
            StoreError: The session could not be read.
        """
        with self._database.reading() as db:
            row = self._find_readable(db, session_id)
            return None if row is None else self._value(db, row)

    def list_sessions(
        self, *, limit: int = 50, offset: int = 0, is_deleted: bool = False, all_owners: bool = False
    ) -> Sequence[ListedSession]:
        """Return the sessions that have messages, most recently used first. Damaged sessions are marked.

        Args:
            is_deleted: True returns the deleted sessions that can be restored.
            all_owners: True also returns the sessions of other owners, if this owner may read them.

        Raises:
            StoreError: The sessions could not be read.
        """
        allowed = self._is_readable() if all_owners else self._is_own()
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
        """Save the setup for the session's next turns. An unchanged setup does not count as using the session.

        Raises:
            BadInput: The setup contains text that cannot be stored.
            StoreError: The session does not exist, or could not be written.
        """
        self._accept_setup(setup)
        with self._database.writing() as db:
            self._put_setup(db, self._own_session(db, session_id), setup)

    def rename_session(self, session_id: str, title: str) -> None:
        """Set the title, as one line. An empty title is replaced by the text of the next user message.

        Raises:
            BadInput: The title has an invisible character, or contains text that cannot be stored.
            StoreError: The session does not exist, or could not be written.
        """
        self._limits.check_text("title", title)
        self._update(session_id, title=given_title(title))

    def tag_session(self, session_id: str, tags: Sequence[str]) -> None:
        """Replace the session's tags. Spaces around tags, empty tags and repeated tags are removed.

        Raises:
            BadInput: A tag has an invisible character, or contains text that cannot be stored.
            StoreError: The session does not exist, or could not be written.
        """
        self._accept(tags, "tags")
        new_tags = usable_tags(tags)
        with self._database.writing() as db:
            session = self._own_session(db, session_id)
            db.exec(delete(SessionTagRow).where(col(SessionTagRow.session_id) == session.id))
            db.add_all(
                SessionTagRow(session_id=session.id, tag=tag, position=position)
                for position, tag in enumerate(new_tags)
            )
            index_session_names(db, session.id)

    def delete_session(self, session_id: str) -> None:
        """Hide the session. It can be restored for 30 days and is then purged.

        Raises:
            StoreError: The session does not exist, or could not be written.
        """
        self._update(session_id, deleted_at=self._now())

    def restore_session(self, session_id: str) -> None:
        """Restore a deleted session.

        Raises:
            StoreError: There is no such deleted session, or it could not be written.
        """
        self._update(session_id, is_deleted=True, deleted_at=None)

    def copy_session(self, session_id: str) -> StoredSession:
        """Create a session of this owner with a copy of the open path of another session.

        Raises:
            StoreError: The session does not exist, or the copy could not be written.
        """
        with self._database.writing() as db:
            self._require_room_for_session(db)
            source = self._readable_session(db, session_id)
            return self._value(db, copy_session(db, source, self._owner, self._now()))

    def _update(self, session_id: str, *, is_deleted: bool = False, **values: str | datetime | None) -> None:
        """Write columns of one of the owner's sessions. This also works if its setup is damaged."""
        deleted_at = col(SessionRow.deleted_at)
        state = deleted_at > restorable_since(self._now()) if is_deleted else deleted_at.is_(None)
        with self._database.writing() as db:
            if not problem_of(session_id):
                is_target = (col(SessionRow.id) == session_id, state, self._is_own())
                if db.exec(update(SessionRow).where(*is_target).values(**values)).rowcount:
                    if "title" in values:
                        index_session_names(db, session_id)
                    return
            raise self._not_own_error(db, session_id)
