"""Send, run, follow and stop a turn."""

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
from workbench.ui.present.live import LiveView, waiting
from workbench.ui.present.notices import CLEAR, NoticeView, advice, problem
from workbench.ui.present.sessions import AddressView
from workbench.ui.present.setup import parse_setup
from workbench.ui.present.words import SAMPLES
from workbench.ui.tabs.play.person import PersonAnswered
from workbench.ui.tabs.play.runs import PendingTurn, Runs, tab_of
from workbench.ui.tabs.play.screen import Screen, list_sessions
from workbench.ui.tabs.play.session_events import agreement_notice
from workbench.ui.tabs.play.setup_events import SetupEvents
from workbench.ui.tabs.play.watching import Execution, TurnRequest, watch
from workbench.ui.visitor import Visitor


@dataclass(frozen=True, slots=True)
class TurnEvents:
    """Handlers of the middle column."""

    services: Services
    runs: Runs
    """Turns under way."""
    setups: SetupEvents
    """Knows the model's state."""

    @needs(Permission.WORK)
    def on_begin(self, visitor: Visitor, text: str, request: gr.Request) -> Screen:
        """Takes what was written; the turn itself waits for the model."""
        if visitor.is_read_only:
            return Screen(notice=advice("This session is read-only. Copy it to continue."))
        if not text.strip():
            return Screen(notice=advice("Write a message first."))
        if not self.runs.begin(tab_of(request), PendingTurn(visitor=visitor, text=text)):
            return Screen()
        return Screen(
            composer="",
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
        """Plays the turn, and shows what happens as it happens.

        `signed_in` is a visitor's own token, on a Space where they have signed in; it lives as long as the turn.
        """
        tab = tab_of(request)
        asked = self.runs.take_pending(tab)
        if asked is None:
            yield Screen()
            return
        stop = self.runs.stop_of(tab)
        if stop.is_set():
            self.runs.end(tab)
            yield _put_back(asked, asked.visitor, advice("Stopped before the model started."))
            return
        wish = TurnRequest(
            text=asked.text,
            is_cancelled=stop.is_set,
            set_person=lambda person: self.runs.set_person(tab, person),
            execution=Execution(execution),
            resume=asked.resume,
            token=Secret(signed_in.token) if signed_in else None,
        )
        try:
            services = services_of(self.services, visitor, request)
            yield from self._played(services, asked, wish, (samples, *fields))
        finally:
            # A browser that left closes this generator: the turn must not go on without it.
            self.runs.end(tab)

    @needs(Permission.WORK)
    def on_settle(self, visitor: Visitor, model: str, request: gr.Request) -> Screen:
        """The turn is over, however it ended; a key that was pressed twice ends nothing."""
        if self.runs.is_running(tab_of(request)):
            return Screen()
        services = services_of(self.services, visitor, request)
        screen = Screen(
            live=LiveView(), sessions=list_sessions(services, visitor), header=self.setups.header(model)
        )
        return screen.with_run(is_running=False).with_waiting(PersonAnswered())

    def _played(
        self, services: Services, asked: PendingTurn, wish: TurnRequest, fields: Sequence[object]
    ) -> Iterator[Screen]:
        visitor = replace(asked.visitor, message_id=None, call_index=None)
        try:
            samples, *others = fields
            setup = parse_setup(others)
            wish = replace(wish, samples=_samples(asked, samples))
            services.limits.check_samples(wish.samples)
            visitor = _with_session(services, visitor, setup, wish)
            visitor = replace(visitor, leaf_id=wish.resume.message_id) if wish.resume else visitor
            yield Screen(
                visitor=visitor,
                address=AddressView(session=visitor.session_id),
                header=self.setups.header(setup.model, is_busy=True),
            )
            for screen in watch(services, visitor, setup, wish):
                visitor = screen.visitor if isinstance(screen.visitor, Visitor) else visitor
                yield screen
            if wish.samples > 1:
                yield Screen(notice=agreement_notice(services, visitor))
        except WorkbenchError as error:
            yield _failed(services, asked, visitor, error)


def _with_session(services: Services, visitor: Visitor, setup: RunConfig, wish: TurnRequest) -> Visitor:
    """A session to go on with; none is made where the setup cannot be used."""
    if visitor.session_id is not None:
        return visitor
    return replace(visitor, session_id=begin_session(services, setup, token=wish.token, said=wish.text).id)


def _failed(services: Services, asked: PendingTurn, visitor: Visitor, error: WorkbenchError) -> Screen:
    """The line, the text back in the composer, and what was kept until then."""
    screen = _put_back(asked, visitor, problem(error))
    opened = open_newest(services, visitor.session_id, visitor.leaf_id) if visitor.session_id else None
    return screen if opened is None else screen.with_opened(opened, visitor)


def _samples(asked: PendingTurn, wanted: object) -> int:
    """How many answers to get: one where a message is gone on with.

    Raises:
        BadInput: No such number stands there.
    """
    return 1 if asked.resume and not asked.resume.is_answer else SAMPLES.whole(wanted)


def _put_back(asked: PendingTurn, visitor: Visitor, notice: NoticeView) -> Screen:
    """What was to be sent stands in the composer again; where nothing was said it stays as it is."""
    screen = Screen(visitor=visitor, notice=notice)
    return screen._replace(composer=asked.text) if asked.text else screen
