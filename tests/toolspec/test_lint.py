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
    "parameter-no-description": (with_property("a", {"type": "string"}), P + "a"),
    "no-type": (with_property("a", {"description": "A"}), P + "a"),
    "enum-of-one": (with_property("a", {"enum": [1], "description": "A"}), P + "a/enum"),
    "enum-twice": (with_property("a", {"enum": [1, 1], "description": "A"}), P + "a/enum"),
    "misspelled-key": (
        with_property("a", {"type": "string", "descriptionn": "A", "description": "A"}),
        P + "a/descriptionn",
    ),
    "invalid-value": (
        with_property("a", {"enum": ["x", "y"], "default": "z", "description": "A"}),
        P + "a/default",
    ),
    "enum-unused": (
        with_property("a", {"type": "string", "enum": ["x", 1], "description": "A"}),
        P + "a/enum",
    ),
}


@pytest.mark.parametrize(("code", "row"), ROWS.items(), ids=ROWS)
def test_each_fault_of_one_tool_is_found(code, row):
    function, pointer = row
    assert codes(function) == [(code, pointer)]


@pytest.mark.parametrize(
    ("schema", "pointer"),
    [
        ({"type": "string", "default": 3}, "a/default"),
        ({"type": "string", "const": 3}, "a/const"),
        ({"type": "integer", "examples": [1, "two"]}, "a/examples/1"),
        ({"type": "integer", "minimum": 1, "default": 0}, "a/default"),
        (
            {"type": "array", "items": {"type": "string", "enum": ["x", "y"], "default": "z"}},
            "a/items/default",
        ),
        ({"type": "object", "properties": {"b": {"type": "null", "default": 1}}}, "a/properties/b/default"),
        ({"anyOf": [{"type": "string", "default": 1}, {"type": "integer"}]}, "a/anyOf/0/default"),
    ],
)
def test_a_value_that_its_own_schema_does_not_allow_is_found_at_any_depth(schema, pointer):
    assert codes(with_property("a", {**schema, "description": "A"})) == [("invalid-value", P + pointer)]


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string", "enum": ["x", "y"], "default": "x", "examples": ["y"]},
        {"type": ["string", "null"], "default": None},
        {"const": "x", "default": "x"},
        {"$ref": "#/nowhere", "default": 1, "type": "integer"},
        {"type": "string", "x-order": 1, "example": "x", "nullable": True},
        {"type": "object", "properties": {"descriptionn": {"type": "string"}}},
    ],
)
def test_valid_values_and_annotations_are_left_alone(schema):
    assert codes(with_property("a", {**schema, "description": "A"})) == []


def test_a_misspelled_key_of_the_function_is_found():
    spec = ToolSpec.of_function({"name": "get_it", "description": "Does it.", "parameterss": {}})
    [finding] = lint_tools(OfferedTools(specs=(spec,)))
    assert (finding.code, finding.pointer) == ("misspelled-key", "/0/function/parameterss")
    assert finding.message == "'parameterss' is not a known key; did you mean 'parameters'?"


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
