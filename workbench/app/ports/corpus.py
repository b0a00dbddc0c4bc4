"""The port of what rows are made of, and made into."""

from collections.abc import Sequence
from typing import Protocol

from workbench.records.corpus.choice import Choice
from workbench.records.corpus.material import DamagedSession, Material, NewImport


class Corpus(Protocol):
    """The sessions of one owner as what rows are made of. Methods may raise StoreError.

    Deleted sessions and those of other owners are as if there were none.
    """

    def choose(self, wanted: Choice, *, after: str | None = None, limit: int = 200) -> Sequence[str]:
        """Ids of sessions that hold a message, in the order in which they were made.

        Args:
            wanted: Which.
            after: Go on behind this one, the last of the page before; None begins.
            limit: At most so many.
        """
        ...

    def count(self, wanted: Choice) -> int:
        """How many there are."""
        ...

    def material(self, session_id: str) -> Material | DamagedSession | None:
        """All that is known of a session; None where there is none."""
        ...

    def find_import(self, digest: str) -> str | None:
        """The session that was made of the row of this digest; None where there is none."""
        ...

    def add_import(self, new: NewImport, *, digest: str) -> str:
        """A session made of a row, whole or not at all; gives its id.

        Raises:
            BadInput: It holds text that cannot be stored.
        """
        ...
