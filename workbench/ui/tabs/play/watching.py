"""Follow a running turn: the update that each batch of events makes to the page."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial

from workbench.app.opened_session import OpenedSession, open_session
from workbench.app.prepare import TurnContext
from workbench.app.regenerate import ResumePoint, continue_from
from workbench.app.samples import SampleStarted, draw_samples
from workbench.app.services import Services
from workbench.app.turns import MessageStored, run_turn
from workbench.chat.message import Role
from workbench.records.run_config import RunConfig
from workbench.records.session_tree import children
from workbench.records.sessions import StoredMessage
from workbench.rollout.events import CompletionEnded, Event, RoundStarted, TurnEnded
from workbench.settings import Secret
from workbench.ui.present.live import LiveRound
from workbench.ui.present.notices import CLEAR, NoticeView, advice
from workbench.ui.present.raw import show_prompt
from workbench.ui.tabs.play.person import Person, PersonAnswered, PersonAwaited
from workbench.ui.tabs.play.runs import run_in_thread
from workbench.ui.tabs.play.screen import SAME, Screen, Update
from workbench.ui.visitor import Visitor

BRANCHED = (
    "Another tab continued from the same message, so your message starts a branch. Nothing was overwritten. "
    "Use the arrows at your message to switch between the branches."
)
"""Shown when a message became a branch although the user did not ask for one."""


PlayEvent = Event | MessageStored | SampleStarted | PersonAwaited | PersonAnswered
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

    text: str
    """The user's message. Empty if the session is continued without one."""
    is_cancelled: Callable[[], bool]
    """Returns True once the turn should stop."""
    set_person: Callable[[Person], None]
    """Called with the `Person` that answers the turn's questions."""
    execution: Execution = Execution.AUTO
    resume: ResumePoint | None = None
    """Where to continue the session, or None to run a turn with `text`."""
    samples: int = 1
    """How many answers to generate, as parallel branches."""
    token: Secret | None = None
    """The visitor's access token for a hosted model."""


def watch(
    services: Services, visitor: Visitor, setup: RunConfig, turn_request: TurnRequest
) -> Iterator[Screen]:
    """Run a turn after the last message that the visitor sees, which moves on with each saved message.

    Args:
        visitor: A visitor with an open session.

    Raises:
        WorkbenchError: As `run_turn`.
    """
    start_id, live = visitor.leaf_id, LiveRound()
    for batch in run_in_thread(partial(_play, services, visitor, setup, turn_request)):
        for event in batch:
            live = _live_after(live, event, now_s=services.calendar.seconds())
        screen = Screen()
        stored = [event.stored for event in batch if isinstance(event, MessageStored)]
        if stored:
            visitor = replace(visitor, leaf_id=stored[-1].id)
            screen = _shown(services, visitor, setup, stored, start_id)
        screen = _with_prompt(_with_break(screen, batch), batch)
        question = next(
            (event for event in reversed(batch) if isinstance(event, PersonAwaited | PersonAnswered)), None
        )
        screen = screen.with_waiting(question) if question else screen
        yield screen._replace(live=live.show(now_s=services.calendar.seconds()))


def _live_after(live: LiveRound, event: PlayEvent, *, now_s: float) -> LiveRound:
    if isinstance(event, PersonAwaited):
        return live.waits_for_person(event.call.name)
    if isinstance(event, PersonAnswered):
        return live.resumed()
    if isinstance(event, SampleStarted):
        return LiveRound(sample=f"sample {event.number} of {event.count} · ")
    return live if isinstance(event, MessageStored) else live.after(event, now_s=now_s)


def _play(
    services: Services,
    visitor: Visitor,
    setup: RunConfig,
    turn_request: TurnRequest,
    report: Callable[[PlayEvent], None],
) -> Iterator[PlayEvent]:
    timeout_s = services.settings.approval_timeout_s
    person = Person(report, is_stopped=turn_request.is_cancelled, timeout_s=timeout_s)
    turn_request.set_person(person)
    context = TurnContext(
        is_cancelled=turn_request.is_cancelled,
        token=turn_request.token,
        approver=person,
        stepper=person if turn_request.execution is Execution.STEP else None,
        runs_calls=turn_request.execution is not Execution.STOP,
    )
    session_id, resume = visitor.session_id or "", turn_request.resume
    if resume is not None:
        yield from continue_from(services, session_id, setup, resume, context)
    else:
        for event in _first(services, visitor, setup, turn_request.text, context):
            if resume is None and isinstance(event, MessageStored):
                resume = ResumePoint(message_id=event.stored.id)
            yield event
    if resume is not None and turn_request.samples > 1:
        yield from draw_samples(services, session_id, setup, resume, context, count=turn_request.samples)


def _first(
    services: Services, visitor: Visitor, setup: RunConfig, text: str, context: TurnContext
) -> Iterator[Event | MessageStored]:
    """Run the turn of the user's message, which is the first message it saves."""
    return run_turn(
        services,
        visitor.session_id or "",
        setup,
        text,
        is_cancelled=context.is_cancelled,
        leaf_id=visitor.leaf_id,
        token=context.token,
        approver=context.approver,
        stepper=context.stepper,
        runs_calls=context.runs_calls,
    )


def _shown(
    services: Services,
    visitor: Visitor,
    setup: RunConfig,
    stored: Sequence[StoredMessage],
    start_id: str | None,
) -> Screen:
    """Show the session with the messages that were just saved, read with the setup of this turn."""
    opened = open_session(services, visitor.session_id or "", leaf_id=visitor.leaf_id)
    if opened is None:
        return Screen(visitor=visitor)
    notice: NoticeView | Update = SAME
    if any(message.message.role is Role.USER for message in stored):
        notice = advice(BRANCHED) if _is_branched(opened, start_id) else CLEAR
    session = replace(opened.session, setup=setup)
    return Screen().with_opened(replace(opened, session=session), visitor)._replace(notice=notice)


def _is_branched(opened: OpenedSession, start_id: str | None) -> bool:
    """Whether the message `start_id` has a continuation that is not on the shown path."""
    shown = {message.id for message in opened.path}
    return start_id is not None and not shown.issuperset(children(opened.tree, start_id))


def _with_break(screen: Screen, batch: Sequence[PlayEvent]) -> Screen:
    """Add a notice if the answer ended early."""
    ended = next((event for event in batch if isinstance(event, TurnEnded) and event.problem), None)
    if ended is None:
        return screen
    return screen._replace(
        notice=advice(f"The answer ended early. The text received so far is saved. Reason: {ended.problem}")
    )


def _with_prompt(screen: Screen, batch: Sequence[PlayEvent]) -> Screen:
    """Show the last prompt in the Raw pane while its completion is running."""
    last = next(
        (event for event in reversed(batch) if isinstance(event, RoundStarted | CompletionEnded)), None
    )
    if not isinstance(last, RoundStarted):
        return screen
    return screen._replace(raw=show_prompt(last.prompt, is_exact=last.is_exact))
