"""Sessions of the store as training rows."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from workbench.desk.kept import KeptSession
from workbench.desk.services import Services
from workbench.errors import BadInput
from workbench.trajectory.sharegpt import Exported, FinishedMessage, to_sharegpt

SOURCE: Final = "hermes-workbench"
PAGE: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    """Rows, and what was left out."""

    text: str
    """JSON Lines: one row a line, each ended by a newline."""
    row_count: int
    """Lines of the text."""
    left_out: tuple[str, ...]
    """One line for each session that stays out: its id and why."""


def export_sharegpt(services: Services, session_ids: Sequence[str] | None = None) -> Export:
    """The open path of each session as a ShareGPT row.

    Args:
        services: The edges.
        session_ids: Which, in this order; None takes all, the last used first.

    Raises:
        BadInput: There is no session of such an id.
        StoreError: The store cannot be read.
    """
    lines: list[str] = []
    left_out: list[str] = []
    for session in selected_sessions(services, session_ids):
        exported = _export(services, session)
        if exported.row is None:
            left_out.append(f"session {session.id}: {exported.problem}")
        else:
            lines.append(json.dumps(exported.row, ensure_ascii=False) + "\n")
    return Export(text="".join(lines), row_count=len(lines), left_out=tuple(left_out))


def selected_sessions(services: Services, session_ids: Sequence[str] | None) -> Sequence[KeptSession]:
    """The sessions of these ids, in this order; None takes all, the last used first.

    Raises:
        BadInput: There is no session of such an id.
        StoreError: The store cannot be read.
    """
    if session_ids is not None:
        return [_session(services, session_id) for session_id in session_ids]
    found: list[KeptSession] = []
    while True:
        page = services.sessions.list_sessions(limit=PAGE, offset=len(found))
        found.extend(page)
        if len(page) < PAGE:
            return found


def _session(services: Services, session_id: str) -> KeptSession:
    session = services.sessions.find_session(session_id)
    if session is None:
        raise BadInput(
            f"session {session_id!r}", "no such session", "`workbench export` without --session takes all"
        )
    return session


def _export(services: Services, session: KeptSession) -> Exported:
    messages = [
        FinishedMessage(
            message=kept.message,
            finish_reason=kept.generation.finish_reason if kept.generation else "stop",
        )
        for kept in services.sessions.path(session.id)
    ]
    return to_sharegpt(messages, session.setup.offered_tools(), source=SOURCE)
