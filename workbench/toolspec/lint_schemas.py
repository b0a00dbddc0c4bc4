"""Lint the schemas in a tool spec: misspelled keys, and values that their own schema does not allow."""

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple, cast

from workbench.chat.finding import Finding, Severity
from workbench.chat.json_value import JsonObject, JsonValue, as_object, pointer
from workbench.chat.near_names import nearest_name
from workbench.chat.short_text import shortened
from workbench.toolspec.budget import BudgetExceeded, budget
from workbench.toolspec.conditions import first_violation
from workbench.toolspec.spec import ToolSpec, canonical_json

SCHEMA_CODES: Final[Mapping[str, str]] = {
    "misspelled-key": "a key of the spec or of a schema that is almost a known one, so it has no effect",
    "invalid-value": "a default, example or constant that its own schema does not allow",
}
"""The codes of this module, with their meaning."""

_FUNCTION_KEYS: Final = ("name", "description", "parameters", "strict")
_ONE: Final = (
    "additionalItems", "additionalProperties", "contains", "contentSchema", "else", "if", "items", "not",
    "propertyNames", "then", "unevaluatedItems", "unevaluatedProperties",
)  # fmt: skip
"""Keywords whose value is a schema."""
_MANY: Final = ("allOf", "anyOf", "oneOf", "prefixItems", "items")
"""Keywords whose value is a list of schemas."""
_NAMED: Final = ("$defs", "definitions", "dependentSchemas", "patternProperties", "properties")
"""Keywords whose value is an object of schemas."""
_KEYWORDS: Final = (
    *_ONE, *_MANY, *_NAMED,
    "$anchor", "$comment", "$dynamicAnchor", "$dynamicRef", "$id", "$recursiveAnchor", "$recursiveRef", "$ref",
    "$schema", "$vocabulary", "const", "contentEncoding", "contentMediaType", "default", "dependencies",
    "dependentRequired", "deprecated", "description", "discriminator", "enum", "example", "examples",
    "exclusiveMaximum", "exclusiveMinimum", "format", "id", "maxContains", "maxItems", "maxLength", "maxProperties",
    "maximum", "minContains", "minItems", "minLength", "minProperties", "minimum", "multipleOf", "nullable", "pattern",
    "readOnly", "required", "title", "type", "uniqueItems", "writeOnly", "xml",
)  # fmt: skip
"""Keywords of JSON Schema and OpenAPI. *Source:* https://json-schema.org/draft/2020-12 and
https://spec.openapis.org/oas/v3.0.3#schema-object
"""
_NEAR: Final = 0.8
"""How similar an unknown key must be to a known one. Other unknown keys are annotations and are left alone."""
_LONGEST: Final = 30


class _SchemaPlace(NamedTuple):
    schema: JsonObject
    parts: tuple[str | int, ...]


def lint_schemas(spec: ToolSpec) -> Iterator[Finding]:
    """Yield the findings about a valid spec. Pointers lead into its document."""
    yield from _keys(_SchemaPlace(spec.function, ("function",)), _FUNCTION_KEYS)
    places = list(_schemas(_SchemaPlace(spec.parameters, ("function", "parameters"))))
    for place in places:
        yield from _keys(place, _KEYWORDS)
    try:
        with budget():
            for place in places:
                yield from _values(place)
    except BudgetExceeded:
        # The schemas take too much work. What was found so far is reported.
        return


def _schemas(root: _SchemaPlace) -> Iterator[_SchemaPlace]:
    """Yield a schema and all schemas in it, in the order of the text."""
    waiting = [root]
    while waiting:
        place = waiting.pop()
        yield place
        waiting.extend(reversed(list(_inner(place))))


def _inner(place: _SchemaPlace) -> Iterator[_SchemaPlace]:
    for key, value in place.schema.items():
        inside: list[tuple[tuple[str | int, ...], JsonValue]] = []
        if key in _MANY and isinstance(value, list | tuple):
            inside = [((key, index), schema) for index, schema in enumerate(value)]
        elif key in _ONE:
            inside = [((key,), value)]
        elif key in _NAMED:
            inside = [((key, name), schema) for name, schema in as_object(value).items()]
        for parts, schema in inside:
            if isinstance(schema, Mapping):
                yield _SchemaPlace(cast(JsonObject, schema), (*place.parts, *parts))


def _keys(place: _SchemaPlace, known: tuple[str, ...]) -> Iterator[Finding]:
    for key in place.schema:
        near = "" if key in known else nearest_name(key, known, cutoff=_NEAR)
        if near:
            text = f"{key[:40]!r} is not a known key; did you mean {near!r}?"
            yield _warning("misspelled-key", text, (*place.parts, key))


def _values(place: _SchemaPlace) -> Iterator[Finding]:
    schema = place.schema
    checked = {key: value for key, value in schema.items() if key not in ("default", "examples", "example")}
    for key, parts, value in _given(schema):
        own = {name: inner for name, inner in checked.items() if name != key}
        if first_violation(own, value):
            shown = canonical_json(value)
            shown = shown if len(shown) <= _LONGEST else shown[: _LONGEST - 1] + "…"
            word = "constant" if key == "const" else key.removesuffix("s")
            text = f"the {word} {shown} does not match its own schema"
            yield _warning("invalid-value", text, (*place.parts, *parts))


def _given(schema: JsonObject) -> Iterator[tuple[str, tuple[str | int, ...], JsonValue]]:
    """Yield the keyword, the place and the value of each default, example and constant of a schema."""
    for key in ("const", "default", "example"):
        if key in schema:
            yield key, (key,), schema[key]
    examples = schema.get("examples")
    if isinstance(examples, list | tuple):
        for index, value in enumerate(examples):
            yield "examples", ("examples", index), value


def _warning(code: str, message: str, parts: tuple[str | int, ...]) -> Finding:
    return Finding(code=code, message=shortened(message), severity=Severity.WARNING, pointer=pointer(parts))
