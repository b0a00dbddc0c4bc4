"""The lint finds what makes models call valid tools wrongly."""

import pytest

from workbench.toolspec.lint import CODES, lint_tools
from workbench.toolspec.spec import OfferedTools, ToolSpec

GOOD = {"description": "Does it.", "parameters": {"type": "object", "properties": {}}}


def codes(*functions):
    specs = tuple(ToolSpec.of_function({"name": "get_it", **GOOD, **function}) for function in functions)
    return [(finding.code, finding.pointer) for finding in lint_tools(OfferedTools(specs=specs))]


def with_property(name, schema):
    return {"parameters": {"type": "object", "properties": {name: schema}}}


def test_a_good_tool_has_no_findings():
    assert codes(with_property("city", {"type": "string", "description": "Where"})) == []


P = "/0/function/parameters/properties/"
ROWS = {
    "tool-no-description": ({"description": " "}, "/0/function/description"),
    "long-description": ({"description": "x" * 1001}, "/0/function/description"),
    "misread-name": ({"name": "arguments"}, "/0/function/name"),
    "odd-name": ({"name": "getIt"}, "/0/function/name"),
    "required-not-declared": (
        {"parameters": {"type": "object", "properties": {}, "required": ["a"]}},
        "/0/function/parameters/required",
    ),
    "parameter-no-description": (with_property("a", {"type": "string"}), P + "a"),
    "no-type": (with_property("a", {"description": "A"}), P + "a"),
    "enum-of-one": (with_property("a", {"enum": [1], "description": "A"}), P + "a/enum"),
    "enum-twice": (with_property("a", {"enum": [1, 1], "description": "A"}), P + "a/enum"),
    "enum-unused": (
        with_property("a", {"type": "string", "enum": ["x", 1], "description": "A"}),
        P + "a/enum",
    ),
}


@pytest.mark.parametrize(("code", "row"), ROWS.items(), ids=ROWS)
def test_each_fault_of_one_tool_is_found(code, row):
    function, pointer = row
    assert codes(function) == [(code, pointer)]


def test_faults_of_several_tools_are_found():
    assert codes({"name": "get_item"}, {"name": "take_item"}) == [("duplicate-tool", "/1/function/name")]
    near = codes({"name": "get_item"}, {"name": "get_items", "description": "Other."})
    assert near == [("near-equal-names", "/1/function/name")]
    many = codes(
        *({"name": f"{chr(97 + n) * 3}_{chr(122 - n) * 3}", "description": f"Number {n}."} for n in range(21))
    )
    assert many == [("many-tools", "")]


def test_each_code_is_tested():
    assert set(ROWS) | {"duplicate-tool", "near-equal-names", "many-tools"} == set(CODES)
