"""The line above the transcript: what the open session is called, and who can see it."""

from dataclasses import dataclass

from workbench.records.sessions import StoredSession


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionBarView:
    """The line; it is not drawn while no session is open."""

    is_open: bool = False
    """True while a session is open."""
    title: str = ""
    """Of the session."""
    tags: tuple[str, ...] = ()
    """In the order given."""
    is_read_only: bool = False
    """True of a session that can be looked at and copied, not gone on with."""
    note: str = ""
    """Of a read-only one: why."""
    link: str = ""
    """What stands behind the page's address in a link that shows it to others; empty while it is not shared."""


def show_bar(session: StoredSession, *, is_by_link: bool) -> SessionBarView:
    """The line of an open session.

    Args:
        session: The session.
        is_by_link: True where it is seen by its link.
    """
    is_read_only = is_by_link or not session.is_own
    note = "shared with you, read-only" if is_by_link else "another owner's, read-only"
    return SessionBarView(
        is_open=True,
        tags=session.tags,
        title=session.title or "untitled",
        is_read_only=is_read_only,
        note=note if is_read_only else "",
        link=f"?shared={session.share_key}" if session.share_key and not is_read_only else "",
    )
