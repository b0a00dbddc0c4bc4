"""Start, follow, stop and continue runs, and open them by link."""

from collections.abc import Generator
from dataclasses import dataclass, replace
from time import sleep
from typing import Any, Final, cast

import gradio as gr

from workbench.app.runs.drafts import left_out_note, read_drafts, shown_reference
from workbench.app.runs.failing import plan_failing
from workbench.app.runs.planning import RunRequest, plan_run
from workbench.app.runs.reports import report_for
from workbench.app.runs.running import begin_run, find_run
from workbench.app.runs.suites import load_suite
from workbench.app.services import Services
from workbench.errors import BadInput, WorkbenchError
from workbench.records.owner import Permission
from workbench.records.runs import RunState
from workbench.settings import Secret
from workbench.suite.plan import RunPlan
from workbench.ui.gradio_parts.update import SAME
from workbench.ui.incoming.fields import id_of
from workbench.ui.owners import services_of
from workbench.ui.permissions import needs
from workbench.ui.present.notices import CLEAR, NoticeView, advice, problem
from workbench.ui.present.suites.grid import GridFields, plan_size, read_grid
from workbench.ui.present.suites.run import SelectedCase, show_progress, show_progress_elsewhere, show_run
from workbench.ui.present.words import count
from workbench.ui.shown_errors import NOTICE, shows_error
from workbench.ui.tab_state import TabState
from workbench.ui.tabs.active_runs import ActiveRun, ActiveRuns
from workbench.ui.tabs.suites.parts import SuitesScreen, grid_choices, list_runs, run_choices, run_screen

UPDATE_S: Final = 0.5
"""The shortest time between two progress updates of a run, in seconds."""
ELSEWHERE_S: Final = 1.0
"""The time between two progress updates of a run in another process, in seconds."""
UPDATE_SHARE: Final = 0.2
"""The largest share of the time that is spent on preparing updates."""


