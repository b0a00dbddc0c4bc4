"""The arguments of a call against the tool's schema."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import Final, cast

from workbench.chat.finding import Finding, Severity
from workbench.chat.json_value import JsonObject, JsonValue, as_object
from workbench.toolspec.check import check_arguments
from workbench.toolspec.quick import is_surely_valid
from workbench.toolspec.spec import ToolSpec
from workbench.trajectory.row import Entry, RowFinding
from workbench.trajectory.validate.said import said, short

_KEPT: Final = "_closed"
_OPENING: Final = frozenset(
    {
        "additionalProperties",
        "patternProperties",
        "unevaluatedProperties",
        "allOf",
        "anyOf",
        "oneOf",
        "$ref",
        "if",
    }
)
"""Keywords that say more of other properties."""
_FILLED: Final = frozenset({"schema-type", "schema-enum", "schema-const", "schema-unknown-argument"})
"""What a null breaks that Arrow put there."""


def argument_findings(spec: ToolSpec, arguments: JsonObject, entry: Entry) -> Iterator[RowFinding]:
    """`schema-…`, each with the pointer into the arguments, and `none-filled`.

    A null where the tool wants none and the schema does not require anything is what Arrow writes where
    other rows have a value: one warning, instead of an error for each.
    """
    spec = closed(spec)
    if is_surely_valid(spec, arguments):
        return
    filled: dict[str, None] = {}
    for finding in check_arguments(spec, arguments):
        if _is_filled(finding, spec, arguments):
            filled[finding.pointer or ""] = None
        elif finding.severity is Severity.ERROR:
            yield _placed(finding, spec, entry)
    if filled:
        names = ", ".join(pointer.rpartition("/")[2] for pointer in islice(filled, 3))
        message = f"null for {names} of {short(spec.name)}, as Arrow fills in; leave them out"[:99]
        yield said("none-filled", message, entry=entry, pointer=next(iter(filled)))


def without_filled(spec: ToolSpec, arguments: JsonObject) -> JsonObject:
    """The arguments without the nulls that `none-filled` tells of, at every depth."""
    spec = closed(spec)
    for finding in check_arguments(spec, arguments):
        if _is_filled(finding, spec, arguments):
            arguments = cast(JsonObject, _without(arguments, _parts(finding.pointer or "")))
    return arguments


def closed(spec: ToolSpec) -> ToolSpec:
    """The spec for which an object has only the properties that are listed, unless it says more of others.

    A trainer must not learn arguments that the tool never named; JSON Schema alone would let them pass.
    """
    kept = cast("dict[str, object]", spec.__dict__)
    if _KEPT not in kept:
        parameters = _closed(spec.parameters)
        kept[_KEPT] = ToolSpec.of_function({**spec.function, "parameters": parameters})
    return cast(ToolSpec, kept[_KEPT])


def _closed(schema: JsonValue) -> JsonValue:
    if not isinstance(schema, dict):
        return schema
    given = cast(JsonObject, schema)
    properties, items = given.get("properties"), given.get("items")
    if not (isinstance(properties, dict) or isinstance(items, dict)):
        return given
    result = dict(given)
    if isinstance(properties, dict):
        named = cast(JsonObject, properties)
        result["properties"] = {name: _closed(inside) for name, inside in named.items()}
        if named and _OPENING.isdisjoint(given):
            result["additionalProperties"] = False
    if isinstance(items, dict):
        result["items"] = _closed(items)
    return result


def _is_filled(finding: Finding, spec: ToolSpec, arguments: JsonObject) -> bool:
    parts = _parts(finding.pointer or "")
    if finding.code not in _FILLED or not parts or _at(arguments, parts) is not None:
        return False
    return parts[-1] not in _required(spec.parameters, parts[:-1])


def _required(schema: JsonValue, parts: list[str]) -> frozenset[str]:
    """The names that the schema requires of the object at `parts`."""
    for part in parts:
        properties = as_object(as_object(schema).get("properties"))
        schema = properties.get(part, as_object(schema).get("items"))
    names = as_object(schema).get("required")
    return frozenset(map(str, names)) if isinstance(names, list) else frozenset()


def _parts(pointer: str) -> list[str]:
    return [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]


def _at(value: JsonValue, parts: list[str]) -> JsonValue:
    for part in parts:
        if isinstance(value, Mapping):
            value = value.get(part)
        elif isinstance(value, list) and part.isdecimal() and int(part) < len(value):
            value = value[int(part)]
        else:
            return ""
    return value


def _without(value: JsonValue, parts: list[str]) -> JsonValue:
    if isinstance(value, Mapping):
        if len(parts) == 1:
            return {key: inside for key, inside in value.items() if key != parts[0]}
        return {
            key: _without(inside, parts[1:]) if key == parts[0] else inside for key, inside in value.items()
        }
    if isinstance(value, list) and len(parts) > 1:
        return [
            _without(inside, parts[1:]) if str(place) == parts[0] else inside
            for place, inside in enumerate(value)
        ]
    return value


def _placed(finding: Finding, spec: ToolSpec, entry: Entry) -> RowFinding:
    told = said(finding.code, f"{short(spec.name)}: {finding.message}"[:99], entry=entry)
    return replace(told, pointer=finding.pointer or "")
