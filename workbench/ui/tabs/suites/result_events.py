"""Show a run's results, compare runs, and inspect and label a case."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import gradio as gr

from workbench.app.runs.casting import add_case, case_of_turn
from workbench.app.runs.running import find_run
from workbench.app.services import Services
from workbench.errors import WorkbenchError
from workbench.records.labels.project import QueueState
from workbench.records.owner import Permission
from workbench.records.runs import StoredRun
from workbench.records.sessions import StoredMessage
from workbench.suite.compare import RunComparison
from workbench.suite.result import CaseStatus
from workbench.ui.incoming.fields import id_of, number_of
from workbench.ui.owners import needs, services_of
from workbench.ui.present.notices import CLEAR, NoticeView, advice, problem
from workbench.ui.present.suites.case_runs import CasePlaysView, ReadRollout, show_pair, show_plays
from workbench.ui.present.suites.run import show_comparison, show_run
from workbench.ui.present.words import count
from workbench.ui.tabs.play.screen import SAME, Update
from workbench.ui.tabs.suites.active_runs import ActiveRuns
from workbench.ui.tabs.suites.parts import SuitesScreen, report_for
from workbench.ui.visitor import Visitor

ALL_ARMS: Final = ("All arms, matched by label", "")
"""The choice of no arm: arms are paired by their labels."""
CaseUpdate = tuple[CasePlaysView | Update | None, NoticeView | Update]


@dataclass(frozen=True, slots=True)
class RunResultEvents:
    """Handlers of what a run came to."""

    services: Services
    active_runs: ActiveRuns
    """Runs that are played now."""

    @needs(Permission.WORK)
    def on_show(
        self,
        visitor: Visitor,
        run_id: str | None,
        baseline_id: str | None,
        baseline_arm: str | None,
        arm: str | None,
        request: gr.Request,
    ) -> SuitesScreen:
        """A run of the list, compared with another, or with another of its arms, where one is chosen."""
        if not run_id:
            return SuitesScreen()
        services = services_of(self.services, visitor, request)
        try:
            kept = find_run(services, run_id)
            baseline = find_run(services, baseline_id) if baseline_id else None
            arms = _arms(kept, baseline, baseline_arm or "", arm or "")
            report = report_for(services, kept, baseline, arms)
        except WorkbenchError as error:
            return SuitesScreen(notice=problem(error))
        one = self.active_runs.of(services.owner)
        is_pairing = report.comparison is not None and baseline is not None
        against = f"{report.baseline}{f' · {arms[0]}' if arms else ''}"
        before, now = _arm_choices(kept, baseline, arms)
        return SuitesScreen(
            run=show_run(report, is_under_way=one is not None and one.id == kept.id),
            notice=CLEAR,
            comparison=show_comparison(report.comparison, against=against)
            if report.comparison and is_pairing
            else None,
            plays=None,
            baseline_arm=before,
            arm=now,
        )

    @needs(Permission.WORK)
    def on_case(self, visitor: Visitor, event: gr.EventData, request: gr.Request) -> CaseUpdate:
        """The plays of a case, with their stored rollouts."""
        services = services_of(self.services, visitor, request)
        case, arm = id_of(event, "case"), id_of(event, "arm")
        try:
            results = services.runs.results(find_run(services, id_of(event, "run")).id)
            found = [one for one in results if one.case_key == case and arm in ("", one.arm)]
            if not found:
                return None, advice(f"The run has no case {case!r}.")
            return show_plays(case, found, _reader(services)), CLEAR
        except WorkbenchError as error:
            return SAME, problem(error)

    @needs(Permission.WORK)
    def on_pair(
        self,
        visitor: Visitor,
        run_id: str | None,
        baseline_id: str | None,
        baseline_arm: str | None,
        arm: str | None,
        request: gr.Request,
        event: gr.EventData,
    ) -> CaseUpdate:
        """The same play in two runs, side by side."""
        services = services_of(self.services, visitor, request)
        try:
            kept, baseline = find_run(services, run_id or ""), find_run(services, baseline_id or "")
            arms = _arms(kept, baseline, baseline_arm or "", arm or "")
            comparison: RunComparison | None = report_for(services, kept, baseline, arms).comparison
            index = number_of(event, "index")
            if comparison is None or not 0 <= index < len(comparison.pairs):
                return None, CLEAR
            return show_pair(comparison.pairs[index], _reader(services)), CLEAR
        except WorkbenchError as error:
            return SAME, problem(error)

    @needs(Permission.WORK)
    def on_label(self, visitor: Visitor, event: gr.EventData, request: gr.Request) -> NoticeView:
        """Puts a rollout into the label queue."""
        services = services_of(self.services, visitor, request)
        try:
            services.labels.move(id_of(event, "session"), QueueState.PENDING)
        except WorkbenchError as error:
            return problem(error)
        return advice("Added to the labelling queue.")

    @needs(Permission.WORK)
    def on_label_failing(self, visitor: Visitor, event: gr.EventData, request: gr.Request) -> NoticeView:
        """Puts every rollout of a run that failed into the label queue."""
        services = services_of(self.services, visitor, request)
        try:
            results = services.runs.results(find_run(services, id_of(event)).id)
            failed = [one.session_id for one in results if one.status is CaseStatus.FAILED and one.session_id]
            for session_id in failed:
                services.labels.move(session_id, QueueState.PENDING)
        except WorkbenchError as error:
            return problem(error)
        return advice(f"Added {count(len(failed), 'failed rollout')} to the labelling queue.")

    @needs(Permission.WORK)
    def on_make_case(self, visitor: Visitor, event: gr.EventData, request: gr.Request) -> NoticeView:
        """Makes a case of a turn of the open session, in a suite of the visitor's own."""
        services = services_of(self.services, visitor, request)
        session = services.sessions.find_session(visitor.session_id or "")
        if session is None:
            return advice("Only your own sessions can become cases.")
        try:
            path = services.sessions.path(session.id, leaf_id=visitor.leaf_id)
            version = add_case(services, case_of_turn(session.setup, path, id_of(event)))
        except WorkbenchError as error:
            return problem(error)
        return advice(f"Added a case to suite {version.name!r} (version {version.number}).")


