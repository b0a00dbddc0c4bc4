"""Where the answers of a comparison go: below the turn itself, or below a copy of it under another system text."""

from collections.abc import Sequence
from threading import Lock

from workbench.app.services import Services
from workbench.app.turns import copy_of
from workbench.chat.message import Message, Role
from workbench.records.sessions import KeptMessage, NewMessage, Origin


class Branches:
    """One session's paths to its turns, one for each system text; safe to use from several threads.

    Columns of one system text share a path, so that their answers are siblings.

    Args:
        services: The edges.
        path: The session's messages up to the last turn that is answered.
        session_id: The session.
    """

    def __init__(self, services: Services, session_id: str, path: Sequence[KeptMessage]) -> None:
        self._services = services
        self._session_id = session_id
        self._said = tuple(path[1:] if path[0].message.role is Role.SYSTEM else path)
        self._lock = Lock()
        self._ids: dict[str, dict[str, str]] = {}
        if path[0].message.role is Role.SYSTEM:
            self._ids[path[0].message.text] = {kept.id: kept.id for kept in path}

    def asked_id(self, system_text: str, turn_id: str) -> str:
        """The id of the turn's user message on the path that begins with the system text.

        Raises:
            StoreError: The path could not be written.
        """
        with self._lock:
            if system_text not in self._ids:
                self._ids[system_text] = self._copied(system_text)
            return self._ids[system_text][turn_id]

    def asked_again(self, turn_id: str, leaf_id: str) -> str:
        """The id of a copy of the turn's user message behind `leaf_id`.

        Raises:
            StoreError: It could not be written.
        """
        turn = next(kept for kept in self._said if kept.id == turn_id)
        kept = self._services.sessions.append(
            self._session_id, copy_of(turn), parent_id=leaf_id, is_shown=False
        )
        return kept.id

    def _copied(self, system_text: str) -> dict[str, str]:
        system = Message(role=Role.SYSTEM, text=system_text)
        root = NewMessage(message=system, origin=Origin.PERSON)
        written = self._services.sessions.append_all(
            self._session_id, (root, *map(copy_of, self._said)), parent_id=None, is_shown=False
        )
        return {said.id: copy.id for said, copy in zip(self._said, written[1:], strict=True)}
