"""Parameters become rows of a grid, and rows become parameters."""

from dataclasses import replace

import pytest

from workbench.errors import BadInput
from workbench.toolspec.grid import GridRow, grid_of, with_grid

FUNCTION = {
    "name": "f",
    "parameters": {
        "type": "object",
        "properties": {
            "a": {"type": "string", "minLength": 2, "description": "A.", "enum": ["x", "y"]},
            "b": {"type": ["integer", "null"], "default": 3},
            "c": {"anyOf": [{"type": "string"}]},
        },
        "required": ["a"],
        "additionalProperties": False,
    },
}
NEW = GridRow(name="d", type="", is_required=False, description="", enum="", default="", was="")


def test_unchanged_rows_give_the_same_spec():
    rows = grid_of(FUNCTION)
    assert [(row.name, row.type, row.is_required, row.enum, row.default) for row in rows] == [
        ("a", "string", True, '"x", "y"', ""),
        ("b", "integer, null", False, "", "3"),
        ("c", "", False, "", ""),
    ]
    assert with_grid(FUNCTION, rows) == FUNCTION
    assert list(with_grid(FUNCTION, rows)["parameters"]) == list(FUNCTION["parameters"])


def test_hidden_parts_of_a_schema_stay_when_a_parameter_is_renamed():
    first, *rest = grid_of(FUNCTION)
    changed = with_grid(FUNCTION, [replace(first, name="z", is_required=False, enum=""), *rest])
    assert changed["parameters"]["properties"]["z"] == {"type": "string", "minLength": 2, "description": "A."}
    assert changed["parameters"]["required"] == []


@pytest.mark.parametrize(
    ("change", "schema"),
    [
        ({"type": "integer"}, {"type": "integer"}),
        ({"type": "integer,null"}, {"type": ["integer", "null"]}),
        ({"enum": "red, green"}, {"enum": ["red", "green"]}),
        ({"enum": '1, "two"'}, {"enum": [1, "two"]}),
        ({"default": "[1]", "description": "D"}, {"description": "D", "default": [1]}),
    ],
)
def test_a_new_parameter_is_added(change, schema):
    function = with_grid({"name": "f"}, [replace(NEW, **change)])
    assert function["parameters"] == {"type": "object", "properties": {"d": schema}}


@pytest.mark.parametrize(
    "rows",
    [
        [replace(NEW, name="")],
        [NEW, NEW],
        [replace(NEW, type="integer", default="x")],
        [replace(NEW, enum='"a, b')],
    ],
)
def test_invalid_rows_raise_bad_input(rows):
    with pytest.raises(BadInput, match="parameter"):
        with_grid(FUNCTION, rows)
