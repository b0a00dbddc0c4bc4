"""A report as one HTML file that loads nothing from the network."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from jinja2 import Environment, PackageLoader

from workbench.suite.card import ScoreCard
from workbench.suite.reports.report import LOCAL_PAGE, RunReport, rollout_url
from workbench.suite.reports.tables import (
    card_table,
    change_table,
    comparison_line,
    matrix_table,
    percent,
    results_by_case,
    worth_table,
)
from workbench.suite.result import CaseStatus

_TEMPLATES: Final = Environment(
    loader=PackageLoader("workbench.suite.reports", "."), autoescape=True, trim_blocks=True
)
_SIGNS: Final = {CaseStatus.PASSED: "✓", CaseStatus.FAILED: "✗", CaseStatus.ERROR: "!"}


class ChartPoint(NamedTuple):
    """An arm in the chart of pass rates."""

    arm: str
    x: float
    y: float
    title: str
    is_on_front: bool


class Chart(NamedTuple):
    """Pass rate against prompt tokens, in units of the SVG. The axes meet at (`left`, `bottom`)."""

    left: int
    right: int
    bottom: int
    most_tokens: float
    points: tuple[ChartPoint, ...]


def report_html(report: RunReport, *, page_url: str = LOCAL_PAGE) -> str:
    """Render the report as a page.

    Args:
        report: The run to report.
        page_url: Address of the workbench, for links to the rollouts.
    """
    return _TEMPLATES.get_template("report.html.j2").render(
        report=report,
        cards=card_table(report),
        chart=chart_of(report.cards, report.front),
        matrix=matrix_table(report),
        worths=worth_table(report) if report.worths else None,
        changes=change_table(report.comparison) if report.comparison else None,
        comparison=comparison_line(report.comparison) if report.comparison else "",
        by_case=results_by_case(report.results),
        signs=_SIGNS,
        page_url=page_url,
        rollout_url=rollout_url,
    )


def chart_of(cards: Sequence[ScoreCard], front: Sequence[str]) -> Chart:
    """Return the chart of the scored arms. `front` has the labels of the arms that no other arm beats."""
    left, right, top, bottom = 44, 628, 12, 196
    scored = [(card, card.pass_rate) for card in cards if card.pass_rate is not None]
    most = max((card.prompt_tokens for card, _ in scored), default=1.0) or 1.0
    points = tuple(
        ChartPoint(
            arm=card.arm,
            x=left + (right - left - 48) * card.prompt_tokens / most,
            y=top + (bottom - top) * (1 - rate),
            title=f"{card.arm}: {percent(rate)}, {card.prompt_tokens:.0f} tokens",
            is_on_front=card.arm in front,
        )
        for card, rate in scored
    )
    return Chart(left, right, bottom, most, points)
