"""Show a data set as a picture: charts whose bars open the rows behind them, and a list of rows."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from workbench.chat.message import Role
from workbench.library.datasets.opened_rows import OpenedRow, OpenedRows
from workbench.records.sessions import MessageOrigin
from workbench.suite.reports.charts import Chart, ChartKind, ChartMark
from workbench.suite.reports.tables import format_percent
from workbench.trajectory.sets.row_index import MarkKind, Range, RowIndex
from workbench.trajectory.sets.stats import RowStats, describe_distribution, rows_over
from workbench.ui.present.data import MOST_BARS, FindingLine, RowCard, cut_json, line_of_finding, mask_pieces
from workbench.ui.present.row_conditions import Condition
from workbench.ui.present.words import count

MOST_PARAMETERS: Final = 40
"""Maximum number of enum parameters to show; those with the most unused values come first."""
MOST_VALUES: Final = 30
"""Maximum number of values to show of a parameter."""
MOST_OPTIONS: Final = 200
"""Maximum number of tools and codes to choose a filter from."""
PAGE: Final = 10
"""Rows that are shown at once."""
_BINS: Final = 8
"""Bars for the lengths up to the maximum."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureChart:
    """A chart whose bars open rows."""

    chart: Chart
    note: str
    conditions: tuple[Condition, ...]
    """The rows of each bar."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EnumLine:
    """How often calls use each value that a parameter may have."""

    name: str
    """Tool and parameter."""
    used: int
    """Number of values that are used."""
    values: tuple[tuple[str, int, Condition], ...]
    """Value, number of calls, and the rows with such a call."""
    more: int
    """Number of further values that are not shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureView:
    """A data set as a picture."""

    name: str
    note: str
    """Number of rows, and which formats they have."""
    facts: tuple[str, ...]
    """Figures, a sentence each."""
    cut: Condition
    """The rows that are longer than the maximum, and how many they are."""
    cut_rows: int
    charts: tuple[PictureChart, ...]
    enums: tuple[EnumLine, ...]
    more_enums: int
    """Number of further parameters that are not shown."""
    findings: tuple[FindingLine, ...]
    """Findings about the whole set."""
    options: tuple[Condition, ...]
    """Conditions that can be added to the filter."""
    serial: float = 0.0
    """A new number for every data set that is opened."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundRowsView:
    """The rows of a data set that meet conditions, one page of them."""

    is_open: bool = False
    """Whether a data set is open."""
    total: int = 0
    """Number of rows that meet the conditions."""
    first: int = 0
    """Index of the first shown row among them."""
    rows: tuple[RowCard, ...] = ()
    conditions: tuple[Condition, ...] = ()
    text: str = ""
    """What the rows contain. Empty if nothing was searched for."""
    seed: int | None = None
    """Seed of the random order. None for the order of the file."""
    serial: float = 0.0
    """A new number for every answer of the server."""


def show_picture(opened: OpenedRows, most_tokens: int, *, serial: float) -> PictureView:
    """Show a data set that was read.

    Args:
        most_tokens: How many tokens a trainer takes of a row.
        serial: A new number for every data set.
    """
    stats = opened.stats
    cut_rows = rows_over(stats.lengths, most_tokens)
    longer = f"{count(cut_rows, 'row is', 'rows are')} cut at {count(most_tokens, 'token')}"
    enums = sorted(stats.enums.parameters.items(), key=lambda item: _used(item[1]) / max(len(item[1]), 1))
    return PictureView(
        name=opened.name,
        note=_note(opened),
        facts=tuple(_facts(stats)),
        cut=_condition(longer, tokens=Range(most_tokens + 1, None)),
        cut_rows=cut_rows,
        charts=tuple(chart for chart in _charts(opened, most_tokens) if chart.chart.marks),
        enums=tuple(_enum_line(*name, counts) for name, counts in enums[:MOST_PARAMETERS]),
        more_enums=max(0, len(enums) - MOST_PARAMETERS),
        findings=tuple(line_of_finding(finding, opened.name) for finding in opened.set_findings),
        options=tuple(_options(opened)),
        serial=serial,
    )


def show_row(opened: OpenedRows, row: OpenedRow) -> RowCard:
    """Show one row of a data set with its findings."""
    facts = row.facts
    notes = [f"row {row.number:,}"]
    if facts is not None:
        notes += [facts.format, count(len(facts.called), "call"), count(facts.turns, "turn")]
        notes += [] if facts.tokens is None else [count(facts.tokens, "token")]
    text = json.dumps(row.fields, indent=2, ensure_ascii=False) if row.fields is not None else ""
    shown, more_chars = cut_json(text)
    return RowCard(
        title=_title(row),
        note=" · ".join(notes),
        link=row.link,
        json_text=shown,
        more_chars=more_chars,
        mask=tuple(mask_pieces(facts.text)) if facts and facts.text else (),
        findings=tuple(line_of_finding(finding, f"row {row.number}") for finding in row.findings),
    )


def _title(row: OpenedRow) -> str:
    """Return the beginning of the first user message, or what else names the row."""
    from workbench.records.corpus.material import row_id_of

    asked = (
        ""
        if row.facts is None or row.facts.text is None
        else row.facts.text.text.partition("<|im_start|>user\n")[2]
    )
    first = " ".join(asked.partition("<|im_end|>")[0][:400].split())
    name = row_id_of(row.fields or {})
    title = first[:100] + ("…" if len(first) > 100 else "")
    return f"{name} · {title}" if name and title else title or name or "Row without a user message"


def _note(opened: OpenedRows) -> str:
    stats = opened.stats
    formats = ", ".join(f"{name} {number:,}" for name, number in stats.formats.most_common())
    parts = [count(stats.rows, "row"), formats if len(stats.formats) > 1 else next(iter(stats.formats), "")]
    if stats.unreadable:
        parts.append(f"{stats.unreadable:,} unreadable")
    if opened.is_part:
        parts.append("the rows after these were not read")
    return " · ".join(filter(None, parts))


def _facts(stats: RowStats) -> Iterator[str]:
    called = len(stats.calls)
    yield f"{count(len(stats.tools), 'tool')} declared, {called:,} called"
    yield f"{count(stats.calls.total(), 'call')} in {count(stats.entries, 'model message')}"
    if stats.entries:
        yield f"{format_percent(stats.without_call / stats.entries)} of model messages have no call"
        yield f"{format_percent(stats.parallel / stats.entries)} have parallel calls"
    spread = describe_distribution(stats.lengths)
    if spread:
        yield f"{spread['p50']:,} tokens in the median row, {spread['most']:,} in the longest"
    if stats.characters:
        yield f"{format_percent(stats.trained / stats.characters)} of the characters are trained on"
    if stats.unmeasured:
        it = "it" if stats.unmeasured == 1 else "they"
        yield f"{count(stats.unmeasured, 'row')} without a length, because {it} cannot be written as one text"
    unused = sorted(stats.tools - stats.calls.keys())
    if unused:
        shown = ", ".join(unused[:5]) + (f" and {len(unused) - 5:,} more" if len(unused) > 5 else "")
        yield f"never called: {shown}"


def _charts(opened: OpenedRows, most_tokens: int) -> Iterator[PictureChart]:
    stats, index = opened.stats, opened.index
    yield _by_mark("Calls by tool", MarkKind.TOOL, stats.calls, index.counts(MarkKind.TOOL), "call")
    codes = index.counts(MarkKind.FINDING)
    yield _by_mark("Findings by code", MarkKind.FINDING, opened.codes, codes, "finding")
    yield _by_number("Calls per row", "call", "calls", stats.row_calls)
    yield _by_number("Turns per row", "turn", "turns", stats.turns)
    yield _by_length(stats.lengths, most_tokens)
    yield _by_share("Characters by role", MarkKind.ROLE, _ROLES, stats.roles, index)
    yield _by_share("Characters by writer", MarkKind.WRITER, _WRITERS, opened.writers, index)
    if len(stats.formats) > 1:
        yield _by_mark("Rows by format", MarkKind.FORMAT, stats.formats, index.counts(MarkKind.FORMAT), "row")


def _by_mark(
    title: str, kind: MarkKind, numbers: Counter[str], rows: Mapping[tuple[str, ...], int], noun: str
) -> PictureChart:
    bars = [
        (name, number, f"{count(number, noun)} in {count(rows[name,], 'row')}", _marked(kind, name))
        for name, number in numbers.most_common()
        if (name,) in rows
    ]
    note = (
        f"The first {MOST_BARS} of {len(bars):,}. Choose others in the filter below."
        if len(bars) > MOST_BARS
        else ""
    )
    return _chart(title, bars[:MOST_BARS], note)


def _by_number(title: str, noun: str, field: str, numbers: Mapping[int, int]) -> PictureChart:
    """Return a bar for each number; the largest numbers share the last bar."""
    ordered = sorted(numbers)
    single, rest = ordered[: MOST_BARS - 1], ordered[MOST_BARS - 1 :]
    spans = [(count(number, noun), Range(number, number)) for number in single]
    if len(rest) == 1:
        spans.append((count(rest[0], noun), Range(rest[0], rest[0])))
    elif rest:
        spans.append((f"{rest[0]:,} or more {noun}s", Range(rest[0], None)))
    bars = [
        (label, rows, count(rows, "row"), _condition(label, **{field: span}))
        for label, span in spans
        if (rows := _rows_in(numbers, span))
    ]
    return _chart(title, bars)


def _by_length(lengths: Mapping[int, int], most: int) -> PictureChart:
    """Return bars of equal width up to the maximum, then wider ones."""
    width = -(-most // _BINS)
    spans = [Range(start, min(start + width - 1, most)) for start in range(1, most + 1, width)]
    spans[0] = Range(0, spans[0].most)
    spans += [Range(most + 1, 2 * most), Range(2 * most + 1, 4 * most), Range(4 * most + 1, None)]
    bars = [(_span_label(span), _rows_in(lengths, span), span) for span in spans]
    filled = [place for place, (_, rows, _) in enumerate(bars) if rows]
    bars = bars[filled[0] : filled[-1] + 1] if filled else []
    chart = _chart(
        "Tokens per row",
        [
            (
                label,
                rows,
                count(rows, "row") + (", cut" if span.least > most else ""),
                _condition(f"{label} tokens", tokens=span),
            )
            for label, rows, span in bars
        ],
        f"Bars without a fill are longer than {count(most, 'token')}." if rows_over(lengths, most) else "",
    )
    marks = tuple(
        replace(mark, is_full=span.least <= most)
        for mark, (_, _, span) in zip(chart.chart.marks, bars, strict=True)
    )
    return replace(chart, chart=replace(chart.chart, marks=marks))


_ROLES: Final = {
    Role.SYSTEM: "system texts",
    Role.USER: "user messages",
    Role.ASSISTANT: "model messages",
    Role.TOOL: "tool results",
}
_WRITERS: Final = {
    MessageOrigin.PERSON: "people",
    MessageOrigin.MODEL: "models",
    MessageOrigin.MOCK: "mocks and tools",
    MessageOrigin.IMPORT: "imported rows",
    MessageOrigin.GATEWAY: "clients of the gateway",
    MessageOrigin.SCRIPTED: "scripted persons",
    MessageOrigin.SIMULATED: "simulated persons",
}


def _by_share(
    title: str, kind: MarkKind, names: Mapping[Any, str], characters: Mapping[Any, int], index: RowIndex
) -> PictureChart:
    rows, total = index.counts(kind), sum(characters.values())
    bars: list[tuple[str, int, str, Condition]] = []
    for key, name in names.items():
        if number := characters.get(key, 0):
            text = f"{format_percent(number / total)}, {count(number, 'character')} in {count(rows[str(key),], 'row')}"
            bars.append(
                (name, number, text, _marked(kind, str(key), label=f"{title.rpartition(' ')[2]}: {name}"))
            )
    return _chart(title, bars)


def _chart(title: str, bars: Sequence[tuple[str, int, str, Condition]], note: str = "") -> PictureChart:
    marks = tuple(
        ChartMark(y=float(number), category=name, label=f"{name}: {text}") for name, number, text, _ in bars
    )
    return PictureChart(
        chart=Chart(kind=ChartKind.COUNTS, title=title, marks=marks),
        note=note,
        conditions=tuple(condition for *_, condition in bars),
    )


def _rows_in(numbers: Mapping[int, int], span: Range) -> int:
    return sum(
        rows
        for number, rows in numbers.items()
        if span.least <= number and (span.most is None or number <= span.most)
    )


def _span_label(span: Range) -> str:
    return f"over {span.least - 1:,}" if span.most is None else f"{span.least:,}–{span.most:,}"


def _enum_line(tool: str, parameter: str, counts: Mapping[str, int]) -> EnumLine:
    values = tuple(
        (
            value,
            number,
            _condition(f"{tool}.{parameter} = {value}", mark=(MarkKind.VALUE, tool, parameter, value)),
        )
        for value, number in list(counts.items())[:MOST_VALUES]
    )
    return EnumLine(
        name=f"{tool}.{parameter}", used=_used(counts), values=values, more=max(0, len(counts) - MOST_VALUES)
    )


def _used(counts: Mapping[str, int]) -> int:
    return sum(number > 0 for number in counts.values())


def _options(opened: OpenedRows) -> Iterator[Condition]:
    rows = opened.index.counts(MarkKind.TOOL)
    for name, _ in opened.stats.calls.most_common(MOST_OPTIONS):
        if (name,) in rows:
            yield _marked(MarkKind.TOOL, name)
    for (code,) in opened.index.counts(MarkKind.FINDING):
        yield _marked(MarkKind.FINDING, code)


_LABELS: Final = {MarkKind.TOOL: "calls {}", MarkKind.FINDING: "finding {}", MarkKind.FORMAT: "format {}"}


def _marked(kind: MarkKind, name: str, *, label: str = "") -> Condition:
    return _condition(label or _LABELS[kind].format(name), mark=(kind, name))


def _condition(label: str, **fields: Iterable[object]) -> Condition:
    return Condition(
        label, json.dumps({name: list(value) for name, value in fields.items()}, ensure_ascii=False)
    )
