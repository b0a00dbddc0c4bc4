"""The parameter grid from a spec, and the spec from the grid."""

import json
from dataclasses import asdict

import pytest

from workbench.errors import BadInput
from workbench.ui.present.tools import show_grid, write_grid

SPEC = '{"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {"a": {}}}}}'


def test_the_grid_shows_bare_and_wrapped_functions_and_hides_for_other_text():
    assert [row.name for row in show_grid(SPEC).rows] == ["a"]
    assert show_grid('{"name": "f"}').is_object
    assert not show_grid("[]").is_object
    assert not show_grid('{"name"').is_object


def test_rows_are_written_into_the_spec_and_the_rest_stays():
    rows = [asdict(row) | {"type": "string"} for row in show_grid(SPEC).rows]
    written = json.loads(write_grid(SPEC, json.dumps(rows)))
    assert written["type"] == "function"
    assert written["function"]["parameters"]["properties"] == {"a": {"type": "string"}}
    with pytest.raises(BadInput, match="not a JSON object"):
        write_grid("[]", "[]")


def written(**changes: object) -> dict[str, object]:
    """Return the schema of the parameter after a change in the grid."""
    rows = [asdict(row) | changes for row in show_grid(SPEC).rows]
    return json.loads(write_grid(SPEC, json.dumps(rows)))["function"]["parameters"]["properties"]["a"]


@pytest.mark.parametrize(
    ("kind", "text", "values"),
    [
        ("string", "red, blue", ["red", "blue"]),
        ("string", '"red", "dark, blue"', ["red", "dark, blue"]),
        ("string", 'red, "dark, blue", 3', ["red", "dark, blue", "3"]),
        ("string", "a, b,", ["a", "b"]),
        ("string", "10 km, true", ["10 km", "true"]),
        ("integer", "1, 2", [1, 2]),
        ("", "1, x, null", [1, "x", None]),
        ("string, null", '"a", null', ["a", None]),
        ("array", "[1, 2], [3]", [[1, 2], [3]]),
    ],
)
def test_allowed_values_are_json_or_words(kind: str, text: str, values: list[object]) -> None:
    assert written(type=kind, enum=text)["enum"] == values


@pytest.mark.parametrize("text", ['"a', "a,, b", ', "a"', 'a "b"'])
def test_allowed_values_that_cannot_be_read_are_refused(text: str) -> None:
    with pytest.raises(BadInput, match="parameter 'a', allowed values"):
        written(type="string", enum=text)


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        ("string", "celsius", "celsius"),
        ("string", '"celsius"', "celsius"),
        ("string", "two words, and more", "two words, and more"),
        ("string", "3", "3"),
        ("string, null", "null", None),
        ("number", "2.5", 2.5),
        ("", "true", True),
        ("array", '["a"]', ["a"]),
    ],
)
def test_a_default_is_json_or_a_text(kind: str, text: str, value: object) -> None:
    assert written(type=kind, default=text)["default"] == value


@pytest.mark.parametrize(("kind", "text"), [("integer", "three"), ("string", '"open'), ("object", "{a}")])
def test_a_default_that_cannot_be_read_is_refused(kind: str, text: str) -> None:
    with pytest.raises(BadInput, match="parameter 'a', default"):
        written(type=kind, default=text)


def test_nested_properties_are_named_and_stay() -> None:
    inner = {"type": "object", "properties": {"city": {"type": "string"}, "zip": {}}}
    parameters = {
        "type": "object",
        "properties": {"a": inner, "b": {"type": "array", "items": inner}, "c": {}},
    }
    text = json.dumps({"name": "f", "parameters": parameters})
    rows = show_grid(text).rows
    assert [row.nested for row in rows] == [("city", "zip"), ("city", "zip"), ()]
    changed = json.loads(write_grid(text, json.dumps([asdict(row) for row in rows])))
    assert changed["parameters"]["properties"] == parameters["properties"]
