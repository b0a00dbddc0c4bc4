"""Turns that run on the server until they end or a person stops them, with or without a page."""

import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from workbench.app.person import Person, PersonAnswered, PersonAwaited
from workbench.app.prepare import TurnContext
from workbench.app.regenerate import ResumePoint, continue_from, regenerate_message
from workbench.app.samples import SampleStarted, draw_samples
from workbench.app.services import Services
from workbench.app.tasks import LoggedEvent, RunningTask
from workbench.app.turns import MessageStored, begin_session, run_turn
from workbench.label.app.labelling import LabellingView
from workbench.records.label import Label
from workbench.records.run_config import RunConfig
from workbench.rollout.events import CompletionEnded, Event, PieceArrived, QueuePositionChanged, RoundStarted
from workbench.rollout.stopping import StopSignal
from workbench.settings import Secret

TurnEvent = Event | MessageStored | SampleStarted | PersonAwaited | PersonAnswered
"""Any event of a running turn."""


class Execution(StrEnum):
    """What happens to the tool calls of a turn."""

    AUTO = "auto"
    """The toolbox runs them."""
    STEP = "step"
    """The turn waits at each call: the user runs it, writes its result or lets it fail."""
    STOP = "stop"
    """The turn ends at the first completion with a tool call; the call is not run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRequest:
    """A turn to run."""

    setup: RunConfig
    session_id: str | None = None
    """The session to continue, or None to create one."""
    text: str = ""
    """The user's message. Empty if the session is continued without one."""
    leaf_id: str | None = None
    """The message that the user's message follows. None takes the open leaf."""
    resume: ResumePoint | None = None
    """Where to continue the session, or None to run a turn with `text`."""
    execution: Execution = Execution.AUTO
    has_person: bool = True
    """False refuses risky calls, because nobody can be asked."""
    samples: int = 1
    """How many answers to generate, as parallel branches."""
    token: Secret | None = None
    """The visitor's access token for a hosted model."""


class RunningTurn(RunningTask[TurnEvent]):
    """A turn of a session, running or just ended. Its subject is the id of the session.

    Args:
        services: The services of the owner.
        turn_request: What to run.
        id: Id of the turn. None creates one.
        stop: Stops the turn. None creates a signal.
    """

    def __init__(
        self,
        services: Services,
        turn_request: TurnRequest,
        *,
        id: str | None = None,
        stop: StopSignal | None = None,
    ) -> None:
        session_id = turn_request.session_id or secrets.token_hex(16)
        now_s = services.calendar.seconds
        super().__init__(services.owner.key, session_id, condense_turn, now_s=now_s, id=id, stop=stop)
        self.request = turn_request
        self.has_stored = False
        """Whether a message was stored."""
        self._unsent = turn_request.text
        self.person = Person(
            self.log.add,
            stop=self.stop,
            timeout_s=services.settings.approval_timeout_s,
            unwatched_s=lambda: self.unwatched_s,
        )

    @property
    def start_id(self) -> str | None:
        """The message that the turn continues from, as far as the request says."""
        resume = self.request.resume
        return resume.message_id if resume else self.request.leaf_id

    def take_unsent(self) -> str:
        """Return the user's text if the turn failed, or was stopped before it was stored, so that it can be sent again.

        Empty while the turn runs, and after the first call, so that only one page gets the text back.
        """
        if not self.over.is_set() or (self.has_stored and self.error is None):
            return ""
        text, self._unsent = self._unsent, ""
        return text


def start_turn(services: Services, turn_request: TurnRequest) -> RunningTurn:
    """Start a turn in its own thread.

    The caller need not watch it. What goes wrong later ends the turn's log as an error.

    Raises:
        BadInput: The session already has a running turn, or the owner has too many, or a limit is exceeded.
    """
    services.limits.check_samples(turn_request.samples)
    services.limits.check_turn(turn_request.setup, turn_request.text)
    turn = RunningTurn(services, turn_request)
    return services.turns.start(services, turn, lambda counted: _events(counted, turn))


