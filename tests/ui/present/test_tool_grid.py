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
