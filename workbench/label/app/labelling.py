"""Open a session for labelling: its path, its labels, its stale messages, and the training row it would become."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Final

from workbench.app.services import Services
from workbench.chat.message import Role
from workbench.errors import BadInput
from workbench.hermes.reading import CallStatus
from workbench.hermes.written_out import read_message
from workbench.label.records.review import Dispute
from workbench.records.corpus.conversations import ExportConversation, session_conversations
from workbench.records.corpus.material import DamagedSession, ExportBlocker, SessionMaterial
from workbench.records.corpus.row_result import ValidatorWarning, make_row
from workbench.records.corpus.session_rows import ExportOptions, ExportSource
from workbench.records.label import Label, LabelTarget, Verdict
from workbench.records.label_words import QueueState
from workbench.records.sessions import StoredMessage, StoredSession
from workbench.toolspec.spec import OfferedTools

MOST_ADDED: Final = 64
"""How many calls can be added to a message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportPreview:
    """The result of exporting the shown conversation in the default format."""

    obstacles: tuple[ExportBlocker, ...] = ()
    """Why the conversation cannot become a row. Empty if it can."""
    warnings: tuple[ValidatorWarning, ...] = ()
    """Warnings of the validator about the row."""
    fixed_messages: int = 0
    """The number of messages in which safe fixes were applied."""


def preview_export(
    material: SessionMaterial | DamagedSession | None, labels: Sequence[Label], *, annotator: str
) -> ExportPreview:
    """Preview the export of a session's open path, with one annotator's corrections and the deciding ones.

    Args:
        material: The session as the store returns it. None if it was deleted.
        labels: The session's labels in one project.
        annotator: The annotator whose corrections are applied.
    """
    if not isinstance(material, SessionMaterial):
        message = "the session was deleted" if material is None else f"its row is damaged: {material.problem}"
        code = "gone" if material is None else "damaged-session"
        return ExportPreview(obstacles=(ExportBlocker(code=code, message=message),))
    own = [label for label in labels if label.is_deciding or _is_by(label, annotator)]
    options = ExportOptions()
    conversation = next(session_conversations(ExportSource(replace(material, labels=own), options)))
    if not isinstance(conversation, ExportConversation):
        return ExportPreview(obstacles=(conversation,))
    row = make_row(conversation, options)
    return ExportPreview(
        obstacles=row.obstacles, warnings=row.warnings, fixed_messages=conversation.fixed_messages
    )


def _is_by(label: Label, annotator: str) -> bool:
    return label.annotator == annotator and not label.is_model


@dataclass(frozen=True, slots=True, kw_only=True)
class LabellingRole:
    """Who labels, in which project, and whether their labels decide."""

    annotator: str = ""
    """Empty without logins."""
    project: str = ""
    """Reference of the project; empty for the default project."""
    is_deciding: bool = False
    """True if the labels settle disagreements between other annotators."""

    @property
    def is_review(self) -> bool:
        """Whether the annotator works through what the annotators of a project have submitted."""
        return self.is_deciding and bool(self.project)


def labelled_message(
    services: Services, target: LabelTarget, role: LabellingRole, *, is_added: bool = False
) -> StoredMessage:
    """Return the message of a target that an annotator may label.

    Args:
        is_added: Whether the target is a call that the annotator adds, so that it has an index after those of the
            message's own calls.

    Raises:
        BadInput: The annotator may not act in this role, or the message has no such call.
        StoreError: The session or message does not exist, or the annotator may not see it.
    """
    opened = services.labelling.open(
        target.session_id, project=role.project, annotator=role.annotator, is_deciding=role.is_deciding
    )
    shown = (*opened.path, *opened.other_answer) if opened else ()
    found = next((stored for stored in shown if stored.id == target.message_id), None)
    # Of their own sessions, people may also label messages of other branches.
    stored = found or services.sessions.path(target.session_id, leaf_id=target.message_id)[-1]
    if target.call_index is not None:
        call_count = len(read_message(stored.message, tools=None).calls)
        first, end = (call_count, call_count + MOST_ADDED) if is_added else (0, call_count)
        if not first <= target.call_index < end:
            raise BadInput(
                f"label of {target}",
                f"the message has {call_count} call{'' if call_count == 1 else 's'}",
                "`workbench sessions show` numbers them; leave out --call to label the whole message",
            )
    return stored


