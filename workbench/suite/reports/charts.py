"""The data of charts. `chart_drawing.js` draws them with Observable Plot, in the HTML report and on the page."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from workbench.suite.card import ScoreCard, make_cards_by_tag
from workbench.suite.compare import wilson
from workbench.suite.reports.report import RunReport
from workbench.suite.reports.tables import format_percent


class ChartKind(StrEnum):
    """How the marks of a chart are drawn."""

    RATES = "rates"
    """Rates with confidence intervals, a row for each category."""
    POINTS = "points"
    """Rates by a number `x`. Full marks are joined by a line."""
    COURSES = "courses"
    """Rates over time, a line for each series. `x` is in milliseconds since 1970, UTC."""
    COUNTS = "counts"
    """Numbers, a bar for each category."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChartMark:
    """One mark of a chart. Rates are from 0 to 1."""

    y: float
    """The rate, or the number of a bar."""
    label: str
    """Everything that the mark shows, as text."""
    category: str = ""
    series: str = ""
    x: float = 0.0
    low: float = 0.0
    """Lower end of the 95 % confidence interval."""
    high: float = 0.0
    """Upper end of the interval."""
    is_full: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """A chart with a title."""

    kind: ChartKind
    title: str
    marks: tuple[ChartMark, ...]
    series: tuple[str, ...] = ()
    """Names of the series, in the order of the legend. Empty without series."""
    x_label: str = ""


def report_charts(report: RunReport) -> tuple[Chart, ...]:
    """Return the charts of a report. Charts without marks are left out."""
    return tuple(chart for chart in _charts(report) if chart.marks)


def _charts(report: RunReport) -> Iterator[Chart]:
    scored = [
        (card, card.pass_rate, card.interval)
        for card in report.cards
        if card.pass_rate is not None and card.interval is not None
    ]
    yield Chart(
        kind=ChartKind.RATES,
        title="Pass rate by arm",
        marks=tuple(
            _rate(card, category=card.arm, is_full=card.arm in report.front) for card, _, _ in scored
        ),
    )
    if len(scored) > 1:
        yield Chart(
            kind=ChartKind.POINTS,
            title="Pass rate by prompt tokens",
            x_label="prompt tokens",
            marks=tuple(
                ChartMark(
                    y=rate,
                    x=card.prompt_tokens,
                    low=interval.low,
                    high=interval.high,
                    is_full=card.arm in report.front,
                    label=f"{card.arm}: {format_percent(rate)}, {card.prompt_tokens:.0f} prompt tokens",
                )
                for card, rate, interval in scored
                if card.prompt_tokens is not None
            ),
        )
    arms = tuple(card.arm for card, _, _ in scored)
    yield Chart(
        kind=ChartKind.RATES,
        title="Pass rate by tag",
        series=arms if len(arms) > 1 else (),
        marks=tuple(
            _rate(card, category=tag, series=card.arm)
            for tag, cards in make_cards_by_tag(report.results).items()
            for card in cards
            if card.pass_rate is not None
        ),
    )


def _rate(card: ScoreCard, *, category: str, series: str = "", is_full: bool = True) -> ChartMark:
    low, high = card.interval or wilson(0, 0)
    name = " · ".join(dict.fromkeys(filter(None, (category, series))))
    return ChartMark(
        y=card.pass_rate or 0.0,
        category=category,
        series=series,
        low=low,
        high=high,
        is_full=is_full,
        label=f"{name}: {format_percent(card.pass_rate)} ({card.passed} of {card.passed + card.failed}), "
        f"95 % interval {low * 100:.0f}–{high * 100:.0f} %",
    )


def count_chart(title: str, counts: Mapping[str, int]) -> Chart:
    """Return a chart with a bar for each number, in the order of `counts`."""
    return Chart(
        kind=ChartKind.COUNTS,
        title=title,
        marks=tuple(
            ChartMark(y=float(number), category=name, label=f"{name}: {number:,}")
            for name, number in counts.items()
        ),
    )
