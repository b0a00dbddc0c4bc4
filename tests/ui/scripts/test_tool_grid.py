"""The grid of parameters: what is typed in a cell survives an answer that draws the grid again."""

import json

import pytest
from playwright.sync_api import expect

from tests.ui.scripts.component import Component
from workbench.ui.present.tools import ToolGridView, show_grid

pytestmark = pytest.mark.browser


def grid(**properties: object) -> ToolGridView:
    parameters = {"type": "object", "properties": properties}
    return show_grid(json.dumps({"name": "look_up", "description": "D.", "parameters": parameters}))


def test_text_that_is_being_typed_survives_an_answer_and_counts_when_the_cell_is_left(
    component: Component,
) -> None:
    component.mount("tool_grid", grid(city={"type": "string"}))
    field = component.page.get_by_label("Allowed values of parameter 1")
    field.click()
    component.page.keyboard.type("rom")
    component.update(grid(city={"type": "string", "description": "A city"}))
    expect(component.page.get_by_label("Description of parameter 1")).to_have_value("A city")
    expect(field).to_have_value("rom")
    expect(field).to_be_focused()
    component.page.keyboard.type("e")
    component.update(grid(city={"type": "string", "description": "A big city"}))
    component.page.keyboard.press("Tab")
    events = component.events
    assert [name for name, _ in events] == ["edit_grid"]
    [row] = json.loads(events[0][1]["rows"])
    assert (row["enum"], row["description"]) == ("rome", "A big city")


def test_an_answer_replaces_a_cell_in_which_nothing_is_typed(component: Component) -> None:
    component.mount("tool_grid", grid(city={"type": "string"}))
    field = component.page.get_by_label("Description of parameter 1")
    field.click()
    component.update(grid(city={"type": "string", "description": "A city"}))
    expect(field).to_have_value("A city")
    component.page.keyboard.press("Tab")
    assert component.events == []
