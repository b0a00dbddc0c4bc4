"""`workbench labels add`, `move` and `accept`: a label given, a session's state, a message that holds."""

from collections.abc import Mapping, Sequence
from typing import Annotated, cast

import typer

from workbench.chat.json_value import JsonValue
from workbench.chat.message import ToolCall
from workbench.cli.labels.options import Json, Labeller, MessageId, ProjectName, SessionId
from workbench.cli.terminal.json_lines import write_json_line
from workbench.cli.terminal.sources import read_json, read_text
from workbench.errors import BadInput
from workbench.records.labels.label import LabelContent, NewLabel, Target, Verdict, label_json
from workbench.records.labels.project import QueueState
from workbench.settings import read_settings

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
    from workbench.app.labels.calls import check_call
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
        target=Target(session_id=session, message_id=message, call_index=call),
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
    from workbench.cli.labels.reading import item_json, item_line
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
