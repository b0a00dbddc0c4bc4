"""Show a run's results, compare runs, and inspect and label a case."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import gradio as gr

from workbench.app.runs.casting import OWN_SUITE, add_case, case_of_turn, offered_toolsets
from workbench.app.runs.conversation_cases import case_of_conversation
from workbench.app.runs.kept import KEPT_TAG, keep_passed
from workbench.app.runs.reports import report_for
from workbench.app.runs.running import find_run
from workbench.app.services import Services
from workbench.records.label_words import QueueState
from workbench.records.owner import Permission
from workbench.records.runs import StoredRun
from workbench.records.sessions import StoredMessage
from workbench.suite.compare import RunComparison
from workbench.suite.result import CaseStatus
from workbench.ui.gradio_parts.update import SAME, Update
from workbench.ui.incoming.fields import id_of, number_of
from workbench.ui.owners import services_of
from workbench.ui.permissions import needs
from workbench.ui.present.notices import CLEAR, NoticeLine, NoticeView, advice
from workbench.ui.present.place import write_place
from workbench.ui.present.suites.case_runs import CaseRunsView, ReadRollout, show_case_runs, show_pair
from workbench.ui.present.suites.run import show_comparison, show_run
from workbench.ui.present.words import count
from workbench.ui.shown_errors import NOTICE, shows_error
from workbench.ui.tab_state import TabState
from workbench.ui.tabs.active_runs import ActiveRuns
from workbench.ui.tabs.suites.parts import SuitesScreen

ALL_ARMS: Final = ("All arms, matched by label", "")
"""The choice of no single arm: arms are paired by their labels."""
CaseUpdate = tuple[CaseRunsView | Update | None, NoticeView | Update]


@dataclass(frozen=True, slots=True)
class RunResultEvents:
    """Handlers of a run's results."""

    services: Services
    active_runs: ActiveRuns

    @needs(Permission.WORK)
    @shows_error(SuitesScreen)
    def on_show(
        self,
        state: TabState,
        run_id: str | None,
        baseline_id: str | None,
        baseline_arm: str | None,
        arm: str | None,
        request: gr.Request,
    ) -> SuitesScreen:
        """Show a run, compared with another run or another arm if one is chosen."""
        if not run_id:
            return SuitesScreen()
        services = services_of(self.services, state, request)
        stored = find_run(services, run_id)
        baseline = find_run(services, baseline_id) if baseline_id else None
        arms = arms_to_compare(stored, baseline, baseline_arm or "", arm or "")
        report = report_for(services, stored, baseline, arms)
        is_pairing = report.comparison is not None and baseline is not None
        against = f"{report.baseline}{f' · {arms[0]}' if arms else ''}"
        before, now = _arm_choices(stored, baseline, arms)
        return SuitesScreen(
            run=show_run(
                report, stored.listed, is_under_way=self.active_runs.is_under_way(services.owner, stored)
            ),
            bar=self.active_runs.bar_of(services.owner),
            notice=CLEAR,
            comparison=show_comparison(
                report.comparison, against=against, contracts=_contracts(stored, baseline, arms)
            )
            if report.comparison and is_pairing
            else None,
            case_runs=None,
            baseline_arm=before,
            arm=now,
        )

    @needs(Permission.WORK)
    @shows_error(SAME, NOTICE)
    def on_case(self, state: TabState, event: gr.EventData, request: gr.Request) -> CaseUpdate:
        """Show the runs of a case, with their stored rollouts."""
        services = services_of(self.services, state, request)
        case, arm = id_of(event, "case"), id_of(event, "arm")
        if not case:
            return None, CLEAR
        results = services.runs.results(find_run(services, id_of(event, "run")).id)
        found = [result for result in results if result.case_key == case and arm in ("", result.arm)]
        if not found:
            return None, advice(f"The run has no case {case!r}.")
        return show_case_runs(case, found, _reader(services)), CLEAR

    @needs(Permission.WORK)
    @shows_error(SAME, NOTICE)
    def on_pair(
        self,
        state: TabState,
        run_id: str | None,
        baseline_id: str | None,
        baseline_arm: str | None,
        arm: str | None,
        request: gr.Request,
        event: gr.EventData,
    ) -> CaseUpdate:
        """Show the results of the same case in two runs side by side."""
        services = services_of(self.services, state, request)
        stored, baseline = find_run(services, run_id or ""), find_run(services, baseline_id or "")
        arms = arms_to_compare(stored, baseline, baseline_arm or "", arm or "")
        comparison: RunComparison | None = report_for(services, stored, baseline, arms).comparison
        index = number_of(event, "index")
        if comparison is None or not 0 <= index < len(comparison.pairs):
            return None, CLEAR
        return show_pair(comparison.pairs[index], _reader(services)), CLEAR

    @needs(Permission.WORK)
    @shows_error(NOTICE)
    def on_label(self, state: TabState, event: gr.EventData, request: gr.Request) -> NoticeView:
        """Add a rollout to the labelling queue."""
        services = services_of(self.services, state, request)
        services.labels.move(id_of(event, "session"), QueueState.PENDING)
        return advice("Added to the labelling queue.")

    @needs(Permission.WORK)
    @shows_error(NOTICE)
    def on_label_failing(self, state: TabState, event: gr.EventData, request: gr.Request) -> NoticeView:
        """Add every failed rollout of a run to the labelling queue."""
        services = services_of(self.services, state, request)
        results = services.runs.results(find_run(services, id_of(event)).id)
        failed = [
            result.session_id
            for result in results
            if result.status is CaseStatus.FAILED and result.session_id
        ]
        for session_id in failed:
            services.labels.move(session_id, QueueState.PENDING)
        return advice(f"Added {count(len(failed), 'failed rollout')} to the labelling queue.")

    @needs(Permission.WORK)
    @shows_error(NOTICE)
    def on_keep(self, state: TabState, event: gr.EventData, request: gr.Request) -> NoticeView:
        """Copy the passed rollouts of a run as sessions that can be exported."""
        services = services_of(self.services, state, request)
        kept = keep_passed(services, find_run(services, id_of(event)))
        new = f"Kept {len(kept.session_ids)} of {kept.passed} passed rollouts ({count(kept.total, 'result')})"
        text = f"{new} as sessions with the tag {KEPT_TAG!r}."
        return NoticeView(lines=(NoticeLine(word="note", text=text, tone="quiet", link=write_place("data")),))

    @needs(Permission.WORK)
    @shows_error(NOTICE, SAME)
    def on_make_case(
        self, state: TabState, event: gr.EventData, request: gr.Request
    ) -> tuple[NoticeView, Update | None]:
        """Add a turn of the open session, or all of it, as a case to one of the user's suites.

        The event has the message of the turn, or the suite for the whole session.
        """
        services = services_of(self.services, state, request)
        session = services.sessions.find_session(state.session_id or "")
        if session is None:
            return advice("Only your own sessions can become cases."), SAME
        path = services.sessions.path(session.id, leaf_id=state.leaf_id)
        if message_id := id_of(event):
            toolsets = offered_toolsets(services, session.setup)
            case = case_of_turn(session.setup, path, message_id, toolsets=toolsets)
        else:
            case = case_of_conversation(services, session.setup, path)
        suite = id_of(event, "suite").strip() or OWN_SUITE
        version = add_case(services, case, suite=suite)
        added = f"Added the case {case['id']} to suite {version.name!r} (version {version.number})."
        place = write_place("suites", suite=version.name)
        return NoticeView(lines=(NoticeLine(word="note", text=added, tone="quiet", link=place),)), None


