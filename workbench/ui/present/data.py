"""Training rows in the Data tab: findings, rows, and the progress of jobs."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, cast
from urllib.parse import urlencode

from workbench.library.datasets.export_target import ExportSummary
from workbench.library.datasets.row_import import RowImported
from workbench.library.datasets.session_export import SessionDone
from workbench.records.corpus.row_result import RowResult
from workbench.trajectory.formats.raw import RAW
from workbench.trajectory.writing.convert import write_row
from workbench.trajectory.writing.row_draft import RowOptions
from workbench.ui.present.words import count

MOST_ROWS: Final = 20
"""Rows that are shown; the file has all."""
MOST_FINDINGS: Final = 200
"""Findings that are shown."""
MOST_CHARS: Final = 20_000
"""Of a text that is shown; the file has all of it."""
LONGEST_MESSAGE: Final = 300
"""Of a finding; longer ones are cut."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobView:
    """A job under way, or its end."""

    label: str = ""
    """What is done; empty hides the pane."""
    share: float = 0.0
    """From 0 to 1."""
    note: str = ""
    is_running: bool = False
    """True while it can be stopped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingLine:
    """One thing that was found."""

    word: str
    """left out, not ready, warning, lost or row: colour is never alone."""
    tone: str
    """error, fix or quiet."""
    code: str
    """Its code; empty for none."""
    text: str
    """What is wrong, where, and what to do."""
    place: str
    """The session's title or the file's row."""
    link: str = ""
    """Address of the message on this page; empty for none."""
    pointer: str = ""
    """JSON pointer into the row; empty for none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingsView:
    """All that was found."""

    lines: tuple[FindingLine, ...] = ()
    """In order; no more than can be read."""
    more: int = 0
    """So many are not shown."""
    heading: str = ""
    """Above them; empty draws nothing."""
    hint: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MaskPiece:
    """A stretch of a row's text."""

    text: str
    is_trained: bool
    """Whether the loss counts it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowCard:
    """One row."""

    title: str
    note: str
    """Its split, and what was done to it."""
    link: str
    """Address of the session on this page."""
    json_text: str
    """As it stands in the file, a key a line."""
    more_chars: int
    """So much of it is not shown."""
    mask: tuple[MaskPiece, ...] = ()
    """The conversation as ChatML, what is trained told apart; empty where it has no such text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowsView:
    """Rows to look at."""

    rows: tuple[RowCard, ...] = ()
    """The first ones."""
    hint: str = ""
    heading: str = ""
    """Above them; empty for none."""


TEACHING: Final = RowsView(
    hint=(
        "Conversations become training rows here. Choose some at the left, or take all, and press Check: what a "
        "trainer must not learn is told, with a way to its message, and the first rows are shown as they will "
        "stand in the file. Nothing there yet? Talk to a model in Play, or bring rows of your own by Import."
    )
)
"""What the tab says before anything was looked at."""


def link_to(session_id: str, message_id: str | None = None) -> str:
    """The address of a session, or of a message of it.

    >>> link_to("a", "b")
    '?session=a&message=b'
    """
    asked = {"session": session_id, **({"message": message_id} if message_id else {})}
    return "?" + urlencode(asked)


def show_job(label: str, done: int, total: int, what: str) -> JobView:
    """A job that is under way."""
    note = f"{done:,} of {count(total, what)}" if total else count(done, what)
    return JobView(label=label, share=min(done / total, 1.0) if total else 0.0, note=note, is_running=True)


def findings_of(done: SessionDone) -> Iterator[FindingLine]:
    """What was found of one session."""
    place = done.title or "untitled"
    for one in done.all_obstacles:
        yield FindingLine(
            word="left out" if one.is_defect else "not ready",
            tone="error" if one.is_defect else "quiet",
            code=one.code,
            text=_short(one.message),
            place=place,
            link=link_to(done.session_id, one.message_id),
            pointer=one.pointer,
        )
    for made in done.rows:
        for warned in made.warnings:
            yield FindingLine(
                word="warning", tone="fix", code=warned.code, text=_short(warned.message), place=place,
                link=link_to(done.session_id, warned.message_id), pointer=warned.pointer,
            )  # fmt: skip
        losses = sorted({str(one.code) for one in made.changes if one.is_loss}) if made.row else []
        if losses:
            text = f"the format cannot hold: {', '.join(losses)}"
            link = link_to(done.session_id)
            yield FindingLine(word="lost", tone="fix", code="", text=text, place=place, link=link)


def cards_of(done: SessionDone) -> Iterator[RowCard]:
    """The rows of one session."""
    for made in done.rows:
        if made.row is not None:
            yield _card(done, made)


def show_summary(summary: ExportSummary, *, is_written: bool) -> str:
    """What an export came to, in a line."""
    told = [f"{count(summary.rows, 'row')} of {count(summary.sessions, 'session')}"]
    told += [f"{name} {rows:,}" for name, rows in summary.splits.items()]
    if summary.left_out:
        told.append(f"{sum(summary.left_out.values()):,} left out")
    if summary.fixed_messages:
        told.append(f"{count(summary.fixed_messages, 'message')} with safe fixes")
    if summary.corrected_messages:
        told.append(f"{count(summary.corrected_messages, 'message')} as corrected")
    if is_written:
        told.append("receipt with 0 errors" if summary.receipt else "no receipt")
    return " · ".join(told)


def imported_line(file: str, one: RowImported) -> FindingLine | None:
    """What became of a row of a file, where that is worth a line."""
    place = f"{file}:{one.number}"
    if one.problem:
        return FindingLine(
            word="no session",
            tone="error",
            code="",
            text=_short(one.problem),
            place=place,
            pointer=one.pointer,
        )
    if one.session_id and not one.is_new:
        link = link_to(one.session_id)
        text = "this row is a session already"
        return FindingLine(word="known", tone="quiet", code="", text=text, place=place, link=link)
    return None


def _card(done: SessionDone, made: RowResult) -> RowCard:
    text = json.dumps(made.row, indent=2, ensure_ascii=False)
    told = made.conversation
    notes = [f"split {done.split}" if done.split else ""]
    notes.append(f"{count(told.fixed_messages, 'message')} fixed" if told.fixed_messages else "")
    notes.append(f"{count(told.corrected_messages, 'message')} corrected" if told.corrected_messages else "")
    return RowCard(
        title=done.title or "untitled",
        note=" · ".join(filter(None, notes)),
        link=link_to(done.session_id),
        json_text=text[:MOST_CHARS],
        more_chars=max(0, len(text) - MOST_CHARS),
        mask=tuple(_mask(made)),
    )


def _mask(made: RowResult) -> Iterator[MaskPiece]:
    """The conversation as the raw format has it; its spans say what the loss counts."""
    written = write_row(replace(made.conversation.trajectory, rejected=(), label=None), RAW, RowOptions())
    if written.row is None:
        return
    text = cast(str, written.row["text"])
    position = 0
    for start, end in cast(Sequence[Sequence[int]], written.row["loss_spans"]):
        yield from _cut(text[position:start], position, is_trained=False)
        yield from _cut(text[start:end], start, is_trained=True)
        position = end
    yield from _cut(text[position:], position, is_trained=False)


def _cut(text: str, start: int, *, is_trained: bool) -> Iterator[MaskPiece]:
    shown = text[: max(0, MOST_CHARS - start)]
    if shown:
        yield MaskPiece(text=shown, is_trained=is_trained)


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_MESSAGE else text[: LONGEST_MESSAGE - 1] + "…"
