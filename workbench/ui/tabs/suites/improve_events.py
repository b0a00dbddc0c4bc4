"""Search for a better contract on the Suites tab, and take a candidate over."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import gradio as gr

from workbench.app.improve.starting import SearchRequest, begin_search, plan_search
from workbench.app.improve.taking import take_candidate
from workbench.app.runs.planning import RunRequest
from workbench.app.runs.running import find_run
from workbench.app.runs.suites import load_suite
from workbench.app.services import Services
from workbench.errors import WorkbenchError
from workbench.records.owner import Permission
from workbench.settings import Secret
from workbench.suite.search_plan import SearchMode, SearchSettings
from workbench.ui.gradio_parts.update import SAME
from workbench.ui.incoming.fields import id_of
from workbench.ui.owners import services_of
from workbench.ui.permissions import needs
from workbench.ui.present.notices import NoticeView, advice, problem
from workbench.ui.shown_errors import NOTICE, shows_error
from workbench.ui.tab_state import TabState
from workbench.ui.tabs.suites.improve_form import BUDGETS
from workbench.ui.tabs.suites.parts import SuitesScreen
from workbench.ui.tabs.suites.result_events import RunResultEvents
from workbench.ui.tabs.suites.run_events import RunEvents


@dataclass(frozen=True, slots=True)
class ImproveEvents:
    """Handlers of a search. A search is a run, so `RunEvents` shows, stops and resumes it."""

    services: Services
    running: RunEvents
    results: RunResultEvents
    read_request: Callable[[str, tuple[object, ...]], RunRequest]
    """Reads the drafts and the form of a run."""

    @needs(Permission.ASK)
    def on_improve(
        self,
        state: TabState,
        drafts: str,
        mode: str,
        reflect: str | None,
        request: gr.Request,
        signed_in: gr.OAuthToken | None,
        *fields: object,
    ) -> SuitesScreen:
        """Start a search for a better contract. `fields` are its budgets and the form of a run."""
        services = services_of(self.services, state, request)
        token = Secret(signed_in.token) if signed_in else None
        try:
            self.running.refuse_second(services)
            form = fields[len(BUDGETS) :]
            run_request = replace(self.read_request(drafts, form), is_ablation=False, variations=())
            budgets: dict[str, Any] = {
                name: numbers.parse(shown) or None
                for (name, numbers), shown in zip(BUDGETS.items(), fields, strict=False)
            }
            settings = SearchSettings(mode=SearchMode(mode), reflect=reflect or "", **budgets)
            suites = [load_suite(services, name) for name in run_request.suites]
            plan = plan_search(services, SearchRequest(run=run_request, settings=settings), suites)
            return self.running.start(services, begin_search(services, plan, token=token).id, signed_in)
        except (WorkbenchError, ValueError) as error:
            return SuitesScreen(
                notice=problem(error) if isinstance(error, WorkbenchError) else advice(str(error))
            )

    @needs(Permission.WORK)
    def on_compare(self, state: TabState, request: gr.Request, event: gr.EventData) -> SuitesScreen:
        """Compare two candidates of a search: their texts, and case by case."""
        run_id, before, after = (id_of(event, name) for name in ("run", "before", "after"))
        screen = self.results.on_show(state, run_id, run_id, before, after, request)
        return screen._replace(run=SAME, baseline=gr.update(value=run_id))

    @needs(Permission.WORK)
    @shows_error(NOTICE)
    def on_take(self, state: TabState, request: gr.Request, event: gr.EventData) -> NoticeView:
        """Save a candidate as a version of its contract."""
        services = services_of(self.services, state, request)
        version = take_candidate(services, find_run(services, id_of(event, "run")), id_of(event, "label"))
        return advice(f"Saved as {version.name}@{version.number}: {version.message}.")
