"""The fast path is never wrong: if it accepts arguments, jsonschema finds no error."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from tests.bfcl import SETS, bfcl_trajectories
from tests.properties import examples
from workbench.toolspec.plain_schema import is_surely_valid_schema
from workbench.toolspec.quick import is_surely_valid, matches_plainly
from workbench.toolspec.spec import ToolSpec

NUMBERS = (
    st.sampled_from(
        [0, -0.0, 1, 1.0, True, 2**53 - 1, 2**53, 2**53 + 1, 2**63, 2**64, 2**64 + 1, 10**400, 1e300]
    )
    | st.integers(-3, 3)
    | st.floats(-3, 3)
)
TEXTS = st.sampled_from(["", "a", "ab", "é", "e\u0301", "😀", "\ud800", "1", "2020-01-01", "a\n"])
CONSTANTS = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXTS, inner, max_size=2),
    max_leaves=4,
)
NAMES = st.sampled_from(["a", "b", "é", ""])
TYPES = st.sampled_from(
    ["string", "number", "integer", "boolean", "null", "object", "array", "dict", "float"]
)
JUNK = st.none() | st.booleans() | NUMBERS | TEXTS | st.just([]) | st.just({})


def schemas(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Generate schemas with common and rare keywords, mostly with valid values."""
    counts = st.integers(0, 3) | st.just(1.0)
    keywords = {
        "type": TYPES | st.lists(TYPES, max_size=3),
        "enum": st.lists(CONSTANTS, max_size=3),
        "const": CONSTANTS,
        "required": st.lists(NAMES, max_size=3),
        "properties": st.dictionaries(NAMES, inner, max_size=3),
        "patternProperties": st.dictionaries(st.sampled_from(["^a", "b$", r"\d"]), inner, max_size=1),
        "additionalProperties": inner,
        "propertyNames": inner,
        "items": inner,
        "prefixItems": st.lists(inner, min_size=1, max_size=2),
        "anyOf": st.lists(inner, max_size=2),
        "oneOf": st.lists(inner, max_size=2),
        "allOf": st.lists(inner, max_size=2),
        "not": inner,
        "if": inner,
        "then": inner,
        "$ref": st.sampled_from(["#", "#/$defs/x", "http://example.com/x"]),
        "minimum": NUMBERS,
        "maximum": NUMBERS,
        "exclusiveMinimum": NUMBERS,
        "exclusiveMaximum": NUMBERS,
        "multipleOf": NUMBERS,
        "minLength": counts,
        "maxLength": counts,
        "minItems": counts,
        "maxItems": counts,
        "minProperties": counts,
        "uniqueItems": st.booleans(),
        "pattern": st.sampled_from([r"^\w$", r"\d", "a$", r"\p{L}", "("]),
        "format": st.sampled_from(["date", "email", "uri"]),
        "description": TEXTS,
        "default": CONSTANTS,
        "nullable": st.booleans(),
        "$schema": st.just("http://json-schema.org/draft-07/schema#"),
    }
    entry = st.sampled_from(sorted(keywords)).flatmap(
        lambda key: st.tuples(st.just(key), keywords[key] | keywords[key] | JUNK)
    )
    return st.lists(entry, max_size=4).map(dict)


SCHEMAS = st.recursive(st.booleans() | st.just({}), schemas, max_leaves=6)
OBJECTS = schemas(SCHEMAS)
ARGUMENTS = st.dictionaries(NAMES, CONSTANTS, max_size=3)


@settings(max_examples=examples(600), deadline=None)
@given(schema=OBJECTS)
def test_a_schema_that_is_surely_valid_is_valid(schema: dict[str, Any]) -> None:
    if is_surely_valid_schema(schema):
        Draft202012Validator.check_schema(schema)


@settings(max_examples=examples(1200), deadline=None)
@given(schema=OBJECTS, arguments=ARGUMENTS)
def test_arguments_that_are_surely_valid_are_valid(schema: dict[str, Any], arguments: dict[str, Any]) -> None:
    spec = ToolSpec.of_function({"name": "f", "parameters": schema})
    if is_surely_valid(spec, arguments):
        assert list(Draft202012Validator(spec.schema).iter_errors(arguments)) == []


