"""Watch a running turn: the update that each batch of its events makes to the page."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from threading import Event as Flag

from workbench.app.opened_session import OpenedSession, open_session
from workbench.app.person import PersonAnswered, PersonAwaited
from workbench.app.running_turn import RunningTurn
from workbench.app.services import Services
from workbench.app.tasks import EventBatch, LoggedEvent
from workbench.app.turn_request import MessageStored, SampleStarted, TurnEvent
from workbench.chat.message import Role
from workbench.records.session_tree import find_children
from workbench.records.sessions import StoredMessage
from workbench.rollout.events import CompletionEnded, RoundStarted, TurnEnded
from workbench.ui.gradio_parts.update import SAME, Update
from workbench.ui.present.live import LiveRound
from workbench.ui.present.notices import NoticeView, advice
from workbench.ui.present.raw import show_prompt
from workbench.ui.present.setup import Activity, HeaderView, show_header
from workbench.ui.tab_state import TabState
from workbench.ui.tabs.play.screen import Screen

BRANCHED = (
    "Another tab continued from the same message, so your message starts a branch. Nothing was overwritten. "
    "Use the arrows at your message to switch between the branches."
)
"""Shown when a message became a branch although the user did not ask for one."""


def watch(
    services: Services, current: Callable[[], TabState], turn: RunningTurn, gone: Flag, *, is_starter: bool
) -> Iterator[Screen]:
    """Watch a turn until it ends, or until the tab shows another session. The view moves on with each stored message.

    Args:
        current: Returns what the tab shows now.
        gone: Set once the tab should stop watching.
        is_starter: Whether the turn was started in this tab.

    Raises:
        WorkbenchError: What ended the turn early.
    """
    live = LiveRound()
    with turn.watched(gone) as batches:
        for batch in batches:
            live = LiveRound() if batch.is_restart else live
            for logged in batch.logged:
                live = live_after(live, logged)
            state = current()
            if state.session_id != turn.subject or state.is_read_only:
                return
            screen = _screen(services, state, turn, batch, is_starter=is_starter)
            yield screen._replace(live=live.show(now_s=services.calendar.seconds()))


def _screen(
    services: Services,
    state: TabState,
    turn: RunningTurn,
    batch: EventBatch[TurnEvent],
    *,
    is_starter: bool,
) -> Screen:
    events, screen = batch.events, Screen()
    stored = [event.stored for event in events if isinstance(event, MessageStored)]
    if stored:
        state = replace(state, leaf_id=stored[-1].id, message_id=None, call_index=None)
        screen = _shown(services, state, turn, stored, is_starter=is_starter)
    screen = _with_prompt(_with_break(screen, events), events)
    question = next(
        (event for event in reversed(events) if isinstance(event, PersonAwaited | PersonAnswered)), None
    )
    if question is None:
        return screen
    activity = Activity.WAITING if isinstance(question, PersonAwaited) else Activity.WRITING
    screen = screen.with_waiting(question, turn.subject)
    return screen._replace(header=turn_header(services, turn, activity))


def turn_header(services: Services, turn: RunningTurn, activity: Activity) -> HeaderView:
    """Return the header with the model of a turn and what the turn is doing."""
    return show_header(services.models.status(turn.request.setup.model), activity)


def live_after(live: LiveRound, logged: LoggedEvent[TurnEvent]) -> LiveRound:
    """Return the state of the live pane after an event."""
    event = logged.event
    if isinstance(event, PersonAwaited):
        return live.waits_for_person(event.call.name)
    if isinstance(event, PersonAnswered):
        return live.resumed()
    if isinstance(event, SampleStarted):
        return LiveRound(sample=f"sample {event.number} of {event.count} · ")
    if isinstance(event, MessageStored):
        return live
    return live.after(event, now_s=logged.at_s, count=logged.count)


def _shown(
    services: Services,
    state: TabState,
    turn: RunningTurn,
    stored: Sequence[StoredMessage],
    *,
    is_starter: bool,
) -> Screen:
    """Show the session with the messages that were just saved, read with the setup of this turn."""
    opened = open_session(services, turn.subject, leaf_id=state.leaf_id)
    if opened is None:
        return Screen(state=state)
    notice: NoticeView | Update = SAME
    if is_starter and any(message.message.role is Role.USER for message in stored):
        notice = advice(BRANCHED) if _is_branched(opened, turn.start_id) else SAME
    session = replace(opened.session, setup=turn.request.setup)
    return Screen().with_opened(replace(opened, session=session), state)._replace(notice=notice)


def _is_branched(opened: OpenedSession, start_id: str | None) -> bool:
    """Whether the message `start_id` has a continuation that is not on the shown path."""
    shown = {message.id for message in opened.path}
    return start_id is not None and not shown.issuperset(find_children(opened.tree, start_id))


def _with_break(screen: Screen, events: Sequence[TurnEvent]) -> Screen:
    """Add a notice if the answer ended early."""
    ended = next((event for event in events if isinstance(event, TurnEnded) and event.problem), None)
    if ended is None:
        return screen
    return screen._replace(
        notice=advice(f"The answer ended early. The text received so far is saved. Reason: {ended.problem}")
    )


def _with_prompt(screen: Screen, events: Sequence[TurnEvent]) -> Screen:
    """Show the last prompt in the Raw pane while its completion is running."""
    last = next(
        (event for event in reversed(events) if isinstance(event, RoundStarted | CompletionEnded)), None
    )
    if not isinstance(last, RoundStarted):
        return screen
    return screen._replace(raw=show_prompt(last.prompt, is_exact=last.is_exact))
