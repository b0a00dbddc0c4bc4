"""`workbench search`: find sessions by their words."""

import json
from datetime import UTC, datetime
from typing import Annotated, Any

import typer

from workbench.cli.terminal.paint import Paint, Tone, shown, terminal_paint
from workbench.errors import BadInput
from workbench.records.session_tree import FoundSession, SearchFilter, Snippet
from workbench.records.sessions import MessageOrigin
from workbench.settings import read_settings


def search(
    text: Annotated[
        str, typer.Argument(help="Words; the last may be a beginning; quotes keep words together.")
    ],
    fix: Annotated[
        bool | None, typer.Option("--fix/--no-fix", help="A message of it was repaired, or none.")
    ] = None,
    drop: Annotated[
        bool | None, typer.Option("--drop/--no-drop", help="A call block of it was lost, or none.")
    ] = None,
    code: Annotated[str | None, typer.Option(help="Code of a fix or finding.")] = None,
    verdict: Annotated[str | None, typer.Option(help="Verdict on a message or call.")] = None,
    contract: Annotated[str | None, typer.Option(help="Contract's name, or 6 signs of its hash.")] = None,
    model: Annotated[str | None, typer.Option(help="Name of an engine that wrote in it.")] = None,
    tag: Annotated[str | None, typer.Option(help="A tag of it.")] = None,
    origin: Annotated[
        MessageOrigin | None, typer.Option(help="Where the message with the words is from.")
    ] = None,
    since: Annotated[str | None, typer.Option(help="Last used then or later, such as 2026-11-21.")] = None,
    until: Annotated[str | None, typer.Option(help="Last used before.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Most sessions to show.")] = 20,
    offset: Annotated[int, typer.Option(min=0, help="Sessions to leave out at the beginning.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print only JSON.")] = False,
) -> None:
    """Find sessions by the words in them."""
    from workbench.wiring import open_services

    wanted = SearchFilter(
        has_fix=fix,
        has_drop=drop,
        code=code,
        verdict=verdict,
        contract=contract,
        model=model,
        tag=tag,
        origin=origin,
        since=_moment("--since", since),
        until=_moment("--until", until),
    )
    with open_services(read_settings()) as services:
        found = services.search.find(text, wanted, limit=limit, offset=offset)
    if as_json:
        print(json.dumps({"sessions": [_document(one) for one in found]}, ensure_ascii=False))
        return
    paint = terminal_paint()
    for one in found:
        _print(one, paint)
    if not found:
        print("no session found")


def _moment(option: str, text: str | None) -> datetime | None:
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise BadInput(option, f"{text!r} is no date", "write it as 2026-11-21 or 2026-11-21T08:30") from None
    # Without a zone it is the clock on the wall.
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
    print(paint(f"  {when}, {session.message_count} messages", Tone.QUIET))
    if found.snippet:
        print(f"  {_painted(found.snippet, paint)}")


def _painted(snippet: Snippet, paint: Paint) -> str:
    pieces: list[str] = []
    position = 0
    for start, end in snippet.spans:
        pieces += [shown(snippet.text[position:start]), paint(shown(snippet.text[start:end]), Tone.CALL)]
        position = end
    return "".join((*pieces, shown(snippet.text[position:])))
