"""Show the whole Label tab as one value: queue, progress, conversation, project and errors."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from workbench.chat.json_value import JsonObject
from workbench.label.app.labelling import LabellingRole, LabellingView
from workbench.label.page.present.conversation import ConversationView, show_conversation
from workbench.label.page.present.review import ReviewView
from workbench.label.records.agreement import ProjectAgreement
from workbench.label.records.project import Project, ProjectProgress, QueueItem, QueuePage
from workbench.records.label_words import ProjectRole
from workbench.ui.present.markdown import MarkdownNode, parse_markdown
from workbench.ui.present.notices import CLEAR, NoticeView

NOTHING_LEFT: Final = "No sessions left to label. Choose another state or project above."
QUESTION_KEYS: Final = "qwsdfxyzhilmovb"
"""Keys for the questions of a project, in their order. None of them does anything else in the tab."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueRow:
    """One session of the queue."""

    id: str
    title: str
    state: str
    """Value of a `QueueState`."""
    facts: tuple[str, ...] = ()
    """The annotator, if rows of others are listed. Then number, format and id of an imported row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionView:
    """A question of a labelling project."""

    name: str
    """Key of the answer."""
    text: str
    choices: tuple[str, ...]
    """Possible answers. Empty if any text is an answer."""
    key: str
    """The key that answers it, or goes to its field. Empty if there are more questions than keys."""
    is_required: bool
    """Whether the session needs an answer to it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectView:
    """The labelling project."""

    name: str
    """Reference of the project. Empty for the default project with all sessions."""
    names: tuple[str, ...]
    """References of all projects."""
    guidelines: tuple[MarkdownNode, ...]
    """Markdown, parsed."""
    questions: tuple[QuestionView, ...]
    requires_verdicts: bool = False
    """Whether every call and answer needs a verdict."""
    role: str = "owner"
    """Value of a `ProjectRole`: what this person may do in the project."""
    annotators: tuple[str, ...] = ()
    """Names of the annotators that this person may filter by."""
    form: Mapping[str, str] = field(default_factory=dict[str, str], hash=False)
    """The fields of the project's form, as texts. Empty for somebody else's project."""
    deleted: tuple[str, ...] = ()
    """Names of the person's deleted projects that can be restored. The last deleted comes first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionAnswer:
    """The result of an action. The page removes the action from its log."""

    client: str
    number: int
    session: str
    problem: str = ""
    """Why it was refused. Empty if it was applied."""
    code: str = ""
    """Code of the refusal, such as `stale`."""
    message: str = ""
    """The message that the refusal is about. Empty if it is about none."""
    call: int | None = None
    """The call that the refusal is about, or None for the whole message."""
    can_confirm: bool = False
    """Whether it is applied if the annotator confirms it."""
    note: str = ""
    """A remark on an action that was applied."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MockAnswer:
    """What the mock of a tool answers an added call."""

    form: JsonObject = field(hash=False)
    """The form as the page sent it."""
    result: str = ""
    problem: str = ""
    """Why there is no result. Empty if there is one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelTabView:
    """Everything that the Label tab shows."""

    serial: int
    """Number of the command that this answers, or 0 for none."""
    project: ProjectView
    annotator: str
    rows: tuple[QueueRow, ...]
    """Some sessions of the queue, in its order."""
    first: int
    """Index of the first row in the queue, from 0."""
    total: int
    """Number of sessions in the queue."""
    progress: str
    """How many sessions are done, or decided in a review."""
    progress_lines: tuple[str, ...]
    agreement: str | None
    """Agreement of the annotators for each kind of item. Empty with fewer than two annotators, None if unchanged."""
    review: ReviewView | None
    """The samples for review. None if unchanged, or if they may not be shown."""
    conversation: ConversationView | None
    """The open conversation, or None."""
    hint: str
    """Shown if no conversation is open. Empty if there is nothing to label, or nothing is known yet."""
    notice: NoticeView = CLEAR
    answers: tuple[ActionAnswer, ...] = ()
    """The results of the command's actions."""
    ahead: tuple[ConversationView, ...] = ()
    """The next conversations of the queue that the page has not loaded yet."""
    done: str = ""
    """The result of a change of the project, or of an assignment. Empty if there was none."""
    trial: MockAnswer | None = None
    """The result of an added call. None if none was requested."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueFacts:
    """A part of the queue, and the progress of the project."""

    page: QueuePage
    progress: ProjectProgress
    agreement: ProjectAgreement | None
    """Agreement of all annotators of the project, or None if it was not computed again."""
    deleted: Sequence[str] = ()
    """Names of deleted projects, as in `ProjectView`."""
    review: ReviewView | None = None
    """The samples for review, or None if they were not read again."""


NO_QUEUE: Final = QueueFacts(
    page=QueuePage(items=(), total=0), progress=ProjectProgress(annotators=()), agreement=None
)
"""Used if the queue cannot be read."""


def show_desk(
    seat: LabellingRole,
    projects: Sequence[Project],
    queue: QueueFacts,
    labelling: LabellingView | None,
    *,
    serial: int = 0,
    notice: NoticeView = CLEAR,
    answers: Sequence[ActionAnswer] = (),
    ahead: Sequence[LabellingView] = (),
    done: str = "",
    trial: MockAnswer | None = None,
) -> LabelTabView:
    """Show the Label tab.

    Args:
        seat: The annotator and the project.
        projects: All projects.
        queue: The loaded part of the queue.
        labelling: The open session, or None.
        serial: Number of the command that this answers.
        notice: Errors to show.
        answers: The results of the command's actions.
        ahead: The next sessions, for the page to load before they are needed.
        done: The result of a change of the project, or of an assignment.
        trial: The result of an added call.
    """
    page, progress = queue.page, queue.progress
    shows_assignee = any(item.assignee not in ("", seat.annotator) for item in page.items)
    return LabelTabView(
        serial=serial,
        project=_project(seat, projects, queue),
        annotator=seat.annotator,
        rows=tuple(_queue_row(item, shows_assignee=shows_assignee) for item in page.items),
        first=page.first,
        total=page.total,
        progress=_progress(seat, progress),
        progress_lines=tuple(
            f"{annotator.name or 'nobody'}: {annotator.done} of {annotator.total}"
            for annotator in progress.annotators
        )
        if len(progress.annotators) > 1
        else (),
        agreement=_agreement(queue.agreement),
        review=queue.review,
        conversation=show_conversation(labelling, seat) if labelling else None,
        hint=NOTHING_LEFT if progress.total else "",
        notice=notice,
        answers=tuple(answers),
        ahead=tuple(show_conversation(view, seat) for view in ahead),
        done=done,
        trial=trial,
    )


def _progress(seat: LabellingRole, progress: ProjectProgress) -> str:
    if seat.is_review:
        decided = progress.disagreed - progress.disputed
        return f"{decided} of {progress.disagreed} decided"
    of_annotator = (
        annotator for annotator in progress.annotators if annotator.name == seat.annotator and seat.project
    )
    shown = next(of_annotator, progress)
    return f"{shown.done} of {shown.total}"


def _queue_row(item: QueueItem, *, shows_assignee: bool) -> QueueRow:
    number = "" if item.row_number is None else f"#{item.row_number}"
    return QueueRow(
        id=item.session_id,
        title=item.title or "untitled",
        state=item.state.value,
        facts=tuple(
            filter(None, (item.assignee if shows_assignee else "", number, item.format, item.row_id))
        ),
    )


def _project(seat: LabellingRole, projects: Sequence[Project], queue: QueueFacts) -> ProjectView:
    current = next(
        (project for project in projects if project.reference == seat.project), Project(name=seat.project)
    )
    questions = tuple(
        QuestionView(
            name=question.name,
            text=question.text or question.name,
            choices=question.choices,
            key=QUESTION_KEYS[place] if place < len(QUESTION_KEYS) else "",
            is_required=question.is_required,
        )
        for place, question in enumerate(current.questions)
    )
    return ProjectView(
        name=current.reference,
        names=tuple(project.reference for project in projects),
        guidelines=parse_markdown(current.guidelines),
        questions=questions,
        requires_verdicts=current.requires_verdicts,
        role=current.role.value,
        annotators=tuple(annotator.name for annotator in queue.progress.annotators if annotator.name),
        deleted=tuple(queue.deleted),
        form={} if current.owner else _form(current),
    )


def _form(project: Project) -> Mapping[str, str]:
    """Return the texts of the project's form; `commands.read_project` reads them."""
    lines = (
        f"{question.name}{'*' if question.is_required else ''}={'|'.join((question.text, *question.choices))}"
        for question in project.questions
    )
    return {
        "name": project.name,
        "guidelines": project.guidelines,
        "questions": "\n".join(lines),
        "overlap": str(project.overlap),
        "requires_verdicts": "yes" if project.requires_verdicts else "",
        "annotators": ", ".join(project.names(ProjectRole.ANNOTATOR)),
        "reviewers": ", ".join(project.names(ProjectRole.REVIEWER)),
    }


def _agreement(agreement: ProjectAgreement | None) -> str | None:
    if agreement is None:
        return None
    figures: list[str] = []
    for kind, of_kind in agreement.kinds.items():
        if of_kind.pairs:
            measure, value = of_kind.measure
            figures.append(
                f"{kind}: {measure} {value:.2f}" if value is not None else f"{kind}: no {measure} yet"
            )
    return " · ".join(figures)
