"""Show the whole Label tab as one value: queue, progress, conversation, project and errors."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from workbench.app.labelling import LabellingRole, LabellingView
from workbench.records.labels.agreement import AnnotatorAgreement
from workbench.records.labels.project import Project, QueueItem, QueueState
from workbench.ui.present.label.conversation import TalkView, show_talk
from workbench.ui.present.markdown import render_markdown
from workbench.ui.present.notices import CLEAR, NoticeView

EMPTY: Final = (
    "Your conversations from Play appear here for labelling. Give each call and each answer a verdict, correct "
    "what is wrong, and export the result as training rows."
)
NOTHING_LEFT: Final = "No sessions left to label. Choose another state or project above."
STATES: Final = {
    QueueState.PENDING: "to do",
    QueueState.DRAFT: "started",
    QueueState.DONE: "done",
    QueueState.DISCARDED: "rejected",
}
"""The label of each state in the queue."""
QUESTION_KEYS: Final = "qwsdfxyzhilmovb"
"""Keys for the questions of a project, in their order. None of them does anything else in the tab."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueRow:
    """One session of the queue."""

    id: str
    title: str
    state: str
    """Value of a `QueueState`."""
    word: str
    """Label of the state."""
    is_open: bool
    """True for the session that is open for labelling."""


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
    """Empty for the default project with all sessions."""
    names: tuple[str, ...]
    """Names of all projects."""
    guidelines: str
    """Instructions for labellers, as safe HTML."""
    questions: tuple[QuestionView, ...]
    requires_verdicts: bool = False
    """Whether every call and answer needs a verdict."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionAnswer:
    """What became of an action. The page drops it from its log."""

    client: str
    number: int
    session: str
    problem: str = ""
    """Why it was refused. Empty if it was applied."""
    code: str = ""
    """Code of the refusal, such as `stale`."""
    message: str = ""
    """The message to look at."""
    call: int | None = None
    can_confirm: bool = False
    """Whether it is applied if the labeller confirms it."""
    note: str = ""
    """A remark on an action that was applied."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelTabView:
    """Everything that the Label tab shows."""

    serial: int
    """Number of the command that this answers, or 0 for none."""
    project: ProjectView
    """The current project."""
    labeller: str
    rows: tuple[QueueRow, ...]
    """The sessions of the queue, by last use."""
    has_more: bool
    """Whether there are sessions beyond the last row."""
    progress: str
    """How many sessions are done."""
    agreement: str | None
    """Agreement of the labellers. Empty with fewer than two labellers, None if it is unchanged."""
    talk: TalkView | None
    """The open conversation, or None."""
    hint: str
    """Shown if no conversation is open."""
    notice: NoticeView = CLEAR
    answers: tuple[ActionAnswer, ...] = ()
    """What became of the actions of the command."""
    ahead: tuple[TalkView, ...] = ()
    """The next conversations of the queue that the page has not loaded yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueFacts:
    """The loaded part of the queue, with its totals."""

    items: Sequence[QueueItem]
    total: int
    """Number of items that match the filter."""
    done_count: int
    """Number of sessions of the project that are done."""
    all_count: int
    """Number of sessions of the project that are not rejected."""
    agreement: AnnotatorAgreement | None
    """Agreement of all labellers of the project, or None if it was not computed again."""


NO_QUEUE: Final = QueueFacts(items=(), total=0, done_count=0, all_count=0, agreement=None)
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
) -> LabelTabView:
    """Show the Label tab.

    Args:
        seat: The labeller and the project.
        projects: All projects.
        queue: The loaded part of the queue.
        labelling: The open session, or None.
        serial: Number of the command that this answers.
        notice: Errors to show.
        answers: What became of the actions of the command.
        ahead: The next sessions, for the page to load before they are needed.
    """
    open_id = labelling.session.id if labelling else None
    return LabelTabView(
        serial=serial,
        project=_project(seat, projects),
        labeller=seat.labeller,
        rows=tuple(_queue_row(item, open_id) for item in queue.items),
        has_more=queue.total > len(queue.items),
        progress=f"{queue.done_count} of {queue.all_count}",
        agreement=_agreement(queue.agreement),
        talk=show_talk(labelling, seat) if labelling else None,
        hint=NOTHING_LEFT if queue.all_count else EMPTY,
        notice=notice,
        answers=tuple(answers),
        ahead=tuple(show_talk(next_one, seat) for next_one in ahead),
    )


def _queue_row(item: QueueItem, open_id: str | None) -> QueueRow:
    return QueueRow(
        id=item.session_id,
        title=item.title or "untitled",
        state=item.state.value,
        word=STATES[item.state],
        is_open=item.session_id == open_id,
    )


def _project(seat: LabellingRole, projects: Sequence[Project]) -> ProjectView:
    current = next(
        (project for project in projects if project.name == seat.project), Project(name=seat.project)
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
        name=current.name,
        names=tuple(project.name for project in projects),
        guidelines=render_markdown(current.guidelines),
        questions=questions,
        requires_verdicts=current.requires_verdicts,
    )


def _agreement(agreement: AnnotatorAgreement | None) -> str | None:
    if agreement is None:
        return None
    if not agreement.pairs:
        return ""
    return f"kappa {agreement.kappa:.2f}" if agreement.kappa is not None else "no kappa yet"
