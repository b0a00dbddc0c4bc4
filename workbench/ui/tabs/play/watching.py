"""Follow a turn in progress: what each batch of events changes on the page."""

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
"""Anything that a turn under way tells the page."""


class Execution(StrEnum):
    """What becomes of the calls of a turn."""

    AUTO = "auto"
    """The toolbox runs them."""
    STEP = "step"
    """The turn waits at each: a person lets it run, gives its result or lets it fail."""
    STOP = "stop"
    """The turn ends at the first completion that calls."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRequest:
    """A turn that somebody wants played."""

    text: str
    """What the user says; empty where the session is played on."""
    is_cancelled: Callable[[], bool]
    """True once the turn is to stop."""
    set_person: Callable[[Person], None]
    """Takes whoever answers the turn's questions."""
    execution: Execution = Execution.AUTO
    resume: ResumePoint | None = None
    """From where to play on without anything being said; None plays a turn of `text`."""
    samples: int = 1
    """Answers to get, as branches beside each other."""
    token: Secret | None = None
    """The visitor's own, for a hosted model."""


def watch(services: Services, visitor: Visitor, setup: RunConfig, wish: TurnRequest) -> Iterator[Screen]:
    """Plays a turn from the message that the visitor sees last; a message that is kept moves them on.

    Args:
        visitor: With a session.

    Raises:
        WorkbenchError: As `run_turn`.
    """
    went_on_from, live = visitor.leaf_id, LiveRound()
    for batch in run_in_thread(partial(_play, services, visitor, setup, wish)):
        for event in batch:
            live = _live_after(live, event, now_s=services.calendar.seconds())
        screen = Screen()
        kept = [event.stored for event in batch if isinstance(event, MessageStored)]
        if kept:
            visitor = replace(visitor, leaf_id=kept[-1].id)
            screen = _shown(services, visitor, setup, kept, went_on_from)
        screen = _with_prompt(_with_break(screen, batch), batch)
        asked = next(
            (event for event in reversed(batch) if isinstance(event, PersonAwaited | PersonAnswered)), None
        )
        screen = screen.with_waiting(asked) if asked else screen
        yield screen._replace(live=live.show(now_s=services.calendar.seconds()))


def _live_after(live: LiveRound, event: PlayEvent, *, now_s: float) -> LiveRound:
    if isinstance(event, PersonAwaited):
        return live.waits_for_person(event.call.name)
    if isinstance(event, PersonAnswered):
        return live.goes_on()
    if isinstance(event, SampleStarted):
        return LiveRound(sample=f"sample {event.number} of {event.count} · ")
    return live if isinstance(event, MessageStored) else live.after(event, now_s=now_s)


def _play(
    services: Services,
    visitor: Visitor,
    setup: RunConfig,
    wish: TurnRequest,
    tell: Callable[[PlayEvent], None],
) -> Iterator[PlayEvent]:
    timeout_s = services.settings.approval_timeout_s
    person = Person(tell, is_stopped=wish.is_cancelled, timeout_s=timeout_s)
    wish.set_person(person)
    context = TurnContext(
        is_cancelled=wish.is_cancelled,
        token=wish.token,
        approver=person,
        stepper=person if wish.execution is Execution.STEP else None,
        runs_calls=wish.execution is not Execution.STOP,
    )
    session_id, resume = visitor.session_id or "", wish.resume
    if resume is not None:
        yield from continue_from(services, session_id, setup, resume, context)
    else:
        for event in _first(services, visitor, setup, wish.text, context):
            if resume is None and isinstance(event, MessageStored):
                resume = ResumePoint(message_id=event.stored.id)
            yield event
    if resume is not None and wish.samples > 1:
        yield from draw_samples(services, session_id, setup, resume, context, count=wish.samples)


def _first(
    services: Services, visitor: Visitor, setup: RunConfig, text: str, context: TurnContext
) -> Iterator[Event | MessageStored]:
    """The turn of what the user says; its first message is theirs."""
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
    kept: Sequence[StoredMessage],
    went_on_from: str | None,
) -> Screen:
    """The session with what was kept just now, read as it was sent."""
    opened = open_session(services, visitor.session_id or "", leaf_id=visitor.leaf_id)
    if opened is None:
        return Screen(visitor=visitor)
    notice: NoticeView | Update = SAME
    if any(one.message.role is Role.USER for one in kept):
        notice = advice(BRANCHED) if _is_branched(opened, went_on_from) else CLEAR
    session = replace(opened.session, setup=setup)
    return Screen().with_opened(replace(opened, session=session), visitor)._replace(notice=notice)


def _is_branched(opened: OpenedSession, went_on_from: str | None) -> bool:
    """True where someone else went on from that message too."""
    shown = {one.id for one in opened.path}
    return went_on_from is not None and not shown.issuperset(children(opened.tree, went_on_from))


def _with_break(screen: Screen, batch: Sequence[PlayEvent]) -> Screen:
    """Why the answer broke off, where it did."""
    ended = next((event for event in batch if isinstance(event, TurnEnded) and event.problem), None)
    if ended is None:
        return screen
    return screen._replace(
        notice=advice(f"The answer ended early. The text received so far is saved. Reason: {ended.problem}")
    )


def _with_prompt(screen: Screen, batch: Sequence[PlayEvent]) -> Screen:
    """The prompt that was sent last, while its completion has not ended."""
    last = next(
        (event for event in reversed(batch) if isinstance(event, RoundStarted | CompletionEnded)), None
    )
    if not isinstance(last, RoundStarted):
        return screen
    return screen._replace(raw=show_prompt(last.prompt, is_exact=last.is_exact))
