"""The grid of a tool's parameters, made from the text of its spec and written back into it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from workbench.chat.json_value import JsonObject, as_object, load_json
from workbench.errors import BadInput
from workbench.toolspec.grid import GridRow, grid_of, with_grid


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolGridView:
    """The grid."""

    is_object: bool
    """False where the text is no JSON object yet: then there is nothing to lay out."""
    rows: tuple[GridRow, ...] = ()
    """One a parameter."""


def show_grid(spec_text: str) -> ToolGridView:
    """The parameters of a spec as it is typed."""
    function = _function(spec_text)
    if function is None:
        return ToolGridView(is_object=False)
    return ToolGridView(is_object=True, rows=grid_of(function))


def write_grid(spec_text: str, rows_text: str) -> str:
    """The spec with the rows of the grid in it, laid out anew.

    Raises:
        BadInput: The spec is no JSON object, or a row cannot be used.
    """
    function = _function(spec_text)
    if function is None:
        raise BadInput("spec", "no JSON object", "mend it first")
    rows = cast(list[JsonObject], load_json(rows_text))
    if not isinstance(rows, list) or not all(isinstance(row, Mapping) for row in rows):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise BadInput("grid", "its rows are not objects", "reload the page")
    changed = with_grid(function, [_row(row) for row in rows])
    document = as_object(load_json(spec_text))
    whole = {**document, "function": changed} if isinstance(document.get("function"), Mapping) else changed
    return json.dumps(whole, indent=2, ensure_ascii=False)


def _row(row: JsonObject) -> GridRow:
    return GridRow(
        name=str(row.get("name", "")).strip(),
        type=str(row.get("type", "")),
        is_required=row.get("is_required") is True,
        description=str(row.get("description", "")),
        enum=str(row.get("enum", "")),
        default=str(row.get("default", "")),
        was=str(row.get("was", "")),
    )


def _function(spec_text: str) -> JsonObject | None:
    """The bare function of a spec's text; None where it is no JSON object."""
    try:
        value = load_json(spec_text)
    except ValueError:
        return None
    if not isinstance(value, Mapping):
        return None
    function = value.get("function")
    return cast(JsonObject, function) if isinstance(function, Mapping) else cast(JsonObject, value)
