"""`session_search`: words in earlier conversations of the same owner."""

from typing import Final

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.chat.message import Role
from workbench.desk.ports import Sessions

MOST_SESSIONS: Final = 500
"""Of the sessions last used, so many are looked through."""
_AROUND: Final = 80


class SessionSearch:
    """Answers `session_search`.

    Args:
        sessions: The owner's.
        session_id: The open one; it is left out.
    """

    def __init__(self, sessions: Sessions, session_id: str) -> None:
        self._sessions = sessions
        self._session_id = session_id

    def __call__(self, arguments: JsonObject) -> JsonValue:
        """Sessions whose open path holds every word, last used first."""
        words = str(arguments.get("query", "")).lower().split()
        limit = arguments.get("limit")
        found: list[JsonValue] = []
        for kept in self._sessions.list_sessions(limit=MOST_SESSIONS):
            if len(found) >= (limit if isinstance(limit, int) else 5):
                break
            texts = [
                one.message.text
                for one in self._sessions.path(kept.id)
                if one.message.role is not Role.SYSTEM
            ]
            if (
                kept.id != self._session_id
                and words
                and all(word in "\n".join(texts).lower() for word in words)
            ):
                snippet = next(_snippet(text, words[0]) for text in texts if words[0] in text.lower())
                found.append({"session_id": kept.id, "title": kept.title, "snippet": snippet})
        return {"sessions": found}


def _snippet(text: str, word: str) -> str:
    place = text.lower().find(word)
    return " ".join(text[max(0, place - _AROUND) : place + _AROUND].split())
