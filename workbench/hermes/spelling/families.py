"""The template families, by name."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from workbench.errors import BadInput
from workbench.hermes.marks import HTML_ESCAPE, PYTHON_ESCAPE, TURN_CLOSE, TURN_OPEN
from workbench.hermes.spelling.family import (
    Family,
    FamilyRequirements,
    HeaderGap,
    ResultFrame,
    SystemFrame,
    SystemPlace,
    TrimmedTexts,
    encoding_json_call,
    json_call,
    python_call,
    python_record,
    sane_json_call,
    xml_call_json_collections,
    xml_call_json_values,
    xml_call_python_values,
)
from workbench.hermes.spelling.thoughts import (
    ignored_thought,
    recent_thought,
    recent_thought_always,
    written_thought,
)
from workbench.hermes.spelling.tools import (
    function_elements,
    json_array,
    json_lines,
    python_list,
    signature_findings,
    signature_lines,
)

HERMES_3_TOOLS: Final = (
    "You are a function calling AI model. You are provided with function signatures within "
    "<tools></tools> XML tags. You may call one or more functions to assist with the user query. Don't "
    "make assumptions about what values to plug into functions. Here are the available tools: <tools> "
    "{tools} </tools>Use the following pydantic model json schema for each tool call you will make: "
    '{"properties": {"name": {"title": "Name", "type": "string"}, "arguments": {"title": "Arguments", '
    '"type": "object"}}, "required": ["name", "arguments"], "title": "FunctionCall", "type": "object"}}\n'
    "For each function call return a json object with function name and arguments within "
    "<tool_call></tool_call> XML tags as follows:\n"
    "<tool_call>\n"
    '{"name": <function-name>, "arguments": <args-dict>}\n'
    "</tool_call>"
)
"""*Source:* tool_use template of https://huggingface.co/NousResearch/Hermes-3-Llama-3.1-8B"""

NOUS_PYTHON_TOOLS: Final = (
    "You are a function calling AI model. You are provided with function signatures within "
    "<tools></tools> XML tags. You may call one or more functions to assist with the user query. Don't "
    "make assumptions about what values to plug into functions. Here are the available tools: <tools> "
    "{tools} </tools> Use the following pydantic model json schema for each tool call you will make: "
    "{'title': 'FunctionCall', 'type': 'object', 'properties': {'arguments': {'title': 'Arguments', "
    "'type': 'object'}, 'name': {'title': 'Name', 'type': 'string'}}, 'required': ['arguments', 'name']} "
    "For each function call return a json object with function name and arguments within "
    "<tool_call></tool_call> XML tags as follows:\n"
    "<tool_call>\n"
    "{'arguments': <args-dict>, 'name': <function-name>}\n"
    "</tool_call>"
)
"""*Source:* README of https://github.com/NousResearch/Hermes-Function-Calling"""

QWEN_JSON_TOOLS: Final = (
    "# Tools\n\n"
    "You may call one or more functions to assist with the user query.\n\n"
    "You are provided with function signatures within <tools></tools> XML tags:\n"
    "<tools>\n{tools}\n</tools>\n\n"
    "For each function call, return a json object with function name and arguments within "
    "<tool_call></tool_call> XML tags:\n"
    "<tool_call>\n"
    '{"name": <function-name>, "arguments": <args-json-object>}\n'
    "</tool_call>"
)
"""*Source:* chat templates of Qwen2.5 and Qwen3."""

_QWEN_XML_RULES: Final = (
    "If you choose to call a function ONLY reply in the following format with NO suffix:\n\n"
    "<tool_call>\n<function=example_function_name>\n"
    "<parameter=example_parameter_1>\nvalue_1\n</parameter>\n"
    "<parameter=example_parameter_2>\n"
    "This is the value for the second parameter\nthat can span\nmultiple lines\n</parameter>\n"
    "</function>\n</tool_call>\n\n"
    "<IMPORTANT>\nReminder:\n"
    "- Function calls MUST follow the specified format: an inner <function=...></function> block must be "
    "nested within <tool_call></tool_call> XML tags\n"
    "- Required parameters MUST be specified\n"
    "- You may provide optional reasoning for your function call in natural language BEFORE the function "
    "call, but NOT after\n"
    "- If there is no function call available, answer the question like normal with your current knowledge "
    "and do not tell the user about function calls\n"
    "</IMPORTANT>"
)

