"""Measurements of a contract: score cards of its versions, rates over time, and the gain of each part."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, NamedTuple

from workbench.app.runs.casting import Ablation, ContractInventory, version_of
from workbench.records.facts import DailyModelStats
from workbench.records.runs import ArmResults
from workbench.suite.card import ScoreCard, score_card
from workbench.suite.compare import Interval, wilson
from workbench.suite.plan import SEPARATOR, labels_of
from workbench.suite.reports.report import ArmGain
from workbench.suite.reports.tables import cards_table, percent
from workbench.suite.result import CaseResult
from workbench.suite.variants import Part
from workbench.ui.present.suites.run import TableView, table_view
from workbench.ui.present.text_spans import TextSpan, marked_pieces
from workbench.ui.present.words import count

_DAY: Final = "%Y-%m-%d"
_MOMENT: Final = "%Y-%m-%d %H:%M"
MOST_SERIES: Final = 8
"""Versions by model that a picture shows: the newest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PointView:
    """A rate at a time."""

    x: float
    """From 0, the first that is shown, to 1, the last."""
    y: float
    low: float
    """Where it lies at least, most likely."""
    high: float
    """Where it lies at most."""
    label: str
    """When, and of how many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesView:
    """One version with one model, over time."""

    label: str
    points: tuple[PointView, ...]
    """In order of time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChartView:
    """A rate over time, by version and model."""

    title: str
    note: str
    start: str
    """At the beginning of the axis of time."""
    end: str
    series: tuple[SeriesView, ...]
    """Newest version first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PartView:
    """A paragraph of a contract, and what it buys."""

    pieces: tuple[TextSpan, ...]
    verdict: str
    """In a word or two; empty where it was not measured."""
    told: str
    """What was found without it."""
    tone: str
    """clean, quiet, odd or bad."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuresView:
    """All that was measured of a contract."""

    cards: TableView | None
    """One line for each version, suite and model; None where nothing was run."""
    charts: tuple[ChartView, ...]
    """Pass, fix and drop rate; those of which something is known."""
    parts_note: str
    """Which version and run the parts were measured with; empty where there was none."""
    parts: tuple[PartView, ...]
    """The contract's paragraphs, in order."""


class _Seen(NamedTuple):
    """A rate at a moment, or in a day."""

    at: datetime
    part: int
    whole: int
    is_day: bool = False


def show_measures(measured: ContractInventory) -> MeasuresView:
    """What is known of a contract."""
    ablation = measured.ablation
    return MeasuresView(
        cards=_cards(measured),
        charts=tuple(chart for chart in _charts(measured) if chart.series),
        parts_note=_ablation_note(measured, ablation) if ablation else "",
        parts=tuple(_part(part, worth) for part, worth in ablation.parts) if ablation else (),
    )


def _version(measured: ContractInventory, text_hash: str) -> str:
    number = measured.numbers.get(text_hash)
    return f"v{number}" if number else f"text {text_hash[:8]}"


def _cards(measured: ContractInventory) -> TableView | None:
    groups: dict[tuple[str, ...], list[CaseResult]] = {}
    for one in measured.arms:
        arm = one.arm
        way = (
            arm.tool_choice,
            f"temperature {arm.sampling.temperature:g}",
            "" if arm.is_constrained else "no grammar",
        )
        for result in one.results:
            key = (version_of(one), result.suite, arm.model, *way)
            groups.setdefault(key, []).append(result)
    if not groups:
        return None
    keys = sorted(groups, key=lambda key: (-measured.numbers.get(key[0], 0), key[1:]))
    names = [SEPARATOR.join((_version(measured, key[0]), *key[1:3])) for key in keys]
    labels = labels_of([(name, *key[3:]) for name, key in zip(names, keys, strict=True)])
    cards: list[ScoreCard] = [
        score_card(label.removesuffix(SEPARATOR), groups[key])
        for label, key in zip(labels, keys, strict=True)
    ]
    table = cards_table(cards, what="version")
    note = "All plays of all runs, by version, suite and model"
    return table_view("Score cards", table, note)


