"""Reports of stored runs, in the forms that the page and the commands write."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from workbench.app.services import Services
from workbench.errors import BadInput
from workbench.records.owner import NOBODY
from workbench.records.runs import StoredRun
from workbench.suite.reports.html import report_html
from workbench.suite.reports.markdown import report_junit, report_markdown
from workbench.suite.reports.report import RunReport, report_json, report_of

if TYPE_CHECKING:
    from workbench.store.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportForm:
    """A form in which a report is written."""

    label: str
    """Name for a person."""
    ending: str
    """Ending of the file, with its dot."""
    media_type: str
    write: Callable[[RunReport, str], str]
    """Returns the text. The second argument is the address of the page, for links to the rollouts."""


REPORT_FORMS: Final[Mapping[str, ReportForm]] = {
    "html": ReportForm(
        label="HTML",
        ending=".html",
        media_type="text/html",
        write=lambda report, page_url: report_html(report, page_url=page_url),
    ),
    "json": ReportForm(
        label="JSON",
        ending=".json",
        media_type="application/json",
        write=lambda report, page_url: (
            json.dumps(report_json(report, page_url=page_url), ensure_ascii=False, indent=2) + "\n"
        ),
    ),
    "junit": ReportForm(
        label="JUnit XML",
        ending=".xml",
        media_type="application/xml",
        write=lambda report, page_url: report_junit(report, page_url=page_url),
    ),
    "markdown": ReportForm(
        label="Markdown",
        ending=".md",
        media_type="text/markdown",
        write=lambda report, page_url: report_markdown(report, page_url=page_url),
    ),
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
