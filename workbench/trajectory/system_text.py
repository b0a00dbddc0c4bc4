"""Add tools to a system text, and separate them from the row's own text again."""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final, NamedTuple

from workbench.hermes.reading import Dialect
from workbench.hermes.spelling.families import FAMILIES
from workbench.hermes.spelling.tools import json_array, template_json
from workbench.toolspec.spec import OfferedTools

_AGENT_TEXT: Final = (
    "You are a function calling AI model. You are provided with function signatures within <tools> </tools> "
    "XML tags. You may call one or more functions to assist with the user query. If available tools are not "
    "relevant in assisting with user query, just respond in natural conversational language. Don't make "
    "assumptions about what values to plug into functions. After calling & executing the functions, you will "
    "be provided with function results within <tool_response> </tool_response> XML tags. Here are the "
    "available tools:\n"
    "<tools>\n{tools}\n</tools>\n"
    "For each function call return a JSON object, with the following pydantic model json schema for each:\n"
    "{'title': 'FunctionCall', 'type': 'object', 'properties': {'name': {'title': 'Name', 'type': 'string'}, "
    "'arguments': {'title': 'Arguments', 'type': 'object'}}, 'required': ['name', 'arguments']}\n"
    "Each function call should be enclosed within <tool_call> </tool_call> XML tags.\n"
    "Example:\n"
    "<tool_call>\n"
    "{'name': <function-name>,'arguments': <args-dict>}\n"
    "</tool_call>"
)
"""*Source:* `_convert_to_trajectory_format` in `batch_runner.py` of hermes-agent."""
_GAP: Final = "\n\n"
_LIST: Final = re.compile(r"<tools>\s*+[\[{<].*?</tools>", re.DOTALL)
"""Tools within tags. The sentences around them mention `<tools> </tools>` with nothing inside."""
_CALL_CLOSE: Final = "</tool_call>"
_JSON_EXAMPLE: Final = re.compile(r"<tool_call>\s*+[{\[]")
_XML_EXAMPLE: Final = "<function="


class PromptFrame(NamedTuple):
    """The text around the list of tools in a system text."""

    before: str
    after: str
    spell: Callable[[OfferedTools], str]


class SplitText(NamedTuple):
    """A system text, separated into the row's own text and the frame around the tools."""

    own: str
    """The row's own text; empty if the system text is only the frame."""
    frame: str
    """Name of the frame; empty if none was found."""


def agent_tools(tools: OfferedTools) -> str:
    """Write the tools as hermes-agent lists them: bare functions with `"required": null`.

    *Source:* `_format_tools_for_system_message` of hermes-agent.
    """
    listed = [
        {
            "name": spec.name,
            "description": spec.description,
            "parameters": spec.function.get("parameters", {}),
            "required": None,
        }
        for spec in tools.specs
    ]
    return template_json(listed)


def compose_system(own: str, tools: OfferedTools, frame: str) -> str:
    """Return a system text that lists `tools` within `frame`, followed by `own`."""
    sentences = FRAMES[frame]
    text = sentences.before + sentences.spell(tools) + sentences.after
    return text + _GAP + own if own else text


def form_of_examples(text: str) -> Dialect | None:
    """Return the form of calls that a system text asks for by its examples; None if they show none or both.

    >>> form_of_examples("Answer with <tool_call>\\n{'name': <name>}\\n</tool_call>.").value
    'json'
    """
    shows_xml, shows_json = _XML_EXAMPLE in text, _JSON_EXAMPLE.search(text) is not None
    if shows_xml is shows_json:
        return None
    return Dialect.XML if shows_xml else Dialect.JSON


def split_system(text: str) -> SplitText:
    """Remove the frame from the beginning or the end of `text`, where an empty line separates them.

    >>> split_system("Be brief.")
    SplitText(own='Be brief.', frame='')
    """
    return _split_cached(text) if len(text) <= _MAX_CACHED_CHARS else _split(text)


def _split(text: str) -> SplitText:
    for name, frame in _LONGEST_FIRST:
        start = text.find(frame.before)
        end = text.find(frame.after, start + len(frame.before)) if start >= 0 else -1
        if end < 0:
            continue
        before, after = text[:start], text[end + len(frame.after) :]
        if not before and (not after or after.startswith(_GAP)):
            return SplitText(after.removeprefix(_GAP), name)
        if not after and before.endswith(_GAP):
            return SplitText(before.removesuffix(_GAP), name)
    return SplitText(text, "")


_MAX_CACHED_CHARS: Final = 50_000
_split_cached: Final = lru_cache(maxsize=250)(_split)
"""Rows of one dataset have the same system text again and again."""


def without_tool_list(text: str) -> str | None:
    """Remove the list of tools and the sentences around it from a system text; None if there is no list.

    The sentences go from the beginning of the paragraph with the list to the end of the line after the last
    `</tool_call>` that follows it, because prompts end with an example of a call.

    >>> without_tool_list('Be brief.\\n\\nUse <tools>[{"name": "f"}]</tools> in <tool_call></tool_call> tags.')
    'Be brief.'
    """
    found = _LIST.search(text)
    if not found:
        return None
    start = text.rfind(_GAP, 0, found.start())
    start = 0 if start < 0 else start + len(_GAP)
    last_call = text.rfind(_CALL_CLOSE, found.end())
    end = last_call + len(_CALL_CLOSE) if last_call >= 0 else found.end()
    line_end = text.find("\n", end)
    end = len(text) if line_end < 0 else line_end
    return _GAP.join(part for part in (text[:start].strip(), text[end:].strip()) if part)


def _frames() -> dict[str, PromptFrame]:
    frames = {
        "hermes-array": _frame(_AGENT_TEXT, json_array),
        "hermes-agent": _frame(_AGENT_TEXT, agent_tools),
    }
    for family in FAMILIES.values():
        frames[f"template-{family.name}"] = _frame(family.system.tools_text, family.render_tools)
    return frames


def _frame(text: str, spell: Callable[[OfferedTools], str]) -> PromptFrame:
    before, after = text.split("{tools}")
    return PromptFrame(before, after, spell)


FRAMES: Final[Mapping[str, PromptFrame]] = MappingProxyType(_frames())
"""By name. `hermes-array` is hermes-agent's text with complete specs, so that no key of them is lost."""
_LONGEST_FIRST: Final = tuple(sorted(FRAMES.items(), key=lambda item: -len(item[1].before)))
"""Longest first, because one frame may begin in the middle of another."""
