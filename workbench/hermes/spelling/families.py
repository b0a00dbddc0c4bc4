"""The render families, by name."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from workbench.errors import BadInput
from workbench.hermes.spelling import texts
from workbench.hermes.spelling.calls import (
    encoding_json_call,
    json_call,
    python_call,
    sane_json_call,
    xml_call_json_values,
    xml_call_python_values,
)
from workbench.hermes.spelling.chatml import HTML_ESCAPE, PYTHON_ESCAPE, TURN_CLOSE, TURN_OPEN
from workbench.hermes.spelling.family import (
    Family,
    HeaderGap,
    Needs,
    ResultFrame,
    SystemFrame,
    SystemPlace,
    Trimmed,
)
from workbench.hermes.spelling.results import python_record
from workbench.hermes.spelling.thoughts import (
    ignored_thought,
    recent_thought,
    recent_thought_always,
    written_thought,
)
from workbench.hermes.spelling.tools import json_array, json_lines, python_list
from workbench.hermes.spelling.tools_signature import signature_findings, signature_lines
from workbench.hermes.spelling.tools_xml import function_elements

_NO_THOUGHT: Final = "<think>\n\n</think>\n\n"

_USER_RESULTS: Final = ResultFrame(
    open_turn=f"{TURN_OPEN}user",
    open_result="\n<tool_response>\n",
    close_result="\n</tool_response>",
    close_turn=f"{TURN_CLOSE}\n",
)

_HERMES_3: Final = Family(
    name="hermes-3",
    title="Hermes-2-Pro and Hermes-3, as their tool_use template writes it",
    spell_tools=signature_lines,
    check_tools=signature_findings,
    system=SystemFrame(tools_text=texts.HERMES_3_TOOLS, place=SystemPlace.OWN_TURN, writes_tools_always=True),
    spell_call=json_call,
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
    title="Hermes-3 with tool lines that are JSON, and nothing lost",
    spell_tools=json_lines,
    check_tools=None,
    spell_call=sane_json_call,
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
    title="The Hermes-Function-Calling README: Python's spelling, arguments first",
    spell_tools=python_list,
    tools_escape=PYTHON_ESCAPE,
    system=SystemFrame(
        tools_text=texts.NOUS_PYTHON_TOOLS, place=SystemPlace.OWN_TURN, writes_tools_always=True
    ),
    spell_call=python_call,
    show_thought=written_thought,
    results=ResultFrame(
        open_turn=f"{TURN_OPEN}tool\n",
        open_result="<tool_response>\n",
        close_result="\n</tool_response>\n",
        close_turn=f"{TURN_CLOSE}\n",
        spell=python_record,
    ),
    sane_name="hermes-3-sane",
)

_QWEN_25: Final = Family(
    name="qwen2.5",
    title="Qwen2.5: JSON lines, results in a user turn",
    spell_tools=json_lines,
    system=SystemFrame(
        tools_text=texts.QWEN_JSON_TOOLS,
        default_with_tools=texts.QWEN_25_SYSTEM,
        default_without_tools=texts.QWEN_25_SYSTEM,
    ),
    spell_call=encoding_json_call,
    pastes_calls=True,
    encodes_text_arguments=True,
    needs=Needs.MESSAGE,
    show_thought=ignored_thought,
    results=_USER_RESULTS,
    sane_name="qwen2.5-sane",
)

_QWEN_25_SANE: Final = replace(
    _QWEN_25,
    name="qwen2.5-sane",
    title="Qwen2.5 with arguments that are always an object, and thoughts kept",
    spell_call=sane_json_call,
    pastes_calls=False,
    encodes_text_arguments=False,
    show_thought=written_thought,
    sane_name=None,
)

_QWEN_3: Final = Family(
    name="qwen3",
    title="Qwen3: JSON lines, thoughts kept behind the last query",
    spell_tools=json_lines,
    system=SystemFrame(tools_text=texts.QWEN_JSON_TOOLS),
    spell_call=json_call,
    pastes_calls=True,
    needs=Needs.MESSAGE,
    show_thought=recent_thought,
    results=_USER_RESULTS,
    no_thought_prompt=_NO_THOUGHT,
)

_QWEN_3_CODER: Final = Family(
    name="qwen3-coder",
    title="Qwen3-Coder: tools and calls as XML",
    dialect="xml",
    spell_tools=function_elements,
    tools_escape=HTML_ESCAPE,
    system=SystemFrame(tools_text=texts.QWEN_CODER_TOOLS, default_with_tools=texts.QWEN_CODER_SYSTEM),
    spell_call=xml_call_python_values,
    refuses_text_arguments=True,
    between_text_and_call="\n\n",
    trimmed=Trimmed.BESIDE_CALLS,
    needs=Needs.MESSAGE,
    show_thought=ignored_thought,
    results=ResultFrame(
        open_turn=f"{TURN_OPEN}user\n",
        open_result="<tool_response>\n",
        close_result="\n</tool_response>\n",
        close_turn=f"{TURN_CLOSE}\n",
        header_gap=HeaderGap.BEHIND_SYSTEM,
    ),
)

_QWEN_36: Final = Family(
    name="qwen3.6",
    title="Qwen3.6: tools as JSON lines, calls as XML, the completion begins in a thought",
    dialect="xml",
    spell_tools=json_lines,
    system=SystemFrame(
        tools_text=texts.QWEN_36_TOOLS, place=SystemPlace.AFTER_TOOLS, allows_later_system=False
    ),
    spell_call=xml_call_json_values,
    refuses_text_arguments=True,
    between_text_and_call="\n\n",
    trimmed=Trimmed.ALL,
    show_thought=recent_thought_always,
    results=replace(_USER_RESULTS, header_gap=HeaderGap.AT_START),
    needs=Needs.QUERY,
    thought_prompt="<think>\n",
    no_thought_prompt=_NO_THOUGHT,
)

_HERMES_LINES: Final = Family(
    name="hermes-lines",
    title="Hermes as seed 001 tells it: one tool a line, results in a user turn",
    spell_tools=json_lines,
    system=SystemFrame(tools_text=texts.PLAIN_TOOLS),
    spell_call=sane_json_call,
    show_thought=written_thought,
    results=_USER_RESULTS,
)

_HERMES_ARRAY: Final = replace(
    _HERMES_LINES,
    name="hermes-array",
    title="Hermes as seed 000 tells it: tools as a JSON array, results in a user turn",
    spell_tools=json_array,
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
            _QWEN_36,
            _HERMES_ARRAY,
            _HERMES_LINES,
        )
    }
)
"""By name, in the order in which people are shown them."""


def family_named(name: str) -> Family:
    """The family.

    Raises:
        BadInput: There is none of that name.
    """
    if name not in FAMILIES:
        raise BadInput(f"family {name!r}", "there is no such family", f"use one of {', '.join(FAMILIES)}")
    return FAMILIES[name]