QWEN_CODER_TOOLS: Final = (
    f"You have access to the following functions:\n\n<tools>\n{{tools}}\n</tools>\n\n{_QWEN_XML_RULES}"
)
"""*Source:* chat template of Qwen3-Coder."""

QWEN_36_TOOLS: Final = f"# Tools\n\n{QWEN_CODER_TOOLS}"
"""*Source:* chat templates of Qwen3.5 and Qwen3.6."""

PLAIN_TOOLS: Final = (
    "You can call tools. Their signatures stand within <tools></tools> tags:\n\n"
    "<tools>\n{tools}\n</tools>\n\n"
    "To call one, write a JSON object with its name and arguments within <tool_call></tool_call> tags:\n"
    "<tool_call>\n"
    '{"name": <tool-name>, "arguments": <arguments-object>}\n'
    "</tool_call>"
)
"""Our own wording, for the two families without a published template."""

QWEN_25_SYSTEM: Final = "You are Qwen, created by Alibaba Cloud. You are a helpful assistant."
"""*Source:* chat template of Qwen2.5."""
QWEN_CODER_SYSTEM: Final = (
    "You are Qwen, a helpful AI assistant that can interact with a computer to solve tasks."
)
"""*Source:* chat template of Qwen3-Coder."""


_NO_THOUGHT: Final = "<think>\n\n</think>\n\n"

_USER_RESULTS: Final = ResultFrame(
    open_turn=f"{TURN_OPEN}user",
    open_result="\n<tool_response>\n",
    close_result="\n</tool_response>",
    close_turn=f"{TURN_CLOSE}\n",
)

_HERMES_3: Final = Family(
    name="hermes-3",
    title="Hermes-2-Pro and Hermes-3, exactly as their tool_use template",
    render_tools=signature_lines,
    check_tools=signature_findings,
    system=SystemFrame(tools_text=HERMES_3_TOOLS, place=SystemPlace.OWN_TURN, writes_tools_always=True),
    render_call=json_call,
    pastes_calls=True,
    keeps_text_beside_calls=False,
    show_thought=ignored_thought,
    results=ResultFrame(
        open_turn=f"{TURN_OPEN}tool\n",
        open_result="<tool_response>\n",
        close_result="\n</tool_response>\n",
        close_last="\n</tool_response>",
        close_turn=TURN_CLOSE,
        header_gap=HeaderGap.AT_START,
    ),
    sane_name="hermes-3-sane",
)

_HERMES_3_SANE: Final = replace(
    _HERMES_3,
    name="hermes-3-sane",
    title="Hermes-3 with tools as valid JSON, without losing text or thoughts",
    render_tools=json_lines,
    check_tools=None,
    render_call=sane_json_call,
    pastes_calls=False,
    keeps_text_beside_calls=True,
    show_thought=written_thought,
    results=replace(
        _HERMES_3.results, close_last=None, close_turn=f"{TURN_CLOSE}\n", header_gap=HeaderGap.NOWHERE
    ),
    sane_name=None,
)

_NOUS_PYTHON: Final = Family(
    name="nous-python",
    title="Hermes-Function-Calling README: tools and calls as Python, arguments first",
    render_tools=python_list,
    tools_escape=PYTHON_ESCAPE,
    system=SystemFrame(tools_text=NOUS_PYTHON_TOOLS, place=SystemPlace.OWN_TURN, writes_tools_always=True),
    render_call=python_call,
    show_thought=written_thought,
    results=ResultFrame(
        open_turn=f"{TURN_OPEN}tool\n",
        open_result="<tool_response>\n",
        close_result="\n</tool_response>\n",
        close_turn=f"{TURN_CLOSE}\n",
        render=python_record,
    ),
    sane_name="hermes-3-sane",
)

_QWEN_25: Final = Family(
    name="qwen2.5",
    title="Qwen2.5: JSON lines, results in a user turn",
    render_tools=json_lines,
    system=SystemFrame(
        tools_text=QWEN_JSON_TOOLS,
        default_with_tools=QWEN_25_SYSTEM,
        default_without_tools=QWEN_25_SYSTEM,
    ),
    render_call=encoding_json_call,
    pastes_calls=True,
    encodes_text_arguments=True,
    needs=FamilyRequirements.MESSAGE,
    show_thought=ignored_thought,
    results=_USER_RESULTS,
    sane_name="qwen2.5-sane",
)

