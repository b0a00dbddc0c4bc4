"""Rules for labels: which verdicts, ratings and answers are allowed on which target."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from workbench.chat.message import Role, ToolCall
from workbench.errors import BadInput
from workbench.records.labels.label import (
    CALL_VERDICTS,
    MAX_RATING,
    MESSAGE_VERDICTS,
    MIN_RATING,
    LabelContent,
    NewLabel,
)
from workbench.records.labels.project import Project, Question


@dataclass(frozen=True, slots=True, kw_only=True)
class PathStep:
    """A message on its path, as far as staleness goes."""

    message_id: str
    created_at: datetime
    """When it was committed."""
    corrected_at: datetime | None = None
    """When what stands beside it was last changed; None where nothing ever did."""
    accepted_at: datetime | None = None
    """When somebody last said that it holds all the same; None where nobody did."""


def find_stale(path: Sequence[PathStep]) -> Collection[str]:
    """The stale messages of a path, in order.

    A message stands on what is above it. Where that is corrected later than the message was made, the
    message no longer follows from it, until it is made anew (which is a branch with new messages) or accepted.
    A correction at the very moment of either counts as later than the making, and earlier than the accepting.

    Args:
        path: From the root to the leaf.
    """
    stale: list[str] = []
    corrected_at: datetime | None = None
    for step in path:
        if corrected_at is not None and not _holds(step, corrected_at):
            stale.append(step.message_id)
        if step.corrected_at is not None:
            corrected_at = max(filter(None, (corrected_at, step.corrected_at)))
    return tuple(stale)


def _holds(step: PathStep, corrected_at: datetime) -> bool:
    is_newer = step.created_at > corrected_at
    return is_newer or (step.accepted_at is not None and step.accepted_at >= corrected_at)


def check_label(new: NewLabel, role: Role, questions: Sequence[Question]) -> None:
    """Refuses what makes no sense.

    Args:
        role: Of the message that it is of.

    Raises:
        BadInput: The verdict, rating, correction or an answer does not fit.
    """
    where = f"label of {new.target}"
    if new.target.call_index is not None and (role is not Role.ASSISTANT or new.target.call_index < 0):
        raise BadInput(where, f"a message of the {role} has no call {new.target.call_index}")
    _check_verdict(where, new, role)
    content = new.content
    if content.rating is not None and not MIN_RATING <= content.rating <= MAX_RATING:
        raise BadInput(where, f"rating {content.rating}", f"from {MIN_RATING} to {MAX_RATING}")
    if any(not tag.strip() or tag != tag.strip() for tag in content.tags):
        raise BadInput(where, "a tag is empty or has blanks around it")
    _check_correction(where, new)
    _check_answers(where, content, questions)


def check_project(project: Project) -> None:
    """Refuses a project that cannot be worked with.

    Raises:
        BadInput: It asks two questions of one name, a question without one, or its overlap is below 1.
    """
    where = f"labelling project {project.name!r}"
    names = [question.name for question in project.questions]
    if not all(names) or len(set(names)) < len(names):
        raise BadInput(where, "two questions have the same name, or one has none", "name each apart")
    if project.overlap < 1:
        raise BadInput(where, f"overlap {project.overlap}", "each session needs one labeller at least")


def _check_verdict(where: str, new: NewLabel, role: Role) -> None:
    verdict = new.content.verdict
    if verdict is None:
        return
    is_of_call = new.target.call_index is not None
    allowed = CALL_VERDICTS if is_of_call else MESSAGE_VERDICTS
    if role is not Role.ASSISTANT:
        raise BadInput(where, f"a message of the {role} takes no verdict", "label what the model wrote")
    if verdict not in allowed:
        of_what = "call" if is_of_call else "message"
        raise BadInput(
            where, f"{verdict.value!r} is no verdict of a {of_what}", f"use {', '.join(sorted(allowed))}"
        )


def _check_correction(where: str, new: NewLabel) -> None:
    correction = new.content.correction
    if correction is None:
        return
    if (new.target.call_index is not None) != isinstance(correction, ToolCall):
        raise BadInput(
            where, "the correction does not fit", "a call is corrected by a call, a message by a text"
        )


def _check_answers(where: str, content: LabelContent, questions: Sequence[Question]) -> None:
    asked = {question.name: question for question in questions}
    for name, answer in content.answers.items():
        if name not in asked:
            raise BadInput(where, f"no question {name!r}", f"there are {', '.join(asked) or 'none'}")
        choices = asked[name].choices
        if choices and answer not in choices:
            raise BadInput(where, f"{answer!r} is no answer to {name!r}", f"use one of {', '.join(choices)}")
