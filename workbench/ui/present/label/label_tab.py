"""The whole Label tab as one value: queue, progress, conversation, project and errors."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from workbench.app.labelling import LabellingRole, LabellingView
from workbench.records.labels.agreement import AnnotatorAgreement
from workbench.records.labels.label import Verdict
from workbench.records.labels.project import Project, QueueItem, QueueState
from workbench.ui.present.label.conversation import TalkView, show_talk
from workbench.ui.present.notices import CLEAR, NoticeView

EMPTY: Final = (
    "Conversations that you play wait here to be judged: each call and each "
    "answer gets a verdict, what is wrong a correction, and what comes of it is a training row."
)
NOTHING_LEFT: Final = "Nothing is left to label here. Choose another state or project above."
STATES: Final = {
    QueueState.PENDING: "to do",
    QueueState.DRAFT: "begun",
    QueueState.DONE: "done",
    QueueState.DISCARDED: "rejected",
}
"""A state as the queue names it."""
CALL_VERDICTS: Final = (
    Verdict.RIGHT,
    Verdict.WRONG_TOOL,
    Verdict.BAD_ARGUMENTS,
    Verdict.NEEDLESS,
    Verdict.SHOULD_ASK,
)
"""In the order of the keys 1 to 5."""
MESSAGE_VERDICTS: Final = (Verdict.MISSING_CALL, Verdict.BAD_ANSWER)
"""In the order of the keys 6 and 7."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueRow:
    """One session of the queue."""

    id: str
    title: str
    state: str
    """A `QueueState`."""
    word: str
    """The state, for a person."""
    is_open: bool
    """True of the one that is being labelled."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionView:
    """A question of the project."""

    name: str
    """Under which the answer is kept."""
    text: str
    choices: tuple[str, ...]
    """The answers there are; empty where any text is one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectView:
    """The labelling project."""

    name: str
    """Empty for the one that is always there."""
    names: tuple[str, ...]
    guidelines: str
    """What labellers are to read first."""
    questions: tuple[QuestionView, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelTabView:
    """All that the tab shows."""

    serial: int
    """The order that this answers; 0 for none."""
    project: ProjectView
    """Guidelines, questions, and which others there are."""
    labeller: str
    rows: tuple[QueueRow, ...]
    """The queue, sessions that were used last first."""
    has_more: bool
    """Whether there are sessions beyond the last row."""
    progress: str
    """How many are done."""
    agreement: str | None
    """How far labellers agree; empty where fewer than two label, None where it is as it was."""
    talk: TalkView | None
    """The open conversation; None where there is none."""
    hint: str
    """Of the empty state."""
    notice: NoticeView = CLEAR
    verdicts: tuple[str, ...] = field(default=tuple(one.value for one in (*CALL_VERDICTS, *MESSAGE_VERDICTS)))
    """In the order of their keys, from 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueFacts:
    """What is known of the queue."""

    items: Sequence[QueueItem]
    total: int
    """Items that the filter lets through."""
    done_count: int
    """Sessions of the project that are done."""
    all_count: int
    """Sessions of the project that are not rejected."""
    agreement: AnnotatorAgreement | None
    """Of all labellers of the project; None where it was not worked out anew."""


NO_QUEUE: Final = QueueFacts(items=(), total=0, done_count=0, all_count=0, agreement=None)
"""Where it cannot be read."""


def show_desk(
    seat: LabellingRole,
    projects: Sequence[Project],
    queue: QueueFacts,
    bench: LabellingView | None,
    *,
    serial: int = 0,
    notice: NoticeView = CLEAR,
) -> LabelTabView:
    """The desk.

    Args:
        seat: Who labels, in which project.
        projects: All there are.
        queue: What is to be labelled.
        bench: The open session; None for none.
        serial: The order that this answers.
        notice: What went wrong.
    """
    open_id = bench.session.id if bench else None
    return LabelTabView(
        serial=serial,
        project=_project(seat, projects),
        labeller=seat.labeller,
        rows=tuple(_queue_row(item, open_id) for item in queue.items),
        has_more=queue.total > len(queue.items),
        progress=f"{queue.done_count} of {queue.all_count}",
        agreement=_agreement(queue.agreement),
        talk=show_talk(bench, seat) if bench else None,
        hint=NOTHING_LEFT if queue.all_count else EMPTY,
        notice=notice,
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
    own = next((project for project in projects if project.name == seat.project), Project(name=seat.project))
    questions = tuple(
        QuestionView(name=question.name, text=question.text, choices=question.choices)
        for question in own.questions
    )
    return ProjectView(
        name=own.name,
        names=tuple(project.name for project in projects),
        guidelines=own.guidelines,
        questions=questions,
    )


def _agreement(agreement: AnnotatorAgreement | None) -> str | None:
    if agreement is None:
        return None
    if not agreement.pairs:
        return ""
    return f"kappa {agreement.kappa:.2f}" if agreement.kappa is not None else "no kappa yet"