def start_regeneration(
    services: Services,
    view: LabellingView,
    message_id: str,
    corrections: Mapping[str, Mapping[int | None, Label]],
    *,
    token: Secret | None = None,
) -> RunningTurn:
    """Start to regenerate a message in its own thread; see `workbench.app.regenerate.regenerate_message`.

    Raises:
        BadInput: The session already has a running turn, or the owner has too many.
    """
    session = view.session
    turn = RunningTurn(services, TurnRequest(setup=session.setup, session_id=session.id, token=token))
    return services.turns.start(
        services,
        turn,
        lambda counted: regenerate_message(
            counted, view, message_id, corrections, is_cancelled=turn.stop, token=token
        ),
    )


def running_turn(services: Services, session_id: str | None) -> RunningTurn | None:
    """Return the running turn of one of the owner's sessions, or None."""
    return services.turns.running(services.owner.key, session_id)


def _events(services: Services, turn: RunningTurn) -> Iterator[TurnEvent]:
    """Run a turn, and draw the further samples."""
    turn_request = turn.request
    setup, session_id, resume = turn_request.setup, turn.subject, turn_request.resume
    if turn_request.session_id is None:
        begin_session(
            services, setup, token=turn_request.token, user_text=turn_request.text, session_id=session_id
        )
    if turn.stop():
        return
    context = TurnContext(
        is_cancelled=turn.stop,
        token=turn_request.token,
        approver=turn.person if turn_request.has_person else None,
        stepper=turn.person if turn_request.execution is Execution.STEP else None,
        runs_calls=turn_request.execution is not Execution.STOP,
    )
    first = (
        continue_from(services, session_id, setup, resume, context)
        if resume is not None
        else _answered(services, turn, context)
    )
    for event in first:
        if isinstance(event, MessageStored):
            turn.has_stored = True
            # The first message that a turn of a text stores is the user's.
            resume = resume or ResumePoint(message_id=event.stored.id)
        yield event
    if resume is not None and turn_request.samples > 1:
        yield from draw_samples(services, session_id, setup, resume, context, count=turn_request.samples)


def _answered(services: Services, turn: RunningTurn, context: TurnContext) -> Iterator[Event | MessageStored]:
    return run_turn(
        services,
        turn.subject,
        turn.request.setup,
        turn.request.text,
        is_cancelled=context.is_cancelled,
        leaf_id=turn.request.leaf_id,
        token=context.token,
        approver=context.approver,
        stepper=context.stepper,
        runs_calls=context.runs_calls,
    )


def condense_turn(logged: Sequence[LoggedEvent[TurnEvent]]) -> Sequence[LoggedEvent[TurnEvent]]:
    """Return the last event of each kind, and the text of the completion in progress as at most two pieces.

    The first piece stays as it is, because it may be the prefill, which the model did not write.
    """
    kept: dict[type, LoggedEvent[TurnEvent]] = {}
    pieces: list[LoggedEvent[TurnEvent]] = []
    for entry in logged:
        if isinstance(entry.event, PieceArrived):
            pieces.append(entry)
            continue
        if isinstance(entry.event, RoundStarted | CompletionEnded):
            pieces.clear()
            kept.pop(QueuePositionChanged, None)
        # Removed first, so that the events stay in their order.
        kept.pop(type(entry.event), None)
        kept[type(entry.event)] = entry
    return [*kept.values(), *pieces[:1], *_joined(pieces[1:])]


def _joined(pieces: Sequence[LoggedEvent[TurnEvent]]) -> Iterator[LoggedEvent[TurnEvent]]:
    if pieces:
        text = "".join(entry.event.text for entry in pieces if isinstance(entry.event, PieceArrived))
        yield replace(pieces[0], event=PieceArrived(text=text), count=sum(entry.count for entry in pieces))
