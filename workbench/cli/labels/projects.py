"""`workbench labels project`, `projects`, `assign` and `agreement`."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

import typer

from workbench.chat.json_value import JsonObject
from workbench.cli.labels.reading import Json, Labeller, ProjectName
from workbench.cli.terminal.paint import shown, write_json_line
from workbench.cli.terminal.sources import read_text
from workbench.errors import BadInput
from workbench.records.labels.agreement import AnnotatorAgreement, agreement_of
from workbench.records.labels.project import Project, Question
from workbench.settings import read_settings

Name = Annotated[str, typer.Argument(metavar="PROJECT", help="Name of the labelling project")]


def save_project(
    name: Name,
    guidelines: Annotated[
        str, typer.Option(metavar="FILE", help="Guidelines for labellers, or - for standard input")
    ] = "",
    question: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=TEXT[|CHOICE|…]",
            help="Question in addition to the verdict; repeatable; replaces all previous questions",
        ),
    ] = None,
    required: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="Question that needs an answer before a session is submitted; repeatable"
        ),
    ] = None,
    requires_verdicts: Annotated[
        bool | None,
        typer.Option(
            "--require-verdicts/--no-require-verdicts",
            help="Whether every call and answer needs a verdict before a session is submitted",
        ),
    ] = None,
    overlap: Annotated[int | None, typer.Option(min=1, help="Number of labellers for each session")] = None,
    json_output: Json = False,
) -> None:
    """Create or change a labelling project.

    Changes only what the options name.
    """
    from workbench.wiring import open_services

    with open_services(read_settings()) as services:
        project = services.labels.find_project(name) or Project(name=name)
        if guidelines:
            project = replace(project, guidelines=read_text(guidelines))
        if question is not None:
            project = replace(project, questions=tuple(map(_question, question)))
        if required is not None:
            project = replace(project, questions=_with_required(project.questions, required))
        if requires_verdicts is not None:
            project = replace(project, requires_verdicts=requires_verdicts)
        project = services.labels.save_project(replace(project, overlap=overlap or project.overlap))
    if json_output:
        write_json_line(_project_json(project))
    else:
        print(_project_line(project))


def projects(json_output: Json = False) -> None:
    """List the labelling projects."""
    from workbench.wiring import open_services

    with open_services(read_settings()) as services:
        found = services.labels.list_projects()
    if json_output:
        write_json_line({"projects": [_project_json(project) for project in found]})
        return
    for project in found:
        print(_project_line(project))


def assign(
    project: Name,
    session: Annotated[list[str], typer.Option(metavar="ID", help="Session to assign; repeatable")],
    to: Annotated[list[str], typer.Option(metavar="LABELLER", help="Available labeller; repeatable")],
    labeller: Labeller = "",
    json_output: Json = False,
) -> None:
    """Assign sessions to labellers.

    Each session goes to as many labellers as the overlap of the project says.
    """
    from workbench.wiring import open_services

    with open_services(read_settings()) as services:
        assigned = services.labels.assign(session, to, project=project, who=labeller)
    if json_output:
        write_json_line(
            {"given": [{"session": item.session_id, "labeller": item.labeller} for item in assigned]}
        )
        return
    for item in assigned:
        print(shown(f"{item.session_id}  {item.labeller}"))


def agreement(project: ProjectName = "", json_output: Json = False) -> None:
    """Measure how far labellers agree, as Cohen's kappa.

    With more than two labellers, this is the mean over all pairs.
    """
    from workbench.wiring import open_services

    with open_services(read_settings()) as services:
        found = agreement_of(services.labels.judgements(project=project))
    if json_output:
        write_json_line(_agreement_json(found))
    else:
        print("\n".join(_agreement_lines(found)))


def _question(text: str) -> Question:
    name, equals, rest = text.partition("=")
    if not equals:
        raise BadInput(f"--question {text!r}", "= is missing", "write NAME=TEXT, or NAME=TEXT|yes|no")
    question, *choices = rest.split("|")
    return Question(name=name.strip(), text=question, choices=tuple(choices))


def _with_required(questions: Sequence[Question], required: Sequence[str]) -> tuple[Question, ...]:
    names = [question.name for question in questions]
    for name in required:
        if name not in names:
            known = ", ".join(names) or "none"
            raise BadInput(
                f"--required {name}", "the project has no such question", f"its questions: {known}"
            )
    return tuple(replace(question, is_required=question.name in required) for question in questions)


def _project_json(project: Project) -> JsonObject:
    questions: Sequence[JsonObject] = [
        {
            "name": question.name,
            "text": question.text,
            "choices": list(question.choices),
            "required": question.is_required,
        }
        for question in project.questions
    ]
    return {
        "name": project.name,
        "guidelines": project.guidelines,
        "questions": questions,
        "requires_verdicts": project.requires_verdicts,
        "overlap": project.overlap,
    }


def _project_line(project: Project) -> str:
    names = ", ".join(question.name for question in project.questions)
    questions = f", questions: {names}" if names else ""
    labellers = f"{project.overlap} labeller{'' if project.overlap == 1 else 's'} per session"
    return shown(f"{project.name or '(all sessions)'}: {labellers}{questions}")


def _agreement_json(found: AnnotatorAgreement) -> JsonObject:
    return {
        "kappa": found.kappa,
        "problem": found.problem,
        "items": found.item_count,
        "pairs": [
            {
                "labellers": list(pair.labellers),
                "items": pair.item_count,
                "agreed": pair.agreed_count,
                "kappa": pair.kappa,
                "problem": pair.problem,
            }
            for pair in found.pairs
        ],
    }


def _agreement_lines(found: AnnotatorAgreement) -> Sequence[str]:
    head = f"kappa {found.kappa:.3f}" if found.kappa is not None else f"no kappa: {found.problem}"
    items = f"{found.item_count} item{'' if found.item_count == 1 else 's'}"
    lines = [f"{head}, {items} with two or more labels"]
    for pair in found.pairs:
        value = f"kappa {pair.kappa:.3f}" if pair.kappa is not None else f"no kappa: {pair.problem}"
        who = " and ".join(name or "(no name)" for name in pair.labellers)
        lines.append(shown(f"  {who}: {value}, {pair.agreed_count} of {pair.item_count} agree"))
    return lines
