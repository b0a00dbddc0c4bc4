"""Load a session for display: its setup, one path, and the tree of all messages."""

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.app.services import Services
from workbench.records.session_tree import newest_leaf
from workbench.records.sessions import DeletedMessages, StoredMessage, StoredSession, TreeNode


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedSession:
    """A session that is shown."""

    session: StoredSession
    path: Sequence[StoredMessage]
    """From the root to the last shown message."""
    tree: Sequence[TreeNode]
    deleted: Sequence[DeletedMessages] = ()
    """Deleted messages, most recently deleted first. Empty for a session that was opened by a link."""

    @property
    def leaf_id(self) -> str | None:
        """The id of the last shown message. None if there are no messages."""
        return self.path[-1].id if self.path else None


def open_session(services: Services, session_id: str, *, leaf_id: str | None = None) -> OpenedSession | None:
    """Load a session by its id. None if the owner may not read it or it does not exist.

    Args:
        leaf_id: The last message to show. None takes the open leaf.

    Raises:
        StoreError: The session cannot be read, or has no such leaf.
    """
    session = services.sessions.find_session(session_id)
    if session is None:
        return None
    return OpenedSession(
        session=session,
        path=services.sessions.path(session_id, leaf_id=leaf_id),
        tree=services.sessions.tree(session_id),
        deleted=services.sessions.deleted_messages(session_id),
    )


def open_newest(services: Services, session_id: str, message_id: str | None) -> OpenedSession | None:
    """Load a session like `open_session`, and show it to the end of the newest branch below a message.

    Raises:
        StoreError: The session cannot be read, or has no such message.
    """
    opened = open_session(services, session_id, leaf_id=message_id)
    if opened is None or opened.leaf_id is None:
        return opened
    leaf_id = newest_leaf(opened.tree, opened.leaf_id)
    return opened if leaf_id == opened.leaf_id else open_session(services, session_id, leaf_id=leaf_id)


def open_shared(services: Services, key: str, *, leaf_id: str | None = None) -> OpenedSession | None:
    """Load a shared session by the key of its link. None if the key is not valid.

    Args:
        services: The services of the user.
        key: The key in the link.
        leaf_id: The last message to show. None takes the open leaf.

    Raises:
        StoreError: The session cannot be read, or has no such leaf.
    """
    session = services.sharing.find_shared(key)
    if session is None:
        return None
    return OpenedSession(
        session=session,
        path=services.sharing.shared_path(key, leaf_id=leaf_id),
        tree=services.sharing.shared_tree(key),
    )
