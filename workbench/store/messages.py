"""The messages of sessions, as trees."""

from collections.abc import Sequence

from workbench.records.sessions import DeletedMessages, NewMessage, StoredMessage, TreeNode
from workbench.rollout.events import Generation
from workbench.store import rows
from workbench.store.deleting import delete_messages, read_deleted, restore_messages
from workbench.store.message_writer import new_id, show_leaf, write_message
from workbench.store.owner_scope import OwnerScope
from workbench.store.paths import message_row, read_path, read_tree
from workbench.store.storable import refuse_unstorable
from workbench.store.unfinished import forget_unfinished, save_unfinished


class MessageStore(OwnerScope):
    """The messages of one owner's sessions; one transaction a method, safe to use from several threads."""

    def append(
        self,
        session_id: str,
        new: NewMessage,
        *,
        parent_id: str | None,
        unfinished_id: str | None = None,
        is_shown: bool = True,
    ) -> StoredMessage:
        """A message under `parent_id` (None makes a root); it becomes the open leaf, if it is shown.

        Raises:
            BadInput: The message holds text that cannot be stored.
            StoreError: There is no such session, the parent is not one of its messages, or it could
                not be written.
        """
        (kept,) = self._append(session_id, (new,), parent_id, unfinished_id, is_shown=is_shown)
        return kept

    def append_all(
        self,
        session_id: str,
        new: Sequence[NewMessage],
        *,
        parent_id: str | None,
        is_shown: bool = True,
    ) -> Sequence[StoredMessage]:
        """Messages, each under the one before, the first under `parent_id`: all of them, or none.

        Raises:
            BadInput: A message holds text that cannot be stored.
            StoreError: There is no such session, the parent is not one of its messages, or they could
                not be written.
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
        """What a model has written so far of a message that is to come; gives the id to finish it by.

        Raises:
            BadInput: The message or its generation holds text that cannot be stored.
            StoreError: There is no such session, the parent is not one of its messages, or it could
                not be written.
        """
        refuse_unstorable(text, "message.text")
        refuse_unstorable(generation, "generation")
        row_id = unfinished_id or new_id()
        with self._database.writing() as db:
            session = self._own(db, session_id)
            parent = None if parent_id is None else message_row(db, session.id, parent_id)
            place = rows.MessagePosition(
                id=row_id, session_id=session.id, parent=parent, created_at=self._now()
            )
            save_unfinished(db, text, generation, place)
        return row_id

    def path(self, session_id: str, *, leaf_id: str | None = None) -> Sequence[StoredMessage]:
        """The messages from the root to `leaf_id`, or to the open leaf.

        Raises:
            StoreError: There is no such session, the leaf is not one of its messages, or it could not be
                read.
        """
        with self._database.reading() as db:
            return read_path(db, self._seen(db, session_id), leaf_id)

    def tree(self, session_id: str) -> Sequence[TreeNode]:
        """All messages of all branches, the oldest first.

        Raises:
            StoreError: There is no such session, or it could not be read.
        """
        with self._database.reading() as db:
            return read_tree(db, self._seen(db, session_id))

    def delete_message(self, session_id: str, message_id: str) -> None:
        """Hides a message and all that follows it; of the open path, what stands before it stays open.

        Raises:
            BadInput: The session begins with it.
            StoreError: There is no such session, the message is none of its own, or it could not be written.
        """
        with self._database.writing() as db:
            delete_messages(db, self._own(db, session_id), message_id, self._now())

    def restore_message(self, session_id: str, message_id: str) -> str:
        """Undoes that; the last message of what came back, which is open from then on.

        Raises:
            StoreError: There is no such session, nothing was deleted with the message, what it follows is
                deleted too, or it could not be written.
        """
        with self._database.writing() as db:
            return restore_messages(db, self._own(db, session_id), message_id)

    def deleted_messages(self, session_id: str) -> Sequence[DeletedMessages]:
        """What was deleted of a session, last deleted first.

        Raises:
            StoreError: There is no such session, or it could not be read.
        """
        with self._database.reading() as db:
            return read_deleted(db, self._seen(db, session_id))

    def open_leaf(self, session_id: str, message_id: str) -> None:
        """That message is the last one shown from now on.

        Raises:
            StoreError: There is no such session, the message is none of its own, or it could not be written.
        """
        with self._database.writing() as db:
            session = self._own(db, session_id)
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
        for one in new:
            _refuse_unstorable_message(one)
        with self._database.writing() as db:
            session = self._own(db, session_id)
            forget_unfinished(db, session.id, unfinished_id)
            parent = None if parent_id is None else message_row(db, session.id, parent_id)
            kept: list[StoredMessage] = []
            for one in new:
                place = rows.MessagePosition(
                    id=new_id(), session_id=session.id, parent=parent, created_at=self._now()
                )
                parts = write_message(db, one, place)
                show_leaf(db, session, parts.message, is_shown=is_shown)
                kept.append(rows.message_value(parts))
                parent = parts.message
            return tuple(kept)


def _refuse_unstorable_message(new: NewMessage) -> None:
    refuse_unstorable(new.message, "message")
    refuse_unstorable(new.generation, "generation")
    refuse_unstorable(new.tool_run, "tool run")
    refuse_unstorable(new.setup, "setup")
