"""Specs and arguments are checked against JSON Schema."""

from typing import Any

import pytest

from workbench.toolspec.check import check_arguments, spec_errors
from workbench.toolspec.spec import ToolSpec


def spec_of(parameters: dict[str, Any], name: Any = "f") -> ToolSpec:
    return ToolSpec.of_function({"name": name, "parameters": parameters})


def found(parameters: dict[str, Any], arguments: dict[str, Any]) -> list[tuple[str, str | None]]:
    return [(finding.code, finding.pointer) for finding in check_arguments(spec_of(parameters), arguments)]


ITEMS = {
    "type": "object",
    "properties": {
        "items": {
            "type": "array",
            "items": {"type": "object", "properties": {"qty": {"type": "integer", "minimum": 1}}},
        }
    },
    "required": ["items"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    ("parameters", "arguments", "expected"),
    [
        ({}, {"a": 1}, []),
        ({"type": "object"}, {"a": 1}, []),
        ({"properties": {"n": {"type": "integer"}}}, {"n": 3.0}, []),
        ({"properties": {"n": {"type": ["integer", "null"]}}}, {"n": None}, []),
        (ITEMS, {"items": [{"qty": 2}]}, []),
        (ITEMS, {"items": [{"qty": 2}, {}, {"qty": "x"}]}, [("schema-type", "/items/2/qty")]),
        (ITEMS, {"items": [{"qty": 0}]}, [("schema-minimum", "/items/0/qty")]),
        (ITEMS, {}, [("schema-missing-required", "/items")]),
        (
            ITEMS,
            {"items": [], "a": 1, "b/c": 2},
            [("schema-unknown-argument", "/a"), ("schema-unknown-argument", "/b~1c")],
        ),
        ({"properties": {"c": {"enum": ["a", "b"]}}}, {"c": "z"}, [("schema-enum", "/c")]),
        ({"properties": {"c": {"minLength": 2}}}, {"c": "z"}, [("schema-min-length", "/c")]),
        (
            {"properties": {"c": {"anyOf": [{"type": "null"}, {"type": "object"}]}}},
            {"c": "z"},
            [("schema-any-of", "/c")],
        ),
        ({"properties": {"c": False}}, {"c": "z"}, [("schema-false", "")]),
        (
            {"required": ["a", "b"]},
            {},
            [("schema-missing-required", "/a"), ("schema-missing-required", "/b")],
        ),
    ],
)
def test_each_violation_has_one_finding(
    parameters: dict[str, Any], arguments: dict[str, Any], expected: list[tuple[str, str]]
) -> None:
    assert found(parameters, arguments) == expected


def test_messages_are_short() -> None:
    (finding,) = check_arguments(spec_of(ITEMS), {"items": [{"qty": 0}]})
    assert len(finding.message) < 100


@pytest.mark.parametrize(
    "parameters",
    [
        {"type": "nonsense"},
        {"properties": {"a": {"type": 5}}},
        {"properties": {"a": {"$ref": "#/properties/a"}}},
    ],
)
def test_an_invalid_schema_gives_a_finding_instead_of_an_exception(parameters: dict[str, Any]) -> None:
    (finding,) = check_arguments(spec_of(parameters), {"a": {"b": 1}})
    assert (finding.code, finding.severity) == ("schema-invalid", "warning")
    assert len(finding.message) < 100


@pytest.mark.parametrize(
    "reference", ["https://example.com/schema.json", "#/$defs/none", "#nowhere", "other"]
)
def test_only_a_reference_that_leads_nowhere_is_not_checked(reference: str) -> None:
    parameters = {"properties": {"a": {"$ref": reference}, "b": {"type": "integer"}}}
    assert found(parameters, {"a": {"b": 1}}) == [("schema-ref", None)]
    assert found(parameters, {"a": 5, "b": "x"}) == [("schema-ref", None), ("schema-type", "/b")]


@pytest.mark.parametrize("pattern", [r"^(a+)+$", r"(a|a)*b", r"(.*)*x", r"([a-z]+\d?)+$"])
def test_a_pattern_with_exponential_backtracking_is_checked_quickly(pattern: str) -> None:
    parameters = {"properties": {"a": {"type": "string", "pattern": pattern}}}
    assert found(parameters, {"a": "a" * 1000 + "!"}) == [("schema-pattern", "/a")]


@pytest.mark.parametrize("pattern", ["^(?=a)", r"(a)\1", "a{5000}"])
def test_a_pattern_that_cannot_be_run_gives_a_warning(pattern: str) -> None:
    parameters = {"properties": {"a": {"pattern": pattern}}}
    (finding,) = check_arguments(spec_of(parameters), {"a": "b"})
    assert (finding.code, finding.severity) == ("schema-pattern", "warning")
    assert len(finding.message) < 100
    named = {"patternProperties": {pattern: False}, "additionalProperties": False}
    assert [code for code, _ in found(named, {"b": 1})] == ["schema-pattern"]


def test_a_plain_pattern_is_checked() -> None:
    parameters = {"properties": {"a": {"pattern": "^[a-z]+$"}}}
    assert found(parameters, {"a": "abc"}) == []
    assert found(parameters, {"a": "ABC"}) == [("schema-pattern", "/a")]


@pytest.mark.parametrize(
    ("document", "problems"),
    [
        ({"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}, 0),
        ({"type": "function", "function": {"name": "f"}}, 0),
        ({"type": "function"}, 1),
        ({"type": "function", "function": {}}, 1),
        ({"type": "function", "function": {"name": " "}}, 1),
        ({"type": "function", "function": {"name": "a b"}}, 0),
        ({"type": "function", "function": {"name": "f", "parameters": {"type": "string"}}}, 1),
        (
            {
                "type": "function",
                "function": {"name": "f", "parameters": {"type": "object", "properties": {"a": {"type": 1}}}},
            },
            1,
        ),
        (
            {
                "type": "function",
                "function": {"name": "f", "parameters": {"properties": {"a": {}}, "required": ["b"]}},
            },
            0,
        ),
    ],
)
def test_what_makes_a_spec_unusable_is_found(document: dict[str, Any], problems: int) -> None:
    assert len(spec_errors(ToolSpec(document=document))) == problems