def check_call(services: Services, target: LabelTarget, role: LabellingRole) -> None:
    """Raise like `labelled_message` if the target is a call that does not exist. The store checks everything else."""
    if target.call_index is not None:
        labelled_message(services, target, role)


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelStop:
    """A call or an answer that an annotator judges."""

    target: LabelTarget
    accepting: Verdict
    """The verdict that accepts it as it is."""
    is_valid: bool = True
    """False for a call that does not fit its schema, or whose tool is not offered. It cannot be accepted."""


def label_stops(
    session_id: str, path: Sequence[StoredMessage], tools: OfferedTools, *, pair_id: str | None = None
) -> Sequence[LabelStop]:
    """Return what to judge on a path, in order: each call, and each model message without calls.

    Args:
        pair_id: The first message of an answer that is judged against another one, which replaces the verdict on it.
    """
    stops: list[LabelStop] = []
    for stored in path:
        if stored.message.role is not Role.ASSISTANT:
            continue
        reading = read_message(stored.message, tools=tools)
        stops += (
            LabelStop(
                target=LabelTarget(session_id=session_id, message_id=stored.id, call_index=index),
                accepting=Verdict.RIGHT,
                is_valid=call.status is CallStatus.READY,
            )
            for index, call in enumerate(reading.calls)
        )
        if not reading.calls or reading.dropped or stored.id == pair_id:
            stops.append(
                LabelStop(
                    target=LabelTarget(session_id=session_id, message_id=stored.id),
                    accepting=Verdict.FIRST_BETTER if stored.id == pair_id else Verdict.GOOD,
                )
            )
    return stops


def pair_of(material: SessionMaterial | DamagedSession | None, path: Sequence[StoredMessage]) -> str | None:
    """Return the first message of the better answer of an imported preference row.

    Returns:
        The id, or None if the session has no pair of answers, or if another branch is shown.
    """
    imported = material.imported if isinstance(material, SessionMaterial) else None
    if not isinstance(material, SessionMaterial) or imported is None or not imported.rejected_ids:
        return None
    rejected = material.by_id.get(imported.rejected_ids[0])
    shown = {stored.id for stored in path}
    for message_id in imported.message_ids:
        message = material.by_id.get(message_id)
        if message and rejected and message.parent_id == rejected.parent_id and message_id in shown:
            return message_id
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class LabellingView:
    """One session as an annotator sees it."""

    session: StoredSession
    path: Sequence[StoredMessage]
    """From the root to the open leaf."""
    tools: OfferedTools
    """The offered tools. Empty if the setup's text cannot be read."""
    labels: Sequence[Label]
    stale: Collection[str]
    """Ids of the stale messages."""
    outcome: ExportPreview
    pair_id: str | None = None
    """The first message of the better answer of a preference pair. None for most sessions."""
    other_answer: Sequence[StoredMessage] = ()
    """The messages of the other answer of the pair."""
    is_blind: bool = False
    """Whether labels of other annotators are left out until the session is submitted."""
    disputes: Sequence[Dispute] = ()
    """For somebody who decides: the messages and calls that annotators disagree about."""
    state: QueueState = QueueState.PENDING
    """State of the annotator's own task."""
    mocked: Sequence[str] = ()
    """The offered tools that mock rules answer."""

    @property
    def stops(self) -> Sequence[LabelStop]:
        """What to judge, in order."""
        return label_stops(self.session.id, self.path, self.tools, pair_id=self.pair_id)


def open_for_labelling(services: Services, session_id: str, role: LabellingRole) -> LabellingView | None:
    """Load a session for labelling. None if it does not exist, or if the annotator may not see it.

    Raises:
        BadInput: The annotator may not act in this role.
        StoreError: The session cannot be read, or the project does not exist.
    """
    opened = services.labelling.open(
        session_id, project=role.project, annotator=role.annotator, is_deciding=role.is_deciding
    )
    if opened is None:
        return None
    try:
        tools = opened.session.setup.offered_tools()
    except BadInput:
        tools = OfferedTools()
    pair_id = pair_of(opened.material, opened.path)
    return LabellingView(
        session=opened.session,
        path=opened.path,
        tools=tools,
        labels=opened.labels,
        stale=opened.stale,
        outcome=preview_export(opened.material, opened.labels, annotator=role.annotator),
        pair_id=pair_id,
        other_answer=opened.other_answer if pair_id else (),
        is_blind=opened.is_blind,
        disputes=opened.disputes,
        state=opened.state,
        mocked=tuple(name for name in tools.names if services.tools.declared(name)),
    )
