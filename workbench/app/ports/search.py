"""The ports of the search and of the facts."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Protocol

from workbench.records.facts import DayOfModel, Fact, FactCount, FactGroup
from workbench.records.found_sessions import NO_FILTER, FoundSession, SearchFilter


class Search(Protocol):
    """Finds the sessions of one owner by the words in them."""

    def find(
        self,
        query: str,
        wanted: SearchFilter = NO_FILTER,
        *,
        limit: int = 50,
        offset: int = 0,
        is_of_all: bool = False,
    ) -> Sequence[FoundSession]:
        """Sessions with all words of the query in one message, or in title and tags.

        Those where a title, tag, tool's name or code has the words come first, then the last used.

        Args:
            query: As a person types it: words in any order, the last one perhaps not whole; between
                quotes they follow each other. No text of any kind is an error. A blank one asks for no
                words.
            wanted: What they must have besides.
            limit: Most sessions to give.
            offset: Sessions to leave out at the beginning.
            is_of_all: True where an admin searches those of all; of others it gives their own all the same.

        Raises:
            StoreError: They could not be read.
        """
        ...


class Facts(Protocol):
    """What the reader noted of one owner's messages when they were kept."""

    def of_session(self, session_id: str) -> Sequence[tuple[str, Fact]]:
        """Each fact of the session's messages with the message's id, in order; none of an unknown session.

        Raises:
            StoreError: They could not be read.
        """
        ...

    def count(
        self, group: FactGroup, *, since: datetime | None = None, until: datetime | None = None
    ) -> Sequence[FactCount]:
        """How often what was noted, the most frequent first, those of deleted sessions left out.

        Args:
            group: By what.
            since: Only messages kept then or later; aware.
            until: Only messages kept before; aware.

        Raises:
            StoreError: They could not be read.
        """
        ...

    def days(self, contract_versions: Collection[str]) -> Sequence[DayOfModel]:
        """What models wrote under these versions of contracts, day by day, deleted sessions left out.

        Args:
            contract_versions: SHA-256 (hex) of their texts.

        Raises:
            StoreError: They could not be read.
        """
        ...
