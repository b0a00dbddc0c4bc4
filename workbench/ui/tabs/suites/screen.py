"""What an answer of the Suites tab changes on the screen, and where its choices come from."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import gradio as gr

from workbench.app.runs.playing import find_run
from workbench.app.runs.suites import suite_names
from workbench.app.services import Services
from workbench.records.runs import StoredRun
from workbench.suite.reports.report import RunReport, report_of
from workbench.ui.present.notices import NoticeView
from workbench.ui.present.suites.plays import CasePlaysView
from workbench.ui.present.suites.run import ComparisonView, RunBarView, SuiteRunView, run_label
from workbench.ui.tabs.play.screen import SAME, Update


class SuitesScreen(NamedTuple):
    """One value a part; what is left out stays as it is."""

    run: SuiteRunView | Update = SAME
    bar: RunBarView | Update | None = SAME
    notice: NoticeView | Update = SAME
    comparison: ComparisonView | Update | None = SAME
    plays: CasePlaysView | Update | None = SAME
    shown: Update = SAME
    """The choice of the run that is shown."""
    baseline: Update = SAME
    """The choice of the run that it is compared with."""
    baseline_arm: Update = SAME
    """The choice of the one arm of the baseline."""
    arm: Update = SAME
    """The choice of the one arm of the run that is shown."""


def run_choices(services: Services, shown: str | None = None) -> tuple[Update, Update]:
    """The choices of the run that is shown and of its baseline.

    Args:
        services: Of the visitor.
        shown: Id of the run to choose; None leaves the choice.
    """
    choices = [(run_label(run), run.id) for run in services.runs.list_runs()]
    before = gr.update(choices=[("nothing", ""), *choices])
    if shown is None:
        return gr.update(choices=choices), before
    return gr.update(choices=choices, value=shown), before


def grid_choices(services: Services) -> Sequence[Update]:
    """The choices of suites, contracts, models and judges, as they are now."""
    models = list(services.models.names())
    return (
        gr.update(choices=list(suite_names(services))),
        gr.update(choices=list(services.contract_names())),
        gr.update(choices=models),
        gr.update(choices=[("the model itself", ""), *models]),
    )


def report_for(
    services: Services,
    kept: StoredRun,
    baseline: StoredRun | None = None,
    arms: tuple[str, str] | None = None,
) -> RunReport:
    """The report of a run as the store has it.

    Raises:
        StoreError: It cannot be read.
    """
    listed, results = kept.listed, services.runs.results(kept.id)
    if baseline is None:
        return report_of(kept.id, listed.title, listed.state.value, kept.plan, results)
    before = results if baseline.id == kept.id else services.runs.results(baseline.id)
    against = (baseline.listed.title, before)
    return report_of(
        kept.id, listed.title, listed.state.value, kept.plan, results, baseline=against, arms=arms
    )


def asked_of(query: Mapping[str, str], services: Services) -> StoredRun | None:
    """The run that an address names; None where it names none.

    Raises:
        BadInput: There is no such run.
        StoreError: The runs cannot be read.
    """
    return find_run(services, query["run"]) if query.get("run") else None
