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

NO_ARRAY: Final = "These tools are in another form than a JSON array."
OTHER_KEYS: Final = "These tools are in another form than OpenAI's, so their parameters are not read."


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
    """Return the lines about a text of tools: an offer to import it if it is in another form, otherwise its findings.

    Args:
        tools: What `read_tools` made of the text.
    """
    is_array = isinstance(tools, OfferedTools)
    # Such as the tools of an OpenAPI file, of Python functions, or an answer to `tools/list`.
    if (not is_array or _has_other_keys(tools)) and (offer := import_offer(text)):
        sentence = OTHER_KEYS if is_array else NO_ARRAY
        return (NoticeLine(word="tools", text=sentence, tone="warning", offer=offer),)
    return tool_findings(tools.findings if is_array else (tools,)).lines


def _has_other_keys(tools: OfferedTools) -> bool:
    """Return whether the schemas of an array have keys of another API, or all its tools are unusable as they are.

    The latter is Gemini's form, an array of objects with `functionDeclarations`.
    """
    return any(map(_has_other_key, tools.specs)) or bool(tools.findings and not tools.specs)


def _has_other_key(spec: ToolSpec) -> bool:
    return not spec.parameters and not spec.function.keys().isdisjoint(SCHEMA_KEYS.values())


def import_offer(text: str) -> str:
    """Return the label of the button that imports the tools in a text. Empty if there is only one tool, or none."""
    try:
        imported = import_tools(text)
    except BadInput:
        return ""
    usable, broken = len(imported.tools.specs), len(left_out(imported))
    if usable + broken < 2:
        return ""
    return f"Import {usable} of {usable + broken} tools" if broken else f"Import these {usable} tools"


def left_out(imported: ImportedTools) -> Sequence[str]:
    """Return the first fault of each tool that an import left out."""
    faults: dict[str, str] = {}
    for finding in imported.findings:
        if finding.severity is Severity.ERROR and finding.pointer:
            faults.setdefault(pointer_parts(finding.pointer)[0], finding.message)
    return [*faults.values()]