_QWEN_25_SANE: Final = replace(
    _QWEN_25,
    name="qwen2.5-sane",
    title="Qwen2.5 with arguments that are always an object, without losing thoughts",
    render_call=sane_json_call,
    pastes_calls=False,
    encodes_text_arguments=False,
    show_thought=written_thought,
    sane_name=None,
)

_QWEN_3: Final = Family(
    name="qwen3",
    title="Qwen3: JSON lines, thoughts only after the last question",
    render_tools=json_lines,
    system=SystemFrame(tools_text=QWEN_JSON_TOOLS),
    render_call=json_call,
    pastes_calls=True,
    refuses_null_content=True,
    needs=FamilyRequirements.MESSAGE,
    show_thought=recent_thought,
    results=_USER_RESULTS,
    no_thought_prompt=_NO_THOUGHT,
)

_QWEN_3_CODER: Final = Family(
    name="qwen3-coder",
    title="Qwen3-Coder: tools and calls as XML",
    dialect="xml",
    render_tools=function_elements,
    tools_escape=HTML_ESCAPE,
    system=SystemFrame(tools_text=QWEN_CODER_TOOLS, default_with_tools=QWEN_CODER_SYSTEM),
    render_call=xml_call_python_values,
    refuses_text_arguments=True,
    between_text_and_call="\n\n",
    trimmed=TrimmedTexts.BESIDE_CALLS,
    needs=FamilyRequirements.MESSAGE,
    show_thought=ignored_thought,
    results=ResultFrame(
        open_turn=f"{TURN_OPEN}user\n",
        open_result="<tool_response>\n",
        close_result="\n</tool_response>\n",
        close_turn=f"{TURN_CLOSE}\n",
        header_gap=HeaderGap.AFTER_SYSTEM,
    ),
)

_QWEN_36: Final = Family(
    name="qwen3.6",
    title="Qwen3.6: tools as JSON lines, calls as XML, completions start in a thought",
    dialect="xml",
    render_tools=json_lines,
    system=SystemFrame(tools_text=QWEN_36_TOOLS, place=SystemPlace.AFTER_TOOLS, allows_later_system=False),
    render_call=xml_call_json_values,
    refuses_text_arguments=True,
    between_text_and_call="\n\n",
    trimmed=TrimmedTexts.ALL,
    show_thought=recent_thought_always,
    results=replace(_USER_RESULTS, header_gap=HeaderGap.AT_START),
    needs=FamilyRequirements.QUERY,
    thought_prompt="<think>\n",
    no_thought_prompt=_NO_THOUGHT,
)

_QWEN_35: Final = replace(
    _QWEN_36,
    name="qwen3.5",
    title="Qwen3.5: as Qwen3.6, but true, false and null as Python",
    render_call=xml_call_json_collections,
)

_HERMES_LINES: Final = Family(
    name="hermes-lines",
    title="Hermes-FC: one tool per line, results in a user turn",
    render_tools=json_lines,
    system=SystemFrame(tools_text=PLAIN_TOOLS),
    render_call=sane_json_call,
    show_thought=written_thought,
    results=_USER_RESULTS,
)

_HERMES_ARRAY: Final = replace(
    _HERMES_LINES,
    name="hermes-array",
    title="l3m-backend: tools as a JSON array, results in a user turn",
    render_tools=json_array,
)

FAMILIES: Final[Mapping[str, Family]] = MappingProxyType(
    {
        family.name: family
        for family in (
            _HERMES_3,
            _HERMES_3_SANE,
            _NOUS_PYTHON,
            _QWEN_25,
            _QWEN_25_SANE,
            _QWEN_3,
            _QWEN_3_CODER,
            _QWEN_35,
            _QWEN_36,
            _HERMES_ARRAY,
            _HERMES_LINES,
        )
    }
)
"""By name, in the order in which they are listed."""


def family_named(name: str) -> Family:
    """Return the family with this name.

    Raises:
        BadInput: There is no family with this name.
    """
    if name not in FAMILIES:
        raise BadInput(f"family {name!r}", "there is no such family", f"use one of {', '.join(FAMILIES)}")
    return FAMILIES[name]
