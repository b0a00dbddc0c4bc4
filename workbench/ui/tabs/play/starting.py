"""Start a turn from the page: from the composer or from the menu of a message."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import gradio as gr

from workbench.app.running_turn import RunningTurn
from workbench.app.services import Services
from workbench.app.turn_request import Execution, ResumePoint, TurnRequest
from workbench.app.turns import start_turn
from workbench.errors import BadInput
from workbench.settings import Secret
from workbench.ui.present.documents import PLAY_EDITORS, message_change, turn_changes
from workbench.ui.present.live import show_note
from workbench.ui.present.notices import CLEAR
from workbench.ui.present.setup import parse_setup
from workbench.ui.present.words import SAMPLES
from workbench.ui.tab_state import TabState
from workbench.ui.tabs.play.screen import Screen
from workbench.ui.tabs.tab_work import TabWork, tab_of


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnFields:
    """The fields of the page that a turn starts with, as the browser sent them."""

    execution: str
    samples: object
    setup: Sequence[object]
    """In the order of `SETUP_FIELDS`."""
    signed_in: gr.OAuthToken | None
    """The access token of a visitor who signed in on a Space. It is used for this turn only."""


def start_from_page(
    services: Services,
    work: TabWork,
    state: TabState,
    request: gr.Request,
    fields: TurnFields,
    *,
    text: str = "",
    resume: ResumePoint | None = None,
) -> Screen:
    """Start a turn in the open session or in a new one; return the screen that makes the page watch it.

    Raises:
        BadInput: A field is not valid, a limit is exceeded, or the session already has a running turn.
    """
    setup, tab = parse_setup(fields.setup), tab_of(request)
    # A message that is continued has one continuation.
    samples = 1 if resume and not resume.is_answer else SAMPLES.whole(fields.samples)
    turn_request = TurnRequest(
        setup=setup,
        session_id=state.session_id,
        text=text,
        leaf_id=state.leaf_id,
        resume=resume,
        execution=_execution(fields.execution),
        samples=samples,
        token=Secret(fields.signed_in.token) if fields.signed_in else None,
    )
    with work.starting:
        if text and work.has_sent(tab, text):
            return Screen()
        turn = start_turn(services, turn_request)
        work.sent(tab, turn)
    started = replace(
        state,
        session_id=turn.subject,
        leaf_id=resume.message_id if resume else state.leaf_id,
        message_id=None,
        call_index=None,
    )
    sent = (message_change(state, "sent", text),) if text else ()
    changes = (*sent, *turn_changes(state, started, setup, is_message=bool(text)))
    editors = PLAY_EDITORS.changed(services.calendar.seconds(), *changes)
    return follow(turn, Screen(state=started, notice=CLEAR, editors=editors))


def follow(turn: RunningTurn, screen: Screen) -> Screen:
    """Return the screen with what makes the page watch a turn."""
    live = replace(show_note("waiting for the model"), follow=turn.id, session=turn.subject)
    return screen._replace(live=live).with_run(is_running=True)


def _execution(value: str) -> Execution:
    try:
        return Execution(value)
    except ValueError as error:
        raise BadInput(
            "field 'tool calls'", f"{value[:40]!r} is not a choice", "choose one of the list"
        ) from error
