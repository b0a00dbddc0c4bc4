"""Sample values are generated from schemas."""

from random import Random

import pytest

from workbench.toolbox.mock_samples import sample
from workbench.toolspec.conditions import first_violation


@pytest.mark.parametrize(
    "schema",
    [
        {
            "type": "object",
            "properties": {"a": {"type": "integer", "minimum": 3, "maximum": 5}},
            "required": ["a"],
        },
        {"type": "array", "items": {"type": "string", "format": "date"}, "minItems": 2},
        {"type": "number", "exclusiveMinimum": 0, "maximum": 1},
        {"type": "integer", "multipleOf": 7, "minimum": 0, "maximum": 700},
        {"type": "string", "minLength": 20, "maxLength": 22},
        {"enum": [1, "two", None]},
        {"const": {"a": 1}},
        {"anyOf": [{"type": "null"}, {"type": "boolean"}]},
        {"allOf": [{"properties": {"a": {"type": "integer"}}}, {"properties": {"b": {"type": "string"}}}]},
        {"$defs": {"x": {"type": "boolean"}}, "type": "object", "properties": {"a": {"$ref": "#/$defs/x"}}},
        {"type": "string", "pattern": "^C[0-9]{4}$"},
        {"type": "string", "pattern": "(red|blue)-", "minLength": 6},
        {"type": "string", "pattern": "^[A-Z]+$", "maxLength": 2},
        {"type": "string", "format": "uuid"},
        {"type": "number", "exclusiveMaximum": -5},
        {"type": "integer", "exclusiveMinimum": 4, "maximum": 5},
        {"type": "array", "items": {"enum": [1, 2, 3]}, "minItems": 3, "uniqueItems": True},
        {"prefixItems": [{"type": "integer"}], "items": {"type": "string"}, "type": "array"},
        {"type": "array", "items": {"type": "integer"}, "contains": {"const": 7}},
        {"type": "object", "required": ["free"], "properties": {"a": {"$ref": "#/properties/a"}}},
        {
            "type": "object",
            "properties": {"id": {"type": "string"}, "name": {"type": "string"}},
            "oneOf": [{"required": ["id"]}, {"required": ["name"]}],
        },
        {
            "type": "object",
            "properties": {"kind": {"enum": ["a", "b"]}, "b": {"type": "integer"}},
            "required": ["kind"],
            "if": {"properties": {"kind": {"const": "b"}}},
            "then": {"required": ["b"]},
            "else": {"not": {"required": ["b"]}},
        },
        {"type": "object", "properties": {"a": {}, "b": {}}, "not": {"required": ["a", "b"]}},
        {"type": "string", "not": {"enum": ["amber", "birch", "cedar"]}},
        {"type": "integer", "default": "none"},
        {"anyOf": [{"minimum": 3}], "allOf": [{"type": "integer"}, {"anyOf": [{"maximum": 5}]}]},
        {"type": ["string", "null"]},
        {},
    ],
)
def test_a_generated_value_matches_its_schema_and_depends_only_on_the_seed(schema):
    for seed in range(20):
        value = sample(schema, Random(seed))
        assert not first_violation(schema, value), value
        assert sample(schema, Random(seed)) == value


def test_a_recursive_schema_gives_a_finite_value():
    schema = {"type": "object", "properties": {"next": {"$ref": "#"}}}
    assert sample(schema, Random(0))["next"]
