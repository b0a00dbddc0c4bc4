"""The validator that counts its work finds what jsonschema's own finds."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from tests.properties import examples
from tests.toolspec.test_quick import ARGUMENTS, CONSTANTS, OBJECTS
from workbench.toolspec.bounded_validator import bounded_validator
from workbench.toolspec.budget import BudgetExceeded, budget

NESTED = st.recursive(CONSTANTS, lambda inner: st.lists(inner, max_size=3), max_leaves=6)
BRANCHES = st.fixed_dictionaries(
    {},
    optional={
        "properties": st.dictionaries(st.sampled_from("abc"), st.booleans(), max_size=2),
        "prefixItems": st.lists(st.booleans(), max_size=2),
        "contains": st.sampled_from([{"type": "integer"}, False]),
        "patternProperties": st.dictionaries(st.sampled_from(["^a", "b$"]), st.booleans(), max_size=1),
        "additionalProperties": st.booleans(),
        "items": st.booleans(),
        "unevaluatedProperties": st.sampled_from([False, {"type": "string"}]),
        "unevaluatedItems": st.sampled_from([False, {"type": "string"}]),
        "$ref": st.sampled_from(["#/$defs/x"]),
        "dependentSchemas": st.just({"a": {"properties": {"b": True}}}),
    },
)
UNEVALUATED = st.builds(
    lambda own, parts, kind, rest: {**own, kind: parts, **rest, "$defs": {"x": {"properties": {"a": True}}}},
    BRANCHES,
    st.lists(BRANCHES, min_size=1, max_size=2),
    st.sampled_from(["allOf", "anyOf", "oneOf"]),
    st.sampled_from([{}, {"unevaluatedProperties": False}, {"unevaluatedItems": False}]),
)


def places(validator: Any, value: Any) -> list[tuple[Any, ...]]:
    errors = (
        (tuple(one.path), tuple(one.schema_path), one.validator) for one in validator.iter_errors(value)
    )
    return sorted(errors, key=repr)


def told(validator: Any, value: Any) -> object:
    """Where it finds errors; the kind of exception where the schema cannot be used."""
    try:
        return places(validator, value)
    except Exception as error:  # noqa: BLE001  jsonschema raises many kinds
        return type(error).__name__


def is_plain(schema: Any) -> bool:
    """Whether no pattern in it means something else to RE2, and no part is of another draft."""
    text = repr(schema)
    return not any(word in text for word in ("\\\\p", "'('", "\\\\w", "\\\\d", "$schema", "http://"))


@settings(max_examples=examples(500), deadline=None)
@given(schema=OBJECTS, arguments=ARGUMENTS)
def test_any_schema_has_the_same_errors(schema: dict[str, Any], arguments: dict[str, Any]) -> None:
    if is_plain(schema) and Draft202012Validator(Draft202012Validator.META_SCHEMA).is_valid(schema):
        assert told(bounded_validator(schema), arguments) == told(Draft202012Validator(schema), arguments)


@settings(max_examples=examples(300), deadline=None)
@given(
    schema=UNEVALUATED,
    value=st.dictionaries(st.sampled_from("abc"), CONSTANTS) | st.lists(CONSTANTS, max_size=3),
)
def test_what_is_left_unevaluated_is_the_same(schema: dict[str, Any], value: Any) -> None:
    assert told(bounded_validator(schema), value) == told(Draft202012Validator(schema), value)


@settings(max_examples=examples(300), deadline=None)
@given(items=st.lists(NESTED, max_size=4), constant=NESTED)
def test_equality_is_jsons(items: list[Any], constant: Any) -> None:
    for schema in (
        {"uniqueItems": True},
        {"items": {"const": constant}},
        {"contains": {"enum": [constant, 1, "a"]}},
    ):
        assert told(bounded_validator(schema), items) == told(Draft202012Validator(schema), items)


@pytest.mark.parametrize("keyword", ["allOf", "oneOf"])
def test_doubling_references_end(keyword: str) -> None:
    definitions = {
        f"d{level}": {keyword: [{"$ref": f"#/$defs/d{level + 1}"}] * 2} for level in range(40)
    } | {"d40": {}}  # fmt: skip
    validator = bounded_validator({"$defs": definitions, "$ref": "#/$defs/d0"})
    with budget(), pytest.raises(BudgetExceeded):
        list(validator.iter_errors(1))


def test_a_schema_of_another_draft_inside_is_bounded_too() -> None:
    inner = {"$schema": "http://json-schema.org/draft-07/schema#", "pattern": "(a+)+$"}
    validator = bounded_validator({"properties": {"a": inner}})
    assert not validator.is_valid({"a": "a" * 1000 + "!"})
