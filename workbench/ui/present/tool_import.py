"""Offer to import tools that are pasted in another form, and write them as a JSON array in their place."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from workbench.chat.finding import Finding, Severity
from workbench.chat.json_value import pointer_parts
from workbench.errors import BadInput
from workbench.toolspec.importers.chat_apis import SCHEMA_KEYS, ImportedTools
from workbench.toolspec.importers.read import import_tools
from workbench.toolspec.spec import OfferedTools, ToolSpec
from workbench.toolspec.tools_text import render_tools
from workbench.ui.present.notices import NoticeLine, tool_findings

OTHER_FORM: Final = "The tools are in another form than a JSON array of OpenAI's tools."


class ToolsInPlace(NamedTuple):
    """Imported tools, which replace the text that they were pasted as."""

    text: str
    """A JSON array."""
    note: str
    """A sentence to show beside Undo. It names the tools that were left out."""


def import_in_place(text: str) -> ToolsInPlace:
    """Write the tools in a text of another form as a JSON array.

    Raises:
        BadInput: The form is not supported, or no tool can be used.
    """
    imported = import_tools(text)
    note = "The imported tools replaced your text."
    if faults := left_out(imported):
        note += f" Left out: {'; '.join(faults)}."
    return ToolsInPlace(render_tools(imported.tools), note)


def tool_lines(text: str, tools: OfferedTools | Finding) -> tuple[NoticeLine, ...]:
    """Return the lines about a text of tools: an offer to import it if it is in another form, and its findings.

    Args:
        text: The text.
        tools: What `read_tools` made of it.
    """
    is_array = isinstance(tools, OfferedTools)
    others = [spec.name for spec in tools.specs if _has_other_key(spec)] if is_array else []
    # Such as an OpenAPI file, Python functions, or Gemini's array of objects with `functionDeclarations`.
    is_unusable = not is_array or bool(tools.findings and not tools.specs)
    lines = tool_findings(tools.findings if is_array else (tools,)).lines
    if not (others or is_unusable) or not (offer := import_offer(text)):
        return lines
    sentence = OTHER_FORM
    if not is_unusable:
        names = ", ".join(others)
        sentence = f"The parameters of {names} are not read, because they are in another form than OpenAI's."
    line = NoticeLine(word="tools", text=sentence, tone="warning", offer=offer)
    # A text that begins like a JSON array may only lack a comma or have one too many.
    is_other_form = is_unusable and (is_array or not text.lstrip().startswith("["))
    return (line,) if is_other_form else (line, *lines)


def _has_other_key(spec: ToolSpec) -> bool:
    return not spec.parameters and not spec.function.keys().isdisjoint(SCHEMA_KEYS.values())


def import_offer(text: str, *, fewest: int = 1) -> str:
    """Return the label of the button that imports the tools in a text. Empty if there are none to import.

    Args:
        text: The text.
        fewest: How many tools must be in it, usable or not.
    """
    try:
        imported = import_tools(text)
    except BadInput:
        return ""
    usable, broken = len(imported.tools.specs), len(left_out(imported))
    if usable + broken < fewest:
        return ""
    if broken:
        return f"Import {usable} of {usable + broken} tools"
    return f"Import these {usable} tools" if usable > 1 else "Import this tool"


def left_out(imported: ImportedTools) -> Sequence[str]:
    """Return the first fault of each tool that an import left out."""
    faults: dict[str, str] = {}
    for finding in imported.findings:
        if finding.severity is Severity.ERROR and finding.pointer:
            faults.setdefault(pointer_parts(finding.pointer)[0], finding.message)
    return [*faults.values()]
