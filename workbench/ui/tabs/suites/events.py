"""What the Suites tab answers."""

from collections.abc import Generator
from dataclasses import dataclass
from threading import Event, Lock
from typing import Final, NamedTuple

import gradio as gr

from workbench.desk.labels.project import QueueState
from workbench.desk.runs.casting import add_case, case_of_turn
from workbench.desk.runs.planning import Wanted, load_suite, plan_run, suite_names
from workbench.desk.runs.run import KeptRun
from workbench.desk.runs.running import begin_run, find_run, play_run
from workbench.desk.services import Services
from workbench.errors import WorkbenchError
from workbench.suite.reports.report import Report, report_of
from workbench.suite.runner import CaseFinished, Progress, RunEnded
from workbench.ui.owners import services_of
from workbench.ui.present.notices import CLEAR, NoticeView, advice, problem
from workbench.ui.present.suites import RunBarView, SuiteRunView, run_label, show_progress, show_run
from workbench.ui.tabs.play.screen import SAME, Update
from workbench.ui.visitor import Visitor

LOOKS_PER_SECOND: Final = 2
"""A browser is told of a run's progress this often at most."""


class SuitesScreen(NamedTuple):
    """What an answer changes; what it leaves out stays as it is."""

    run: SuiteRunView | Update = SAME
    bar: RunBarView | Update | None = SAME
    notice: NoticeView | Update = SAME
    shown: Update = SAME
    """The choice of the run that is shown."""
    baseline: Update = SAME
    """The choice of the run that it is compared with."""
    suites: Update = SAME
    """Choices."""
    contracts: Update = SAME
    """Choices."""
    models: Update = SAME
    """Choices."""


class RunsUnderWay:
    """Runs that browsers have begun: one a tab, stopped by whoever began it."""

    def __init__(self) -> None:
        self._stops: dict[str, Event] = {}
        self._lock = Lock()

    def begin(self, tab: str) -> Event | None:
        """What stops the new run of a browser's tab; None where it has one."""
        with self._lock:
            if tab in self._stops:
                return None
            return self._stops.setdefault(tab, Event())

    def stop(self, tab: str) -> None:
        """Asks the tab's run to stop."""
        with self._lock:
            if tab in self._stops:
                self._stops[tab].set()

    def end(self, tab: str) -> None:
        """It has none any more."""
        with self._lock:
            self._stops.pop(tab, None)


