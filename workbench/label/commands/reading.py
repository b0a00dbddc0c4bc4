"""`workbench labels stale`, `export`, `log`, `add`, `move` and `accept`."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Final, cast

import typer

from workbench.app.services import Services
from workbench.chat.json_value import JsonObject, JsonValue
from workbench.chat.message import ToolCall
from workbench.cli.terminal.json_option import JsonOption
from workbench.cli.terminal.paint import count_of, write_json_line
from workbench.cli.terminal.sources import read_json, read_text
from workbench.cli.terminal.visible import shown
from workbench.errors import BadInput
from workbench.label.commands.options import (
    AsAccount,
    Limit,
    MessageId,
    Offset,
    OwnerKey,
    ProjectName,
    SessionId,
    Who,
    labels_of,
    reference_of,
)
from workbench.label.commands.queueing import item_json, item_line
from workbench.records.label import Label, LabelContent, LabelTarget, NewLabel, Verdict, label_json
from workbench.records.label_words import QueueState
from workbench.records.owner import AuditEntry

PAGE: Final = 200
"""Labels read from the database at a time."""


def stale(session: SessionId, owner: OwnerKey = "", json_output: JsonOption = False) -> None:
    """List the stale messages of a session.

    A message is stale if a message above it was corrected later, until it is accepted.
    """
    with labels_of(owner, "") as services:
        found = tuple(services.labels.stale(session))
    if json_output:
        write_json_line({"stale": list(found)})
    else:
        print("\n".join(found) or "No stale messages.")


def export_labels(
    out: Annotated[str, typer.Option(metavar="FILE", help="File to write, or - for standard output")] = "-",
    project: Annotated[
        str | None,
        typer.Option(
            metavar="PROJECT", help="Only this labelling project; empty for the project of all sessions"
        ),
    ] = None,
    owner: OwnerKey = "",
    account: AsAccount = "",
) -> None:
    """Export labels as JSON Lines, the oldest first.

    Each line has the ID and the number of the imported row, so that labels can be joined to the rows.
    """
    project = None if project is None else reference_of(project, owner, account)
    count = 0
    with labels_of(owner, account) as services:
        if out == "-":
            for label in _labels(services, project):
                write_json_line(label_json(label))
                count += 1
        else:
            from workbench.toolspec.spec import canonical_json

            lines = [canonical_json(label_json(label)) + "\n" for label in _labels(services, project)]
            count = len(lines)
            _write(out, "".join(lines))
    print(f"{count_of(count, 'label')} written", file=sys.stderr)


def log(
    subject: Annotated[
        str | None, typer.Option(metavar="NAME", help="Only this subject, such as contract:minimal")
    ] = None,
    action: Annotated[
        str | None,
        typer.Option(
            metavar="ACTION", help="Only this action, such as label.save; a prefix such as label. selects all"
        ),
    ] = None,
    limit: Limit = 50,
    offset: Offset = 0,
    owner: OwnerKey = "",
    json_output: JsonOption = False,
) -> None:
    """Show the log of changes to labels, projects and versions.

    The newest changes come first.
    """
    with labels_of(owner, "") as services:
        entries = services.audit.entries(subject=subject, action=action, limit=limit, offset=offset)
    if json_output:
        write_json_line({"entries": [_entry_json(entry) for entry in entries]})
        return
    for entry in entries:
        who = entry.who or "-"
        print(shown(f"{entry.at:%Y-%m-%d %H:%M:%S}  {who}  {entry.action}  {entry.subject}"))


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


Tags = Annotated[list[str] | None, typer.Option("--tag", metavar="TAG", help="Tag of the label; repeatable")]
Answers = Annotated[
    list[str] | None,
    typer.Option("--answer", metavar="NAME=TEXT", help="Answer to a question of the project; repeatable"),
]


def add(
    session: SessionId,
    message: MessageId,
    call: Annotated[
        int | None,
        typer.Option(min=0, help="Index of the call, from 0; if omitted, the label is for the message"),
    ] = None,
    verdict: Annotated[
        Verdict | None, typer.Option(metavar="VERDICT", help=f"Verdict: {', '.join(Verdict)}")
    ] = None,
    rating: Annotated[int | None, typer.Option(min=1, max=5, help="Rating")] = None,
    tag: Tags = None,
    comment: Annotated[str, typer.Option(help="Comment")] = "",
    correction: Annotated[
        str,
        typer.Option(metavar="FILE", help="Corrected message as text, or call as JSON; - for standard input"),
    ] = "",
    answer: Answers = None,
    who: Who = "",
    project: ProjectName = "",
    decide: Annotated[
        bool, typer.Option("--decide", help="Make this the final label if annotators disagree")
    ] = False,
    revision: Annotated[
        int, typer.Option(min=0, help="Revision of the label to replace; 0 for a new label")
    ] = 0,
    owner: OwnerKey = "",
    account: AsAccount = "",
    json_output: JsonOption = False,
) -> None:
    """Label a message or a call.

    Exit code 2 if somebody else saved a newer revision of the label. The error shows both labels.
    """
    from workbench.label.app.labelling import LabellingRole, check_call

    who, project = who or account, reference_of(project, owner, account)
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
        annotator=who,
        project=project,
        is_deciding=decide,
        base_revision=revision,
    )
    with labels_of(owner, account) as services:
        role = LabellingRole(annotator=who, project=project, is_deciding=decide)
        check_call(services, new.target, role)
        label = services.labels.save(new)
    if json_output:
        write_json_line(label_json(label))
    else:
        print(f"label {label.id}, revision {label.revision}")


def move(
    session: SessionId,
    state: Annotated[QueueState, typer.Argument(metavar="STATE", help=f"New state: {', '.join(QueueState)}")],
    who: Who = "",
    project: ProjectName = "",
    revision: Annotated[
        int | None, typer.Option(min=0, help="Expected revision; refuse the change if there is a newer one")
    ] = None,
    owner: OwnerKey = "",
    account: AsAccount = "",
    json_output: JsonOption = False,
) -> None:
    """Move a session to another state of the labelling queue."""
    who, project = who or account, reference_of(project, owner, account)
    with labels_of(owner, account) as services:
        item = services.labels.move(
            session, state, project=project, assignee=who, base_revision=revision, who=who
        )
    if json_output:
        write_json_line(item_json(item))
    else:
        print(item_line(item))


def accept(
    session: SessionId,
    message: MessageId,
    who: Who = "",
    project: ProjectName = "",
    owner: OwnerKey = "",
    account: AsAccount = "",
) -> None:
    """Accept a stale message as still correct."""
    project = reference_of(project, owner, account)
    with labels_of(owner, account) as services:
        services.labels.accept(session, message, project=project, who=who or account)


def _correction(source: str, *, is_of_call: bool) -> str | ToolCall | None:
    if not source:
        return None
    if not is_of_call:
        return read_text(source)
    value = read_json(source, what="correction")
    if not isinstance(value, Mapping) or not isinstance(value.get("name"), str):
        raise BadInput(f"correction {source}", "not a call", 'write {"name": …, "arguments": {…}}')
    arguments = value.get("arguments")
    if not isinstance(arguments, Mapping):
        raise BadInput(f"correction {source}", "arguments is not an object", 'write "arguments": {…}')
    return ToolCall(name=str(value["name"]), arguments=cast(Mapping[str, JsonValue], arguments))


def _answers(options: Sequence[str]) -> Mapping[str, str]:
    answers: dict[str, str] = {}
    for text in options:
        name, equals, answer = text.partition("=")
        if not equals:
            raise BadInput(f"--answer {text!r}", "= is missing", "write NAME=TEXT")
        answers[name] = answer
    return answers
