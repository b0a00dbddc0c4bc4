"""A report as one HTML file that loads nothing from the network."""

from dataclasses import asdict
from functools import cache
from typing import Final

from jinja2 import Environment, PackageLoader
from markupsafe import Markup

from workbench.chat.figures import NONE
from workbench.suite.reports.charts import report_charts
from workbench.suite.reports.report import LOCAL_PAGE, RunReport, rollout_url
from workbench.suite.reports.tables import (
    card_table,
    change_table,
    comparison_line,
    failure_table,
    matrix_table,
    results_by_case,
    tag_table,
    worth_table,
)
from workbench.suite.result import CaseStatus

_LOADER: Final = PackageLoader("workbench.suite.reports", ".")
_TEMPLATES: Final = Environment(loader=_LOADER, autoescape=True, trim_blocks=True)
_SIGNS: Final = {
    CaseStatus.PASSED: "✓",
    CaseStatus.FAILED: "✗",
    CaseStatus.UNCHECKED: NONE,
    CaseStatus.ERROR: "!",
    CaseStatus.VOID: "∅",
}


@cache
def chart_scripts() -> str:
    """Return the chart library and our code as one script, which defines the function `drawChart`."""
    # Not as a template: minified code contains what Jinja would read as tags.
    names = ("observable-plot.min.js", "chart_drawing.js")
    return "".join(_LOADER.get_source(_TEMPLATES, name)[0] + "\n" for name in names)


def report_html(report: RunReport, *, page_url: str = LOCAL_PAGE, nonce: str = "") -> str:
    """Render the report as a page.

    Args:
        report: The run to report.
        page_url: Address of the workbench, for links to the rollouts. Empty for a report without links.
        nonce: The nonce of the scripts, if the page is served under a content security policy.
    """
    charts = report_charts(report)
    return _TEMPLATES.get_template("report.html.j2").render(
        report=report,
        cards=card_table(report),
        charts=[asdict(chart) for chart in charts],
        chart_scripts=Markup(chart_scripts()) if charts else "",
        nonce=nonce,
        tags=tag_table(report),
        matrix=matrix_table(report),
        worths=worth_table(report) if report.worths else None,
        changes=change_table(report.comparison) if report.comparison else None,
        comparison=comparison_line(report.comparison) if report.comparison else "",
        failures=failure_table(report),
        by_case=results_by_case(report.results),
        signs=_SIGNS,
        page_url=page_url,
        rollout_url=rollout_url,
    )
