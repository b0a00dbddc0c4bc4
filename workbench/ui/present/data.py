"""Show training rows, findings and the progress of jobs on the pages of the place Data."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from workbench.chat.finding import Severity
from workbench.errors import BadInput
from workbench.library.datasets.export_target import ExportSummary
from workbench.library.datasets.row_import import RowImported
from workbench.library.datasets.session_export import SessionDone
from workbench.records.corpus.row_result import RowResult
from workbench.records.facts import DataTotals, FactCount, FactKind
from workbench.records.session_score import TurnScore
from workbench.suite.reports.charts import Chart, count_chart
from workbench.trajectory.mask import MaskedText
from workbench.trajectory.row import RowFinding
from workbench.trajectory.sets.stats import preview
from workbench.ui.present.empty_places import EMPTY_PLACES
from workbench.ui.present.notices import without_folders
from workbench.ui.present.place import write_place
from workbench.ui.present.words import count

MOST_ROWS: Final = 20
"""Maximum number of rows to show. The file has all of them."""
MOST_FINDINGS: Final = 200
"""Maximum number of findings to show."""
MOST_CHARS: Final = 20_000
"""Maximum length of a shown text. The file has all of it."""
LONGEST_MESSAGE: Final = 300
"""Longer messages of findings are cut to this many characters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobView:
    """The progress of a job, or how it ended."""

    label: str = ""
    """What the job does. Empty hides the pane."""
    share: float = 0.0
    """From 0 to 1."""
    note: str = ""
    is_running: bool = False
    """True while the job can be stopped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingLine:
    """One finding about a session or a row."""

    word: str
    """`skipped`, `not ready`, `error`, `warning`, `lost`, `not imported` or `duplicate`. Shown next to the colour."""
    tone: str
    """`error`, `fix` or `quiet`."""
    code: str
    """The code of the finding. Empty if it has none."""
    text: str
    """What is wrong, where, and what to do."""
    place: str
    """The title of the session, or file and row number."""
    link: str = ""
    """Address of the message on this page. Empty if there is none."""
    pointer: str = ""
    """JSON pointer into the row. Empty if there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingsView:
    """A list of findings."""

    lines: tuple[FindingLine, ...] = ()
    """Up to `MOST_FINDINGS` findings."""
    more: int = 0
    """Number of further findings that are not shown."""
    heading: str = ""
    """Heading of the list. Empty draws nothing."""
    hint: str = ""
    empty: str = ""
    """The name in `EMPTY_PLACES` of what is shown instead."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MaskPiece:
    """A part of the text of a row."""

    text: str
    is_trained: bool
    """Whether the text counts towards the loss."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowCard:
    """One training row."""

    title: str
    note: str
    """The split of the row, and how many messages were fixed or corrected."""
    link: str
    """Address of the session on this page."""
    json_text: str
    """The row as JSON, indented. Cut to `MOST_CHARS` characters."""
    more_chars: int
    """Number of characters of the JSON that are not shown."""
    mask: tuple[MaskPiece, ...] = ()
    """The conversation as ChatML, in trained and untrained parts. Empty if it cannot be written as ChatML."""
    findings: tuple[FindingLine, ...] = ()
    """Findings about the row, shown with it. Empty if they are listed elsewhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowsView:
    """A preview of training rows."""

    rows: tuple[RowCard, ...] = ()
    hint: str = ""
    heading: str = ""
    """Heading of the rows. Empty if there is none."""
    charts: tuple[Chart, ...] = ()
    """What is stored."""
    empty: str = ""
    """The name in `EMPTY_PLACES` of what is shown in place of rows."""


TEACHING: Final = RowsView(empty="data")
"""Shown before the first check."""
EXPLORING: Final = RowsView(hint=EMPTY_PLACES["explore"].text, empty="explore")
"""Shown before a data set is opened."""
IMPORTING: Final = FindingsView(empty="import")
"""Shown before the first import."""


MOST_BARS: Final = 10
"""Maximum number of bars in a chart, the largest ones."""


def show_stored(totals: DataTotals, facts: Sequence[FactCount]) -> RowsView:
    """Show what is stored as charts, below the hint. Charts without numbers are left out.

    Args:
        facts: Fixes, findings and dropped calls by code.
    """
    kinds = {kind: sum(fact.count for fact in facts if fact.kind is kind) for kind in FactKind}
    stored = {
        "conversations": totals.conversations,
        "suite rollouts": totals.rollouts,
        "imported rows": totals.imported,
        "completions": totals.completions,
        "tool calls": sum(totals.tool_calls.values()),
        "fixes": kinds[FactKind.FIX],
        "findings": kinds[FactKind.FINDING],
        "dropped calls": kinds[FactKind.DROP],
    }
    codes = Counter[str]()
    for fact in facts:
        codes[fact.group] += fact.count
    charts = (
        count_chart("Stored", stored if totals.conversations + totals.rollouts + totals.imported else {}),
        count_chart("Tool calls by tool", _largest(totals.tool_calls)),
        count_chart("Fixes and findings by code", _largest(codes)),
    )
    shown = tuple(chart for chart in charts if chart.marks)
    return replace(EXPLORING, charts=shown, empty="" if shown else EXPLORING.empty)


def with_scores(
    view: RowsView, total: TurnScore, by_model: Sequence[TurnScore], by_day: Sequence[TurnScore]
) -> RowsView:
    """Add what went wrong in recorded sessions as charts: by kind, by model and by day. Others are left out."""
    charts = (
        count_chart("Problems in recorded sessions", _largest({**total.problems})),
        count_chart("Problems by model", _largest(_problems(by_model))),
        count_chart("Problems by day", dict([*_problems(by_day).items()][-MOST_BARS:])),
    )
    return replace(view, charts=(*view.charts, *charts)) if any(total.problems.values()) else view


def _problems(scores: Sequence[TurnScore]) -> Mapping[str, int]:
    return {score.group: sum(score.problems.values()) for score in scores}


def _largest(counts: Mapping[str, int]) -> Mapping[str, int]:
    return dict(Counter(counts).most_common(MOST_BARS))


def link_to(session_id: str, message_id: str | None = None) -> str:
    """Return the address of a session, or of a message in it, on this page.

    >>> link_to("a", "b")
    '?tab=play&session=a&message=b'
    """
    return write_place("play", session=session_id, message=message_id)


def show_job(label: str, done: int, total: int, what: str) -> JobView:
    """Show a running job.

    Args:
        total: Number of items, or 0 if it is unknown.
        what: What is counted, in the singular.
    """
    note = f"{done:,} of {count(total, what)}" if total else count(done, what)
    return JobView(label=label, share=min(done / total, 1.0) if total else 0.0, note=note, is_running=True)


def findings_of(done: SessionDone) -> Iterator[FindingLine]:
    """Return the obstacles, warnings and losses of one session."""
    place = done.title or "untitled"
    for obstacle in done.all_obstacles:
        yield FindingLine(
            word="skipped" if obstacle.is_defect else "not ready",
            tone="error" if obstacle.is_defect else "quiet",
            code=obstacle.code,
            text=_short(obstacle.message),
            place=place,
            link=link_to(done.session_id, obstacle.message_id),
            pointer=obstacle.pointer,
        )
    for result in done.rows:
        for warning in result.warnings:
            yield FindingLine(
                word="warning", tone="fix", code=warning.code, text=_short(warning.message), place=place,
                link=link_to(done.session_id, warning.message_id), pointer=warning.pointer,
            )  # fmt: skip
        losses = sorted({change.name for change in result.changes if change.is_loss}) if result.row else []
        if losses:
            text = f"the format cannot store: {', '.join(losses)}"
            link = link_to(done.session_id)
            yield FindingLine(word="lost", tone="fix", code="", text=text, place=place, link=link)


def cards_of(done: SessionDone) -> Iterator[RowCard]:
    """Return the rows of one session."""
    for result in done.rows:
        if result.row is not None:
            yield _card(done, result)


def show_summary(summary: ExportSummary, *, is_written: bool) -> str:
    """Summarize an export in one line."""
    parts = [f"{count(summary.rows, 'row')} of {count(summary.sessions, 'session')}"]
    parts += [f"{name} {rows:,}" for name, rows in summary.splits.items()]
    if summary.left_out:
        parts.append(f"{sum(summary.left_out.values()):,} skipped")
    if summary.fixed_messages:
        parts.append(f"{count(summary.fixed_messages, 'message')} with safe fixes")
    if summary.corrected_messages:
        parts.append(f"{count(summary.corrected_messages, 'message')} corrected")
    if summary.person_messages:
        parts.append(f"{count(summary.person_messages, 'message')} written by a person")
    if is_written:
        parts.append("receipt with 0 errors" if summary.receipt else "no receipt")
    return " · ".join(parts)


def imported_line(file: str, row: RowImported) -> FindingLine | None:
    """Return a line about an imported row, or None if it simply became a session."""
    place = f"{file}:{row.number}"
    if row.problem:
        return FindingLine(
            word="not imported",
            tone="error",
            code="",
            text=_short(without_folders(row.problem)),
            place=place,
            pointer=row.pointer,
        )
    if row.session_id and not row.is_new:
        link = link_to(row.session_id)
        text = (
            f"the same as row {row.same_as} of this file" if row.same_as else "this row was imported before"
        )
        return FindingLine(word="duplicate", tone="quiet", code="", text=text, place=place, link=link)
    return None


def _card(done: SessionDone, result: RowResult) -> RowCard:
    shown, more_chars = cut_json(json.dumps(result.row, indent=2, ensure_ascii=False))
    conversation = result.conversation
    notes = [f"split {done.split}" if done.split else ""]
    notes.append(
        f"{count(conversation.fixed_messages, 'message')} fixed" if conversation.fixed_messages else ""
    )
    notes.append(
        f"{count(conversation.corrected_messages, 'message')} corrected"
        if conversation.corrected_messages
        else ""
    )
    return RowCard(
        title=done.title or "untitled",
        note=" · ".join(filter(None, notes)),
        link=link_to(done.session_id),
        json_text=shown,
        more_chars=more_chars,
        mask=tuple(_mask(result)),
    )


def cut_json(text: str) -> tuple[str, int]:
    """Return the JSON of a row up to `MOST_CHARS` characters, and the number of further characters."""
    return text[:MOST_CHARS], max(0, len(text) - MOST_CHARS)


def _mask(result: RowResult) -> Iterator[MaskPiece]:
    """Write the conversation in the raw format."""
    try:
        yield from mask_pieces(preview(replace(result.conversation.trajectory, rejected=(), label=None)))
    except BadInput:
        return


def mask_pieces(masked: MaskedText) -> Iterator[MaskPiece]:
    """Cut a text at the spans that count towards the loss."""
    text, position = masked.text, 0
    for start, end in masked.trained:
        yield from _cut(text[position:start], position, is_trained=False)
        yield from _cut(text[start:end], start, is_trained=True)
        position = end
    yield from _cut(text[position:], position, is_trained=False)


def line_of_finding(finding: RowFinding, place: str) -> FindingLine:
    """Show a finding of the validator.

    Args:
        finding: A finding about a row or a set of rows.
        place: What it is about, such as `row 3`.
    """
    return FindingLine(
        word=str(finding.severity),
        tone=_TONES[finding.severity],
        code=finding.code,
        text=_short(finding.message),
        place=place,
        pointer=finding.pointer,
    )


_TONES: Final = {Severity.ERROR: "error", Severity.WARNING: "fix", Severity.NOTE: "quiet"}


def _cut(text: str, start: int, *, is_trained: bool) -> Iterator[MaskPiece]:
    shown = text[: max(0, MOST_CHARS - start)]
    if shown:
        yield MaskPiece(text=shown, is_trained=is_trained)


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_MESSAGE else text[: LONGEST_MESSAGE - 1] + "…"
