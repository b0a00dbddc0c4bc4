"""Show how a completion was parsed: its segments, and what each fix replaced."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from workbench.chat.finding import Edit, Fix
from workbench.hermes.reading import Reading, Segment, SegmentKind
from workbench.ui.present.examples import FIRST_EXAMPLES, ExamplesView
from workbench.ui.present.raw import PIECE_KINDS
from workbench.ui.present.text_spans import MARK, cut_pieces, mark_spans, narrow
from workbench.ui.present.words import count

WORDS: Final = {
    SegmentKind.PROSE: "prose",
    SegmentKind.THOUGHT: "thought",
    SegmentKind.CALL: "call",
    SegmentKind.RESPONSE: "response",
    SegmentKind.UNCLOSED: "unfinished",
}
"""The label of each kind of segment in the margin."""


class FixChange(StrEnum):
    """Whether a piece is part of the text as written, of the fixed text, or of both."""

    NONE = ""
    BEFORE = "before"
    """Only in the text as written."""
    AFTER = "after"
    """Only in the fixed text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadPiece:
    """A piece of text of one colour."""

    text: str
    """The text, byte for byte."""
    kind: str
    """The kind, as in `TextSpan`."""
    change: FixChange = FixChange.NONE
    code: str = ""
    """Code of the fix that adds or removes the piece. Empty if no fix does."""
    is_guess: bool = False
    """True if the text could also have meant something else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadSection:
    """One segment of the completion."""

    kind: str
    """The kind, which selects the colour. `text` for prose."""
    label: str
    """Label in the margin. Empty for whitespace between two segments."""
    pieces: tuple[ReadPiece, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadTextView:
    """The parsed text, which can be shown in three ways.

    Without the `after` pieces it is the text as written, without the `before` pieces it is the fixed text, and
    with all pieces it shows the changes.
    """

    sections: tuple[ReadSection, ...] = ()
    """The segments. Empty if there is no text."""
    summary: str = ""
    """Number of calls, fixes and findings."""
    has_fixes: bool = False
    """False if the fixed text equals the text as written."""
    empty: ExamplesView = FIRST_EXAMPLES
    """Shown if there is no text."""

    def text(self, *, left_out: FixChange) -> str:
        """Return the text as written (without `AFTER`) or the fixed text (without `BEFORE`)."""
        return "".join(
            piece.text for section in self.sections for piece in section.pieces if piece.change != left_out
        )


def show_read_text(reading: Reading) -> ReadTextView:
    """Show the text of a reading with its segments and fixes."""
    return ReadTextView(
        sections=tuple(_sections(reading)), summary=_summary(reading), has_fixes=bool(reading.fixes)
    )


def _summary(reading: Reading) -> str:
    guesses = sum(fix.is_guess for fix in reading.fixes)
    guess_note = f" ({count(guesses, 'guess', 'guesses')})" if guesses else ""
    parts = (
        count(len(reading.calls), "call"),
        count(len(reading.fixes), "fix", "fixes") + guess_note if reading.fixes else "",
        count(len(reading.findings), "finding") if reading.findings else "",
        f"{reading.dropped:,} dropped" if reading.dropped else "",
    )
    return " · ".join(filter(None, parts))


def _sections(reading: Reading) -> Iterator[ReadSection]:
    """Return the segments with their edits. An edit belongs to the segment in which it starts."""
    edits = deque(
        sorted(
            ((edit, fix) for fix in reading.fixes for edit in fix.edits),
            key=lambda item: (item[0].span.start, item[0].span.end),
        )
    )
    position = 0
    for segment in reading.segments:
        kind = PIECE_KINDS[segment.kind]
        is_last = segment is reading.segments[-1]
        pieces: list[ReadPiece] = []
        while edits and (is_last or _is_within(edits[0][0], segment)):
            edit, fix = edits.popleft()
            pieces += _plain(reading.text[position : edit.span.start], kind)
            pieces += _changed(edit, fix, kind)
            position = edit.span.end
        pieces += _plain(reading.text[position : segment.span.end], kind)
        position = max(position, segment.span.end)
        label = WORDS[segment.kind] if segment.text.strip() else ""
        yield ReadSection(kind=kind, label=label, pieces=tuple(pieces))


def _is_within(edit: Edit, segment: Segment) -> bool:
    """Return whether an edit belongs to a segment.

    Text inserted exactly at the end of a segment, such as a missing closing tag, belongs to that segment, but an
    opening tag belongs to the next one.
    """
    if edit.span.start != segment.span.end:
        return edit.span.start < segment.span.end
    is_opening = edit.after.startswith("<") and not edit.after.startswith("</")
    return not edit.before and not is_opening and segment.kind is not SegmentKind.PROSE


def _plain(text: str, kind: str) -> Iterator[ReadPiece]:
    for piece in cut_pieces(text, mark_spans(text), kind=kind):
        yield ReadPiece(text=piece.text, kind=piece.kind)


def _changed(edit: Edit, fix: Fix, kind: str) -> Iterator[ReadPiece]:
    parts = narrow(edit.before, edit.after)
    yield from _plain(parts.prefix, kind)
    for text, change in ((parts.before, FixChange.BEFORE), (parts.after, FixChange.AFTER)):
        if text:
            yield ReadPiece(
                text=text,
                kind=MARK if mark_spans(text) else kind,
                change=change,
                code=fix.code,
                is_guess=fix.is_guess,
            )
    yield from _plain(parts.suffix, kind)
