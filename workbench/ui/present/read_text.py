"""A completion as it was parsed: its segments, and what each fix replaced."""

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
"""What the margin says of a segment."""


class FixChange(StrEnum):
    """Whether a stretch stands in the text as written, as fixed, or in both."""

    NONE = ""
    BEFORE = "before"
    """As written only."""
    AFTER = "after"
    """As fixed only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadPiece:
    """A stretch of one colour."""

    text: str
    """Byte for byte."""
    kind: str
    """As of `pieces.Piece`."""
    change: FixChange = FixChange.NONE
    code: str = ""
    """Of the fix that changes it; empty where none does."""
    is_guess: bool = False
    """True where the fix could have meant something else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadSection:
    """One segment."""

    kind: str
    """Names a colour; `text` for prose."""
    label: str
    """As the margin says it; empty of white space between two others."""
    pieces: tuple[ReadPiece, ...]
    """In order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadTextView:
    """The text in three ways: as written without the `after` pieces, fixed without the `before` ones, or both."""

    sections: tuple[ReadSection, ...] = ()
    """In order; empty where nothing was written."""
    summary: str = ""
    """How many calls, fixes and findings."""
    has_fixes: bool = False
    """False where the fixed text is the text."""
    empty: ExamplesView = FIRST_EXAMPLES
    """Shown where nothing was written."""

    def text(self, *, left_out: FixChange) -> str:
        """The text as written (without `after`) or as fixed (without `before`)."""
        return "".join(
            piece.text for section in self.sections for piece in section.pieces if piece.change != left_out
        )


def show_read_text(reading: Reading) -> ReadTextView:
    """A reading's text with its segments and fixes."""
    return ReadTextView(
        sections=tuple(_sections(reading)), summary=_summary(reading), has_fixes=bool(reading.fixes)
    )


def _summary(reading: Reading) -> str:
    guesses = sum(fix.is_guess for fix in reading.fixes)
    told = f" ({count(guesses, 'guess', 'guesses')})" if guesses else ""
    parts = (
        count(len(reading.calls), "call"),
        count(len(reading.fixes), "fix", "fixes") + told if reading.fixes else "",
        count(len(reading.findings), "finding") if reading.findings else "",
        f"{reading.dropped:,} dropped" if reading.dropped else "",
    )
    return " · ".join(filter(None, parts))


def _sections(reading: Reading) -> Iterator[ReadSection]:
    """The segments, each with its edits; an edit stands whole in the segment where it begins."""
    edits = deque(
        sorted(
            ((edit, fix) for fix in reading.fixes for edit in fix.edits),
            key=lambda made: (made[0].span.start, made[0].span.end),
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
    """Whether an edit is the segment's; what is put in at its end, such as a close tag, mostly is."""
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
