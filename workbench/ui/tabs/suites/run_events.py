"""Start, follow, stop and continue runs, and open them by link."""

from collections.abc import Generator, Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

import gradio as gr

from workbench.app.runs.planning import RunRequest, plan_run
from workbench.app.runs.running import begin_run, find_run
from workbench.app.runs.suites import load_suite
from workbench.app.services import Services
from workbench.errors import BadInput, WorkbenchError
from workbench.records.owner import Permission
from workbench.settings import Secret
from workbench.suite.plan import RunPlan
from workbench.ui.incoming.fields import id_of
from workbench.ui.owners import browser_key_of, needs, services_of
from workbench.ui.present.notices import CLEAR, NoticeView, advice, problem
from workbench.ui.present.suites.grid import GridFields, read_grid, told_size
from workbench.ui.present.suites.run import SelectedCase, show_progress, show_run
from workbench.ui.tabs.play.screen import SAME
from workbench.ui.tabs.suites.active_runs import ActiveRun, ActiveRuns
from workbench.ui.tabs.suites.parts import SuitesScreen, grid_choices, report_for, run_choices, run_of_query
from workbench.ui.visitor import Visitor

LOOK_S: Final = 0.5
"""A browser is told of a run's progress at most so often."""
LOOKING_SHARE: Final = 0.2
"""At most this share of the time goes into looking at a run."""


@dataclass(frozen=True, slots=True)
class RunEvents:
    """Handlers of the runs."""

    services: Services
    active_runs: ActiveRuns
    """Runs that are played now."""

    @needs(Permission.WORK)
    def on_open(self, visitor: Visitor, request: gr.Request) -> tuple[object, ...]:
        """What can be chosen, as it is now."""
        services = services_of(self.services, visitor, request)
        try:
            shown, baseline = run_choices(services)
            return (*SuitesScreen(shown=shown, baseline=baseline), *grid_choices(services))
        except WorkbenchError as error:
            return (*SuitesScreen(notice=problem(error)), SAME, SAME, SAME, SAME)

    @needs(Permission.WORK)
    def on_link(self, secret: str, request: gr.Request) -> tuple[object, ...]:
        """A run, and a case of it, that the address bar names."""
        query = cast(Mapping[str, str], cast(Any, request).query_params)
        services = services_of(self.services, Visitor(browser_key=browser_key_of(secret)), request)
        try:
            kept = run_of_query(query, services)
            if kept is None:
                return SAME, *SuitesScreen()
            picked = SelectedCase(case=query["case"], arm=query.get("arm", "")) if query.get("case") else None
            is_under_way = self._is_under_way(services, kept.id)
            view = show_run(report_for(services, kept), is_under_way=is_under_way, picked=picked)
            shown, baseline = run_choices(services, kept.id)
            screen = SuitesScreen(run=view, shown=shown, baseline=baseline)
        except WorkbenchError as error:
            screen = SuitesScreen(notice=problem(error))
        return gr.update(selected="suites"), *screen

    @needs(Permission.WORK)
    def on_size(self, visitor: Visitor, request: gr.Request, *fields: object) -> NoticeView:
        """How much the fields ask for, or why it cannot be played."""
        services = services_of(self.services, visitor, request)
        try:
            return advice(told_size(_plan(services, _wanted(fields))))
        except WorkbenchError as error:
            return problem(error)

    @needs(Permission.ASK)
    def on_run(
        self, visitor: Visitor, request: gr.Request, signed_in: gr.OAuthToken | None, *fields: object
    ) -> SuitesScreen:
        """Begins a new run."""
        services = services_of(self.services, visitor, request)
        try:
            self._refuse_second(services)
            kept = begin_run(services, _plan(services, _wanted(fields)))
            return self._begun(services, kept.id, signed_in)
        except WorkbenchError as error:
            return SuitesScreen(notice=problem(error))

    @needs(Permission.ASK)
    def on_resume(
        self, visitor: Visitor, request: gr.Request, event: gr.EventData, signed_in: gr.OAuthToken | None
    ) -> SuitesScreen:
        """Goes on with a run: what has a result is not played again."""
        services = services_of(self.services, visitor, request)
        try:
            self._refuse_second(services)
            return self._begun(services, id_of(event), signed_in)
        except WorkbenchError as error:
            return SuitesScreen(notice=problem(error))

    @needs(Permission.WORK)
    def on_watch_shown(
        self, visitor: Visitor, run_id: str | None, request: gr.Request
    ) -> Generator[SuitesScreen]:
        """Tells of the owner's run until it is over; once, where the one that is shown is over already."""
        services = services_of(self.services, visitor, request)
        one = self.active_runs.last(services.owner)
        if one is None or (one.over.is_set() and one.id != run_id):
            # A generator that gives nothing would empty every part.
            yield SuitesScreen()
        else:
            yield from _watched(services, one)

    @needs(Permission.WORK)
    def on_watch_begun(self, visitor: Visitor, request: gr.Request) -> Generator[SuitesScreen]:
        """Tells of the run that was just begun until it is over; short ones may be over by now.

        What the browser says is shown counts for nothing here: the tab's own opening may have changed it since.
        """
        services = services_of(self.services, visitor, request)
        one = self.active_runs.last(services.owner)
        if one is None:
            yield SuitesScreen()
        else:
            yield from _watched(services, one)

    @needs(Permission.WORK)
    def on_stop(self, visitor: Visitor, request: gr.Request) -> None:
        """Asks the run to stop; what is done is kept."""
        one = self.active_runs.of(services_of(self.services, visitor, request).owner)
        if one is not None:
            one.stop.set()

    def _begun(self, services: Services, run_id: str, signed_in: gr.OAuthToken | None) -> SuitesScreen:
        kept = find_run(services, run_id)
        if not self.active_runs.begin(services, kept, Secret(signed_in.token) if signed_in else None):
            raise _under_way()
        one = self.active_runs.of(services.owner)
        bar = show_progress(one.progress, is_running=True) if one else SAME
        shown, baseline = run_choices(services, kept.id)
        return SuitesScreen(
            run=show_run(report_for(services, kept), is_under_way=True),
            bar=bar,
            notice=CLEAR,
            comparison=None,
            plays=None,
            shown=shown,
            baseline=baseline,
        )

    def _refuse_second(self, services: Services) -> None:
        if self.active_runs.of(services.owner) is not None:
            raise _under_way()

    def _is_under_way(self, services: Services, run_id: str) -> bool:
        one = self.active_runs.of(services.owner)
        return one is not None and one.id == run_id


