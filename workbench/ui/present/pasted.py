"""A pasted completion: how it is parsed, and everything shown about it."""

from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from workbench.hermes.parse import parse
from workbench.hermes.parser_comparison import differ
from workbench.toolspec.spec import OfferedTools
from workbench.toolspec.tools_text import check_tools_text, parse_tools
from workbench.ui.present.inspect import CallsView, FixesView, show_calls, show_fixes
from workbench.ui.present.notices import CLEAR, NoticeLine, NoticeView, advice, tool_findings
from workbench.ui.present.parsers import ParserComparisonView, show_differ
from workbench.ui.present.read_text import ReadTextView, show_read_text

NO_CALLS_YET: Final = "The calls of the completion stand here, with what the tools' schemas say of them."
NO_FIXES_YET: Final = (
    "Below them each repair, before and after, and what vLLM, SGLang and the seeds would have lost."
)


class PastedFields(NamedTuple):
    """What stands in the tab's fields, in the order in which they are wired."""

    text: str
    tools_text: str
    """JSON; blank where names are not checked."""
    dialect: str
    """auto, json or xml."""
    level: str
    """strict, tolerant or lenient."""
    finish_reason: str
    """stop or length."""
    starts_in_thought: bool
    """Whether the prompt ended inside a thought."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PastedView:
    """All that the tab shows of a text."""

    read: ReadTextView
    calls: CallsView
    fixes: FixesView
    differ: ParserComparisonView
    """What others would have read."""
    tools: NoticeView = CLEAR


NOTHING: Final = PastedView(
    read=ReadTextView(),
    calls=CallsView(hint=NO_CALLS_YET),
    fixes=FixesView(hint=NO_FIXES_YET),
    differ=ParserComparisonView(),
)
"""What is shown while nothing was pasted."""


def show_pasted(fields: PastedFields) -> PastedView:
    """The text as it is read, and as others would have read it."""
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
    """The tools that names are checked against, and a line on them."""
    if not text.strip():
        return None, advice("No tools: names and arguments are not checked.")
    findings = check_tools_text(text)
    if findings:
        lines = tool_findings(findings).lines
        told = NoticeLine(word="note", text="Until then names are not checked.", tone="quiet")
        return None, NoticeView(lines=(*lines, told))
    tools = parse_tools(text)
    return tools, advice("" if tools.specs else "An empty list: every name is unknown.")
