"""Show the list of sessions, its filter, and the bar of the open session."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from typing import Final, cast

from workbench.chat.json_value import JsonValue, as_object
from workbench.errors import BadInput
from workbench.records.session_tree import FoundSession, SearchFilter, Snippet
from workbench.records.sessions import ListedSession, SessionSource, StoredSession
from workbench.ui.present.text_spans import TextSpan

HINT: Final = "Your conversations appear here. Each is saved from its first message on."
NO_MATCH: Final = "No session matches the filter. Remove a condition."
NOTHING_FOUND: Final = (
    "No session has all these words in one message or in its title and tags. Try fewer words."
)
FOUND: Final = "found"
"""Kind of a piece that matches the search."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionListRow:
    """One session of the list."""

    id: str
    title: str
    """The title, or `untitled`."""
    when: str
    """Time or date of the last use, short."""
    heading: str
    """The day, on the first row of that day. Empty on other rows."""
    is_open: bool
    """True for the session that the page shows."""
    word: str = ""
    """`shared`, `damaged`, `other owner`, `gateway` or empty."""
    client: str = ""
    """The client whose requests the gateway recorded. Empty if it is not known."""
    damage: str = ""
    """What part of the session cannot be read. Empty if it is intact."""
    tags: tuple[str, ...] = ()
    can_delete: bool = True
    """False for a session of another owner."""
    snippet: tuple[TextSpan, ...] = ()
    """Part of a message with the words that were searched for. Empty if they are not in a message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionsView:
    """The list of sessions."""

    rows: tuple[SessionListRow, ...]
    """By last use, or the best matches of a search first."""
    deleted: tuple[SessionListRow, ...] = ()
    """Sessions that can be restored, the last deleted first."""
    undo: SessionListRow | None = None
    """The session that was just deleted, or None."""
    scope: str = ""
    """Label of the button that lists the sessions of other owners. Empty for anyone but an admin."""
    query: str = ""
    """The search words. Blank if there is no search."""
    has_more: bool = False
    """Whether there are sessions beyond the last row."""
    hint: str = HINT
    """Shown if the list is empty."""
    recorded: str = ""
    """When the gateway last recorded something, for `look_sessions`. Empty if it never did."""
    look_ms: int = 0
    """How often the page asks for news while it is visible, in milliseconds. 0 if the gateway records nothing at the
    moment."""


LOOK_EVERY_MS: Final = 2_000
"""How often a page asks for news while the gateway records."""
RECORDS: Final = timedelta(minutes=10)
"""How long after its last recording the gateway counts as recording."""


def with_news(view: SessionsView, last: datetime | None, now: datetime) -> SessionsView:
    """Add to a list when the gateway last recorded something, so that the page asks for news.

    Args:
        last: When it was, or None if it never did.
    """
    if last is None:
        return view
    return replace(view, recorded=last.isoformat(), look_ms=LOOK_EVERY_MS if now - last < RECORDS else 0)


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
    """Show the list of sessions, grouped by day, or the results of a search.

    Args:
        found: The sessions, in the order to show them.
        open_id: The session that the page shows, or None.
        now: The current time, in the time zone to show times in.
        deleted: Sessions that can be restored, the last deleted first.
        undo_id: The session that was just deleted, or None.
        scope: Label of the button that lists the sessions of other owners. Empty for anyone but an admin.
        query: The search words. Blank if there is no search.
        is_filtered: True if a filter is set.
        has_more: Whether there are more sessions than these.
    """
    rows = _ranked(found, now) if query.strip() else _by_day(found, now)
    deleted_rows = tuple(_row(session, session.deleted_at or session.updated_at, now) for session in deleted)
    return SessionsView(
        rows=tuple(replace(row, is_open=row.id == open_id) for row in rows),
        deleted=deleted_rows,
        undo=next((row for row in deleted_rows if row.id == undo_id), None),
        scope=scope,
        query=query,
        has_more=has_more,
        hint=NO_MATCH if is_filtered else NOTHING_FOUND if query.strip() else HINT,
    )


def _by_day(found: Sequence[FoundSession], now: datetime) -> Iterator[SessionListRow]:
    last_day = ""
    for session in (match.session for match in found):
        day = _day(session.updated_at.astimezone(now.tzinfo).date(), now.date())
        yield replace(_row(session, session.updated_at, now), heading=day if day != last_day else "")
        last_day = day


def _ranked(found: Sequence[FoundSession], now: datetime) -> Iterator[SessionListRow]:
    for match in found:
        row = _row(match.session, match.session.updated_at, now)
        yield replace(row, snippet=_pieces(match.snippet))


def _pieces(snippet: Snippet | None) -> tuple[TextSpan, ...]:
    """Cut a snippet at the words that were found."""
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
        when=then.strftime("%H:%M") if is_recent else f"{then.day} {then:%b}",
        heading="",
        is_open=False,
        word=_word(session),
        client=session.client or "",
        damage=session.damage or "",
        tags=session.tags,
        can_delete=session.is_own,
    )


def _word(session: ListedSession) -> str:
    if session.damage:
        return "damaged"
    if not session.is_own:
        return "other owner"
    if session.is_shared:
        return "shared"
    return "gateway" if session.is_recorded else ""


def _day(day: date, today: date) -> str:
    age = (today - day).days
    if age <= 0:
        return "Today"
    if age == 1:
        return "Yesterday"
    return "This week" if age < 7 else f"{day:%B %Y}"


@dataclass(frozen=True, slots=True, kw_only=True)
class AddressView:
    """What Play shows, for the browser's address bar."""

    session: str | None
    """The open session, or None."""
    shared: str | None = None
    """The share key of a session that was opened by its link, or None."""
    message: str | None = None
    """The message in the inspector, or None for the newest."""
    request: int = 0
    """The number of the router's request that this answers; 0 for none."""
    is_replaced: bool = False
    """True if Back should not return to what was shown before, such as a session that was deleted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClipboardView:
    """A text to copy to the clipboard."""

    text: str
    """The text, byte for byte."""
    serial: float
    """A new number copies the text again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountView:
    """The account that is logged in."""

    name: str = ""
    """The login name. Empty if no login is needed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DownloadView:
    """A file for the browser to download."""

    name: str
    text: str
    serial: float
    """A new number downloads the file again, even if it is the same."""
    media_type: str = "application/x-ndjson"


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionBarView:
    """The bar of the open session. Hidden if no session is open."""

    is_open: bool = False
    title: str = ""
    tags: tuple[str, ...] = ()
    is_read_only: bool = False
    """True if the session can only be read and copied."""
    note: str = ""
    """Why the session is read-only. Empty if it is not."""
    link: str = ""
    """Query string of the link that shows the session to others. Empty if it is not shared."""


def show_bar(session: StoredSession, *, is_by_link: bool) -> SessionBarView:
    """Show the bar of an open session.

    Args:
        is_by_link: True if the session was opened by its link.
    """
    is_read_only = is_by_link or not session.is_own
    note = "shared with you, read-only" if is_by_link else "owned by someone else, read-only"
    return SessionBarView(
        is_open=True,
        tags=session.tags,
        title=session.title or "untitled",
        is_read_only=is_read_only,
        note=note if is_read_only else "",
        link=f"?shared={session.share_key}" if session.share_key and not is_read_only else "",
    )


def read_filter(text: str) -> SearchFilter:
    """Parse the filter from JSON. Blank fields set no condition.

    Raises:
        BadInput: A date or the source cannot be parsed.
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
        source=_source(word("source")),
        since=_day_start(word("since")),
        until=_day_start(word("until")),
    )


def _source(text: str | None) -> SessionSource | None:
    if text is None:
        return None
    try:
        return SessionSource(text)
    except ValueError as error:
        sources = ", ".join(SessionSource)
        raise BadInput("filter", f"{text[:40]!r} is not a source", f"choose one of {sources}") from error


def _day_start(text: str | None) -> datetime | None:
    """Return the start of a day in UTC, or None for None."""
    if text is None:
        return None
    try:
        return datetime.fromisoformat(text).replace(tzinfo=UTC)
    except ValueError as error:
        raise BadInput("filter", f"{text!r} is not a date", "write it as 2026-11-21") from error
