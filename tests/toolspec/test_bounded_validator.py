"""The validator with limited work finds the same errors as jsonschema's own validator."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from tests.properties import examples
from tests.toolspec.test_quick import ARGUMENTS, CONSTANTS, OBJECTS
from workbench.chat.finding import Finding
from workbench.chat.json_value import JsonObject
from workbench.toolspec.bounded_validator import bounded_validator
from workbench.toolspec.budget import BudgetExceeded, budget
from workbench.toolspec.check import check_arguments
from workbench.toolspec.spec import ToolSpec

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
        (tuple(error.path), tuple(error.schema_path), error.validator)
        for error in validator.iter_errors(value)
    )
    return sorted(errors, key=repr)


def outcome(validator: Any, value: Any) -> object:
    """Return where a validator finds errors, or the type of the exception if the schema cannot be used."""
    try:
        return places(validator, value)
    except Exception as error:  # noqa: BLE001  jsonschema raises many kinds
        return type(error).__name__


def is_plain(schema: Any) -> bool:
    """Return whether no pattern has a different meaning in RE2, and no part uses another draft."""
    text = repr(schema)
    return not any(word in text for word in ("\\\\p", "'('", "\\\\w", "\\\\d", "$schema", "http://"))


@pytest.mark.slow
@settings(max_examples=examples(500), deadline=None)
@given(schema=OBJECTS, arguments=ARGUMENTS)
def test_any_schema_has_the_same_errors(schema: dict[str, Any], arguments: dict[str, Any]) -> None:
    if is_plain(schema) and Draft202012Validator(Draft202012Validator.META_SCHEMA).is_valid(schema):
        expected = outcome(Draft202012Validator(schema), arguments)
        # A reference that leads nowhere is reported with the schema, and the rest is checked.
        if expected != "_WrappedReferencingError":
            assert outcome(bounded_validator(schema), arguments) == expected


@settings(max_examples=examples(300), deadline=None)
@given(
    schema=UNEVALUATED,
    value=st.dictionaries(st.sampled_from("abc"), CONSTANTS) | st.lists(CONSTANTS, max_size=3),
)
def test_unevaluated_items_and_properties_have_the_same_errors(schema: dict[str, Any], value: Any) -> None:
    expected = outcome(Draft202012Validator(schema), value)
    if expected != "_WrappedReferencingError":
        assert outcome(bounded_validator(schema), value) == expected


@settings(max_examples=examples(300), deadline=None)
@given(items=st.lists(NESTED, max_size=4), constant=NESTED)
def test_equality_follows_json(items: list[Any], constant: Any) -> None:
    for schema in (
        {"uniqueItems": True},
        {"items": {"const": constant}},
        {"contains": {"enum": [constant, 1, "a"]}},
    ):
        assert outcome(bounded_validator(schema), items) == outcome(Draft202012Validator(schema), items)


@pytest.mark.parametrize("keyword", ["allOf", "oneOf"])
def test_references_that_double_at_each_level_are_stopped(keyword: str) -> None:
    definitions = {
        f"d{level}": {keyword: [{"$ref": f"#/$defs/d{level + 1}"}] * 2} for level in range(40)
    } | {"d40": {}}  # fmt: skip
    validator = bounded_validator({"$defs": definitions, "$ref": "#/$defs/d0"})
    with budget(), pytest.raises(BudgetExceeded):
        list(validator.iter_errors(1))


def test_an_inner_schema_of_another_draft_is_limited_as_well() -> None:
    inner = {"$schema": "http://json-schema.org/draft-07/schema#", "pattern": "(a+)+$"}
    validator = bounded_validator({"properties": {"a": inner}})
    assert not validator.is_valid({"a": "a" * 1000 + "!"})


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#"},
        {"allOf": [{"$ref": "#"}, {"$ref": "#"}]},
        {"$dynamicAnchor": "m", "allOf": [{"$dynamicRef": "#m"}]},
        {"anyOf": [{"not": {"$ref": "#"}}]},
        {"if": {"$ref": "#"}, "then": False},
        {"unevaluatedProperties": False, "anyOf": [{"$ref": "#"}]},
    ],
)
def test_a_schema_that_refers_to_itself_is_reported_wherever_it_is_checked(schema: JsonObject) -> None:
    """The limit of recursion may be reached anywhere, also inside of a library that then raises a BaseException."""

    def checked(levels: int) -> Finding:
        if levels:
            return checked(levels - 1)
        [finding] = check_arguments(ToolSpec.of_function({"name": "f", "parameters": schema}), {"a": 1})
        return finding

    for levels in range(40):
        found = checked(levels)
        assert (
            found.code == "schema-too-costly"
            or "refers to itself" in found.message
            or "nested too deeply" in found.message
        )