@dataclass(frozen=True, slots=True)
class SuitesEvents:
    """Handlers of the tab."""

    services: Services
    """The edges."""
    under_way: RunsUnderWay
    """Runs that can be stopped."""

    def on_open(self, visitor: Visitor, request: gr.Request) -> SuitesScreen:
        """What can be chosen, as it is now."""
        services = services_of(self.services, visitor, request)
        choices = _run_choices(services)
        return SuitesScreen(
            shown=gr.update(choices=choices),
            baseline=gr.update(choices=[("nothing", ""), *choices]),
            suites=gr.update(choices=list(suite_names(services))),
            contracts=gr.update(choices=list(services.contract_names())),
            models=gr.update(choices=list(services.models.names())),
        )

    def on_run(
        self,
        visitor: Visitor,
        suites: list[str],
        contracts: list[str],
        models: list[str],
        tool_choice: str,
        repeat: float,
        further: list[str],
        request: gr.Request,
    ) -> Generator[SuitesScreen]:
        """Plays a new run, told as it goes."""
        services = services_of(self.services, visitor, request)
        wanted = Wanted(
            suites=tuple(suites),
            contracts=tuple(contracts),
            models=tuple(models),
            tool_choices=(tool_choice,),
            repeat=max(1, int(repeat)),
            is_ablation=bool(further),
        )
        if not suites:
            yield SuitesScreen(notice=advice("Choose a suite first."))
            return
        try:
            plan = plan_run(services, wanted, [load_suite(services, name) for name in suites])
            kept = begin_run(services, plan)
        except WorkbenchError as error:
            yield SuitesScreen(notice=problem(error))
            return
        yield from self._played(services, kept, request)

    def on_resume(self, visitor: Visitor, run_id: str | None, request: gr.Request) -> Generator[SuitesScreen]:
        """Goes on with the run that is shown."""
        services = services_of(self.services, visitor, request)
        try:
            kept = find_run(services, run_id or "")
        except WorkbenchError:
            yield SuitesScreen(notice=advice("Choose the run to go on with."))
            return
        yield from self._played(services, kept, request)

    def on_stop(self, request: gr.Request) -> None:
        """Asks the run to stop; what is done is kept."""
        self.under_way.stop(request.session_hash or "")

    def on_show(
        self, visitor: Visitor, run_id: str | None, baseline: str | None, request: gr.Request
    ) -> SuitesScreen:
        """A run of the list, compared with another where one is chosen."""
        if not run_id:
            return SuitesScreen()
        try:
            report = _report(services_of(self.services, visitor, request), run_id, baseline or "")
        except WorkbenchError as error:
            return SuitesScreen(notice=problem(error))
        return SuitesScreen(run=show_run(report), notice=CLEAR)

    def on_label(self, visitor: Visitor, event: gr.EventData, request: gr.Request) -> NoticeView:
        """Puts a rollout into the label queue."""
        services = services_of(self.services, visitor, request)
        try:
            services.labels.move(str(event.session), QueueState.PENDING)
        except WorkbenchError as error:
            return problem(error)
        return advice("It is in the label queue.")

    def on_case(self, visitor: Visitor, event: gr.EventData, request: gr.Request) -> NoticeView:
        """Makes a case of a turn of the open session, in a suite of the visitor's own."""
        services = services_of(self.services, visitor, request)
        session = services.sessions.find_session(visitor.session_id or "")
        if session is None:
            return advice("Only a session of your own can become a case.")
        try:
            path = services.sessions.path(session.id, leaf_id=visitor.leaf_id)
            version = add_case(services, case_of_turn(session.setup, path, str(event.id)))
        except WorkbenchError as error:
            return problem(error)
        return advice(f"It is a case of the suite {version.name!r}, version {version.number}.")

    def _played(self, services: Services, kept: KeptRun, request: gr.Request) -> Generator[SuitesScreen]:
        tab = request.session_hash or ""
        stop = self.under_way.begin(tab)
        if stop is None:
            yield SuitesScreen(notice=advice("A run is under way already; wait for it, or stop it."))
            return
        begun = Progress(total=kept.listed.total, done=kept.listed.done, passed=kept.listed.passed)
        yield SuitesScreen(bar=show_progress(begun, is_running=True), notice=CLEAR)
        told_s = services.calendar.seconds()
        try:
            for event in play_run(services, kept, is_cancelled=stop.is_set):
                is_end = isinstance(event, RunEnded)
                now_s = services.calendar.seconds()
                if is_end or (isinstance(event, CaseFinished) and now_s - told_s >= 1 / LOOKS_PER_SECOND):
                    told_s = now_s
                    shown = show_run(_report(services, kept.id))
                    yield SuitesScreen(run=shown, bar=show_progress(event.progress, is_running=not is_end))
        except WorkbenchError as error:
            yield SuitesScreen(bar=None, notice=problem(error))
            return
        finally:
            stop.set()
            self.under_way.end(tab)
        choices = _run_choices(services)
        yield SuitesScreen(
            shown=gr.update(choices=choices, value=kept.id),
            baseline=gr.update(choices=[("nothing", ""), *choices]),
        )


def _run_choices(services: Services) -> list[tuple[str, str]]:
    return [(run_label(run), run.id) for run in services.runs.list_runs()]


def _report(services: Services, run_id: str, baseline_id: str = "") -> Report:
    kept = find_run(services, run_id)
    baseline = find_run(services, baseline_id) if baseline_id else None
    compared = (baseline.listed.title, services.runs.results(baseline.id)) if baseline else None
    results = services.runs.results(kept.id)
    listed = kept.listed
    return report_of(kept.id, listed.title, listed.state.value, kept.plan, results, baseline=compared)