def _reader(services: Services) -> ReadRollout:
    def read(session_id: str) -> Sequence[StoredMessage]:
        is_there = services.sessions.find_session(session_id) is not None
        return services.sessions.path(session_id) if is_there else ()

    return read


def _labels(kept: StoredRun) -> list[str]:
    return [arm.label for arm in kept.plan.arms]


def _arms(kept: StoredRun, baseline: StoredRun | None, before: str, now: str) -> tuple[str, str] | None:
    """The one arm of each to compare; None pairs arms by their labels.

    A run that is compared with itself has its first arm before, and its second now, where none is chosen.
    """
    if baseline is None:
        return None
    labels, old = _labels(kept), _labels(baseline)
    before, now = (before if before in old else ""), (now if now in labels else "")
    if baseline.id == kept.id and len(labels) > 1:
        before = before or labels[0]
        now = now or next(label for label in labels if label != before)
    if not before and not now:
        return None
    # The other one is of the same label, where there is one.
    before = before or (now if now in old else old[0])
    return before, now or (before if before in labels else labels[0])


def _arm_choices(
    kept: StoredRun, baseline: StoredRun | None, arms: tuple[str, str] | None
) -> tuple[Update, Update]:
    """The choices of the arms to compare, where there are several."""
    if baseline is None or max(len(_labels(kept)), len(_labels(baseline))) == 1:
        return gr.update(visible=False), gr.update(visible=False)
    before, now = arms or ("", "")
    return (
        gr.update(visible=True, choices=[ALL_ARMS, *((one, one) for one in _labels(baseline))], value=before),
        gr.update(visible=True, choices=[ALL_ARMS, *((one, one) for one in _labels(kept))], value=now),
    )
