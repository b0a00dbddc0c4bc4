"""Open a session for labelling: its path, its labels, what is out of date, and the training row it becomes."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Final

from workbench.app.services import Services
from workbench.errors import BadInput
from workbench.hermes.parse import parse
from workbench.records.corpus.conversations import ExportConversation, session_conversations
from workbench.records.corpus.material import DamagedSession, ExportBlocker, SessionMaterial
from workbench.records.corpus.row_result import ValidatorWarning, make_row
from workbench.records.corpus.session_rows import ExportOptions, ExportSource
from workbench.records.labels.label import Label, LabelTarget
from workbench.records.labels.project import QueueFilter, QueueItem, QueueState
from workbench.records.sessions import StoredMessage, StoredSession
from workbench.toolspec.spec import OfferedTools


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportPreview:
    """What an export would make of the conversation that is shown, in the format of Hermes' own rows."""

    obstacles: tuple[ExportBlocker, ...] = ()
    """Why no row is made of it; empty where one is."""
    warnings: tuple[ValidatorWarning, ...] = ()
    """What else the validator says of the row."""
    fixed_messages: int = 0
    """Messages in which safe fixes were applied."""


def preview_export(
    material: SessionMaterial | DamagedSession | None, labels: Sequence[Label], *, labeller: str
) -> ExportPreview:
    """The row of a session's open path for one labeller; the labels of others count where they decide.

    Args:
        material: As the store has it.
        labels: Of the session, in one project.
        labeller: Whose corrections hold.
    """
    if not isinstance(material, SessionMaterial):
        said = "it was deleted meanwhile" if material is None else f"its row is damaged: {material.problem}"
        return ExportPreview(
            obstacles=(ExportBlocker(code="gone" if material is None else "damaged-session", message=said),)
        )
    own = [label for label in labels if label.is_deciding or label.labeller == labeller]
    wanted = ExportOptions()
    told = next(session_conversations(ExportSource(replace(material, labels=own), wanted)))
    if not isinstance(told, ExportConversation):
        return ExportPreview(obstacles=(told,))
    made = make_row(told, wanted)
    return ExportPreview(obstacles=made.obstacles, warnings=made.warnings, fixed_messages=told.fixed_messages)


def check_call(services: Services, target: LabelTarget) -> None:
    """Refuses a label of a call that the message's reading does not have; all else is the store's to say.

    Raises:
        BadInput: The message has fewer calls.
        StoreError: There is no such session or message, or it cannot be read.
    """
    if target.call_index is None:
        return
    message = services.sessions.path(target.session_id, leaf_id=target.message_id)[-1].message
    call_count = len(message.calls or parse(message.text).calls)
    if target.call_index >= call_count:
        raise BadInput(
            f"label of {target}",
            f"the message has {call_count} calls",
            "name one by its place from 0, or leave --call out",
        )


MOST_LABELS: Final = 10_000
"""Of one session; what is beyond is not looked at."""
OPEN_STATES: Final = (QueueState.PENDING, QueueState.DRAFT)
"""What is still to be done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabellingRole:
    """Who labels, in which project."""

    labeller: str = ""
    """Empty for the one person of an own machine."""
    project: str = ""
    """Empty for the one that is always there."""
    is_deciding: bool = False
    """True where the labels settle what others do not agree on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabellingView:
    """One session, as a labeller has it before them."""

    session: StoredSession
    """Title, setup and the like."""
    path: Sequence[StoredMessage]
    """From the root to the open leaf."""
    tools: OfferedTools
    """As offered; none where the setup's text cannot be read any more."""
    labels: Sequence[Label]
    stale: Collection[str]
    """Ids of the messages that come after a correction."""
    outcome: ExportPreview

    @property
    def leaf_id(self) -> str | None:
        """The last message that is shown."""
        return self.path[-1].id if self.path else None


def open_for_labelling(services: Services, session_id: str, seat: LabellingRole) -> LabellingView | None:
    """The session of that id; None where there is none.

    Raises:
        StoreError: It cannot be read.
    """
    session = services.sessions.find_session(session_id)
    if session is None:
        return None
    path = services.sessions.path(session_id)
    labels = services.labels.list_labels(session_id=session_id, project=seat.project, limit=MOST_LABELS)
    try:
        tools = session.setup.offered_tools()
    except BadInput:
        tools = OfferedTools()
    return LabellingView(
        session=session,
        path=path,
        tools=tools,
        labels=labels,
        stale=services.labels.stale(session_id),
        outcome=preview_export(services.corpus.material(session_id), labels, labeller=seat.labeller),
    )


def next_session_id(
    services: Services,
    seat: LabellingRole,
    wanted: QueueFilter,
    listed: Sequence[QueueItem],
    after: str | None,
) -> str | None:
    """The session to label next; None where nothing is left.

    Args:
        seat: Whose queue.
        wanted: The filter that the queue is seen through.
        listed: The part of it that is shown.
        after: The session that was done just now; those behind it come first.
    """
    ids = [item.session_id for item in listed]
    start = ids.index(after) + 1 if after in ids else 0
    for item in (*listed[start:], *listed[:start]):
        if item.state in OPEN_STATES and item.session_id != after:
            return item.session_id
    for state in OPEN_STATES if wanted.state is None else (wanted.state,):
        page = services.labels.queue(replace(wanted, state=state), project=seat.project, limit=2)
        left = [item.session_id for item in page.items if item.session_id != after]
        if left and state in OPEN_STATES:
            return left[0]
    return None
