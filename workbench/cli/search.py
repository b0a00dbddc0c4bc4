"""`workbench search`: search the text of sessions."""

import json
from datetime import UTC, datetime
from typing import Annotated, Any

import typer

from workbench.cli.session_filters import ModelFilter, SessionSourceFilter, SessionTagFilter
from workbench.cli.terminal.json_option import JsonOption
from workbench.cli.terminal.paint import Paint, Tone, count_of, terminal_paint
from workbench.cli.terminal.visible import shown
from workbench.errors import BadInput
from workbench.records.session_tree import FoundSession, SearchFilter, Snippet
from workbench.records.sessions import MessageOrigin
from workbench.settings import read_settings


def search(
    text: Annotated[
        str,
        typer.Argument(
            metavar="TEXT",
            help="Words to search for; the last may be a prefix; quote a phrase: '\"current weather\"'",
        ),
    ],
    fix: Annotated[
        bool | None, typer.Option("--fix/--no-fix", help="Only sessions with, or without, fixes")
    ] = None,
    drop: Annotated[
        bool | None,
        typer.Option("--drop/--no-drop", help="Only sessions with, or without, dropped call blocks"),
    ] = None,
    code: Annotated[
        str | None, typer.Option(metavar="CODE", help="Only sessions with this fix or finding")
    ] = None,
    verdict: Annotated[
        str | None, typer.Option(metavar="VERDICT", help="Only sessions with this verdict in a label")
    ] = None,
    contract: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Only this contract: its name, or the first 6 characters of its hash"
        ),
    ] = None,
    model: ModelFilter = None,
    tag: SessionTagFilter = None,
    source: SessionSourceFilter = None,
    origin: Annotated[MessageOrigin | None, typer.Option(help="Only messages of this origin")] = None,
    since: Annotated[
        str | None, typer.Option(metavar="DATE", help="Last used on or after this date, such as 2026-11-21")
    ] = None,
    until: Annotated[str | None, typer.Option(metavar="DATE", help="Last used before this date")] = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Maximum number of sessions")] = 20,
    offset: Annotated[int, typer.Option(min=0, help="Number of sessions to skip")] = 0,
    as_json: JsonOption = False,
) -> None:
    """Search the text of sessions."""
    from workbench.wiring import open_own_data

    session_filter = SearchFilter(
        has_fix=fix,
        has_drop=drop,
        code=code,
        verdict=verdict,
        contract=contract,
        model=model,
        tag=tag,
        source=source,
        origin=origin,
        since=_moment("--since", since),
        until=_moment("--until", until),
    )
    with open_own_data(read_settings()) as own:
        found = own.search.find(text, session_filter, limit=limit, offset=offset)
    if as_json:
        print(json.dumps({"sessions": [_document(session) for session in found]}, ensure_ascii=False))
        return
    paint = terminal_paint()
    for session in found:
        _print(session, paint)
    if not found:
        print("No sessions found.")


def _moment(option: str, text: str | None) -> datetime | None:
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise BadInput(
            option, f"{text!r} is not a date", "write it as 2026-11-21 or 2026-11-21T08:30"
        ) from None
    # A time without a zone is local time.
    return moment.astimezone(UTC)


def _document(found: FoundSession) -> dict[str, Any]:
    session, snippet = found.session, found.snippet
    return {
        "session": session.id,
        "title": session.title,
        "tags": list(session.tags),
        "updated_at": session.updated_at.isoformat(),
        "messages": session.message_count,
        "message": found.message_id,
        "snippet": snippet.text if snippet else None,
        "spans": [list(span) for span in snippet.spans] if snippet else [],
    }


def _print(found: FoundSession, paint: Paint) -> None:
    session = found.session
    when = session.updated_at.astimezone().strftime("%Y-%m-%d %H:%M")
    tags = "".join(f" #{tag}" for tag in session.tags)
    print(f"{session.id}  {paint(shown(session.title or 'untitled'), Tone.TITLE)}{shown(tags)}")
    messages = count_of(session.message_count, "message")
    print(paint(f"  {when}, {messages}", Tone.QUIET))
    if found.snippet:
        print(f"  {_painted(found.snippet, paint)}")


def _painted(snippet: Snippet, paint: Paint) -> str:
    """Return the snippet with its matches in colour."""
    pieces: list[str] = []
    position = 0
    for start, end in snippet.spans:
        pieces += [shown(snippet.text[position:start]), paint(shown(snippet.text[start:end]), Tone.CALL)]
        position = end
    return "".join((*pieces, shown(snippet.text[position:])))
