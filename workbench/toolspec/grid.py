"""Edit a tool's parameters as rows of a grid."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, cast

from workbench.chat.json_value import JsonObject, JsonValue, as_object, load_json
from workbench.errors import BadInput

_DECODER: Final = json.JSONDecoder()
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
    """The allowed values, separated by commas: JSON, or words without quotes. Empty for any value."""
    default: str
    """The default: JSON, or a text without quotes. Empty for none."""
    was: str
    """The previous name, or empty for a new parameter. The parts of its schema that the grid does not show are kept."""
    nested: tuple[str, ...] = ()
    """Names of the properties of an object, or of the objects in a list. The grid does not edit them."""


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
    nested = as_object(schema.get("properties")) or as_object(
        as_object(schema.get("items")).get("properties")
    )
    return GridRow(
        name=name,
        type=", ".join(map(str, kind)) if isinstance(kind, list) else str(kind or ""),
        is_required=is_required,
        description=str(schema.get("description") or ""),
        enum=", ".join(map(_json, values)) if isinstance(values, list) else "",
        default=_json(schema["default"]) if "default" in schema else "",
        was=name,
        nested=tuple(nested),
    )


def _property(row: GridRow, before: JsonObject) -> JsonObject:
    kinds = [kind.strip() for kind in row.type.split(",") if kind.strip()]
    edited: dict[str, JsonValue] = {"type": kinds[0] if len(kinds) == 1 else kinds} if kinds else {}
    if row.description:
        edited["description"] = row.description
    if row.enum.strip():
        edited["enum"] = list(_values(row, kinds))
    if row.default.strip():
        edited["default"] = _default(row, kinds)
    # Keep the order of the keys, so that the text changes as little as possible.
    ordered = {
        key: edited.get(key, value) for key, value in before.items() if key in edited or key not in _SHOWN
    }
    return {**ordered, **edited}


def _values(row: GridRow, kinds: Sequence[str]) -> Iterator[JsonValue]:
    """Yield the values of an enumeration: JSON, or words without quotes, separated by commas.

    Example: `red, "dark, blue", 3` has three values.
    """
    text, position = row.enum.strip().removesuffix(","), 0
    while position < len(text):
        value, end = _json_at(text, position)
        if end is None:
            comma = text.find(",", position)
            end = len(text) if comma < 0 else comma
            value = text[position:end].strip()
            if not value or '"' in value:
                where = f"parameter {row.name!r}, allowed values"
                raise BadInput(where, f"{value or ','} cannot be read", 'write a, b or "a", 2')
        yield _as_kind(value, text[position:end].strip(), kinds)
        position = end + 1


def _json_at(text: str, position: int) -> tuple[JsonValue, int | None]:
    """Return the JSON value at a position, and the comma or the end after it. The end is None if there is no value."""
    start = position + len(text[position:]) - len(text[position:].lstrip())
    try:
        value, end = cast(tuple[JsonValue, int], _DECODER.raw_decode(text, start))
    except (ValueError, RecursionError):
        return None, None
    end += len(text[end:]) - len(text[end:].lstrip())
    return (value, end) if end == len(text) or text[end] == "," else (None, None)


def _default(row: GridRow, kinds: Sequence[str]) -> JsonValue:
    text = row.default.strip()
    try:
        return _as_kind(load_json(text), text, kinds)
    except ValueError as error:
        # A text that begins like JSON was meant as JSON.
        if (not kinds or "string" in kinds) and text[0] not in '"[{':
            return text
        where = f"parameter {row.name!r}, default"
        raise BadInput(where, "the value is not JSON", 'write 3, true or "text"') from error


def _as_kind(value: JsonValue, text: str, kinds: Sequence[str]) -> JsonValue:
    """Return the value, or its text where only a text is allowed: 3 is "3" for a parameter of type string."""
    return text if list(kinds) == ["string"] and not isinstance(value, str | list | dict) else value


def _json(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False)
