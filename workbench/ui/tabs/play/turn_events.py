"""Start, run, follow and stop a turn."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import gradio as gr

from workbench.app.opened_session import open_newest
from workbench.app.services import Services
from workbench.app.turns import begin_session
from workbench.errors import WorkbenchError
from workbench.records.owner import Permission
from workbench.records.run_config import RunConfig
from workbench.settings import Secret
from workbench.ui.owners import needs, services_of
from workbench.ui.present.documents import PLAY_EDITORS, turn_changes
from workbench.ui.present.live import LiveView, waiting
from workbench.ui.present.notices import CLEAR, NoticeView, advice, problem
from workbench.ui.present.sessions import AddressView
from workbench.ui.present.setup import parse_setup
from workbench.ui.present.words import SAMPLES
from workbench.ui.tabs.play.message_events import message_view
from workbench.ui.tabs.play.person import PersonAnswered
from workbench.ui.tabs.play.runs import PendingTurn, Runs, tab_of
from workbench.ui.tabs.play.screen import Screen, list_sessions
from workbench.ui.tabs.play.session_events import agreement_notice
from workbench.ui.tabs.play.setup_events import SetupEvents
from workbench.ui.tabs.play.watching import Execution, TurnRequest, watch
from workbench.ui.visitor import Visitor


@dataclass(frozen=True, slots=True)
class TurnEvents:
    """Handlers of the conversation, the middle column."""

    services: Services
    runs: Runs
    """Running turns."""
    setups: SetupEvents
    """Shows the model's state in the header."""

    @needs(Permission.WORK)
    def on_begin(self, visitor: Visitor, text: str, request: gr.Request) -> Screen:
        """Register the turn and empty the composer. `on_send` then runs the turn."""
        if visitor.is_read_only:
            return Screen(notice=advice("This session is read-only. Copy it to continue."))
        if not text.strip():
            return Screen(notice=advice("Write a message first."))
        if not self.runs.begin(tab_of(request), PendingTurn(visitor=visitor, text=text)):
            return Screen()
        return Screen(
            editors=message_view(services_of(self.services, visitor, request), visitor, "sent", text),
            live=waiting("waiting for the model"),
            notice=CLEAR,
        ).with_run(is_running=True)

    @needs(Permission.ASK)
    def on_send(
        self,
        visitor: Visitor,
        execution: str,
        samples: object,
        request: gr.Request,
        signed_in: gr.OAuthToken | None,
        *fields: object,
    ) -> Iterator[Screen]:
        """Run the registered turn and show its events as they happen.

        `signed_in` is the access token of a visitor who signed in on a Space. It is used for this turn only.
        """
        tab = tab_of(request)
        pending = self.runs.take_pending(tab)
        if pending is None:
            yield Screen()
            return
        stop = self.runs.stop_of(tab)
        if stop.is_set():
            self.runs.end(tab)
            services = services_of(self.services, visitor, request)
            notice = advice("Stopped before the model started.")
            yield _put_back(services, pending, pending.visitor, notice)
            return
        turn_request = TurnRequest(
            text=pending.text,
            is_cancelled=stop.is_set,
            set_person=lambda person: self.runs.set_person(tab, person),
            execution=Execution(execution),
            resume=pending.resume,
            token=Secret(signed_in.token) if signed_in else None,
        )
        try:
            services = services_of(self.services, visitor, request)
            yield from self._run(services, pending, turn_request, (samples, *fields))
        finally:
            # This generator is closed when the browser leaves; the turn must stop then.
            self.runs.end(tab)

    @needs(Permission.WORK)
    def on_settle(self, visitor: Visitor, model: str, request: gr.Request) -> Screen:
        """Reset the buttons after a turn, however it ended. Does nothing if another turn is running."""
        if self.runs.is_running(tab_of(request)):
            return Screen()
        services = services_of(self.services, visitor, request)
        screen = Screen(
            live=LiveView(), sessions=list_sessions(services, visitor), header=self.setups.header(model)
        )
        return screen.with_run(is_running=False).with_waiting(PersonAnswered())

    def _run(
        self, services: Services, pending: PendingTurn, turn_request: TurnRequest, fields: Sequence[object]
    ) -> Iterator[Screen]:
        visitor = replace(pending.visitor, message_id=None, call_index=None)
        try:
            samples, *others = fields
            setup = parse_setup(others)
            turn_request = replace(turn_request, samples=_samples(pending, samples))
            services.limits.check_samples(turn_request.samples)
            visitor = _with_session(services, visitor, setup, turn_request)
            visitor = (
                replace(visitor, leaf_id=turn_request.resume.message_id) if turn_request.resume else visitor
            )
            changes = turn_changes(pending.visitor, visitor, setup, is_message=turn_request.resume is None)
            yield Screen(
                visitor=visitor,
                editors=PLAY_EDITORS.changed(services.calendar.seconds(), *changes),
                address=AddressView(session=visitor.session_id),
                header=self.setups.header(setup.model, is_busy=True),
            )
            for screen in watch(services, visitor, setup, turn_request):
                visitor = screen.visitor if isinstance(screen.visitor, Visitor) else visitor
                yield screen
            if turn_request.samples > 1:
                yield Screen(notice=agreement_notice(services, visitor))
        except WorkbenchError as error:
            yield _failed(services, pending, visitor, error)


def _with_session(
    services: Services, visitor: Visitor, setup: RunConfig, turn_request: TurnRequest
) -> Visitor:
    """Return the visitor with a session, creating one if none is open and the setup is valid."""
    if visitor.session_id is not None:
        return visitor
    return replace(
        visitor,
        session_id=begin_session(services, setup, token=turn_request.token, user_text=turn_request.text).id,
    )


def _failed(services: Services, pending: PendingTurn, visitor: Visitor, error: WorkbenchError) -> Screen:
    """Show the error and the messages saved so far, and put the text back into the composer."""
    screen = _put_back(services, pending, visitor, problem(error))
    opened = open_newest(services, visitor.session_id, visitor.leaf_id) if visitor.session_id else None
    return screen if opened is None else screen.with_opened(opened, visitor)


def _samples(pending: PendingTurn, field_value: object) -> int:
    """Return how many answers to generate; always one when a message is continued.

    Raises:
        BadInput: The field does not hold a valid number.
    """
    return 1 if pending.resume and not pending.resume.is_answer else SAMPLES.whole(field_value)


def _put_back(services: Services, pending: PendingTurn, visitor: Visitor, notice: NoticeView) -> Screen:
    """Put the unsent text back into the composer, which stays unchanged if there was none."""
    screen = Screen(visitor=visitor, notice=notice)
    if not pending.text:
        return screen
    return screen._replace(editors=message_view(services, visitor, "unsent", pending.text))
