"""The reader finds the same calls in what a family rendered, as far as the format can express them."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.hermes.readings import calls_of
from workbench.chat.message import Conversation, Message, Role, ToolCall
from workbench.hermes.parse import parse
from workbench.hermes.reading import Reading
from workbench.hermes.render import render
from workbench.hermes.spelling.families import FAMILIES
from workbench.hermes.spelling.family import Family
from workbench.toolspec.spec import OfferedTools, ToolSpec

relaxed = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
HEADER = "<|im_start|>assistant\n"
PYTHON = [family for family in FAMILIES.values() if family.name == "nous-python"]
JSON = [family for family in FAMILIES.values() if family.dialect == "json" and family not in PYTHON]
XML = [family for family in FAMILIES.values() if family.dialect == "xml"]
XML_TAGS = ("<parameter=", "</parameter>", "<function=", "</function>", "tool_call>")

names = st.from_regex(r"[A-Za-z_][A-Za-z0-9_.-]{0,20}", fullmatch=True).filter(
    lambda name: not name.startswith("functions.")
)
marks = st.sampled_from(
    ["</tool_call>", "<tool_call>", "<|im_end|>", "</think>", "<tool_call>\n{", '"', "'", "\\", "\n", "```"]
)
texts = st.lists(st.text(max_size=8) | marks, max_size=5).map("".join)
# Python escapes unprintable characters in ways that JSON does not have, such as \x7f.
printable = texts.map(lambda text: "".join(char for char in text if char.isprintable() or char == "\n"))
scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(10**18), 10**18)
    | st.floats(allow_nan=False, allow_infinity=False)
)


def values(leaves: st.SearchStrategy[str]) -> st.SearchStrategy[Any]:
    return st.recursive(
        scalars | leaves,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(leaves, inner, max_size=3),
        max_leaves=8,
    )


def calls(arguments: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[list[ToolCall]]:
    return st.lists(st.builds(ToolCall, name=names, arguments=arguments), min_size=1, max_size=3)


def reread(family: Family, rendered_calls: list[ToolCall], **options: Any) -> Reading:
    """Parse the assistant's turn as `family` renders it, including the framing after the calls."""
    messages = (
        Message(role=Role.USER, text="Hi"),
        Message(role=Role.ASSISTANT, text="", calls=tuple(rendered_calls)),
    )
    prompt = render(
        Conversation(messages=messages), family=family, has_contract=True, generation_prompt=False
    )
    turn = next(part for part in prompt.parts if part.message_index == 1)
    text = turn.span.of(prompt.text)
    assert text.startswith(HEADER)
    return parse(text.removeprefix(HEADER), dialect=family.dialect, **options)


def assert_same(reading: Reading, rendered_calls: list[ToolCall]) -> None:
    assert calls_of(reading) == [(call.name, call.arguments) for call in rendered_calls]


def of(families: list[Family]) -> pytest.MarkDecorator:
    assert families
    return pytest.mark.parametrize("family", families, ids=lambda family: family.name)


@pytest.mark.slow
@of(JSON)
@relaxed
@given(rendered_calls=calls(st.dictionaries(texts, values(texts), max_size=3)))
def test_rendered_json_calls_are_read_at_the_strict_level(
    family: Family, rendered_calls: list[ToolCall]
) -> None:
    reading = reread(family, rendered_calls, level="strict")
    assert_same(reading, rendered_calls)
    assert reading.findings == ()


@of(PYTHON)
@relaxed
@given(rendered_calls=calls(st.dictionaries(printable, values(printable), max_size=3)))
def test_rendered_python_calls_need_only_the_fixes_for_python_syntax(
    family: Family, rendered_calls: list[ToolCall]
) -> None:
    reading = reread(family, rendered_calls)
    assert_same(reading, rendered_calls)
    assert {fix.code for fix in reading.fixes} <= {"python-literal", "python-constant"}


def can_be_a_value(text: str) -> bool:
    """Return whether XML can hold a text: it cannot escape its own tags, and `\\r\\n` at the end is the template's."""
    return not any(tag in text for tag in XML_TAGS) and not text.endswith("\r")


xml_texts = texts.filter(can_be_a_value)
xml_plain = st.dictionaries(names, xml_texts, max_size=3)
typed = (
    scalars
    | st.lists(values(printable), max_size=3)
    | st.dictionaries(printable, values(printable), max_size=3)
)


@of(XML)
@relaxed
@given(rendered_calls=calls(xml_plain))
def test_rendered_xml_calls_with_text_are_read_at_the_strict_level(
    family: Family, rendered_calls: list[ToolCall]
) -> None:
    reading = reread(family, rendered_calls, level="strict")
    assert_same(reading, rendered_calls)
    assert reading.findings == ()


def type_of(value: Any) -> str:
    kinds = {
        type(None): "null",
        bool: "boolean",
        int: "integer",
        float: "number",
        list: "array",
        dict: "object",
    }
    return kinds[type(value)]


@of(XML)
@relaxed
@given(
    name=names,
    arguments=st.dictionaries(names, typed.filter(lambda value: can_be_a_value(str(value))), max_size=4),
)
def test_rendered_xml_calls_with_typed_values_are_read_at_the_strict_level(
    family: Family, name: str, arguments: dict[str, Any]
) -> None:
    properties = {key: {"type": type_of(value)} for key, value in arguments.items()}
    spec = ToolSpec.of_function({"name": name, "parameters": {"type": "object", "properties": properties}})
    rendered_calls = [ToolCall(name=name, arguments=arguments)]
    reading = reread(family, rendered_calls, level="strict", tools=OfferedTools(specs=(spec,)))
    assert_same(reading, rendered_calls)
    assert reading.findings == ()