@dataclass(frozen=True, slots=True)
class RunEvents:
    """Handlers of runs."""

    services: Services
    active_runs: ActiveRuns

    @needs(Permission.WORK)
    def on_open(self, state: TabState, drafts: str, request: gr.Request) -> tuple[object, ...]:
        """Refresh the choices."""
        services = services_of(self.services, state, request)
        try:
            shown, baseline = run_choices(services)
            screen = SuitesScreen(shown=shown, baseline=baseline, run=list_runs(services, is_look=True))
            return (*screen, *grid_choices(services, read_drafts(drafts)))
        except WorkbenchError as error:
            return (*SuitesScreen(notice=problem(error)), SAME, SAME, SAME, SAME, SAME)

    @needs(Permission.WORK)
    @shows_error(SuitesScreen)
    def on_open_run(self, state: TabState, request: gr.Request, event: gr.EventData) -> SuitesScreen:
        """Open the run, and the case, that an address names."""
        services, case = services_of(self.services, state, request), id_of(event, "case")
        stored = find_run(services, id_of(event, "run"))
        selected = SelectedCase(case=case, arm=id_of(event, "arm")) if case else None
        return run_screen(services, self.active_runs, stored, selected)

    @needs(Permission.WORK)
    @shows_error(NOTICE)
    def on_size(self, state: TabState, drafts: str, request: gr.Request, *fields: object) -> NoticeView:
        """Show the size of the run, or why it cannot be started."""
        services = services_of(self.services, state, request)
        asked = read_request(drafts, fields)
        note = left_out_note(asked.contracts, asked.drafts)
        return advice(plan_size(_plan(services, asked)) + note)

    @needs(Permission.ASK)
    @shows_error(SuitesScreen)
    def on_run(
        self,
        state: TabState,
        drafts: str,
        request: gr.Request,
        signed_in: gr.OAuthToken | None,
        *fields: object,
    ) -> SuitesScreen:
        """Start a new run."""
        services = services_of(self.services, state, request)
        self.refuse_second(services)
        stored = begin_run(services, _plan(services, read_request(drafts, fields)))
        return self.start(services, stored.id, signed_in)

    @needs(Permission.ASK)
    @shows_error(SuitesScreen)
    def on_resume(
        self, state: TabState, request: gr.Request, event: gr.EventData, signed_in: gr.OAuthToken | None
    ) -> SuitesScreen:
        """Continue a run. Cases that have a result are not run again."""
        services = services_of(self.services, state, request)
        self.refuse_second(services)
        return self.start(services, id_of(event), signed_in)

    @needs(Permission.ASK)
    @shows_error(SuitesScreen)
    def on_failing(
        self,
        state: TabState,
        drafts: str,
        request: gr.Request,
        event: gr.EventData,
        signed_in: gr.OAuthToken | None,
    ) -> SuitesScreen:
        """Run the failing cases of a run again, to be compared with it."""
        services = services_of(self.services, state, request)
        self.refuse_second(services)
        before = find_run(services, id_of(event))
        known = read_drafts(drafts)
        plan = plan_failing(services, before.plan, services.runs.results(before.id), known)
        services.limits.check_plan(plan)
        screen = self.start(services, begin_run(services, plan).id, signed_in)
        used = dict.fromkeys(shown_reference(arm.contract_name) for arm in plan.arms)
        note = f"{count(len(plan.cases), 'failing case')} with {', '.join(used)}."
        return screen._replace(notice=advice(note), baseline={**screen.baseline, "value": before.id})

    @needs(Permission.WORK)
    def on_watch_shown(
        self, state: TabState, run_id: str | None, request: gr.Request
    ) -> Generator[SuitesScreen]:
        """Show the progress of the owner's run until it ends, or once if the shown run has ended already."""
        services = services_of(self.services, state, request)
        run = self.active_runs.last(services.owner)
        if run is not None and (run.id == run_id or not run.over.is_set()):
            yield from _watch(services, run)
            return
        # A generator that yields nothing would empty every component.
        yield SuitesScreen()
        if run_id:
            yield from self._watch_elsewhere(services, run_id)

    @needs(Permission.WORK)
    def on_watch_started(self, state: TabState, request: gr.Request) -> Generator[SuitesScreen]:
        """Show the progress of the run that was just started until it ends; a short one may have ended by now.

        The run shown in the browser is ignored here, since opening the tab may have changed it meanwhile.
        """
        services = services_of(self.services, state, request)
        run = self.active_runs.last(services.owner)
        if run is None:
            yield SuitesScreen()
        else:
            yield from _watch(services, run)

    @needs(Permission.WORK)
    def on_stop(self, state: TabState, request: gr.Request) -> None:
        """Ask the run to stop. Finished cases are saved."""
        self.active_runs.stop(services_of(self.services, state, request).owner)

    def start(self, services: Services, run_id: str, signed_in: gr.OAuthToken | None) -> SuitesScreen:
        """Start or continue a stored run, and return the screen that shows it."""
        stored = find_run(services, run_id)
        if not self.active_runs.begin(services, stored, Secret(signed_in.token) if signed_in else None):
            raise _under_way()
        run = self.active_runs.of(services.owner)
        bar = show_progress(run.progress, is_running=True) if run else SAME
        shown, baseline = run_choices(services, stored.id)
        return SuitesScreen(
            run=show_run(report_for(services, stored), stored.listed, is_under_way=True),
            bar=bar,
            notice=CLEAR,
            comparison=None,
            case_runs=None,
            shown=shown,
            baseline=baseline,
        )

    def refuse_second(self, services: Services) -> None:
        """Raise `BadInput` if the owner has a run in progress."""
        if self.active_runs.is_busy(services.owner):
            raise _under_way()

    def _watch_elsewhere(self, services: Services, run_id: str) -> Generator[SuitesScreen]:
        """Show the progress of a run in another process until it ends."""
        was_running = False
        while True:
            try:
                stored = find_run(services, run_id)
                is_running = self.active_runs.is_under_way(services.owner, stored)
                if not is_running and not (was_running and stored.listed.state is not RunState.RUNNING):
                    return
                report = report_for(services, stored)
            except WorkbenchError as error:
                yield SuitesScreen(notice=problem(error))
                return
            view = show_run(report, stored.listed, is_under_way=is_running, is_live=True)
            yield SuitesScreen(run=view, bar=show_progress_elsewhere(stored.listed) if is_running else None)
            if not is_running:
                return
            was_running = True
            sleep(ELSEWHERE_S)


def _watch(services: Services, run: ActiveRun) -> Generator[SuitesScreen]:
    pause_s, is_over = UPDATE_S, False
    with run.watched() as gone:
        while not is_over and not gone.is_set():
            is_over = run.over.wait(pause_s)
            started_s = services.calendar.seconds()
            look = _look(services, run, is_over=is_over)
            if is_over:
                shown, baseline = run_choices(services)
                look = look._replace(shown=shown, baseline=baseline)
            yield look
            pause_s = max(UPDATE_S, (services.calendar.seconds() - started_s) / UPDATE_SHARE)


def _under_way() -> BadInput:
    return BadInput("run", "another run is in progress", "wait for it or stop it")


def _look(services: Services, run: ActiveRun, *, is_over: bool) -> SuitesScreen:
    """Return the progress and the results so far."""
    bar = show_progress(run.progress, is_running=not is_over)
    try:
        if run.error is not None:
            raise run.error
        stored = find_run(services, run.id)
        return SuitesScreen(
            run=show_run(report_for(services, stored), stored.listed, is_under_way=not is_over, is_live=True),
            bar=bar,
        )
    except WorkbenchError as error:
        return SuitesScreen(bar=bar, notice=problem(error))


def read_request(drafts: str, fields: tuple[object, ...]) -> RunRequest:
    return replace(read_grid(GridFields(*cast(tuple[Any, ...], fields))), drafts=read_drafts(drafts))


def _plan(services: Services, run_request: RunRequest) -> RunPlan:
    """Return the plan of a run.

    Raises:
        BadInput: The plan is not valid, or exceeds the owner's limits.
        StoreError: The versions cannot be read.
    """
    plan = plan_run(services, run_request, [load_suite(services, name) for name in run_request.suites])
    services.limits.check_plan(plan)
    return plan
