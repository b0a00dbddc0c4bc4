"""The grid of parameters: what is typed in a cell survives answers, and counts for the tool that it was typed for."""

import json

import pytest
from playwright.sync_api import expect

from tests.ui.scripts.component import Component
from workbench.ui.present.sessions import AccountView
from workbench.ui.present.tools import show_grid

pytestmark = pytest.mark.browser


def spec_of(name: str = "look_up", **properties: object) -> str:
    parameters = {"type": "object", "properties": properties}
    return json.dumps({"name": name, "description": "D.", "parameters": parameters})


CITY = spec_of(city={"type": "string"})
DESCRIBED = spec_of(city={"type": "string", "description": "A city"})


def show(component: Component, text: str, document: str = "tool:mine/look_up") -> None:
    """Show a document in the editor of the spec."""
    component.page.evaluate(
        "([id, text]) => hermesWorkbench.documents.show('tools-spec', id, text)", [document, text]
    )


def answer(component: Component, text: str) -> None:
    """Send the grid of a text, which may be an old one."""
    component.update(show_grid(text))


@pytest.fixture
def grid(component: Component) -> Component:
    """The grid of a tool with one parameter."""
    component.mount("account", AccountView(name=""))
    component.mount("tool_grid", around="<textarea id='tools-spec'></textarea>")
    show(component, CITY)
    answer(component, CITY)
    expect(component.page.get_by_label("Name of parameter 1")).to_have_value("city")
    return component


def type_into(grid: Component, column: str, text: str) -> None:
    grid.page.get_by_label(f"{column} of parameter 1").fill(text)


def test_text_that_is_being_typed_survives_an_answer_and_counts_when_the_cell_is_left(
    grid: Component,
) -> None:
    field = grid.page.get_by_label("Allowed values of parameter 1")
    field.click()
    grid.page.keyboard.type("rom")
    show(grid, DESCRIBED)
    answer(grid, DESCRIBED)
    expect(grid.page.get_by_label("Description of parameter 1")).to_have_value("A city")
    expect(field).to_have_value("rom")
    expect(field).to_be_focused()
    grid.page.keyboard.type("e")
    big = spec_of(city={"type": "string", "description": "A big city"})
    show(grid, big)
    answer(grid, big)
    grid.page.keyboard.press("Tab")
    [(name, edit)] = grid.events
    [row] = json.loads(edit["rows"])
    assert (name, row["enum"], row["description"]) == ("edit_grid", "rome", "A big city")
    assert (edit["text"], edit["document"], edit["number"]) == (big, "tool:mine/look_up", 1)


def test_an_answer_replaces_a_cell_in_which_nothing_is_typed(grid: Component) -> None:
    field = grid.page.get_by_label("Description of parameter 1")
    field.click()
    show(grid, DESCRIBED)
    answer(grid, DESCRIBED)
    expect(field).to_have_value("A city")
    grid.page.keyboard.press("Tab")
    assert grid.events == []


def test_the_grid_of_an_older_text_is_ignored(grid: Component) -> None:
    show(grid, DESCRIBED)
    answer(grid, CITY)
    answer(grid, DESCRIBED)
    answer(grid, CITY)
    expect(grid.page.get_by_label("Description of parameter 1")).to_have_value("A city")


def test_rows_stay_until_the_text_has_their_edit(grid: Component) -> None:
    type_into(grid, "Description", "A big city")
    type_into(grid, "Default", "Rome")
    answer(grid, CITY)
    grid.page.keyboard.press("Tab")
    answer(grid, CITY)
    (_, first), (_, second) = grid.events
    [row] = json.loads(second["rows"])
    assert (row["description"], row["default"]) == ("A big city", "Rome")
    assert (first["number"], second["number"]) == (1, 2)
    expect(grid.page.get_by_label("Default of parameter 1")).to_have_value("Rome")


def test_a_text_that_was_typed_meanwhile_replaces_rows_whose_edit_was_refused(grid: Component) -> None:
    type_into(grid, "Name", "")
    grid.page.keyboard.press("Tab")
    show(grid, DESCRIBED)
    answer(grid, DESCRIBED)
    expect(grid.page.get_by_label("Name of parameter 1")).to_have_value("city")


def test_what_is_typed_while_another_tool_opens_counts_for_the_tool_before(grid: Component) -> None:
    type_into(grid, "Description", "A big city")
    other = spec_of("other", day={"type": "string"})
    show(grid, other, "tool:mine/other")
    answer(grid, other)
    expect(grid.page.get_by_label("Name of parameter 1")).to_have_value("day")
    expect(grid.page.get_by_label("Description of parameter 1")).to_have_value("")
    grid.page.keyboard.press("Tab")
    [(_, edit)] = grid.events
    assert (edit["document"], edit["text"]) == ("tool:mine/look_up", CITY)
    assert json.loads(edit["rows"])[0]["description"] == "A big city"


def test_a_text_that_is_no_object_hides_the_grid_until_it_is_one(grid: Component) -> None:
    show(grid, "{")
    answer(grid, "{")
    expect(grid.page.get_by_label("Name of parameter 1")).to_be_hidden()
    answer(grid, CITY)
    expect(grid.page.get_by_label("Name of parameter 1")).to_be_hidden()
    show(grid, CITY)
    answer(grid, CITY)
    expect(grid.page.get_by_label("Name of parameter 1")).to_have_value("city")