def _charts(measured: ContractInventory) -> Iterable[ChartView]:
    runs: dict[tuple[str, str], list[_Seen]] = {}
    for one in measured.arms:
        card = score_card("", one.results)
        if card.passed + card.failed:
            seen = _Seen(one.created_at, card.passed, card.passed + card.failed)
            runs.setdefault((version_of(one), one.arm.model), []).append(seen)
    yield _chart(measured, "Pass rate", "A point is a run, with the span in which its rate lies (95 %)", runs)
    days = measured.days
    note = "A point is a day: completions in sessions and runs"
    yield _chart(measured, "Completions that needed a repair", note, _by_day(days, lambda day: day.fixed))
    yield _chart(measured, "Completions that lost a call", note, _by_day(days, lambda day: day.dropped))


def _by_day(
    days: Sequence[DailyModelStats], part: Callable[[DailyModelStats], int]
) -> Mapping[tuple[str, str], Sequence[_Seen]]:
    found: dict[tuple[str, str], list[_Seen]] = {}
    for day in days:
        at = datetime.fromisoformat(f"{day.day}T12:00:00").replace(tzinfo=UTC)
        found.setdefault((day.contract_version, day.model), []).append(
            _Seen(at, part(day), day.completions, is_day=True)
        )
    return found


def _chart(
    measured: ContractInventory, title: str, note: str, seen: Mapping[tuple[str, str], Sequence[_Seen]]
) -> ChartView:
    keys = sorted(seen, key=lambda key: (-measured.numbers.get(key[0], 0), key[1]))
    if len(keys) > MOST_SERIES:
        note = f"{note}; the newest {MOST_SERIES} of {len(keys)} are shown"
    keys = keys[:MOST_SERIES]
    moments = [one.at for key in keys for one in seen[key]]
    first, last = (min(moments), max(moments)) if moments else (None, None)
    are_days = all(one.is_day for key in keys for one in seen[key])
    form = _DAY if are_days or (first and last and first.date() != last.date()) else _MOMENT
    return ChartView(
        title=title,
        note=note,
        start=f"{first:{form}}" if first else "",
        end=f"{last:{form}}" if last and last != first else "",
        series=tuple(
            SeriesView(
                label=SEPARATOR.join((_version(measured, version), model)),
                points=tuple(_point(one, first, last) for one in sorted(seen[version, model])),
            )
            for version, model in keys
        ),
    )


def _point(one: _Seen, first: datetime | None, last: datetime | None) -> PointView:
    length_s = (last - first).total_seconds() if first and last else 0.0
    interval: Interval = wilson(one.part, one.whole)
    rate = one.part / one.whole
    return PointView(
        x=(one.at - first).total_seconds() / length_s if first and length_s else 0.5,
        y=rate,
        low=interval.low,
        high=interval.high,
        label=f"{one.at:{_DAY if one.is_day else _MOMENT}}: {percent(rate)} ({one.part} of {one.whole})",
    )


def _ablation_note(measured: ContractInventory, ablation: Ablation) -> str:
    arm: ArmResults = ablation.arm
    version = _version(measured, version_of(arm))
    cases = count(len({one.case_key for one in arm.results}), "case")
    return f"{version} on {arm.arm.model}, {cases}, run of {arm.created_at:{_MOMENT}}"


def _part(part: Part, worth: ArmGain | None) -> PartView:
    pieces = marked_pieces(part.text)
    if worth is None:
        told = "" if part.label else "stays in: it holds the tools, or is all there is"
        return PartView(pieces=pieces, verdict="", told=told, tone="quiet")
    tokens = f"it costs {count(round(worth.saved_tokens), 'token')}"
    if not worth.lost and not worth.gained:
        return PartView(
            pieces=pieces, verdict="only costs", told=f"nothing changes without it; {tokens}", tone="odd"
        )
    told = f"without it {worth.lost} broke, {worth.gained} mended; {tokens}; p = {worth.p:.3f}"
    if worth.lost > worth.gained:
        return PartView(pieces=pieces, verdict="earns its place", told=told, tone="clean")
    if worth.gained > worth.lost:
        return PartView(pieces=pieces, verdict="harms", told=told, tone="bad")
    return PartView(pieces=pieces, verdict="changes what passes", told=told, tone="odd")
