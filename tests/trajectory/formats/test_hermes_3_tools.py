"""The tool lines of Hermes-3 in system texts are read as published, and with the brace that earlier versions wrote."""

from typing import Any

import pytest

from workbench.chat.message import Conversation, Message, Role
from workbench.hermes.render import render
from workbench.hermes.spelling.tools import closed_signature_lines, signature_lines
from workbench.toolspec.spec import OfferedTools, ToolSpec
from workbench.trajectory.formats.known import detect_format
from workbench.trajectory.row import TrainingRow
from workbench.trajectory.system_text import compose_system, split_system, without_tool_list

CITY: dict[str, Any] = {
    "name": "get_weather",
    "description": 'The "current" weather,\nor a forecast {like this}',
    "parameters": {
        "type": "object",
        "properties": {"city": {"type": "string", "description": "A city"}, "days": {"type": "integer"}},
        "required": ["city"],
    },
}
NOW: dict[str, Any] = {"name": "now", "description": "Now", "parameters": {}}
DEEP: dict[str, Any] = {
    "name": "deep",
    "description": "Nested",
    "parameters": {
        "type": "object",
        "properties": {"a": {"type": "object", "properties": {"b": {"type": "array", "items": {}}}}},
    },
}
EXAMPLE: dict[str, Any] = {
    "name": "save",
    "description": "Saves a tool",
    "parameters": {
        "type": "object",
        "properties": {
            "tools": {"type": "array", "default": [{"type": "function", "function": {"name": "x"}}]}
        },
    },
}


def offered(*functions: dict[str, Any]) -> OfferedTools:
    return OfferedTools(specs=tuple(ToolSpec.of_function(function) for function in functions))


def earlier(text: str, tools: OfferedTools) -> str:
    """Return the text as a version wrote it that closed every brace."""
    assert signature_lines(tools) in text
    return text.replace(signature_lines(tools), closed_signature_lines(tools))


def read(row: dict[str, Any]) -> TrainingRow:
    form = detect_format(row)
    assert form is not None
    return form.read(row)


def sharegpt(system: str) -> TrainingRow:
    return read(
        {
            "conversations": [
                {"from": "system", "value": system},
                {"from": "human", "value": "Hi"},
                {"from": "gpt", "value": "Hello."},
            ]
        }
    )


ALL = [
    offered(CITY),
    offered(NOW),
    offered(DEEP, NOW),
    offered(CITY, NOW, DEEP),
    offered(NOW, EXAMPLE, CITY),
    offered(EXAMPLE, EXAMPLE | {"name": "other"}),
]
IDS = ["-".join(tools.names) for tools in ALL]


@pytest.mark.parametrize("tools", ALL, ids=IDS)
@pytest.mark.parametrize("is_earlier", [False, True], ids=["published", "earlier"])
def test_tools_of_a_system_text_are_read_with_their_schemas(tools: OfferedTools, *, is_earlier: bool) -> None:
    text = compose_system("Be brief.", tools, "template-hermes-3")
    text = earlier(text, tools) if is_earlier else text
    row = sharegpt(text)
    assert row.findings == ()
    assert row.tools.names == tools.names
    assert [spec.parameters for spec in row.tools.specs] == [spec.parameters for spec in tools.specs]
    assert split_system(text).own == without_tool_list(text) == "Be brief."


@pytest.mark.parametrize("is_earlier", [False, True], ids=["published", "earlier"])
def test_tools_of_a_rendered_prompt_are_read(*, is_earlier: bool) -> None:
    tools = offered(CITY, NOW)
    asked = Conversation(
        messages=(Message(role=Role.USER, text="Hi"), Message(role=Role.ASSISTANT, text="Hello."))
    )
    text = render(asked, family="hermes-3", tools=tools, generation_prompt=False).text
    row = read({"text": earlier(text, tools) if is_earlier else text})
    assert row.format == "raw"
    assert row.findings == ()
    assert row.tools.names == tools.names


@pytest.mark.parametrize(
    "body",
    [
        '{"type": "function", "function": {"name": "f", "parameters": {"type": "object"',
        '{"type": "function", "function": {"name": "f", "description": "cut',
        '{"type": "function", "function": {"name": "f"}\n{"type": "function", "function": {"name": "g", "parame',
        'See: {"type": "function", "function": {"name": "f"}',
        '{"name": "f", "parameters": {}',
        '[{"type": "function", "function": {"name": "f"}',
    ],
)
def test_tools_that_are_cut_off_are_not_completed(body: str) -> None:
    row = sharegpt(f"<tools> {body} </tools>")
    assert row.tools.specs == ()
