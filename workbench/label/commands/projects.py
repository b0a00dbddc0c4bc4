"""`workbench labels project`, `projects`, `delete-project`, `restore-project` and `agreement`."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

import typer

from workbench.chat.json_value import JsonObject
from workbench.cli.terminal.json_option import JsonOption
from workbench.cli.terminal.paint import count_of, write_json_line
from workbench.cli.terminal.sources import read_text
from workbench.cli.terminal.visible import shown
from workbench.errors import BadInput
from workbench.label.commands.options import (
    AsAccount,
    OwnerKey,
    ProjectName,
    Who,
    labels_of,
    reference_of,
)
from workbench.label.records.agreement import (
    AnnotatorAgreement,
    ItemKind,
    PairAgreement,
    agreement_of,
    project_agreement,
)
from workbench.label.records.project import Member, Project, Question
from workbench.records.label_words import ProjectRole

Name = Annotated[str, typer.Argument(metavar="PROJECT", help="Name of the labelling project")]


def save_project(
    name: Name,
    guidelines: Annotated[
        str, typer.Option(metavar="FILE", help="Guidelines for annotators, or - for standard input")
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
    overlap: Annotated[int | None, typer.Option(min=1, help="Number of annotators for each session")] = None,
    annotator: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="Account that labels; repeatable; replaces all previous annotators"
        ),
    ] = None,
    reviewer: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="Account that decides; repeatable; replaces all previous reviewers"
        ),
    ] = None,
    owner: OwnerKey = "",
    json_output: JsonOption = False,
) -> None:
    """Create or change a labelling project.

    Changes only what the options name. An annotator or reviewer named "" removes all of them.
    """
    from workbench.label.app.projects import save_project as save

    with labels_of(owner, "") as services:
        project = services.label_projects.find_project(name) or Project(name=name)
        if guidelines:
            project = replace(project, guidelines=read_text(guidelines))
        if question is not None:
            project = replace(project, questions=tuple(map(_question, question)))
        if required is not None:
            project = replace(project, questions=_with_required(project.questions, required))
        if requires_verdicts is not None:
            project = replace(project, requires_verdicts=requires_verdicts)
        members = [
            Member(member, role)
            for role, names in ((ProjectRole.ANNOTATOR, annotator), (ProjectRole.REVIEWER, reviewer))
            for member in (project.names(role) if names is None else filter(None, names))
        ]
        changed = replace(project, overlap=overlap or project.overlap, members=tuple(members))
        project = save(services, changed)
    if json_output:
        write_json_line(_project_json(project))
    else:
        print(_project_line(project))


def projects(
    deleted: Annotated[
        bool, typer.Option("--deleted", help="List deleted projects that can be restored")
    ] = False,
    owner: OwnerKey = "",
    account: AsAccount = "",
    json_output: JsonOption = False,
) -> None:
    """List the labelling projects."""
    with labels_of(owner, account) as services:
        found = () if deleted else services.label_projects.list_projects()
        gone = services.label_projects.deleted_projects() if deleted else ()
    if deleted:
        if json_output:
            write_json_line(
                {"deleted": [{"name": row.name, "deleted_at": row.deleted_at.isoformat()} for row in gone]}
            )
        for row in () if json_output else gone:
            print(shown(f"{row.name}  {row.deleted_at:%Y-%m-%d %H:%M}"))
        return
    if json_output:
        write_json_line({"projects": [_project_json(project) for project in found]})
        return
    for project in found:
        print(_project_line(project))


def delete_project(name: Name, who: Who = "", owner: OwnerKey = "", account: AsAccount = "") -> None:
    """Delete a labelling project.

    Its labels and assignments no longer count anywhere. It can be restored for 30 days. Sessions stay.
    """
    reference = reference_of(name, owner, account)
    with labels_of(owner, account) as services:
        services.label_projects.delete_project(reference, who=who)
    print(shown(f"Deleted labelling project {reference}."))
    options = f" --owner {owner}" if owner else f" --as {account}" if account else ""
    print(shown(f"To restore it within 30 days: workbench labels restore-project {reference}{options}"))


def restore_project(name: Name, who: Who = "", owner: OwnerKey = "", account: AsAccount = "") -> None:
    """Restore a deleted labelling project."""
    with labels_of(owner, account) as services:
        services.label_projects.restore_project(name, who=who)
    print(shown(f"Restored labelling project {name}."))


def agreement(
    project: ProjectName = "",
    by_row: Annotated[
        bool,
        typer.Option("--by-row", help="Count a row once, with all verdicts of an annotator on it together"),
    ] = False,
    owner: OwnerKey = "",
    account: AsAccount = "",
    json_output: JsonOption = False,
) -> None:
    """Measure how far annotators agree.

    Verdicts on calls, on messages and on preference pairs have a figure each, and so has each question.

    For two annotators this is Cohen's kappa. For more of them, or if some labels are missing, it is Krippendorff's
    alpha.
    """
    reference = reference_of(project, owner, account)
    with labels_of(owner, account) as services:
        found = project_agreement(services.label_queues.judgements(project=reference), by_row=by_row)
    if json_output:
        kinds = {
            kind.value: _agreement_json(found.kinds.get(kind) or agreement_of(()))
            for kind in ItemKind
            if kind is not ItemKind.QUESTION
        }
        questions = {name: _agreement_json(answers) for name, answers in found.questions.items()}
        models = {name: list(map(_pair_json, pairs)) for name, pairs in found.models.items()}
        write_json_line({**kinds, "questions": questions, **({"models": models} if models else {})})
        return
    if not (found.kinds or found.questions):
        print("no labels")
    for name, agreed in (*found.kinds.items(), *found.questions.items()):
        first, *others = _agreement_lines(agreed)
        print("\n".join((shown(f"{name}: {first}"), *others)))
    for name, pairs in found.models.items():
        print(shown(f"{name}, models beside people:"))
        print("\n".join(map(_pair_line, pairs)))


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
        "owner": project.owner,
        "role": project.role.value,
        "members": [{"name": member.name, "role": member.role.value} for member in project.members],
    }


def _project_line(project: Project) -> str:
    names = ", ".join(question.name for question in project.questions)
    questions = f", questions: {names}" if names else ""
    annotators = f"{count_of(project.overlap, 'annotator')} per session"
    members = "".join(
        f", {role.value}s: {', '.join(project.names(role))}"
        for role in (ProjectRole.ANNOTATOR, ProjectRole.REVIEWER)
        if project.names(role)
    )
    return shown(f"{project.reference or '(all sessions)'}: {annotators}{questions}{members}")


def _agreement_json(found: AnnotatorAgreement) -> JsonObject:
    return {
        "kappa": found.kappa,
        "alpha": found.alpha,
        "problem": found.problem,
        "items": found.item_count,
        "pairs": list(map(_pair_json, found.pairs)),
    }


def _pair_json(pair: PairAgreement) -> JsonObject:
    return {
        "labellers": list(pair.annotators),
        "items": pair.item_count,
        "agreed": pair.agreed_count,
        "kappa": pair.kappa,
        "problem": pair.problem,
    }


def _agreement_lines(found: AnnotatorAgreement) -> Sequence[str]:
    measure, value = found.measure
    problem = found.problem or "all labels are the same"
    head = f"{measure} {value:.3f}" if value is not None else f"no {measure}: {problem}"
    items = count_of(found.item_count, "item")
    lines = [f"{head}, {items} with two or more labels"]
    return [*lines, *map(_pair_line, found.pairs)]


def _pair_line(pair: PairAgreement) -> str:
    value = f"kappa {pair.kappa:.3f}" if pair.kappa is not None else f"no kappa: {pair.problem}"
    who = " and ".join(name or "(no name)" for name in pair.annotators)
    return shown(f"  {who}: {value}, {pair.agreed_count} of {pair.item_count} agree")
