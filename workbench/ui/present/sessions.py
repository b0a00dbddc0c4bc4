"""The list of sessions, its filter, and the bar of the open session."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from typing import Final, cast

from workbench.chat.json_value import JsonValue, as_object
from workbench.errors import BadInput
from workbench.records.session_tree import FoundSession, SearchFilter, Snippet
from workbench.records.sessions import ListedSession, StoredSession
from workbench.ui.present.text_spans import TextSpan

HINT: Final = "Each conversation is kept here from its first message on."
NOTHING_LIKE_IT: Final = "No session is like that: choose less in the filter."
NOTHING_FOUND: Final = "No session has all these words in one message, or in its title and tags."
FOUND: Final = "found"
"""Kind of a piece that was searched for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionListRow:
    """One session."""

    id: str
    title: str
    """First words of the user."""
    when: str
    """Last use, as short as can be."""
    heading: str
    """The day, on its first row; else empty."""
    is_open: bool
    """True of the session that the page shows."""
    word: str = ""
    """What is to be known of it: shared, damaged, or another owner's."""
    damage: str = ""
    """What of it cannot be read; empty where it is sound."""
    tags: tuple[str, ...] = ()
    """In the order given."""
    can_delete: bool = True
    """False of another owner's."""
    snippet: tuple[TextSpan, ...] = ()
    """Where the words stand in a message that were searched for; empty where they do not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionsView:
    """The list."""

    rows: tuple[SessionListRow, ...]
    """Last used first."""
    deleted: tuple[SessionListRow, ...] = ()
    """What can be restored, last deleted first."""
    undo: SessionListRow | None = None
    """What was deleted just now; None where nothing was."""
    scope: str = ""
    """What an admin can list instead; empty for all others."""
    query: str = ""
    """What was searched for; blank where nothing was."""
    is_filtered: bool = False
    """True where only some sessions are wanted, whatever their words."""
    has_more: bool = False
    """Whether there are sessions beyond the last row."""
    hint: str = HINT
    """Of the empty state."""


def show_sessions(
    found: Sequence[FoundSession],
    *,
    open_id: str | None,
    now: datetime,
    deleted: Sequence[ListedSession] = (),
    undo_id: str | None = None,
    scope: str = "",
    query: str = "",
    is_filtered: bool = False,
    has_more: bool = False,
) -> SessionsView:
    """The list: cut into days, last used first; or what was searched for, the best first.

    Args:
        found: In that order.
        open_id: The session that the page shows; None for none.
        now: The moment, by the clock that times are shown in.
        deleted: What can be restored, last deleted first.
        undo_id: Which of them was deleted just now; None for none.
        scope: What an admin can list instead; empty for all others.
        query: What was searched for; blank where nothing was.
        is_filtered: True where only some sessions are wanted, whatever their words.
        has_more: Whether there are more than these.
    """
    rows = _ranked(found, now) if query.strip() else _by_day(found, now)
    gone = tuple(_row(one, one.deleted_at or one.updated_at, now) for one in deleted)
    return SessionsView(
        rows=tuple(replace(row, is_open=row.id == open_id) for row in rows),
        deleted=gone,
        undo=next((row for row in gone if row.id == undo_id), None),
        scope=scope,
        query=query,
        is_filtered=is_filtered,
        has_more=has_more,
        hint=NOTHING_LIKE_IT if is_filtered else NOTHING_FOUND if query.strip() else HINT,
    )


def _by_day(found: Sequence[FoundSession], now: datetime) -> Iterator[SessionListRow]:
    last_day = ""
    for session in (one.session for one in found):
        day = _day(session.updated_at.astimezone(now.tzinfo).date(), now.date())
        yield replace(_row(session, session.updated_at, now), heading=day if day != last_day else "")
        last_day = day


def _ranked(found: Sequence[FoundSession], now: datetime) -> Iterator[SessionListRow]:
    for one in found:
        yield replace(_row(one.session, one.session.updated_at, now), snippet=_pieces(one.snippet))


def _pieces(snippet: Snippet | None) -> tuple[TextSpan, ...]:
    """The snippet, cut where the words stand."""
    if snippet is None:
        return ()
    pieces: list[TextSpan] = []
    position = 0
    for start, end in snippet.spans:
        pieces += (
            TextSpan(text=snippet.text[position:start]),
            TextSpan(text=snippet.text[start:end], kind=FOUND),
        )
        position = end
    pieces.append(TextSpan(text=snippet.text[position:]))
    return tuple(piece for piece in pieces if piece.text)


def _row(session: ListedSession, moment: datetime, now: datetime) -> SessionListRow:
    then = moment.astimezone(now.tzinfo)
    is_recent = _day(then.date(), now.date()) in ("Today", "Yesterday")
    return SessionListRow(
        id=session.id,
        title=session.title or "untitled",
        when=then.strftime("%H:%M") if is_recent else then.strftime("%d.%m."),
        heading="",
        is_open=False,
        word=_word(session),
        damage=session.damage or "",
        tags=session.tags,
        can_delete=session.is_own,
    )


def _word(session: ListedSession) -> str:
    if session.damage:
        return "damaged"
    if not session.is_own:
        return "another's"
    return "shared" if session.is_shared else ""


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
    shared: str | None = None
    """The key of a session that is seen by its link; None names none."""
    message: str | None = None
    """The message that the inspector shows; None names none, and the newest is shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClipboardView:
    """A text that is to be in the clipboard."""

    text: str
    """Byte for byte."""
    serial: float
    """Differs from one answer to the next."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountView:
    """Who is logged in."""

    name: str = ""
    """As they log in; empty where nobody has to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DownloadView:
    """A file for the browser."""

    name: str
    text: str
    serial: float
    """Differs from one download to the next, so that the same file can be asked for twice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionBarView:
    """The line; it is not drawn while no session is open."""

    is_open: bool = False
    """True while a session is open."""
    title: str = ""
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


def read_filter(text: str) -> SearchFilter:
    """The filter from its JSON; what is blank asks nothing.

    Raises:
        BadInput: A date is none.
    """
    chosen = as_object(cast(JsonValue, json.loads(text or "{}")))

    def word(name: str) -> str | None:
        return str(chosen.get(name) or "").strip() or None

    answers = {"yes": True, "no": False}
    return SearchFilter(
        has_fix=answers.get(str(chosen.get("has_fix"))),
        has_drop=answers.get(str(chosen.get("has_drop"))),
        verdict=word("verdict"),
        tag=word("tag"),
        contract=word("contract"),
        model=word("model"),
        since=_day_start(word("since")),
        until=_day_start(word("until")),
    )


def _day_start(text: str | None) -> datetime | None:
    """The beginning of a day, UTC."""
    if text is None:
        return None
    try:
        return datetime.fromisoformat(text).replace(tzinfo=UTC)
    except ValueError as error:
        raise BadInput("filter", f"{text!r} is no date", "write it as 2026-11-21") from error
