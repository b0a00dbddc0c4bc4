"""What JSON Schema's keywords speak of, and where a local reference leads.

*Source:* JSON Schema Draft 2020-12.
"""

from collections.abc import Mapping
from typing import Final

from workbench.chat.json_value import JsonObject, JsonValue

ANNOTATIONS: Final = frozenset(
    {"title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "nullable"}
    | {"$schema", "$id", "$comment", "$defs", "definitions", "$anchor", "contentMediaType", "contentEncoding"}
)
"""Keywords that say nothing of a value."""
SHAPE: Final = frozenset({"type", "const", "enum", "$ref", "anyOf", "oneOf", "allOf"})
"""Keywords that rules express for every type."""
EXPRESSED: Final[Mapping[str, frozenset[str]]] = {
    "object": frozenset({"properties", "required", "additionalProperties"}),
    "array": frozenset({"items", "prefixItems", "minItems", "maxItems"}),
    "string": frozenset({"minLength", "maxLength"}),
    "integer": frozenset({"minimum", "maximum"}),
    "number": frozenset({"minimum"}),
    "boolean": frozenset(),
    "null": frozenset(),
}
"""Keywords that the rules may hold a model to, by the type that they speak of."""
_SPEAKS_OF: Final[Mapping[str, str]] = {
    **dict.fromkeys(("properties", "required", "additionalProperties", "patternProperties"), "object"),
    **dict.fromkeys(("items", "prefixItems", "minItems", "maxItems", "uniqueItems"), "array"),
    **dict.fromkeys(("minLength", "maxLength", "pattern", "format"), "string"),
    **dict.fromkeys(("minimum", "maximum", "multipleOf"), "number"),
}
"""The type that a schema without one means, by its first such keyword."""


def kinds_of(schema: JsonObject) -> tuple[str, ...]:
    """The types that a schema names, or means by its keywords; empty where it may be anything.

    >>> kinds_of({"type": ["string", "null"]}), kinds_of({"properties": {}}), kinds_of({})
    (('string', 'null'), ('object',), ())
    """
    named = schema.get("type")
    if isinstance(named, str):
        kinds: tuple[str, ...] = (named,)
    elif isinstance(named, list | tuple):
        kinds = tuple(str(kind) for kind in named)
    else:
        meant = next((_SPEAKS_OF[keyword] for keyword in schema if keyword in _SPEAKS_OF), None)
        kinds = (meant,) if meant else ()
    return (*kinds, "null") if kinds and schema.get("nullable") is True and "null" not in kinds else kinds


def target_of(document: JsonValue, ref: str) -> JsonValue:
    """What a local reference leads to; None where it leads nowhere."""
    if ref != "#" and not ref.startswith("#/"):
        return None
    value = document
    for step in map(unescaped, ref.split("/")[1:]):
        if isinstance(value, Mapping):
            value = value.get(step)
        elif isinstance(value, list | tuple):
            value = value[int(step)] if step.isdigit() and int(step) < len(value) else None
        else:
            return None
    return value


def unescaped(text: str) -> str:
    """A step of a JSON pointer as the key that it names. *Source:* RFC 6901."""
    return text.replace("~1", "/").replace("~0", "~")
