"""What the composer answers: a turn is begun, played, watched and stopped."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import gradio as gr

from workbench.desk.services import Services
from workbench.desk.setup import Setup
from workbench.desk.turns import MessageKept, begin_session, play_turn
from workbench.errors import WorkbenchError
from workbench.rollout.events import CompletionEnded, Event, RoundStarted
from workbench.ui.present.live import LiveRound, LiveView, waiting
from workbench.ui.present.notices import CLEAR, advice, problem
from workbench.ui.present.raw import show_prompt
from workbench.ui.present.session import show_session
from workbench.ui.present.sessions import AddressView, SessionsView, show_sessions
from workbench.ui.present.setup import read_fields, setup_of
from workbench.ui.tabs.play.person import Person, Waiting, WentOn
from workbench.ui.tabs.play.runs import Runs, play_aside
from workbench.ui.tabs.play.screen import Screen
from workbench.ui.tabs.play.setup_events import SetupEvents
from workbench.ui.visitor import Visitor

Happening = Event | MessageKept | Waiting | WentOn
"""Anything that a turn under way tells the page."""


@dataclass(frozen=True, slots=True)
class TurnEvents:
    """Handlers of the middle column."""

    services: Services
    """The edges."""
    runs: Runs
    """Turns under way."""
    setups: SetupEvents
    """Knows the model's state."""

    def on_begin(self, visitor: Visitor, text: str, request: gr.Request) -> Screen:
        """Takes what was written; the turn itself waits for the model."""
        if not text.strip():
            return Screen(notice=advice("Write something to send."))
        if not self.runs.begin(_tab(request)):
            return Screen()
        return Screen(
            visitor=replace(visitor, pending=text),
            composer="",
            live=waiting("waiting for the model"),
            notice=CLEAR,
        ).with_run(is_running=True)

    def on_send(
        self, visitor: Visitor, stepped: object, request: gr.Request, *fields: object
    ) -> Iterator[Screen]:
        """Plays the turn, and shows what happens as it happens."""
        if visitor.pending is None:
            yield Screen()
            return
        text, visitor = visitor.pending, replace(visitor, pending=None)
        stop = self.runs.stop_of(_tab(request))
        if stop.is_set():
            self.runs.end(_tab(request))
            yield Screen(visitor=visitor, composer=text, notice=advice("Stopped before the model was asked."))
            return
        try:
            setup = setup_of(read_fields(fields), sampling=visitor.sampling)
            visitor = self._with_session(visitor, setup)
            yield Screen(
                visitor=replace(visitor, message_id=None),
                address=AddressView(session=visitor.session_id),
                header=self.setups.header(setup.model, is_busy=True),
            )
            yield from self._watch(visitor, setup, text, request, is_stepped=stepped is True)
        except WorkbenchError as error:
            yield self._failed(visitor, error, text)
        finally:
            # A browser that left closes this generator: the turn must not go on without it.
            self.runs.end(_tab(request))

    def on_settle(self, visitor: Visitor, model: str, request: gr.Request) -> Screen:
        """The turn is over, however it ended; a key that was pressed twice ends nothing."""
        if self.runs.is_running(_tab(request)):
            return Screen()
        return (
            Screen(
                live=LiveView(), sessions=self.sessions(visitor.session_id), header=self.setups.header(model)
            )
            .with_run(is_running=False)
            .with_waiting(WentOn())
        )

    def on_stop(self, request: gr.Request) -> None:
        """Asks the turn to stop; what was written until then is kept."""
        self.runs.stop(_tab(request))

    def on_leave(self, request: gr.Request) -> None:
        """The tab was closed."""
        self.runs.end(_tab(request))

    def sessions(self, open_id: str | None) -> SessionsView:
        """The list, as the store has it now."""
        return show_sessions(
            self.services.sessions.list_sessions(limit=200),
            open_id=open_id,
            now=self.services.calendar.now().astimezone(),
        )

    def _with_session(self, visitor: Visitor, setup: Setup) -> Visitor:
        """A session to go on with; none is made where the setup cannot be used."""
        if visitor.session_id is not None:
            return visitor
        return replace(visitor, session_id=begin_session(self.services, setup).id)

    def _watch(
        self, visitor: Visitor, setup: Setup, text: str, request: gr.Request, *, is_stepped: bool
    ) -> Iterator[Screen]:
        session_id = visitor.session_id or ""
        is_cancelled = self.runs.stop_of(_tab(request)).is_set
        timeout_s = self.services.settings.approval_timeout_s

        def play(tell: Callable[[Happening], None]) -> Iterator[Happening]:
            person = Person(tell, is_stopped=is_cancelled, timeout_s=timeout_s)
            self.runs.meet(_tab(request), person)
            return play_turn(
                self.services, session_id, setup, text,
                is_cancelled=is_cancelled, approver=person, stepper=person if is_stepped else None,
            )  # fmt: skip

        live = LiveRound()
        for batch in play_aside(play):
            for event in batch:
                if not isinstance(event, MessageKept | Waiting | WentOn):
                    live = live.after(event, now_s=self.services.calendar.seconds())
            yield self._after(batch, visitor, setup)._replace(
                live=live.show(now_s=self.services.calendar.seconds())
            )

    def _after(self, batch: Sequence[Happening], visitor: Visitor, setup: Setup) -> Screen:
        """What a batch changes beside the live pane: messages that were kept, a prompt that was sent."""
        screen = Screen()
        if any(isinstance(event, MessageKept) for event in batch):
            screen = self._shown(visitor, setup)
        last = next(
            (event for event in reversed(batch) if isinstance(event, RoundStarted | CompletionEnded)), None
        )
        if isinstance(last, RoundStarted):
            screen = screen._replace(raw=show_prompt(last.prompt, is_exact=last.is_exact))
        asked = next((event for event in reversed(batch) if isinstance(event, Waiting | WentOn)), None)
        return screen.with_waiting(asked) if asked else screen

    def _failed(self, visitor: Visitor, error: WorkbenchError, text: str) -> Screen:
        """The line, the text back in the composer, and what was kept until then."""
        screen = Screen(visitor=visitor, notice=problem(error), composer=text)
        session = self.services.sessions.find_session(visitor.session_id) if visitor.session_id else None
        if session is None:
            return screen
        path = self.services.sessions.path(session.id)
        return screen.with_session(show_session(path, session.setup, message_id=visitor.message_id))

    def _shown(self, visitor: Visitor, setup: Setup) -> Screen:
        path = self.services.sessions.path(visitor.session_id or "")
        return Screen().with_session(show_session(path, setup))


def _tab(request: gr.Request) -> str:
    """Names one tab of one browser."""
    return request.session_hash or ""
