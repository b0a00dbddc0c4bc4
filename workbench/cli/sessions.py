"""`workbench sessions`: list, show and score stored sessions."""

import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Final

import typer

from workbench.chat.finding import Finding
from workbench.chat.json_value import JsonObject, JsonValue
from workbench.chat.message import Role
from workbench.chat.short_text import shortened
from workbench.cli.session_filters import ModelFilter, SessionSourceFilter, SessionTagFilter
from workbench.cli.terminal.json_option import JsonOption
from workbench.cli.terminal.paint import Paint, Tone, count_of, terminal_paint, write_json_line
from workbench.cli.terminal.visible import shown
from workbench.errors import BadInput
from workbench.records.session_tree import SearchFilter
from workbench.records.sessions import ListedSession, StoredMessage, StoredSession
from workbench.settings import read_settings
from workbench.toolspec.spec import OfferedTools, canonical_json

if TYPE_CHECKING:
    from workbench.hermes.reading import Reading
    from workbench.records.session_score import ScoredCompletion, TurnScore
    from workbench.store.store import OwnedStore

LAST = "last"
"""Stands for the newest session."""
_LINE_CHARS = 100
_MOST_PROBLEMS = 20


def list_sessions(
    tag: SessionTagFilter = None,
    source: SessionSourceFilter = None,
    model: ModelFilter = None,
    limit: Annotated[int, typer.Option(min=1, help="Maximum number of sessions")] = 50,
    offset: Annotated[int, typer.Option(min=0, help="Number of newest sessions to skip")] = 0,
    json_output: JsonOption = False,
) -> None:
    """List sessions, the most recently used first. Each line begins with the ID that other commands take."""
    from workbench.wiring import open_own_data

    chosen = SearchFilter(tag=tag, source=source, model=model)
    with open_own_data(read_settings()) as own:
        found = [item.session for item in own.search.find("", chosen, limit=limit, offset=offset)]
    if json_output:
        write_json_line({"sessions": [_listed_json(session) for session in found]})
        return
    for session in found:
        when = session.updated_at.astimezone().strftime("%Y-%m-%d %H:%M")
        tags = "".join(f" #{tag}" for tag in session.tags)
        title = shown(session.title or "untitled")
        print(f"{session.id}  {when}  {count_of(session.message_count, 'message')}  {title}{shown(tags)}")
    if not found:
        print("No sessions found.", file=sys.stderr)


def show(
    session: Annotated[
        str,
        typer.Argument(
            metavar="SESSION",
            help="ID of the session, from `workbench sessions list`, or last for the newest",
        ),
    ],
    leaf: Annotated[
        str,
        typer.Option(
            metavar="MESSAGE", help="Show the branch with this message", show_default="the open one"
        ),
    ] = "",
    json_output: JsonOption = False,
) -> None:
    """Show the messages of a session with their IDs, calls and findings."""
    from workbench.wiring import open_own_data

    with open_own_data(read_settings()) as own:
        stored = _find(own, session)
        path = own.sessions.path(stored.id, leaf_id=leaf or None)
        tree = own.sessions.tree(stored.id)
    parents = {node.parent_id for node in tree}
    leaves = [node.id for node in tree if node.id not in parents and node.id != (path[-1].id if path else "")]
    try:
        tools = stored.setup.offered_tools()
    except BadInput:
        tools = None
    if json_output:
        messages: list[JsonValue] = [_message_json(message, tools) for message in path]
        write_json_line({**_session_json(stored), "messages": messages, "other_leaves": [*leaves]})
        return
    paint = terminal_paint()
    print(f"{stored.id}  {paint(shown(stored.title or 'untitled'), Tone.TITLE)}")
    print(paint(shown(f"  contract {stored.setup.contract_name}, model {stored.setup.model}"), Tone.QUIET))
    for message in path:
        for line in _lines(message, tools, paint):
            print(line)
    if leaves:
        print(paint("Other branches, for --leaf:", Tone.QUIET), *leaves, sep="\n  ")


def score(
    tag: Annotated[
        str, typer.Argument(metavar="TAG", help="Tag of the sessions, such as that of --record-tag")
    ],
    json_output: JsonOption = False,
) -> None:
    """Score the sessions with a tag, without a suite.

    Counted are calls that cannot be run, calls that were repeated, results that the answer ignores, failed calls that
    were not recovered, and the tokens of a turn; by model and by day.
    """
    from workbench.app.session_scores import score_sessions
    from workbench.records.corpus.material import SessionFilter
    from workbench.records.session_score import score_json, score_table
    from workbench.suite.reports.markdown import table_text
    from workbench.wiring import open_own_data

    with open_own_data(read_settings()) as own:
        scores = score_sessions(own, SessionFilter(tag=tag))
    for problem in scores.left_out:
        print(f"left out: {problem}", file=sys.stderr)
    if not scores.sessions:
        remedy = "`workbench sessions list` shows the tags; record with --record-tag"
        raise BadInput(f"tag {tag!r}", "no session has it", remedy)

    def documents(group: "Sequence[TurnScore]") -> list[JsonValue]:
        return [score_json(one) for one in group]

    if json_output:
        write_json_line(
            {
                "tag": tag,
                "sessions": scores.sessions,
                "total": score_json(scores.total),
                "by_model": documents(scores.by_model),
                "by_day": documents(scores.by_day),
                "problems": [*_problems_json(scores.completions)],
            }
        )
        return
    print(f"{count_of(scores.sessions, 'session')}, {count_of(scores.total.completions, 'completion')}")
    print(shown(table_text(score_table("model", (*scores.by_model, scores.total)))))
    print(shown(table_text(score_table("day", scores.by_day))))
    _print_problems(scores.completions)


