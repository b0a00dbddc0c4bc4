"""Create, list, change, copy and delete sessions, and append, read and delete their messages."""

from collections.abc import Sequence
from datetime import datetime

from sqlmodel import Session, col, delete, update

from workbench.chat.message import Message, Role
from workbench.names import usable_tags
from workbench.records.run_config import RunConfig
from workbench.records.sessions import (
    DeletedMessages,
    ListedSession,
    MessageOrigin,
    NewMessage,
    StoredMessage,
    StoredSession,
    TreeNode,
    continued,
)
from workbench.rollout.events import Generation
from workbench.store import rows
from workbench.store.deleting import delete_messages, read_deleted, restorable_since, restore_messages
from workbench.store.owner_scope import OwnerScope
from workbench.store.paths import message_row, read_path, read_tree
from workbench.store.rows import new_id
from workbench.store.sessions.message_writer import SENT, accept_message, write_messages
from workbench.store.sessions.search_index import index_session_names
from workbench.store.sessions.session_list import list_rows
from workbench.store.sessions.sharing import copy_session
from workbench.store.sessions.unfinished import forget_unfinished, save_unfinished
from workbench.store.storable import problem_of, refuse_unstorable
from workbench.store.tables import SessionRow, SessionTagRow
from workbench.store.tables.sessions import queue_place
from workbench.store.titles import given_title
from workbench.store.versions.version_rows import put_setup


class SessionStore(OwnerScope):
    """One owner's sessions and their messages, which form trees. Each method is one transaction. Thread-safe."""

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
        said = None
        if text is not None:
            said = NewMessage(message=Message(role=Role.USER, text=text), origin=origin)
            accept_message(self._limits, said)
        with self._database.writing() as db:
            if is_new:
                session = self._create(db, setup, session_id)
            else:
                session = self._own_session(db, session_id)
                self._put_setup(db, session, setup)
            path, new = continued(read_path(db, session, leaf_id), system, said)
            if not path:
                accept_message(self._limits, new[0])
            self._require_room_for(db, session, new)
            parent_id = path[-1].id if path else None
            return (*path, *write_messages(db, session, new, parent_id, self._now()))

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

    def append(
        self,
        session_id: str,
        new: NewMessage,
        *,
        parent_id: str | None,
        unfinished_id: str | None = None,
        is_shown: bool = True,
    ) -> StoredMessage:
        """Append a message.

        Args:
            parent_id: The message above it. None creates a root.
            unfinished_id: Id of the unfinished text that this message completes, which is deleted.
            is_shown: True makes the message the open leaf.

        Raises:
            BadInput: The message contains text that cannot be stored.
            StoreError: The session does not exist, the parent is not one of its messages, or the message
                could not be written.
        """
        (message,) = self._append(session_id, (new,), parent_id, unfinished_id, is_shown=is_shown)
        return message

    def append_all(
        self,
        session_id: str,
        new: Sequence[NewMessage],
        *,
        parent_id: str | None,
        is_shown: bool = True,
    ) -> Sequence[StoredMessage]:
        """Append several messages, each under the previous one. On an error, none is stored.

        Args:
            parent_id: The message above the first one. None creates a root.
            is_shown: True makes the last message the open leaf.

        Raises:
            BadInput: A message contains text that cannot be stored.
            StoreError: The session does not exist, the parent is not one of its messages, or the messages
                could not be written.
        """
        return self._append(session_id, new, parent_id, None, is_shown=is_shown)

    def save_unfinished(
        self,
        session_id: str,
        text: str,
        generation: Generation,
        *,
        parent_id: str | None,
        unfinished_id: str | None = None,
    ) -> str:
        """Save the text that a model has generated so far.

        Args:
            text: All of the text so far.
            parent_id: The message above the one that is being generated. None stands for a root.
            unfinished_id: The id that an earlier call returned, or None for the first call.

        Returns:
            The id to pass to further calls, and to `append` with the complete message.

        Raises:
            BadInput: The text or the generation contains text that cannot be stored.
            StoreError: The session does not exist, the parent is not one of its messages, or the text
                could not be written.
        """
        refuse_unstorable(text, "message.text")
        refuse_unstorable(generation, "generation")
        row_id = unfinished_id or new_id()
        with self._database.writing() as db:
            session = self._own_session(db, session_id)
            parent = None if parent_id is None else message_row(db, session.id, parent_id)
            place = rows.MessagePosition(
                id=row_id, session_id=session.id, parent=parent, created_at=self._now()
            )
            save_unfinished(db, text, generation, place)
        return row_id

    def path(self, session_id: str, *, leaf_id: str | None = None) -> Sequence[StoredMessage]:
        """Return the messages from the root to `leaf_id`, or to the open leaf if it is None.

        Raises:
            StoreError: The session does not exist, the leaf is not one of its messages, or the messages
                could not be read.
        """
        with self._database.reading() as db:
            return read_path(db, self._readable_session(db, session_id), leaf_id)

    def tree(self, session_id: str) -> Sequence[TreeNode]:
        """Return the messages of all branches, oldest first, without their texts.

        Raises:
            StoreError: The session does not exist or could not be read.
        """
        with self._database.reading() as db:
            return read_tree(db, self._readable_session(db, session_id))

    def delete_message(self, session_id: str, message_id: str) -> None:
        """Hide a message and all messages below it. If the open leaf is among them, the parent is opened.

        Raises:
            BadInput: The message is a root.
            StoreError: The session or message does not exist, or the change could not be written.
        """
        with self._database.writing() as db:
            delete_messages(db, self._own_session(db, session_id), message_id, self._now())

    def restore_message(self, session_id: str, message_id: str) -> str:
        """Restore the messages that were deleted together with a message.

        Returns:
            The id of the last restored message, which becomes the open leaf.

        Raises:
            StoreError: The session does not exist, the message was not deleted, its parent is deleted too,
                or the change could not be written.
        """
        with self._database.writing() as db:
            return restore_messages(db, self._own_session(db, session_id), message_id)

    def deleted_messages(self, session_id: str) -> Sequence[DeletedMessages]:
        """Return the deleted parts of a session, most recently deleted first.

        Raises:
            StoreError: The session does not exist or could not be read.
        """
        with self._database.reading() as db:
            return read_deleted(db, self._readable_session(db, session_id))

    def open_leaf(self, session_id: str, message_id: str) -> None:
        """Make a message the open leaf, the last message that is shown.

        Raises:
            StoreError: The session or message does not exist, or the change could not be written.
        """
        with self._database.writing() as db:
            session = self._own_session(db, session_id)
            session.leaf_id = message_row(db, session.id, message_id).id

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

    def _append(
        self,
        session_id: str,
        new: Sequence[NewMessage],
        parent_id: str | None,
        unfinished_id: str | None,
        *,
        is_shown: bool,
    ) -> tuple[StoredMessage, ...]:
        for message in new:
            accept_message(self._limits, message)
        with self._database.writing() as db:
            session = self._own_session(db, session_id)
            self._require_room_for(db, session, new)
            forget_unfinished(db, session.id, unfinished_id)
            return write_messages(db, session, new, parent_id, self._now(), is_shown=is_shown)

    def _require_room_for(self, db: Session, session: SessionRow, new: Sequence[NewMessage]) -> None:
        # Messages of models and tools are not counted, so that a turn that was allowed to start is not cut off.
        if any(message.origin in SENT for message in new):
            self._require_room_for_messages(db, session.id, new=len(new))
