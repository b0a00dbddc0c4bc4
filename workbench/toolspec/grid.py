"""Show a tool's parameters as rows of a grid, and change a spec by its rows."""

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
    """One parameter."""

    name: str
    """The parameter's name."""
    type: str
    """The schema's `type`; several with commas between; empty for none."""
    is_required: bool
    """Whether a call must give it."""
    description: str
    """For the model; empty for none."""
    enum: str
    """JSON of the values that it may have, with commas between; empty for any."""
    default: str
    """JSON of its default; empty for none."""
    was: str
    """The name that it had; empty for a new one. What the grid does not show of its schema stays."""


def grid_of(function: JsonObject) -> tuple[GridRow, ...]:
    """The parameters of a bare function object, in order."""
    schema = as_object(function.get("parameters"))
    names = schema.get("required")
    required = {str(name) for name in names} if isinstance(names, list) else frozenset[str]()
    return tuple(
        _row(name, as_object(one), is_required=name in required)
        for name, one in as_object(schema.get("properties")).items()
    )


def with_grid(function: JsonObject, rows: Sequence[GridRow]) -> JsonObject:
    """The function with these parameters, in this order.

    Raises:
        BadInput: A row has no name, two have the same, or an enumeration or a default is no JSON.
    """
    names = [row.name for row in rows]
    if not all(names):
        raise BadInput("parameters", "one has no name", "name it, or remove its row")
    double = next((name for name, times in Counter(names).items() if times > 1), None)
    if double is not None:
        raise BadInput("parameters", f"two are called {double!r}", "name each apart")
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
    given: dict[str, JsonValue] = {"type": kinds[0] if len(kinds) == 1 else kinds} if kinds else {}
    if row.description:
        given["description"] = row.description
    if row.enum.strip():
        given["enum"] = _values(row)
    if row.default.strip():
        given["default"] = _value(row.default, row.name, "default")
    # In the order written before, so that the text changes no more than it has to.
    kept = {key: given.get(key, value) for key, value in before.items() if key in given or key not in _SHOWN}
    return {**kept, **given}


def _values(row: GridRow) -> list[JsonValue]:
    """The enumeration; what is no JSON is taken for words."""
    try:
        return cast(list[JsonValue], load_json(f"[{row.enum}]"))
    except ValueError:
        words = [word.strip() for word in row.enum.split(",")]
        if any('"' in word or not word for word in words):
            raise BadInput(
                f"parameter {row.name!r}, enum", "values cannot be read", 'write a, b or "a", 2'
            ) from None
        return list(words)


def _value(text: str, name: str, what: str) -> JsonValue:
    try:
        return load_json(text)
    except ValueError as error:
        raise BadInput(f"parameter {name!r}, {what}", "not JSON", 'write 3, true or "text"') from error


def _json(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False)
