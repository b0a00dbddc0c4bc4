"""A JSON text of tools is checked, and each problem has a line and a pointer."""

import json

import pytest

from workbench.errors import BadInput
from workbench.toolspec.budget import budget
from workbench.toolspec.check import TOO_COSTLY
from workbench.toolspec.tools_text import check_tools_text, line_of, parse_tools, render_tools

GOOD = '[\n {"type": "function",\n  "function": {"name": "f", "parameters": {"type": "object"}}},\n {"name": "g"}\n]'


def test_specs_and_bare_functions_are_parsed_in_order():
    tools = parse_tools(GOOD)
    assert tools.names == ("f", "g")
    assert tools.specs[1].document == {"type": "function", "function": {"name": "g"}}


def test_an_empty_text_offers_nothing():
    assert parse_tools("").names == ()


def test_rendered_tools_are_parsed_back_unchanged():
    assert parse_tools(render_tools(parse_tools(GOOD))) == parse_tools(GOOD)


@pytest.mark.parametrize(
    ("text", "code", "line", "pointer"),
    [
        ('[\n {"name": "f"},\n]', "spec-not-json", 3, None),
        ('{"tools": 5}', "spec-not-a-list", 1, None),
        ("[\n 5\n]", "spec-not-an-object", 2, "/0"),
        ('[\n {"name": "f"},\n {"name": "f"}\n]', "spec-declared-twice", 3, "/1/name"),
        ("[" * 100_000, "spec-not-json", 1, None),
        (" " * 1_000_001, "spec-too-long", 1, None),
    ],
)
def test_a_problem_has_its_code_line_and_pointer(text, code, line, pointer):
    finding = check_tools_text(text)[0]
    assert (finding.code, finding.line, finding.pointer) == (code, line, pointer)


def test_a_single_tool_without_brackets_is_a_list_of_one_with_a_note():
    tools = parse_tools('{\n "name": "f",\n "parameters": 5}')
    assert tools.findings[0].code == "spec-not-in-a-list"
    assert tools.findings[1].line == 3
    assert parse_tools('{"type": "function", "function": {"name": "f"}}').names == ("f",)


def test_an_invalid_schema_is_found_inside_its_entry():
    text = '[\n {"name": "f",\n  "parameters": {\n   "type": "objekt"}}\n]'
    finding = check_tools_text(text)[0]
    assert finding.pointer == "/0/parameters/type"
    assert finding.line == 4


def test_a_text_that_is_no_list_raises_bad_input_with_its_line():
    with pytest.raises(BadInput, match="tools, line 2: not JSON: "):
        parse_tools('[\n {"name": ]')


def test_a_tool_that_cannot_be_used_is_left_out_with_its_name_and_line_and_the_others_stay():
    tools = parse_tools('[\n {"name": "f"},\n {"name": "f"},\n {"name": "g"}\n]')
    assert tools.names == ("f", "g")
    (finding,) = tools.findings
    assert (finding.severity, finding.line, finding.pointer) == ("error", 3, "/1/name")
    assert finding.message == "tool 'f': it is declared twice; the first one counts"


def test_a_text_without_findings_is_read_once():
    text = json.dumps([{"name": "read_once", "parameters": {"type": "object", "properties": {}}}])
    assert parse_tools(text).specs[0] is parse_tools(text).specs[0]


def test_a_text_that_was_not_checked_to_the_end_is_read_again():
    """The first request has used up its work before, so that its findings say nothing about the text."""
    properties = {f"p{number}": {"type": "string", "pattern": "^(a|b)+$"} for number in range(300)}
    text = json.dumps([{"name": "long", "parameters": {"type": "object", "properties": properties}}])
    with budget(10):
        assert parse_tools(text).findings[0].code == TOO_COSTLY
    assert parse_tools(text).findings == ()


def test_only_the_newest_texts_are_kept():
    def text_of(number: int) -> str:
        return json.dumps([{"name": f"kept_{number}", "parameters": {"type": "object", "properties": {}}}])

    oldest = parse_tools(text_of(0))
    for number in range(1, 20):
        parse_tools(text_of(number))
    assert parse_tools(text_of(0)).specs[0] is not oldest.specs[0]


def test_a_list_is_parsed_like_its_text_and_shares_nothing_with_it():
    specs = json.loads(GOOD)
    tools = parse_tools(specs)
    specs[1]["name"] = "changed"
    assert tools == parse_tools(GOOD)


@pytest.mark.parametrize(
    ("specs", "message"),
    [
        (["f"], "tools: entry 1 is not an object"),
        ({"name": "f"}, "tools: write a JSON array"),
        ([{"name": {"f"}}], "tools: not JSON values: Object of type set is not JSON serializable"),
    ],
)
def test_a_value_that_is_no_list_of_objects_is_reported_without_a_line(specs, message):
    with pytest.raises(BadInput) as caught:
        parse_tools(specs)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("pointer", "line"),
    [("", 1), ("/a", 2), ("/a/1", 4), ("/b~1c", 6), ("/b~1c/x", 6), ("/missing", 1), ("/a/9", 2)],
)
def test_a_pointer_finds_its_line(pointer, line):
    assert line_of('{\n"a": [\n1,\n{"z": "]"}\n],\n"b/c": {"x": 2}\n}', pointer) == line
