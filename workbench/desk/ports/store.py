"""The port of the store: what is kept, for whom."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from workbench.desk.kept import KeptMessage, KeptSession, NewMessage
from workbench.desk.owner import Owner
from workbench.desk.setup import Setup


class Sessions(Protocol):
    """The sessions of one owner. Every method commits before it returns, and may raise StoreError."""

    def create_session(self, setup: Setup) -> KeptSession:
        """A new, empty session."""
        ...

    def find_session(self, session_id: str) -> KeptSession | None:
        """The session of that id; None where there is none."""
        ...

    def list_sessions(self, *, limit: int = 50, offset: int = 0) -> Sequence[KeptSession]:
        """The sessions that hold a message, last used first."""
        ...

    def save_setup(self, session_id: str, setup: Setup) -> None:
        """What the session is set to from now on."""
        ...

    def append(self, session_id: str, new: NewMessage, *, parent_id: str | None) -> KeptMessage:
        """A message under `parent_id` (None makes a root); it becomes the open leaf."""
        ...

    def append_all(
        self, session_id: str, new: Sequence[NewMessage], *, parent_id: str | None
    ) -> Sequence[KeptMessage]:
        """Messages, each under the one before, the first under `parent_id`: all of them, or none."""
        ...

    def path(self, session_id: str) -> Sequence[KeptMessage]:
        """The messages from the root to the open leaf."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnedStore:
    """All that one owner may read and write: no query can forget whose it is."""

    sessions: Sessions
    """Conversations, as trees of messages."""


class Store(Protocol):
    """Keeps what people make, each owner apart from the others."""

    def of(self, owner: Owner) -> OwnedStore:
        """What that owner may read and write."""
        ...

    def describe(self) -> str:
        """Where the data is kept, for a person: dialect and place, no password."""
        ...

    def close(self) -> None:
        """Closes it; may be called again."""
        ...
