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

Name = Annotated[str, typer.Argument(metavar="PROJECT", help="Name of the labelling project.")]


def save_project(
    name: Name,
    guidelines: Annotated[
        str, typer.Option(metavar="FILE", help="What labellers are to read; - for stdin.")
    ] = "",
    question: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=TEXT[|CHOICE|…]", help="Asked beside the verdict; repeatable. Replaces all."
        ),
    ] = None,
    overlap: Annotated[
        int | None, typer.Option(min=1, help="Labellers that each session is given to.")
    ] = None,
    json_output: Json = False,
) -> None:
    """Make a labelling project, or change what is named of one."""
    from workbench.wiring import open_services

    with open_services(read_settings()) as services:
        project = services.labels.find_project(name) or Project(name=name)
        if guidelines:
            project = replace(project, guidelines=read_text(guidelines))
        if question is not None:
            project = replace(project, questions=tuple(map(_question, question)))
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
    session: Annotated[list[str], typer.Option(help="Id of a session; repeatable.")],
    to: Annotated[list[str], typer.Option(metavar="LABELLER", help="Who can be asked; repeatable.")],
    labeller: Labeller = "",
    json_output: Json = False,
) -> None:
    """Give sessions out, each to as many labellers as the project's overlap wants."""
    from workbench.wiring import open_services

    with open_services(read_settings()) as services:
        given = services.labels.assign(session, to, project=project, who=labeller)
    if json_output:
        write_json_line({"given": [{"session": one.session_id, "labeller": one.labeller} for one in given]})
        return
    for one in given:
        print(shown(f"{one.session_id}  {one.labeller}"))


def agreement(project: ProjectName = "", json_output: Json = False) -> None:
    """Say how far labellers agree: Cohen's kappa, the mean over all pairs where there are more than two."""
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
        raise BadInput(f"--question {text!r}", "no =", "write NAME=TEXT, or NAME=TEXT|yes|no")
    asked, *choices = rest.split("|")
    return Question(name=name.strip(), text=asked, choices=tuple(choices))


def _project_json(project: Project) -> JsonObject:
    questions: Sequence[JsonObject] = [
        {"name": one.name, "text": one.text, "choices": list(one.choices)} for one in project.questions
    ]
    return {
        "name": project.name,
        "guidelines": project.guidelines,
        "questions": questions,
        "overlap": project.overlap,
    }


def _project_line(project: Project) -> str:
    names = ", ".join(question.name for question in project.questions)
    asks = f", asks {names}" if names else ""
    return shown(f"{project.name or '(all sessions)'}: {project.overlap} labellers a session{asks}")


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
    lines = [f"{head}, {found.item_count} items that two or more judged"]
    for pair in found.pairs:
        value = f"kappa {pair.kappa:.3f}" if pair.kappa is not None else f"no kappa: {pair.problem}"
        who = " and ".join(name or "(nobody)" for name in pair.labellers)
        lines.append(shown(f"  {who}: {value}, {pair.agreed_count} of {pair.item_count} the same"))
    return lines
