"""Reports of stored runs, in the forms that the page and the commands write."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from workbench.app.services import Services
from workbench.errors import BadInput
from workbench.records.owner import NOBODY
from workbench.records.runs import StoredRun
from workbench.suite.reports.html import report_html
from workbench.suite.reports.markdown import report_junit, report_markdown
from workbench.suite.reports.report import RunReport, report_json, report_of

if TYPE_CHECKING:
    from workbench.store.store import Store


class WriteReport(Protocol):
    """Writes a report."""

    def __call__(self, report: RunReport, *, page_url: str) -> str:
        """Return the text of a report.

        Args:
            page_url: The address of the page, for links to the rollouts.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportForm:
    """A form in which a report is written."""

    ending: str
    """Ending of the file, with its dot."""
    media_type: str
    write: WriteReport


def _report_json_text(report: RunReport, *, page_url: str) -> str:
    return json.dumps(report_json(report, page_url=page_url), ensure_ascii=False, indent=2) + "\n"


REPORT_FORMS: Final[Mapping[str, ReportForm]] = {
    "html": ReportForm(ending=".html", media_type="text/html", write=report_html),
    "json": ReportForm(ending=".json", media_type="application/json", write=_report_json_text),
    "junit": ReportForm(ending=".xml", media_type="application/xml", write=report_junit),
    "markdown": ReportForm(ending=".md", media_type="text/markdown", write=report_markdown),
}
"""The forms by their name on the command line."""


def report_form(name: str) -> ReportForm:
    """Return the form with this name.

    Raises:
        BadInput: There is no such form.
    """
    form = REPORT_FORMS.get(name)
    if form is None:
        raise BadInput("report", f"unknown form {name[:40]!r}", f"use one of {', '.join(REPORT_FORMS)}")
    return form


def report_for(
    services: Services,
    stored: StoredRun,
    baseline: StoredRun | None = None,
    arms: tuple[str, str] | None = None,
) -> RunReport:
    """Return the report of a stored run.

    Args:
        baseline: The run to compare with, or None.
        arms: The arms to compare, of the baseline and of the run. None pairs arms by their labels.

    Raises:
        StoreError: The results cannot be read.
    """
    listed, results = stored.listed, services.runs.results(stored.id)
    if baseline is None:
        return report_of(stored.id, listed.title, listed.state.value, stored.plan, results)
    before = results if baseline.id == stored.id else services.runs.results(baseline.id)
    against = (baseline.listed.title, before)
    return report_of(
        stored.id, listed.title, listed.state.value, stored.plan, results, baseline=against, arms=arms
    )


def shared_report(store: Store, key: str) -> RunReport | None:
    """Return the report that a link shares, or None if the link is not valid.

    Raises:
        StoreError: The run cannot be read.
    """
    # A link works for everybody, so it is read with the fewest permissions.
    found = store.of(NOBODY).runs.find_shared_run(key)
    if found is None:
        return None
    stored, results = found
    listed = stored.listed
    return report_of(stored.id, listed.title, listed.state.value, stored.plan, results)
