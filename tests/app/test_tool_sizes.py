"""The size of tools in a prompt."""

from workbench.app.token_sheet import tool_sizes
from workbench.hermes.spelling.families import FAMILIES
from workbench.toolspec.spec import OfferedTools, ToolSpec

SPEC = ToolSpec.of_function(
    {"name": "f", "description": "Does it.", "parameters": {"type": "object", "properties": {}}}
)


def test_each_family_has_a_size_and_the_shortest_comes_first():
    sizes = tool_sizes(OfferedTools(specs=(SPEC,)), count=lambda text: len(text.split()))
    assert sorted(name for size in sizes for name in size.families) == sorted(FAMILIES)
    assert [size.chars for size in sizes] == sorted(size.chars for size in sizes)
    assert all(size.tokens for size in sizes)
    assert len({size.chars for size in sizes}) > 1


def test_without_a_model_there_are_no_token_counts():
    assert {size.tokens for size in tool_sizes(OfferedTools(specs=(SPEC,)), count=None)} == {None}
