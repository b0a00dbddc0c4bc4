"""Append, read and delete the messages of sessions, which form trees."""

from collections.abc import Sequence
from typing import Final

from sqlmodel import Session

from workbench.records.sessions import DeletedMessages, MessageOrigin, NewMessage, StoredMessage, TreeNode
from workbench.rollout.events import Generation
from workbench.store import rows
from workbench.store.deleting import delete_messages, read_deleted, restore_messages
from workbench.store.owner_scope import OwnerScope
from workbench.store.paths import message_row, read_path, read_tree
from workbench.store.rows import new_id
from workbench.store.sessions.message_writer import show_leaf, write_message
from workbench.store.sessions.unfinished import forget_unfinished, save_unfinished
from workbench.store.storable import refuse_unstorable
from workbench.store.tables import SessionRow

SENT: Final = frozenset(
    {MessageOrigin.PERSON, MessageOrigin.IMPORT, MessageOrigin.SCRIPTED, MessageOrigin.SIMULATED}
)
"""Origins of messages that somebody sends."""


class MessageStore(OwnerScope):
    """The messages of one owner's sessions. Each method is one transaction. Thread-safe."""

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
            self._accept_message(message)
        with self._database.writing() as db:
            session = self._own_session(db, session_id)
            self._require_room_for(db, session, new)
            forget_unfinished(db, session.id, unfinished_id)
            return self._write(db, session, new, parent_id, is_shown=is_shown)

    def _write(
        self,
        db: Session,
        session: SessionRow,
        new: Sequence[NewMessage],
        parent_id: str | None,
        *,
        is_shown: bool = True,
    ) -> tuple[StoredMessage, ...]:
        """Write messages, each under the previous one."""
        parent = None if parent_id is None else message_row(db, session.id, parent_id)
        stored: list[StoredMessage] = []
        for message in new:
            place = rows.MessagePosition(
                id=new_id(), session_id=session.id, parent=parent, created_at=self._now()
            )
            parts = write_message(db, message, place)
            show_leaf(db, session, parts.message, is_shown=is_shown)
            stored.append(rows.message_value(parts))
            parent = parts.message
        return tuple(stored)

    def _require_room_for(self, db: Session, session: SessionRow, new: Sequence[NewMessage]) -> None:
        # Messages of models and tools are not counted, so that a turn that was allowed to start is not cut off.
        if any(message.origin in SENT for message in new):
            self._require_room_for_messages(db, session.id, new=len(new))

    def _accept_message(self, new: NewMessage) -> None:
        refuse_unstorable(new.message, "message")
        refuse_unstorable(new.generation, "generation")
        refuse_unstorable(new.tool_run, "tool run")
        refuse_unstorable(new.world_patch, "world")
        refuse_unstorable(new.setup, "setup")
        if new.origin in SENT:
            self._limits.check_message(new.message)
