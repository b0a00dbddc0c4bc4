"""Rules for labels and projects: which verdicts, ratings and answers a target can have."""

from collections.abc import Sequence

from workbench.chat.message import Role
from workbench.errors import BadInput
from workbench.label.records.project import Project, Question
from workbench.records.label import (
    CALL_VERDICTS,
    MAX_RATING,
    MESSAGE_VERDICTS,
    MIN_RATING,
    LabelContent,
    NewLabel,
)
from workbench.records.label_words import ProjectRole


def check_label(new: NewLabel, role: Role, questions: Sequence[Question]) -> None:
    """Raise if a label is not allowed on its target.

    Args:
        new: The label.
        role: Role of the labelled message.
        questions: Questions of the project.

    Raises:
        BadInput: The verdict, rating, correction or an answer is not allowed.
    """
    where = f"label of {new.target}"
    if new.target.call_index is not None and (role is not Role.ASSISTANT or new.target.call_index < 0):
        raise BadInput(where, f"a message with the role {role} has no call {new.target.call_index}")
    _check_verdict(where, new, role)
    content = new.content
    if content.rating is not None and not MIN_RATING <= content.rating <= MAX_RATING:
        raise BadInput(where, f"rating {content.rating}", f"use {MIN_RATING} to {MAX_RATING}")
    if any(not tag.strip() or tag != tag.strip() for tag in content.tags):
        raise BadInput(where, "a tag is empty or has spaces around it")
    _check_correction(where, new)
    _check_answers(where, content, questions)


def check_project(project: Project) -> None:
    """Raise if a labelling project is not valid.

    Raises:
        BadInput: Two questions have the same name, a question has no name, the overlap is less than 1, or the
            members are not valid.
    """
    where = f"labelling project {project.name!r}"
    names = [question.name for question in project.questions]
    if not all(names) or len(set(names)) < len(names):
        raise BadInput(
            where, "two questions have the same name, or one has no name", "give each a unique name"
        )
    if project.overlap < 1:
        raise BadInput(where, f"overlap {project.overlap}", "use 1 or more")
    members = [member.name for member in project.members]
    if any(not name.strip() or name != name.strip() for name in members):
        raise BadInput(where, "the name of a member is empty or has spaces around it")
    repeated = next((name for name in members if members.count(name) > 1), None)
    if repeated is not None:
        raise BadInput(where, f"{repeated!r} is a member twice", "give each member one role")
    if any(member.role is ProjectRole.OWNER for member in project.members):
        raise BadInput(where, "a member cannot be the owner", "use annotator or reviewer")
    if project.members and not project.name:
        raise BadInput(where, "the queue of all sessions cannot be shared", "create a project with a name")


def _check_verdict(where: str, new: NewLabel, role: Role) -> None:
    verdict = new.content.verdict
    if verdict is None:
        return
    is_of_call = new.target.call_index is not None
    allowed = CALL_VERDICTS if is_of_call else MESSAGE_VERDICTS
    if role is not Role.ASSISTANT:
        raise BadInput(
            where, f"a message with the role {role} cannot have a verdict", "label a message of the model"
        )
    if verdict not in allowed:
        of_what = "call" if is_of_call else "message"
        raise BadInput(
            where,
            f"{verdict.value!r} is not a verdict for a {of_what}",
            f"use {', '.join(sorted(allowed))}",
        )


def _check_correction(where: str, new: NewLabel) -> None:
    correction = new.content.correction
    if correction is None:
        return
    if (new.target.call_index is None) != isinstance(correction, str):
        raise BadInput(
            where,
            "the correction has the wrong kind",
            "correct a call with a call and a message with a text",
        )


def _check_answers(where: str, content: LabelContent, questions: Sequence[Question]) -> None:
    by_name = {question.name: question for question in questions}
    for name, answer in content.answers.items():
        if name not in by_name:
            known = ", ".join(by_name) or "none"
            raise BadInput(where, f"the project has no question {name!r}", f"its questions: {known}")
        choices = by_name[name].choices
        if choices and answer not in choices:
            raise BadInput(
                where, f"{answer!r} is not an allowed answer to {name!r}", f"use one of {', '.join(choices)}"
            )
