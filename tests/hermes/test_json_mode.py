"""A schema in the system text, and answers that are checked against it."""

import pytest

from workbench.hermes.json_mode import check_answer, find_schema
from workbench.hermes.parse import parse

SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ('{"n": 1}', []),
        (' \n{"n": 1}\n', []),
        ('<think>\nHm.\n</think>\n\n{"n": 1}', []),
        ('```json\n{"n": 1}\n```', ["answer-fenced"]),
        ('{"n": "1"}', ["schema-type"]),
        ("{}", ["schema-missing-required"]),
        ("[1]", ["schema-type"]),
        ('The answer is {"n": 1}', ["answer-not-json"]),
        ("", ["answer-not-json"]),
        ('<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>', []),
    ],
)
def test_an_answer_is_checked_against_the_schema(text, codes):
    assert [finding.code for finding in check_answer(parse(text), SCHEMA)] == codes


def test_the_last_schema_in_the_system_text_is_used():
    text = 'a <schema>{"a": 1}</schema> b\n<schema>\n{"b": 2}\n</schema>'
    assert find_schema(text).schema == {"b": 2}
    assert find_schema("none here").schema is None


@pytest.mark.parametrize("inside", ["{bad", "[1]", ""])
def test_a_schema_that_cannot_be_parsed_is_reported(inside):
    found = find_schema(f"<schema>{inside}</schema>")
    assert found.schema is None
    assert [finding.code for finding in found.findings] == ["answer-schema-unreadable"]
