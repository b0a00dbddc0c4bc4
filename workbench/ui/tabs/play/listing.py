"""The list of sessions, as the store has it now."""

from workbench.app.services import Services
from workbench.records.owner import Permission
from workbench.records.session_tree import NO_FILTER
from workbench.ui.present.sessions import SessionsView, show_sessions
from workbench.ui.visitor import Visitor

DELETED = 200
"""Deleted sessions that the list holds."""


def list_sessions(services: Services, visitor: Visitor, *, undo_id: str | None = None) -> SessionsView:
    """The list for one visitor.

    Args:
        services: Of their owner.
        visitor: Says which session is open, what is searched for, how long the list may be, and whether an
            admin lists those of all.
        undo_id: What was deleted just now; None for nothing.

    Raises:
        StoreError: It cannot be read.
    """
    is_admin = services.owner.may(Permission.READ_ALL)
    is_of_all = visitor.is_of_all and is_admin
    scope = "Show only mine" if is_of_all else "Show those of all"
    # One more than is shown tells whether there are more.
    found = services.search.find(visitor.query, visitor.wanted, limit=visitor.listed + 1, is_of_all=is_of_all)
    return show_sessions(
        found[: visitor.listed],
        open_id=visitor.session_id,
        now=services.calendar.now().astimezone(),
        deleted=services.sessions.list_sessions(limit=DELETED, is_deleted=True),
        undo_id=undo_id,
        scope=scope if is_admin else "",
        query=visitor.query,
        is_filtered=visitor.wanted != NO_FILTER,
        has_more=len(found) > visitor.listed,
    )
