"""Load a session for display: its settings, one path through it, and the messages beside that path."""

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.app.services import Services
from workbench.records.session_tree import newest_leaf
from workbench.records.sessions import DeletedMessages, StoredMessage, StoredSession, TreeNode


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedSession:
    """A session, looked at."""

    session: StoredSession
    """Title, setup and the like."""
    path: Sequence[StoredMessage]
    """From the root to the leaf that is shown."""
    tree: Sequence[TreeNode]
    deleted: Sequence[DeletedMessages] = ()
    """What was deleted of it, last deleted first; none of a session that is seen by a link."""

    @property
    def leaf_id(self) -> str | None:
        """The last message that is shown; None while there is none."""
        return self.path[-1].id if self.path else None


def open_session(services: Services, session_id: str, *, leaf_id: str | None = None) -> OpenedSession | None:
    """A session by its id; None where the owner has none and may see none of it.

    Args:
        leaf_id: The last message to show; None takes the open leaf.

    Raises:
        StoreError: It cannot be read, or has no such leaf.
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
    """As `open_session`, up to the end of the newest branch below a message.

    Raises:
        StoreError: It cannot be read, or has no such message.
    """
    opened = open_session(services, session_id, leaf_id=message_id)
    if opened is None or opened.leaf_id is None:
        return opened
    leaf_id = newest_leaf(opened.tree, opened.leaf_id)
    return opened if leaf_id == opened.leaf_id else open_session(services, session_id, leaf_id=leaf_id)


def open_shared(services: Services, key: str, *, leaf_id: str | None = None) -> OpenedSession | None:
    """A session by the key of its link; None where the key shows nothing.

    Args:
        services: Of whoever looks.
        key: Of the link.
        leaf_id: The last message to show; None takes the open leaf.

    Raises:
        StoreError: It cannot be read, or has no such leaf.
    """
    session = services.sharing.find_shared(key)
    if session is None:
        return None
    return OpenedSession(
        session=session,
        path=services.sharing.shared_path(key, leaf_id=leaf_id),
        tree=services.sharing.shared_tree(key),
    )