def _reader(services: Services) -> ReadRollout:
    def read(session_id: str) -> Sequence[StoredMessage]:
        exists = services.sessions.find_session(session_id) is not None
        return services.sessions.path(session_id) if exists else ()

    return read


def _labels(stored: StoredRun) -> list[str]:
    return [arm.label for arm in stored.plan.arms]


def arms_to_compare(
    stored: StoredRun, baseline: StoredRun | None, before: str, now: str
) -> tuple[str, str] | None:
    """Return the arms to compare, of the baseline and of the shown run; None pairs arms by their labels.

    A run compared with itself uses its first arm as the baseline and another arm as the shown one by default.
    """
    if baseline is None:
        return None
    labels, old = _labels(stored), _labels(baseline)
    before, now = (before if before in old else ""), (now if now in labels else "")
    if baseline.id == stored.id and len(labels) > 1:
        before = before or labels[0]
        now = now or next(label for label in labels if label != before)
    if not before and not now:
        return None
    # Choose an arm with the same label for the other run if there is one.
    before = before or (now if now in old else old[0])
    return before, now or (before if before in labels else labels[0])


def _contracts(
    stored: StoredRun, baseline: StoredRun | None, arms: tuple[str, str] | None
) -> tuple[str, str]:
    """Return the contracts of the compared arms. Empty texts if arms are paired by their labels."""
    if baseline is None or arms is None:
        return "", ""
    before, now = (
        {arm.label: arm.contract_text for arm in run.plan.arms}[label]
        for run, label in zip((baseline, stored), arms, strict=True)
    )
    return before, now


def _arm_choices(
    stored: StoredRun, baseline: StoredRun | None, arms: tuple[str, str] | None
) -> tuple[Update, Update]:
    """Return the choices of the arms to compare, hidden if both runs have a single arm."""
    if baseline is None or max(len(_labels(stored)), len(_labels(baseline))) == 1:
        return gr.update(visible=False), gr.update(visible=False)
    before, now = arms or ("", "")
    return (
        gr.update(
            visible=True, choices=[ALL_ARMS, *((label, label) for label in _labels(baseline))], value=before
        ),
        gr.update(
            visible=True, choices=[ALL_ARMS, *((label, label) for label in _labels(stored))], value=now
        ),
    )