def _find(own: "OwnedStore", session_id: str) -> StoredSession:
    """Return a session by its id, or the newest one.

    Raises:
        BadInput: There is no such session.
    """
    if session_id == LAST:
        newest = own.search.find("", limit=1)
        session_id = newest[0].session.id if newest else LAST
    found = own.sessions.find_session(session_id)
    if found is None:
        raise BadInput(f"session {session_id!r}", "no such session", "`workbench sessions list` lists them")
    return found


def _problems_json(completions: "Sequence[ScoredCompletion]") -> Iterator[JsonObject]:
    for completion in completions:
        for problem in completion.problems:
            yield {
                "kind": problem.kind.value,
                "tool": problem.tool,
                "session": completion.session_id,
                "message": completion.message_id,
            }


def _print_problems(completions: "Sequence[ScoredCompletion]") -> None:
    problems = [(problem, completion) for completion in completions for problem in completion.problems]
    for problem, completion in problems[:_MOST_PROBLEMS]:
        print(shown(f"{problem.kind.value} {problem.tool}: {completion.session_id} {completion.message_id}"))
    if len(problems) > _MOST_PROBLEMS:
        print(f"… and {len(problems) - _MOST_PROBLEMS} more; --json lists all")


def _listed_json(session: ListedSession) -> JsonObject:
    return {
        "session": session.id,
        "title": session.title,
        "tags": list(session.tags),
        "client": session.client,
        "created_at": session.created_at.isoformat(),
        "updated_at": session.updated_at.isoformat(),
        "messages": session.message_count,
    }


def _session_json(session: StoredSession) -> JsonObject:
    return {
        "session": session.id,
        "title": session.title,
        "tags": list(session.tags),
        "contract": session.setup.contract_name,
        "model": session.setup.model,
        "created_at": session.created_at.isoformat(),
        "updated_at": session.updated_at.isoformat(),
    }


def _reading(stored: StoredMessage, tools: OfferedTools | None) -> "Reading | None":
    from workbench.hermes.written_out import read_message

    if stored.message.role is not Role.ASSISTANT:
        return None
    reason = stored.generation.finish_reason.value if stored.generation else "stop"
    return read_message(stored.message, tools=tools, finish_reason=reason)


def _findings(stored: StoredMessage, reading: "Reading | None") -> Sequence[Finding]:
    generated = stored.generation.findings if stored.generation else ()
    run = stored.tool_run.findings if stored.tool_run else ()
    return (*(reading.findings if reading else ()), *generated, *run)


def _message_json(stored: StoredMessage, tools: OfferedTools | None) -> JsonObject:
    message, reading = stored.message, _reading(stored, tools)
    calls: list[JsonValue] = [
        {"index": index, "name": call.name, "arguments": dict(call.arguments), "status": call.status.value}
        for index, call in enumerate(reading.calls if reading else ())
    ]
    return {
        "id": stored.id,
        "parent": stored.parent_id,
        "role": message.role.value,
        "origin": stored.origin.value,
        "created_at": stored.created_at.isoformat(),
        "text": message.text,
        "thought": message.thought,
        "name": message.name,
        "calls": calls,
        "fixes": [fix.code for fix in reading.fixes] if reading else [],
        "findings": [
            {"code": finding.code, "severity": finding.severity.value, "message": finding.message}
            for finding in _findings(stored, reading)
        ],
    }


def _lines(stored: StoredMessage, tools: OfferedTools | None, paint: Paint) -> Iterator[str]:
    message, reading = stored.message, _reading(stored, tools)
    name = f" {message.name}" if message.name else ""
    yield f"{stored.id}  {paint(shown(f'{message.role.value}{name}'), Tone.TITLE)}"
    text = "\n".join(reading.prose) if reading else message.text
    if text.strip():
        yield f"  {shown(shortened(' '.join(text.split()), _LINE_CHARS))}"
    for index, call in enumerate(reading.calls if reading else ()):
        arguments = shortened(canonical_json(dict(call.arguments)), _LINE_CHARS)
        yield paint(shown(f"  call {index}  {call.name} {arguments}  {call.status.value}"), Tone.CALL)
    for fix in reading.fixes if reading else ():
        yield paint(shown(f"  fix {fix.code}"), Tone.FIX)
    for finding in _findings(stored, reading):
        yield paint(shown(f"  {finding.severity.value} {finding.code}: {finding.message}"), Tone.QUIET)


GROUP: Final = {
    "list": list_sessions,
    "show": show,
    "score": score,
}
"""The commands of `workbench sessions`."""
