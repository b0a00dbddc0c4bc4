"""Show measurements of a contract: score cards of its versions, rates over time, and the effect of each part."""

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
from workbench.suite.reports.charts import Chart, ChartKind, ChartMark
from workbench.suite.reports.report import ArmGain
from workbench.suite.reports.tables import cards_table, format_percent
from workbench.suite.result import CaseResult
from workbench.suite.variants import Part
from workbench.ui.present.suites.run import TableView, table_view
from workbench.ui.present.text_spans import TextSpan, marked_pieces
from workbench.ui.present.words import count

_DAY: Final = "%Y-%m-%d"
_MOMENT: Final = "%Y-%m-%d %H:%M"
MOST_SERIES: Final = 8
"""A chart shows this many series at most, those of the newest versions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChartView:
    """A chart of a rate over time, by version and model, newest version first."""

    note: str
    chart: Chart


@dataclass(frozen=True, slots=True, kw_only=True)
class PartView:
    """A paragraph of a contract and its effect on the results."""

    pieces: tuple[TextSpan, ...]
    verdict: str
    """`helps`, `hurts`, `mixed` or `no effect`; `may help` or `may hurt` if the effect is not significant. Empty if the
    paragraph was not measured."""
    detail: str
    """What changes without the paragraph."""
    tone: str
    """`clean`, `quiet`, `odd` or `bad`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuresView:
    """All measurements of a contract."""

    cards: TableView | None
    """One row per version, suite and model, or None if nothing was run."""
    charts: tuple[ChartView, ...]
    """Pass rate, fix rate and drop rate. Charts without data are left out."""
    parts_note: str
    """The version and run that measured the parts. Empty if there was none."""
    parts: tuple[PartView, ...]
    """The paragraphs of the contract."""


class _Sample(NamedTuple):
    """A rate as counts, at a point in time or over a day."""

    at: datetime
    part: int
    whole: int
    is_day: bool = False


def show_measures(measured: ContractInventory) -> MeasuresView:
    """Show all measurements of a contract."""
    ablation = measured.ablation
    return MeasuresView(
        cards=_cards(measured),
        charts=tuple(chart for chart in _charts(measured) if chart.chart.series),
        parts_note=_ablation_note(measured, ablation) if ablation else "",
        parts=tuple(_part(part, worth) for part, worth in ablation.parts) if ablation else (),
    )


def _version(measured: ContractInventory, text_hash: str) -> str:
    number = measured.numbers.get(text_hash)
    return f"v{number}" if number else f"text {text_hash[:8]}"


def _cards(measured: ContractInventory) -> TableView | None:
    groups: dict[tuple[str, ...], list[CaseResult]] = {}
    for arm_results in measured.arms:
        arm = arm_results.arm
        variant = (
            arm.tool_choice,
            f"temperature {arm.sampling.temperature:g}",
            "" if arm.is_constrained else "not constrained",
        )
        for result in arm_results.results:
            key = (version_of(arm_results), result.suite, arm.model, *variant)
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
    note = "All runs, by version, suite and model"
    return table_view("Score cards", table, note)


def _charts(measured: ContractInventory) -> Iterable[ChartView]:
    runs: dict[tuple[str, str], list[_Sample]] = {}
    for arm_results in measured.arms:
        card = score_card("", arm_results.results)
        if card.passed + card.failed:
            sample = _Sample(arm_results.created_at, card.passed, card.passed + card.failed)
            runs.setdefault((version_of(arm_results), arm_results.arm.model), []).append(sample)
    yield _chart(measured, "Pass rate", "Each point is a run, with its 95 % confidence interval", runs)
    days = measured.days
    note = "Each point is a day of completions in sessions and runs"
    yield _chart(measured, "Completions with fixes", note, _by_day(days, lambda day: day.fixed))
    yield _chart(measured, "Completions with dropped calls", note, _by_day(days, lambda day: day.dropped))


def _by_day(
    days: Sequence[DailyModelStats], part: Callable[[DailyModelStats], int]
) -> Mapping[tuple[str, str], Sequence[_Sample]]:
    found: dict[tuple[str, str], list[_Sample]] = {}
    for day in days:
        at = datetime.fromisoformat(f"{day.day}T12:00:00").replace(tzinfo=UTC)
        found.setdefault((day.contract_version, day.model), []).append(
            _Sample(at, part(day), day.completions, is_day=True)
        )
    return found


def _chart(
    measured: ContractInventory, title: str, note: str, samples: Mapping[tuple[str, str], Sequence[_Sample]]
) -> ChartView:
    keys = sorted(samples, key=lambda key: (-measured.numbers.get(key[0], 0), key[1]))
    if len(keys) > MOST_SERIES:
        note = f"{note}; showing the newest {MOST_SERIES} of {len(keys)}"
    keys = keys[:MOST_SERIES]
    labels = {key: SEPARATOR.join((_version(measured, key[0]), key[1])) for key in keys}
    return ChartView(
        note=note,
        chart=Chart(
            kind=ChartKind.COURSES,
            title=title,
            series=tuple(labels.values()),
            marks=tuple(
                _mark(sample, label) for key, label in labels.items() for sample in sorted(samples[key])
            ),
        ),
    )


def _mark(sample: _Sample, series: str) -> ChartMark:
    interval: Interval = wilson(sample.part, sample.whole)
    rate = sample.part / sample.whole
    moment = f"{sample.at:{_DAY if sample.is_day else _MOMENT}}"
    return ChartMark(
        x=sample.at.timestamp() * 1000,
        y=rate,
        series=series,
        low=interval.low,
        high=interval.high,
        label=f"{series} · {moment}: {format_percent(rate)} ({sample.part} of {sample.whole})",
    )


def _ablation_note(measured: ContractInventory, ablation: Ablation) -> str:
    arm: ArmResults = ablation.arm
    version = _version(measured, version_of(arm))
    cases = count(len({result.case_key for result in arm.results}), "case")
    return f"{version} on {arm.arm.model}, {cases}, run of {arm.created_at:{_MOMENT}}"


def _part(part: Part, worth: ArmGain | None) -> PartView:
    pieces = marked_pieces(part.text)
    if worth is None:
        detail = "" if part.label else "always included: it contains the tools, or it is the only part"
        return PartView(pieces=pieces, verdict="", detail=detail, tone="quiet")
    saved = worth.saved_tokens
    tokens = "its length is not known" if saved is None else f"costs {count(round(saved), 'token')}"
    if not worth.lost and not worth.gained:
        return PartView(
            pieces=pieces, verdict="no effect", detail=f"no case changes without it; {tokens}", tone="odd"
        )
    broken = count(worth.lost, "case")
    detail = f"without it, {broken} broke and {worth.gained} started to pass; {tokens}; p = {worth.p:.3f}"
    if worth.lost == worth.gained:
        return PartView(pieces=pieces, verdict="mixed", detail=detail, tone="odd")
    helps = worth.lost > worth.gained
    if not worth.is_significant:
        verdict = "may help" if helps else "may hurt"
        return PartView(pieces=pieces, verdict=verdict, detail=f"{detail}, not significant", tone="odd")
    verdict, tone = ("helps", "clean") if helps else ("hurts", "bad")
    return PartView(pieces=pieces, verdict=verdict, detail=detail, tone=tone)
