"""`session_search`: words in earlier conversations of the same owner."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.records.session_tree import FoundSession

if TYPE_CHECKING:
    from workbench.store.search import SearchStore

FEW: Final = 5
"""Sessions that are given where the call does not say how many."""
MANY: Final = 50
"""Most sessions that a call is given."""


class SessionSearch:
    """Answers `session_search` by the store's own search.

    Args:
        search: Finds the owner's.
        session_id: The open one; it is left out.
    """

    def __init__(self, search: SearchStore, session_id: str) -> None:
        self._search = search
        self._session_id = session_id

    def __call__(self, arguments: JsonObject) -> JsonValue:
        """Sessions with all the words in one message, a title or tags, as the page's search orders them."""
        query, limit = str(arguments.get("query", "")), arguments.get("limit")
        wanted = min(limit, MANY) if isinstance(limit, int) else FEW
        if not query.strip() or wanted < 1:
            return {"sessions": []}
        # One more than is wanted, for the open one may be among them.
        found = self._search.find(query, limit=wanted + 1)
        others = [one for one in found if one.session.id != self._session_id]
        return {"sessions": [_told(one) for one in others[:wanted]]}


def _told(one: FoundSession) -> JsonObject:
    snippet = one.snippet.text if one.snippet else ""
    return {"session_id": one.session.id, "title": one.session.title, "snippet": snippet}
