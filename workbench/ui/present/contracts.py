"""The Contracts tab: lint, preview, and the difference of two versions."""

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.chat.finding import Finding
from workbench.ui.present.notices import NoticeLine, NoticeView
from workbench.ui.present.text_spans import TextSpan, marked_pieces
from workbench.ui.present.words import count


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewView:
    """The system text as a model would get it."""

    size: str
    """Characters and tokens."""
    pieces: tuple[TextSpan, ...]
    """The text, its marks told apart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffLine:
    """A line of a unified diff."""

    kind: str
    """add, drop, place or same."""
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffView:
    """What changed from one text to another."""

    title: str
    lines: tuple[DiffLine, ...]
    """None where they are the same."""


def show_lint(findings: Sequence[Finding]) -> NoticeView:
    """What the lint found, a line each; a calm line where it found nothing."""
    if not findings:
        return NoticeView(lines=(NoticeLine(word="lint", text="Nothing found.", tone="quiet"),))
    return NoticeView(
        lines=tuple(
            NoticeLine(
                word=f"line {finding.line}" if finding.line else finding.severity.value,
                text=f"{finding.code}: {finding.message}",
                tone="warning",
            )
            for finding in findings
        )
    )


def show_preview(text: str, *, tokens: int | None) -> PreviewView:
    """The composed text with its size; `tokens` is None while no model is loaded that could count."""
    size = count(len(text), "character")
    told = size if tokens is None else f"{size} · {count(tokens, 'token')}"
    return PreviewView(size=told, pieces=marked_pieces(text))


def show_diff(title: str, diff: str) -> DiffView:
    """A unified diff as lines; the two lines that name the texts are left to the title."""
    return DiffView(title=title, lines=tuple(_diff_line(line) for line in diff.split("\n")[2:] if line))


def _diff_line(line: str) -> DiffLine:
    kind = {"+": "add", "-": "drop", "@": "place"}.get(line[0], "same")
    return DiffLine(kind=kind, text=line if kind == "place" else line[1:])
