"""Show what the Contracts tab needs: lint findings, the preview, and a diff of two versions."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from workbench.chat.finding import Finding
from workbench.errors import BadInput
from workbench.ui.present.notices import NoticeLine, NoticeView, problem
from workbench.ui.present.text_spans import TextSpan, marked_pieces
from workbench.ui.present.words import count


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewView:
    """The system text as a model would get it, with its size."""

    size: str
    """Number of characters and, if known, of tokens."""
    pieces: tuple[TextSpan, ...]
    """The text, with tags and special tokens as pieces of their own."""
    is_stale: bool = False
    """True if the text cannot be composed. The page then keeps the last preview and says so in `size`."""


STALE_PREVIEW = PreviewView(size="Out of date: the text has a problem", pieces=(), is_stale=True)
"""Marks the preview that is shown as that of an earlier text."""


OF_TOOLS: Final = frozenset({"example-unknown-tool", "tools-not-json"})
"""Findings about the chosen tools, with which nothing in the contract is wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffLine:
    """A line of a unified diff."""

    kind: str
    """`add`, `drop`, `place` (a line range) or `same`."""
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffView:
    """The diff of two texts."""

    title: str
    lines: tuple[DiffLine, ...]
    """Empty if the texts are the same."""


def show_lint(findings: Sequence[Finding], editor: str = "", error: BadInput | None = None) -> NoticeView:
    """Return one line per lint finding, with a line that says if there are no problems.

    Args:
        findings: What the lint found. What depends on the chosen tools alone is quiet, and marks no line.
        editor: Element id of the editor whose lines are marked.
        error: Why the text cannot be used. Its line comes first.
    """
    view = show_problems(findings, editor, error)
    if any(line.tone != "quiet" for line in view.lines):
        return view
    none = NoticeLine(word="lint", text="No problems found.", tone="quiet")
    return replace(view, lines=(none, *view.lines))


def show_problems(findings: Sequence[Finding], editor: str, error: BadInput | None = None) -> NoticeView:
    """Return the lines of `show_lint`; none if there are no problems."""
    first = problem(error).lines if error else ()
    # The variables, which are another field, have lines too.
    place = re.match(r"contract .*, line (\d+)$", error.where, re.DOTALL) if error else None
    marked = (replace(line, line=int(place[1]) if place else 0) for line in first)
    return NoticeView(lines=(*marked, *map(_lint_line, findings)), editor=editor)


def _lint_line(finding: Finding) -> NoticeLine:
    is_note = finding.code in OF_TOOLS
    return NoticeLine(
        word=f"line {finding.line}" if finding.line else finding.severity.value,
        code=finding.code,
        text=finding.message,
        tone="quiet" if is_note else "warning",
        line=0 if is_note else finding.line or 0,
    )


def show_preview(text: str, *, tokens: int | None) -> PreviewView:
    """Return the composed text with its size.

    Args:
        tokens: Number of tokens, or None if no model is loaded to count them.
    """
    size = count(len(text), "character")
    if tokens is not None:
        size = f"{size} · {count(tokens, 'token')}"
    return PreviewView(size=size, pieces=marked_pieces(text))


def show_diff(title: str, diff: str) -> DiffView:
    """Return a unified diff as lines, without the two lines that name the texts."""
    return DiffView(title=title, lines=tuple(_diff_line(line) for line in diff.split("\n")[2:] if line))


def _diff_line(line: str) -> DiffLine:
    kind = {"+": "add", "-": "drop", "@": "place"}.get(line[0], "same")
    return DiffLine(kind=kind, text=line if kind == "place" else line[1:])