def _watched(services: Services, one: ActiveRun) -> Generator[SuitesScreen]:
    pause_s, is_over = LOOK_S, False
    with one.watched() as gone:
        while not is_over and not gone.is_set():
            is_over = one.over.wait(pause_s)
            begun_s = services.calendar.seconds()
            look = _look(services, one, is_over=is_over)
            if is_over:
                shown, baseline = run_choices(services)
                look = look._replace(shown=shown, baseline=baseline)
            yield look
            pause_s = max(LOOK_S, (services.calendar.seconds() - begun_s) / LOOKING_SHARE)


def _under_way() -> BadInput:
    return BadInput("run", "another run is in progress", "wait for it or stop it")


def _look(services: Services, one: ActiveRun, *, is_over: bool) -> SuitesScreen:
    """How far the run is, and what came of it up to now."""
    bar = show_progress(one.progress, is_running=not is_over)
    try:
        if one.error is not None:
            raise one.error
        kept = find_run(services, one.id)
        return SuitesScreen(
            run=show_run(report_for(services, kept), is_under_way=not is_over, is_live=True), bar=bar
        )
    except WorkbenchError as error:
        return SuitesScreen(bar=bar, notice=problem(error))


def _wanted(fields: tuple[object, ...]) -> RunRequest:
    return read_grid(GridFields(*cast(tuple[Any, ...], fields)))


def _plan(services: Services, wanted: RunRequest) -> RunPlan:
    """What is to be played.

    Raises:
        BadInput: It cannot be played, or is more than its owner may ask for.
        StoreError: The versions cannot be read.
    """
    plan = plan_run(services, wanted, [load_suite(services, name) for name in wanted.suites])
    services.limits.check_plan(plan)
    return plan
