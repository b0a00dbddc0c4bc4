"""The sessions of the store as a list."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final

from workbench.desk.kept import ListedSession

HINT: Final = "Each conversation is kept here from its first message on."


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRow:
    """One session."""

    id: str
    """The store's."""
    title: str
    """First words of the user."""
    when: str
    """Last use, as short as can be."""
    heading: str
    """The day, on its first row; else empty."""
    is_open: bool
    """True of the session that the page shows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionsView:
    """The list."""

    rows: tuple[SessionRow, ...]
    """Last used first."""
    hint: str = HINT
    """Of the empty state."""


def show_sessions(sessions: Sequence[ListedSession], *, open_id: str | None, now: datetime) -> SessionsView:
    """The list, cut into days; times are the clock of `now`."""
    return SessionsView(rows=tuple(_rows(sessions, open_id, now)))


def _rows(sessions: Sequence[ListedSession], open_id: str | None, now: datetime) -> Iterator[SessionRow]:
    last_day = ""
    for session in sessions:
        used_at = session.updated_at.astimezone(now.tzinfo)
        day = _day(used_at.date(), now.date())
        yield SessionRow(
            id=session.id,
            title=session.title or "untitled",
            when=used_at.strftime("%H:%M") if day in ("Today", "Yesterday") else used_at.strftime("%d.%m."),
            heading=day if day != last_day else "",
            is_open=session.id == open_id,
        )
        last_day = day


def _day(day: date, today: date) -> str:
    age = (today - day).days
    if age <= 0:
        return "Today"
    if age == 1:
        return "Yesterday"
    return "This week" if age < 7 else f"{day:%B %Y}"


@dataclass(frozen=True, slots=True, kw_only=True)
class AddressView:
    """What the browser's address bar names."""

    session: str | None
    """The open session; None names none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DownloadView:
    """A file for the browser."""

    name: str
    """As it is offered."""
    text: str
    """What stands in it."""
    serial: float
    """Differs from one download to the next, so that the same file can be asked for twice."""
