"""Parse a pasted completion and show everything about it."""

from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from workbench.chat.finding import Finding
from workbench.hermes.parse import parse
from workbench.hermes.parser_comparison import differ
from workbench.toolspec.spec import OfferedTools
from workbench.toolspec.tools_text import read_tools
from workbench.ui.present.inspect import CallsView, FixesView, show_calls, show_fixes
from workbench.ui.present.notices import CLEAR, NoticeLine, NoticeView, advice
from workbench.ui.present.parsers import ParserComparisonView, show_differ
from workbench.ui.present.read_text import ReadTextView, show_read_text
from workbench.ui.present.tool_import import tool_lines

NO_CALLS_YET: Final = "The tool calls of the completion appear here, checked against the tools' schemas."
NO_FIXES_YET: Final = (
    "Fixes appear below the calls with the text before and after, then what other parsers, such as vLLM's and "
    "SGLang's, would lose."
)


class PastedFields(NamedTuple):
    """The values of the tab's fields, in the order in which the fields are wired."""

    text: str
    tools_text: str
    """The tools as JSON. Blank if tool names are not checked."""
    dialect: str
    """`auto`, `json` or `xml`."""
    level: str
    """`strict`, `tolerant` or `lenient`."""
    finish_reason: str
    """`stop` or `length`."""
    starts_in_thought: bool
    """Whether the prompt ended inside a thought."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PastedView:
    """Everything that the tab shows about a text."""

    read: ReadTextView
    calls: CallsView
    fixes: FixesView
    differ: ParserComparisonView
    """The results of other parsers."""
    tools: NoticeView = CLEAR


NOTHING: Final = PastedView(
    read=ReadTextView(),
    calls=CallsView(hint=NO_CALLS_YET),
    fixes=FixesView(hint=NO_FIXES_YET),
    differ=ParserComparisonView(),
)
"""Shown while the editor is empty."""


def show_pasted(fields: PastedFields) -> PastedView:
    """Show how the text is parsed, by us and by other parsers."""
    tools, notice = _tools(fields.tools_text)
    if not fields.text:
        return replace(NOTHING, tools=notice)
    reading = parse(
        fields.text,
        tools=tools,
        dialect=fields.dialect,
        level=fields.level,
        finish_reason=fields.finish_reason,
        starts_in_thought=fields.starts_in_thought,
    )
    return PastedView(
        read=show_read_text(reading),
        calls=show_calls(reading),
        fixes=show_fixes(reading),
        differ=show_differ(differ(fields.text, tools)),
        tools=notice,
    )


def _tools(text: str) -> tuple[OfferedTools | None, NoticeView]:
    """Return the tools to check names against, or None to check no names, with a notice about them."""
    if not text.strip():
        return None, advice("No tools: names and arguments are not checked.")
    tools = read_tools(text)
    lines = tool_lines(text, tools)
    if isinstance(tools, Finding):
        note = NoticeLine(word="note", text="Names are not checked until this is fixed.", tone="quiet")
        return None, NoticeView(lines=(*lines, note))
    if lines:
        return tools, NoticeView(lines=lines)
    return tools, advice("" if tools.specs else "The list is empty: every tool name is unknown.")
