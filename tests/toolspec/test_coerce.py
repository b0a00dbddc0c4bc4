"""Strings are converted to the type of their schema if nothing is lost."""

from typing import Any

import pytest

from workbench.toolspec.coerce import coerced, find_coercions, types_allowed


def after(schema: Any, value: Any) -> Any:
    parameters = {"properties": {"v": schema}}
    arguments = {"v": value}
    return coerced(arguments, find_coercions(parameters, arguments))["v"]


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "string"}, "42"),
        ({}, "42"),
        ({"type": ["integer", "string"]}, "42"),
        ({"anyOf": [{"type": "integer"}, {}]}, "42"),
        ({"type": "integer"}, "007"),
        ({"type": "integer"}, " 42"),
        ({"type": "integer"}, "4.5"),
        ({"type": "integer"}, "1" * 5000),
        ({"type": "boolean"}, "True"),
        ({"type": "number"}, "1e999"),
        ({"type": "number"}, "NaN"),
        ({"type": "object"}, '{"a": 1, "a": 2}'),
        ({"type": "array"}, "{}"),
        ({"type": "integer"}, 42),
    ],
)
def test_values_that_do_not_need_or_allow_conversion_stay(schema: Any, value: Any) -> None:
    assert after(schema, value) == value


@pytest.mark.parametrize(
    ("schema", "value", "expected"),
    [
        ({"type": "integer"}, "42", 42),
        ({"type": "number"}, "2.5", 2.5),
        ({"type": ["integer", "null"]}, "null", None),
        ({"enum": [1, 2]}, "2", 2),
        ({"const": True}, "true", True),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "7", 7),
        ({"type": "object"}, '{"a": 1}', {"a": 1}),
        ({"type": "array", "items": {"type": "integer"}}, ["1", 2, "x"], [1, 2, "x"]),
        ({"properties": {"q": {"type": "integer"}}}, {"q": "1", "r": "1"}, {"q": 1, "r": "1"}),
    ],
)
def test_a_string_is_converted_without_loss(schema: Any, value: Any, expected: Any) -> None:
    assert after(schema, value) == expected


def test_local_references_are_followed_and_circular_ones_end() -> None:
    root = {"$defs": {"n": {"type": "integer"}, "loop": {"$ref": "#/$defs/loop"}}}
    assert types_allowed({"$ref": "#/$defs/n"}, root) == {"integer"}
    assert "string" in types_allowed({"$ref": "#/$defs/loop"}, root)


@pytest.mark.parametrize(
    ("schema", "before", "expected"),
    [
        ({"prefixItems": [{"const": "1"}], "items": {"type": "integer"}}, ["1", "2"], ["1", 2]),
        ({"items": [{"type": "string"}, {"type": "integer"}], "additionalItems": {"type": "null"}}, ["1", "2", "null"], ["1", 2, None]),
        ({"prefixItems": [{"type": "integer"}]}, ["1", "2"], [1, "2"]),
    ],
)  # fmt: skip
def test_the_items_of_a_tuple_have_the_schema_of_their_place(schema, before, expected):
    assert after(schema, before) == expected
