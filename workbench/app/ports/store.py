"""The port of the store: what is kept, for whom."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from workbench.app.ports.audit import Audit
from workbench.app.ports.comparisons import Comparisons
from workbench.app.ports.corpus import Corpus
from workbench.app.ports.labels import Labels
from workbench.app.ports.runs import Runs
from workbench.app.ports.search import Facts, Search
from workbench.app.ports.versions import Versions
from workbench.records.owner import Owner
from workbench.records.sessions import (
    DeletedMessages,
    KeptMessage,
    KeptSession,
    ListedSession,
    NewMessage,
    TreeNode,
)
from workbench.records.setup import Setup
from workbench.rollout.events import Generation


class Sessions(Protocol):
    """The sessions of one owner. Every method commits before it returns, and may raise StoreError.

    Another owner's session is as if there were none; an admin reads it, and cannot write it. A deleted
    one is found and listed only among the deleted, until it is restored.
    """

    def create_session(self, setup: Setup) -> KeptSession:
        """A new, empty session."""
        ...

    def find_session(self, session_id: str) -> KeptSession | None:
        """The session of that id; None where there is none."""
        ...

    def list_sessions(
        self, *, limit: int = 50, offset: int = 0, is_deleted: bool = False, is_of_all: bool = False
    ) -> Sequence[ListedSession]:
        """The sessions that hold a message, last used first; one that is damaged says so.

        Args:
            limit: At most so many.
            offset: So many are left out before them.
            is_deleted: The deleted ones instead, last deleted first.
            is_of_all: Those of other owners too; only an admin sees any.
        """
        ...

    def save_setup(self, session_id: str, setup: Setup) -> None:
        """What the session is set to from now on."""
        ...

    def rename_session(self, session_id: str, title: str) -> None:
        """A title of one's own; an empty one gives way to the next that the user says."""
        ...

    def tag_session(self, session_id: str, tags: Sequence[str]) -> None:
        """These tags instead of those it had, each once, in this order."""
        ...

    def delete_session(self, session_id: str) -> None:
        """Hides the session; it is purged when 30 days are over."""
        ...

    def restore_session(self, session_id: str) -> None:
        """Undoes deleting."""
        ...

    def copy_session(self, session_id: str) -> KeptSession:
        """A new session of one's own, with the open path of that one."""
        ...

    def append(
        self,
        session_id: str,
        new: NewMessage,
        *,
        parent_id: str | None,
        unfinished_id: str | None = None,
        is_shown: bool = True,
    ) -> KeptMessage:
        """A message under `parent_id` (None makes a root); it becomes the open leaf.

        A parent that has a child already gets another: a branch, and nothing is overwritten.

        Args:
            session_id: The session.
            new: The message.
            parent_id: The message before it.
            unfinished_id: What `save_unfinished` gave for it: it is finished now.
            is_shown: False leaves the open leaf where it is, if there is one.
        """
        ...

    def append_all(
        self,
        session_id: str,
        new: Sequence[NewMessage],
        *,
        parent_id: str | None,
        is_shown: bool = True,
    ) -> Sequence[KeptMessage]:
        """Messages, each under the one before, the first under `parent_id`: all of them, or none."""
        ...

    def save_unfinished(
        self,
        session_id: str,
        text: str,
        generation: Generation,
        *,
        parent_id: str | None,
        unfinished_id: str | None = None,
    ) -> str:
        """What a model has written so far of a message that is to come; it is in no path and no list.

        Should this process end before `append` has the whole of it, it becomes a message when the store
        is opened next.

        Args:
            session_id: The session.
            text: The message so far.
            generation: How it is to be told of, should it end here.
            parent_id: The message before it.
            unfinished_id: What the former call gave; None for the first.

        Returns:
            The id to finish it by.
        """
        ...

    def path(self, session_id: str, *, leaf_id: str | None = None) -> Sequence[KeptMessage]:
        """The messages from the root to `leaf_id`, or to the open leaf."""
        ...

    def tree(self, session_id: str) -> Sequence[TreeNode]:
        """All messages of all branches, without their texts; siblings in the order of their making."""
        ...

    def delete_message(self, session_id: str, message_id: str) -> None:
        """Hides a message and all that follows it; of the open path, what stands before it stays open."""
        ...

    def restore_message(self, session_id: str, message_id: str) -> str:
        """Undoes that; the last message of what came back, which is open from then on."""
        ...

    def deleted_messages(self, session_id: str) -> Sequence[DeletedMessages]:
        """What was deleted of a session, last deleted first."""
        ...

    def open_leaf(self, session_id: str, message_id: str) -> None:
        """That message is the last one that is shown from now on."""
        ...


class Sharing(Protocol):
    """Sessions shown to others, read-only, by an unguessable key. Methods may raise StoreError."""

    def share(self, session_id: str) -> str:
        """The key that shows a session of one's own; the same until it is unshared."""
        ...

    def unshare(self, session_id: str) -> None:
        """From now on the key shows nothing."""
        ...

    def find_shared(self, key: str) -> KeptSession | None:
        """The session, whoever's it is, without its ephemeral part; None where the key shows nothing."""
        ...

    def shared_path(self, key: str, *, leaf_id: str | None = None) -> Sequence[KeptMessage]:
        """Its messages from the root to `leaf_id`, or to the open leaf, without ephemeral parts."""
        ...

    def shared_tree(self, key: str) -> Sequence[TreeNode]:
        """All its messages, without their texts."""
        ...

    def copy_shared(self, key: str) -> KeptSession:
        """A new session of one's own, with its open path."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnedStore:
    """All that one owner may read and write: no query can forget whose it is."""

    sessions: Sessions
    """Conversations, as trees of messages."""
    sharing: Sharing
    """Conversations shown to others, and theirs."""
    versions: Versions
    """What was saved of contracts, tools, presets and suites."""
    labels: Labels
    """Verdicts and corrections, and who is to give them."""
    audit: Audit
    """Who did what."""
    search: Search
    """Conversations, found by the words in them."""
    facts: Facts
    """What the reader noted of the models' messages."""
    corpus: Corpus
    """Conversations as training rows, and rows as conversations."""
    runs: Runs
    """Runs of suites, and what came of them."""
    comparisons: Comparisons
    """Turns answered side by side, and votes on them."""


class Store(Protocol):
    """Keeps what people make, each owner apart from the others."""

    def of(self, owner: Owner) -> OwnedStore:
        """What that owner may read and write."""
        ...

    def purge(self) -> int:
        """Removes for good what was deleted 30 days ago or before; gives the number of sessions."""
        ...

    def describe(self) -> str:
        """Where the data is kept, for a person: dialect and place, no password."""
        ...

    def close(self) -> None:
        """Closes it; may be called again."""
        ...
