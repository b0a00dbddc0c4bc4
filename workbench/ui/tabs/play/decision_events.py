"""What the Decision pane answers: a completion is weighed, in the model's line like any other work."""

from collections.abc import Iterator
from dataclasses import dataclass

import gradio as gr

from workbench.app.services import Services
from workbench.app.token_sheet import CompletionLogprobs, message_logprobs, tokens_of_message
from workbench.errors import WorkbenchError
from workbench.records.owner import Permission
from workbench.ui.incoming.fields import id_of
from workbench.ui.owners import services_of
from workbench.ui.permitted import needs
from workbench.ui.present.conversation import ReadRound, read_path
from workbench.ui.present.decision import show_decision, show_logprobs
from workbench.ui.present.live import LiveView, waiting
from workbench.ui.present.notices import CLEAR, advice, problem
from workbench.ui.present.raw import show_round
from workbench.ui.present.session import family_of
from workbench.ui.present.tokens import ask_tokens, show_tokens
from workbench.ui.tabs.play.reopened import reopened
from workbench.ui.tabs.play.runs import Runs
from workbench.ui.tabs.play.screen import Screen
from workbench.ui.visitor import Visitor


@dataclass(frozen=True, slots=True)
class DecisionEvents:
    """Handlers of the Decision pane."""

    services: Services
    """The edges."""
    runs: Runs
    """Work under way; Stop ends this too."""

    @needs(Permission.ASK)
    def on_weigh(self, visitor: Visitor, event: gr.EventData, request: gr.Request) -> Iterator[Screen]:
        """Weighs the completion of that id."""
        tab, message_id = request.session_hash or "", id_of(event)
        services = services_of(self.services, visitor, request)
        session = services.sessions.find_session(visitor.session_id) if visitor.session_id else None
        if session is None or not self.runs.begin(tab):
            yield Screen(notice=advice("Wait until the model has answered."))
            return
        yield Screen(live=waiting("weighing the answer"), notice=CLEAR).with_run(is_running=True)
        one, shown = None, Screen()
        try:
            path = services.sessions.path(session.id, leaf_id=visitor.leaf_id)
            rounds = read_path(path, session.setup.offered_tools())
            one = next((one for one in rounds if one.kept.id == message_id), None)
            stop = self.runs.stop_of(tab)
            weighed = one and message_logprobs(services, session.setup, one.kept, is_cancelled=stop.is_set)
            shown = self._shown(services, visitor, one, weighed)
        except WorkbenchError as error:
            shown = Screen(notice=problem(error), decision=show_decision(one))
        finally:
            self.runs.end(tab)
        yield shown._replace(live=LiveView()).with_run(is_running=False)

    def _shown(
        self, services: Services, visitor: Visitor, one: ReadRound | None, weighed: CompletionLogprobs | None
    ) -> Screen:
        """The panes that show what was weighed; as they were before where it was stopped."""
        opened = reopened(services, visitor)
        if one is None or weighed is None or opened is None:
            return Screen(decision=show_decision(one), tokens=ask_tokens(one))
        setup = opened.session.setup
        sheet = tokens_of_message(services, setup.model, one.kept)
        prompt = show_round(opened.path, one, family=family_of(setup)).sections[:-1]
        return Screen(
            decision=show_logprobs(one, weighed), tokens=show_tokens(one, sheet, prompt, weighed.tokens)
        )