@settings(max_examples=examples(1200), deadline=None)
@given(schema=OBJECTS, arguments=ARGUMENTS)
def test_arguments_that_match_plainly_are_valid_and_have_no_other_properties(
    schema: dict[str, Any], arguments: dict[str, Any]
) -> None:
    if matches_plainly(schema, arguments) and is_surely_valid_schema(schema):
        closed = {**schema, "additionalProperties": False} if "properties" in schema else schema
        assert list(Draft202012Validator(closed).iter_errors(arguments)) == []


@pytest.mark.parametrize(
    ("schema", "value", "matches"),
    [
        ({"type": "integer"}, True, False),
        ({"type": "number"}, 1, True),
        ({"type": "integer", "minimum": 2}, 1, False),
        ({"type": "string", "enum": ["a"]}, "b", False),
        ({"type": "string", "format": "date"}, "a", False),
        ({"type": "array", "items": {"type": "string"}}, ["a", 1], False),
        ({"type": "object", "properties": {"a": {"type": "string"}}}, {"b": "x"}, False),
        ({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}, {}, False),
        ({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}, {"a": "x"}, True),
        ({}, "a", False),
    ],
)
def test_values_match_plainly(schema: dict[str, Any], value: Any, *, matches: bool) -> None:
    assert matches_plainly(schema, value) is matches


DOUBTFUL: list[tuple[dict[str, Any], Any]] = [
    ({"format": "date"}, "2020-01-01"),
    ({"pattern": "^a$"}, "a"),
    ({"$ref": "#/$defs/x"}, "a"),
    ({"multipleOf": 0.1}, 0.3),
    ({"enum": [2**64]}, 2**64),
    ({"const": 2**53}, 2**53),
    ({"maximum": 2**64}, 1),
    ({"enum": [[1]]}, [1]),
]


@pytest.mark.parametrize(("schema", "value"), DOUBTFUL)
def test_keywords_on_which_the_validators_may_disagree_are_left_to_jsonschema(
    schema: dict[str, Any], value: Any
) -> None:
    spec = ToolSpec.of_function({"name": "f", "parameters": {"properties": {"a": schema}}})
    assert not is_surely_valid(spec, {"a": value})


@pytest.mark.parametrize(("levels", "is_plain"), [(20, True), (21, False), (200, False), (5000, False)])
def test_a_deeply_nested_schema_is_left_to_jsonschema(levels: int, *, is_plain: bool) -> None:
    schema: dict[str, Any] = {}
    for _ in range(levels):
        schema = {"properties": {"a": schema}}
    assert is_surely_valid_schema(schema) is is_plain


@pytest.mark.parametrize(
    ("uri", "is_plain"),
    [
        ("https://json-schema.org/draft/2020-12/schema", True),
        ("http://json-schema.org/draft-07/schema#", True),
        ("http://json-schema.org/draft-04/schema#", False),
        ("https://json-schema.org/draft/2020-12/schema\n", False),
        ("https://example.com/schema", False),
    ],
)
def test_a_schema_of_a_draft_from_6_on_may_be_plain(uri: str, *, is_plain: bool) -> None:
    assert is_surely_valid_schema({"$schema": uri, "type": "object"}) is is_plain


@pytest.mark.slow
@pytest.mark.parametrize("name", SETS)
def test_the_fast_path_decides_most_calls_of_the_berkeley_sets_correctly(name: str) -> None:
    yes = calls = 0
    for trajectory in bfcl_trajectories(name, is_sound=True):
        for message in trajectory.messages:
            for call in message.calls:
                spec = trajectory.tools.by_name[call.name]
                for arguments in (
                    call.arguments,
                    {},
                    {**call.arguments, "extra": None},
                    swapped(call.arguments),
                ):
                    calls += 1
                    if is_surely_valid(spec, arguments):
                        yes += 1
                        assert list(Draft202012Validator(dict(spec.parameters)).iter_errors(arguments)) == []
    assert yes * 3 > calls or not calls


def swapped(arguments: Any) -> dict[str, Any]:
    """Return the same names with the values in reverse order."""
    return dict(zip(arguments, reversed(arguments.values()), strict=True))
