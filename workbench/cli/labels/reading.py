"""`workbench labels queue`, `stale`, `export`, `log`, `add`, `move` and `accept`."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Final, cast

import typer

from workbench.app.services import Services
from workbench.chat.json_value import JsonObject, JsonValue
from workbench.chat.message import ToolCall
from workbench.cli.terminal.paint import shown, write_json_line
from workbench.cli.terminal.sources import read_json, read_text
from workbench.errors import BadInput
from workbench.records.labels.label import Label, LabelContent, LabelTarget, NewLabel, Verdict, label_json
from workbench.records.labels.project import QueueFilter, QueueItem, QueueState
from workbench.records.owner import AuditEntry
from workbench.settings import read_settings

Json = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")]
ProjectName = Annotated[str, typer.Option("--project", help="Labelling project; without one, that of all.")]
Labeller = Annotated[str, typer.Option("--labeller", help="Whose label it is; empty for your own machine's.")]
SessionId = Annotated[str, typer.Argument(metavar="SESSION", help="Id of the session.")]
MessageId = Annotated[str, typer.Argument(metavar="MESSAGE", help="Id of the message.")]


PAGE: Final = 200
"""Labels that are read at once."""

Limit = Annotated[int, typer.Option(min=1, help="At most so many.")]
Offset = Annotated[int, typer.Option(min=0, help="So many left out before them.")]
Moment = Annotated[datetime | None, typer.Option(formats=["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S"], help="UTC.")]


def queue(
    project: ProjectName = "",
    state: Annotated[QueueState | None, typer.Option(help="How far it is.")] = None,
    assignee: Annotated[str | None, typer.Option(help="Whose it is to label.")] = None,
    tag: Annotated[str | None, typer.Option(help="A label has it.")] = None,
    verdict: Annotated[Verdict | None, typer.Option(help="A label says so.")] = None,
    contract: Annotated[
        str | None, typer.Option(help="Of the contract's text: its hash, or the beginning of it.")
    ] = None,
    model: Annotated[str | None, typer.Option(help="Which model wrote it.")] = None,
    fixes: Annotated[bool | None, typer.Option("--fix/--no-fix", help="Whether something was fixed.")] = None,
    since: Moment = None,
    until: Moment = None,
    limit: Limit = 50,
    offset: Offset = 0,
    json_output: Json = False,
) -> None:
    """List what is to be labelled, the sessions that were used last first."""
    from workbench.wiring import open_services

    wanted = QueueFilter(
        state=state,
        assignee=assignee,
        tag=tag,
        verdict=verdict.value if verdict else None,
        contract_version=contract,
        model=model,
        has_fix=fixes,
        since=since and since.replace(tzinfo=UTC),
        until=until and until.replace(tzinfo=UTC),
    )
    with open_services(read_settings()) as services:
        page = services.labels.queue(wanted, project=project, limit=limit, offset=offset)
    if json_output:
        write_json_line({"total": page.total, "items": [item_json(item) for item in page.items]})
        return
    for item in page.items:
        print(item_line(item))
    print(f"{len(page.items)} of {page.total}", file=sys.stderr)


def stale(session: SessionId, json_output: Json = False) -> None:
    """List the messages that no longer follow from what was corrected above them."""
    from workbench.wiring import open_services

    with open_services(read_settings()) as services:
        found = tuple(services.labels.stale(session))
    if json_output:
        write_json_line({"stale": list(found)})
    else:
        print("\n".join(found) or "nothing is stale")


def export_labels(
    out: Annotated[str, typer.Option(help="File to write; - for standard output.")] = "-",
    project: Annotated[
        str | None, typer.Option(help="Only this labelling project; empty for that of all.")
    ] = None,
) -> None:
    """Write labels as JSON, one a line, in the order in which they were made."""
    from workbench.wiring import open_services

    count = 0
    with open_services(read_settings()) as services:
        if out == "-":
            for label in _labels(services, project):
                write_json_line(label_json(label))
                count += 1
        else:
            from workbench.toolspec.spec import canonical_json

            lines = [canonical_json(label_json(label)) + "\n" for label in _labels(services, project)]
            count = len(lines)
            _write(out, "".join(lines))
    print(f"{count} labels written", file=sys.stderr)


def log(
    subject: Annotated[
        str | None, typer.Option(help="Only what was done to it, such as contract:minimal.")
    ] = None,
    action: Annotated[
        str | None, typer.Option(help="Only this, such as label.save; `label.` for all of labels.")
    ] = None,
    limit: Limit = 50,
    offset: Offset = 0,
    json_output: Json = False,
) -> None:
    """Show who did what, the newest first: of labels, projects and versions."""
    from workbench.wiring import open_services

    with open_services(read_settings()) as services:
        entries = services.audit.entries(subject=subject, action=action, limit=limit, offset=offset)
    if json_output:
        write_json_line({"entries": [_entry_json(entry) for entry in entries]})
        return
    for entry in entries:
        who = entry.who or "-"
        print(shown(f"{entry.at:%Y-%m-%d %H:%M:%S}  {who}  {entry.action}  {entry.subject}"))


def item_json(item: QueueItem) -> JsonObject:
    """An item of the queue."""
    return {
        "session": item.session_id,
        "title": item.title,
        "state": item.state.value,
        "assignee": item.assignee,
        "revision": item.revision,
        "labels": item.label_count,
        "updated_at": item.updated_at.isoformat(),
    }


def item_line(item: QueueItem) -> str:
    """The same for people."""
    parts = (item.session_id, f"{item.state:<9}", item.assignee, f"{item.label_count} labels", item.title)
    return shown("  ".join(part for part in parts if part))


def _labels(services: Services, project: str | None) -> Iterator[Label]:
    offset = 0
    while True:
        page = services.labels.list_labels(project=project, limit=PAGE, offset=offset)
        yield from page
        if len(page) < PAGE:
            return
        offset += PAGE


def _write(out: str, text: str) -> None:
    try:
        Path(out).write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise BadInput(f"--out {out}", str(error.strerror or error)) from error


def _entry_json(entry: AuditEntry) -> JsonObject:
    return {
        "number": entry.number,
        "at": entry.at.isoformat(),
        "who": entry.who,
        "action": entry.action,
        "subject": entry.subject,
        "detail": entry.detail,
    }


Tags = Annotated[list[str] | None, typer.Option("--tag", help="Repeatable.")]
Answers = Annotated[
    list[str] | None,
    typer.Option("--answer", metavar="NAME=TEXT", help="To a question of the project; repeatable."),
]


def add(
    session: SessionId,
    message: MessageId,
    call: Annotated[
        int | None, typer.Option(min=0, help="Place of the call, from 0; none for the message.")
    ] = None,
    verdict: Annotated[Verdict | None, typer.Option(help="What you hold of it.")] = None,
    rating: Annotated[int | None, typer.Option(min=1, max=5, help="From 1 to 5.")] = None,
    tag: Tags = None,
    comment: Annotated[str, typer.Option(help="Free text.")] = "",
    correction: Annotated[
        str,
        typer.Option(metavar="FILE", help="What should stand there: text, or a call as JSON; - for stdin."),
    ] = "",
    answer: Answers = None,
    labeller: Labeller = "",
    project: ProjectName = "",
    decide: Annotated[bool, typer.Option("--decide", help="This label settles the matter.")] = False,
    revision: Annotated[int, typer.Option(min=0, help="The revision that you have seen; 0 for none.")] = 0,
    json_output: Json = False,
) -> None:
    """Label a message or a call. Exit 2 where somebody saved another label meanwhile: both are shown."""
    from workbench.app.labelling import check_call
    from workbench.wiring import open_services

    content = LabelContent(
        verdict=verdict,
        rating=rating,
        tags=tuple(tag or ()),
        comment=comment,
        correction=_correction(correction, is_of_call=call is not None),
        answers=_answers(answer or ()),
    )
    new = NewLabel(
        target=LabelTarget(session_id=session, message_id=message, call_index=call),
        content=content,
        labeller=labeller,
        project=project,
        is_deciding=decide,
        base_revision=revision,
    )
    with open_services(read_settings()) as services:
        check_call(services, new.target)
        label = services.labels.save(new)
    if json_output:
        write_json_line(label_json(label))
    else:
        print(f"label {label.id}, revision {label.revision}")


def move(
    session: SessionId,
    state: Annotated[QueueState, typer.Argument(help="How far its labelling is.")],
    labeller: Labeller = "",
    project: ProjectName = "",
    revision: Annotated[int | None, typer.Option(min=0, help="The revision that you have seen.")] = None,
    json_output: Json = False,
) -> None:
    """Say how far a session's labelling is."""
    # folded
    from workbench.wiring import open_services

    with open_services(read_settings()) as services:
        item = services.labels.move(
            session, state, project=project, assignee=labeller, base_revision=revision, who=labeller
        )
    if json_output:
        write_json_line(item_json(item))
    else:
        print(item_line(item))


def accept(session: SessionId, message: MessageId, labeller: Labeller = "") -> None:
    """Say that a stale message holds all the same."""
    from workbench.wiring import open_services

    with open_services(read_settings()) as services:
        services.labels.accept(session, message, who=labeller)


def _correction(source: str, *, is_of_call: bool) -> str | ToolCall | None:
    if not source:
        return None
    if not is_of_call:
        return read_text(source)
    value = read_json(source, what="correction")
    if not isinstance(value, Mapping) or not isinstance(value.get("name"), str):
        raise BadInput(f"correction {source}", "no call", 'write {"name": …, "arguments": {…}}')
    arguments = value.get("arguments")
    if not isinstance(arguments, Mapping):
        raise BadInput(f"correction {source}", "its arguments are no object", 'write "arguments": {…}')
    return ToolCall(name=str(value["name"]), arguments=cast(Mapping[str, JsonValue], arguments))


def _answers(given: Sequence[str]) -> Mapping[str, str]:
    answers: dict[str, str] = {}
    for text in given:
        name, equals, answer = text.partition("=")
        if not equals:
            raise BadInput(f"--answer {text!r}", "no =", "write NAME=TEXT")
        answers[name] = answer
    return answers
