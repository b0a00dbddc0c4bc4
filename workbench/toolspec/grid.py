"""Edit a tool's parameters as rows of a grid."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, cast

from workbench.chat.json_value import JsonObject, JsonValue, as_object, load_json
from workbench.errors import BadInput

_SHOWN: Final = frozenset({"type", "description", "enum", "default"})


@dataclass(frozen=True, slots=True, kw_only=True)
class GridRow:
    """One parameter of a tool."""

    name: str
    type: str
    """The schema's `type`. Several types are separated by commas. Empty for none."""
    is_required: bool
    description: str
    """Description for the model. Empty for none."""
    enum: str
    """The allowed values as JSON, separated by commas. Empty for any value."""
    default: str
    """The default as JSON. Empty for none."""
    was: str
    """The previous name, or empty for a new parameter. The parts of its schema that the grid does not show are kept."""


def grid_of(function: JsonObject) -> tuple[GridRow, ...]:
    """Return the parameters of a bare function object as rows, in the order of the schema."""
    schema = as_object(function.get("parameters"))
    names = schema.get("required")
    required = {str(name) for name in names} if isinstance(names, list) else frozenset[str]()
    return tuple(
        _row(name, as_object(property_schema), is_required=name in required)
        for name, property_schema in as_object(schema.get("properties")).items()
    )


def with_grid(function: JsonObject, rows: Sequence[GridRow]) -> JsonObject:
    """Return the function with these parameters, in this order.

    Raises:
        BadInput: A row has no name, two rows have the same name, or an enumeration or default is not JSON.
    """
    names = [row.name for row in rows]
    if not all(names):
        raise BadInput("parameters", "a parameter has no name", "enter a name, or remove its row")
    duplicate = next((name for name, times in Counter(names).items() if times > 1), None)
    if duplicate is not None:
        raise BadInput("parameters", f"two parameters are named {duplicate!r}", "rename one of them")
    schema = as_object(function.get("parameters"))
    before = as_object(schema.get("properties"))
    properties = {row.name: _property(row, as_object(before.get(row.was))) for row in rows}
    required = [row.name for row in rows if row.is_required]
    changed = {"type": "object", **schema, "properties": properties, "required": required}
    if not required and "required" not in schema:
        del changed["required"]
    return {**function, "parameters": changed}


def _row(name: str, schema: JsonObject, *, is_required: bool) -> GridRow:
    kind, values = schema.get("type"), schema.get("enum")
    return GridRow(
        name=name,
        type=", ".join(map(str, kind)) if isinstance(kind, list) else str(kind or ""),
        is_required=is_required,
        description=str(schema.get("description") or ""),
        enum=", ".join(map(_json, values)) if isinstance(values, list) else "",
        default=_json(schema["default"]) if "default" in schema else "",
        was=name,
    )


def _property(row: GridRow, before: JsonObject) -> JsonObject:
    kinds = [kind.strip() for kind in row.type.split(",") if kind.strip()]
    edited: dict[str, JsonValue] = {"type": kinds[0] if len(kinds) == 1 else kinds} if kinds else {}
    if row.description:
        edited["description"] = row.description
    if row.enum.strip():
        edited["enum"] = _values(row)
    if row.default.strip():
        edited["default"] = _value(row.default, row.name, "default")
    # Keep the order of the keys, so that the text changes as little as possible.
    ordered = {
        key: edited.get(key, value) for key, value in before.items() if key in edited or key not in _SHOWN
    }
    return {**ordered, **edited}


def _values(row: GridRow) -> list[JsonValue]:
    """Return the values of an enumeration. Text that is not JSON is read as words separated by commas."""
    try:
        return cast(list[JsonValue], load_json(f"[{row.enum}]"))
    except ValueError:
        words = [word.strip() for word in row.enum.split(",")]
        if any('"' in word or not word for word in words):
            raise BadInput(
                f"parameter {row.name!r}, enum", "the values cannot be read", 'write a, b or "a", 2'
            ) from None
        return list(words)


def _value(text: str, name: str, field_name: str) -> JsonValue:
    try:
        return load_json(text)
    except ValueError as error:
        where = f"parameter {name!r}, {field_name}"
        raise BadInput(where, "the value is not JSON", 'write 3, true or "text"') from error


def _json(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False)
