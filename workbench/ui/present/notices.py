"""Errors and advice, as lines at the place where they occurred."""

from collections.abc import Iterable
from dataclasses import dataclass

from workbench.chat.finding import Finding
from workbench.errors import ConstraintFailed, WorkbenchError
from workbench.toolspec.grammar import untold_keywords
from workbench.toolspec.spec import OfferedTools


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticeLine:
    """One line."""

    word: str
    """Its kind, in a word: colour is never alone."""
    text: str
    """What is wrong, where, and what to do."""
    tone: str = "error"
    """error or quiet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticeView:
    """The lines of one place."""

    lines: tuple[NoticeLine, ...] = ()
    """Empty: nothing is drawn."""


CLEAR = NoticeView()


def problem(error: WorkbenchError) -> NoticeView:
    """An error of ours as a line."""
    return NoticeView(lines=(NoticeLine(word="error", text=str(error)),))


def advice(text: str) -> NoticeView:
    """A line that is no error."""
    return NoticeView(lines=(NoticeLine(word="note", text=text, tone="quiet"),) if text else ())


def tool_findings(findings: Iterable[Finding]) -> NoticeView:
    """What keeps a tools' text from being used, with line and pointer; three at most."""
    found = list(findings)
    lines = [
        NoticeLine(
            word=f"line {finding.line}" if finding.line else "tools",
            text=finding.message + (f" ({finding.pointer})" if finding.pointer else ""),
            tone="error" if finding.severity == "error" else "quiet",
        )
        for finding in found[:3]
    ]
    if len(found) > len(lines):
        lines.append(
            NoticeLine(word="more", text=f"{len(found) - len(lines)} further findings", tone="quiet")
        )
    return NoticeView(lines=tuple(lines))


def grammar_advice(tools: OfferedTools) -> list[str]:
    """A line on what of the tools' schemas no grammar can hold a model to; none where it holds it to all."""
    try:
        told = untold_keywords(tools)
    except ConstraintFailed as error:
        return [f"No grammar can be made of the schemas: {error.reason}."]
    places = ", ".join(dict.fromkeys(finding.pointer or "" for finding in told))
    return [f"Checked after a call, not held to by the grammar: {places}."] if told else []
