"""Parsing the tool choice that a person entered."""

import pytest

from workbench.errors import BadInput
from workbench.rollout.ports import ChoiceKind, ToolChoice, parse_tool_choice
from workbench.toolspec.spec import OfferedTools, ToolSpec

TOOLS = OfferedTools(specs=(ToolSpec.of_function({"name": "now"}),))


@pytest.mark.parametrize(
    ("text", "choice"),
    [
        ("none", ToolChoice(kind=ChoiceKind.NONE)),
        ("auto", ToolChoice(kind=ChoiceKind.AUTO)),
        ("required", ToolChoice(kind=ChoiceKind.REQUIRED)),
        ("now", ToolChoice(kind=ChoiceKind.NAMED, tool="now")),
    ],
)
def test_each_text_is_parsed_and_printed_as_the_same_text(text, choice):
    assert parse_tool_choice(text, TOOLS) == choice
    assert str(choice) == text


def test_an_unknown_tool_is_reported_with_the_known_ones():
    with pytest.raises(BadInput, match=r"no tool 'later'.*now"):
        parse_tool_choice("later", TOOLS)


def test_required_without_tools_is_refused():
    with pytest.raises(BadInput, match="turn a tool on"):
        parse_tool_choice("required", OfferedTools())
