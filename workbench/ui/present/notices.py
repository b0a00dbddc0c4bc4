"""Show errors and advice as lines next to the field that they are about."""

import os
import re
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from workbench.chat.finding import Finding
from workbench.chat.json_value import pointer_parts
from workbench.errors import ConstraintFailed, ForeignSession, NoMessage, NoSession, OffBranch, WorkbenchError
from workbench.toolspec.grammar import unsupported_keywords
from workbench.toolspec.spec import OfferedTools
from workbench.ui.present.words import count


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticeLine:
    """One line of a notice."""

    word: str
    """The kind of the line, shown next to the colour, such as `error` or `note`."""
    text: str
    """What is wrong, where, and what to do."""
    code: str = ""
    """Code of the finding, which is shown before the text and links to its paragraph. Empty if there is none."""
    tone: str = "error"
    """`error`, `warning` or `quiet`."""
    link: str = ""
    """Address of the place that the line is about, for a link. Empty if there is none."""
    link_text: str = "Open"
    toolset: str = ""
    """A toolset to add. Empty if there is none."""
    offer: str = ""
    """The label of a button that imports the tools in the text. Empty if there is none."""
    line: int = 0
    """The line of the editor that it marks, from 1. 0 for none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticeView:
    """The lines of one notice."""

    lines: tuple[NoticeLine, ...] = ()
    """Empty draws nothing."""
    editor: str = ""
    """Element id of the code editor whose lines are marked. Empty if there is none."""


CLEAR = NoticeView()
MOST_LIMITS: Final = 3
"""Number of limits that are named; further ones are counted."""


def problem(error: WorkbenchError) -> NoticeView:
    """Show one of our errors as a line."""
    return NoticeView(lines=(NoticeLine(word="error", text=page_text(error)),))


def page_text(error: WorkbenchError) -> str:
    """Return an error as the page says it: with titles and buttons instead of ids and commands.

    An uploaded or prepared file is named without the server's folders.
    """
    match error:
        case NoSession():
            return "there is no such session; choose another one"
        case ForeignSession(title=title):
            named = f"session {title!r}" if title else "this session"
            return f'{named} belongs to somebody else; open it in Play and choose "Copy to my sessions"'
        case NoMessage():
            return "this session has no such message; reload the page"
        case OffBranch():
            return "this message is not on the branch that is shown; reload the page"
        case _:
            return without_folders(str(error))


def without_folders(text: str) -> str:
    """Return a text without the folders of files that were uploaded, or prepared for a download."""
    folder = tempfile.gettempdir()
    uploads = os.environ.get("GRADIO_TEMP_DIR") or str((Path(folder) / "gradio").resolve())
    return re.sub(rf"{re.escape(uploads)}/[^/]+/|{re.escape(folder)}/workbench-rows-[^/]+/", "", text)


def advice(text: str) -> NoticeView:
    """Show a note. An empty text shows nothing."""
    return NoticeView(lines=(NoticeLine(word="note", text=text, tone="quiet"),) if text else ())


def tool_findings(findings: Iterable[Finding]) -> NoticeView:
    """Show up to three findings about a tools text, with line and pointer, and the number of further ones."""
    all_findings = list(findings)
    lines = [
        NoticeLine(
            word=f"line {finding.line}" if finding.line else "tools",
            code=finding.code,
            text=finding.message + (f" ({finding.pointer})" if finding.pointer else ""),
            tone="error" if finding.severity == "error" else "quiet",
        )
        for finding in all_findings[:3]
    ]
    if more := len(all_findings) - len(lines):
        lines.append(NoticeLine(word="more", text=count(more, "more finding"), tone="quiet"))
    return NoticeView(lines=tuple(lines))


def grammar_advice(tools: OfferedTools) -> list[str]:
    """Return a line about the schema keywords that a grammar cannot enforce. Empty if it enforces all."""
    try:
        findings = unsupported_keywords(tools)
    except ConstraintFailed as error:
        return [f"The schemas cannot be turned into a grammar: {error.reason}."]
    limits = list(dict.fromkeys(_limit(tools, finding.pointer) for finding in findings if finding.pointer))
    places = ", ".join(limits[:MOST_LIMITS])
    more = f" and {count(len(limits) - MOST_LIMITS, 'other limit')}" if len(limits) > MOST_LIMITS else ""
    left_out = [
        f"{finding.message[0].upper()}{finding.message[1:]}." for finding in findings if not finding.pointer
    ]
    return [
        *left_out,
        *([f"Checked after the call, not while the model writes: {places}{more}."] if places else []),
    ]


def _limit(tools: OfferedTools, pointer: str) -> str:
    """Return a place of a schema in words: `minimum of items[].qty (create_order)`."""
    index, *_, keyword = parts = pointer_parts(pointer)
    path, inner = "", iter(parts[3:-1])
    for part in inner:
        path += f".{next(inner, '')}" if part == "properties" else "[]" if part == "items" else f".{part}"
    tool = tools.names[int(index)] if index.isdigit() and int(index) < len(tools.names) else ""
    of_path = f" of {path.lstrip('.')}" if path else ""
    return f"{keyword}{of_path}" + (f" ({tool})" if tool else "")
