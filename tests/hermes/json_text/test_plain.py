"""Many plain members next to a mistake are read as a run, with the same result as one by one."""

import json

import pytest

from tests.hermes.laws import assert_fixed_text_is_read_strictly
from tests.hermes.readings import TOOLS
from workbench.hermes.parse import parse

TERMS = {"tools": TOOLS, "level": "tolerant", "dialect": "auto"}
MANY = {f"key{index}": value for index, value in enumerate([1, -2.5, "x, y", True, None] * 10)}
BODY = json.dumps(MANY)


@pytest.mark.parametrize(
    ("arguments", "expected", "findings"),
    [
        (BODY[:-1] + ",}", MANY, []),
        (BODY[:-1] + ', "last": [1, 2,]}', MANY | {"last": [1, 2]}, []),
        (BODY[:-1] + ', "key3": "again",}', MANY | {"key3": "again"}, ["duplicate-key"]),
        ('{"key3": 0, ' + BODY[1:-1] + ",}", MANY, ["duplicate-key"]),
        (BODY[:-1] + ", " + BODY[1:-1] + ",}", MANY, ["duplicate-key"]),
    ],
    ids=["alone", "then a list", "repeated after", "repeated before", "all repeated"],
)
def test_a_run_of_plain_members_is_read_like_single_members(
    arguments: str, expected: dict[str, object], findings: list[str]
) -> None:
    reading = parse(f'<tool_call>{{"name": "f", "arguments": {arguments}}}</tool_call>', tools=TOOLS)
    assert [call.arguments for call in reading.calls] == [expected]
    assert [fix.code for fix in reading.fixes] == ["trailing-comma"]
    assert [finding.code for finding in reading.findings] == findings
    assert_fixed_text_is_read_strictly(reading, TERMS)


def test_the_name_and_arguments_are_found_in_a_run() -> None:
    text = f'<tool_call>{{{BODY[1:-1]}, "tool": "f", {BODY[1:-1].replace("key", "other")}, "args": {{}},}}</tool_call>'
    reading = parse(text, tools=TOOLS)
    assert [(call.name, call.arguments) for call in reading.calls] == [("f", {})]
    assert sorted(fix.code for fix in reading.fixes) == ["key-alias", "trailing-comma"]
    assert_fixed_text_is_read_strictly(reading, TERMS)
