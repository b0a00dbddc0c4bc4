"""Fields that take the place of Gradio's, called as Gradio calls its components."""

from collections.abc import Mapping
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.ui.scripts.component import Component

pytestmark = pytest.mark.browser

GRADIO = """([kind, shared, props]) => {
  window.calls = [];
  const shared_props = {
    id: 7, elem_id: "part", elem_classes: ["own"], label: "Name", interactive: true, ...shared,
    register_component: (id, set, get) => Object.assign(window, { registered: id, set, get }),
    dispatcher: (...call) => calls.push(call),
  };
  document.querySelector("#around").innerHTML = "<i></i><b></b>";
  return __GRADIO__CC__[kind].component().then((module) =>
    module.default(document.querySelector("#around b"), { shared_props, props }));
}"""
"""What Gradio does with a component (gradio 6.31, js/core/src)."""
LINE: Mapping[str, Any] = {"type": "text", "lines": 1, "max_lines": 1, "value": None, "placeholder": "write"}
LINES: Mapping[str, Any] = {"type": "text", "lines": 2, "max_lines": 4, "value": "one"}
THEME = ":root { --input-padding: 4px 8px; --input-border-width: 1px; --input-border-color: gray; --line-sm: 1.4 }"
"""The values of `workbench/ui/theme.py`."""
NUMBER: Mapping[str, Any] = {"value": 3, "minimum": 1, "maximum": 9, "step": 2}


def drawn(page: Page, kind: str, props: Mapping[str, Any], **shared: object) -> Locator:
    """Draw a field, and return what a person writes in."""
    page.evaluate(GRADIO, [kind, shared, dict(props)])
    return page.get_by_label("Name")


def events(page: Page) -> list[str]:
    """Return the events so far, once the last change was reported."""
    page.evaluate("new Promise((resolve) => setTimeout(resolve))")
    return [name for _, name, _ in page.evaluate("calls")]


@pytest.fixture
def page(component: Component) -> Page:
    return component.page


def test_a_field_goes_where_gradio_puts_the_component_with_its_name(page: Page) -> None:
    field = drawn(page, "textbox", LINE)
    assert page.evaluate("Array.from(document.querySelector('#around').children, (part) => part.id)") == [
        "",
        "part",
        "",
    ]
    assert page.evaluate("[registered, document.querySelector('#part').className]") == [
        7,
        "block hw-field padded own",
    ]
    expect(field).to_have_attribute("placeholder", "write")
    drawn(page, "textbox", LINE, show_label=False)
    expect(page.get_by_label("Name")).to_be_visible()
    assert page.evaluate("document.querySelector('#part span').className") == "sr-only"


def test_what_is_written_is_what_events_read_and_each_change_is_reported(page: Page) -> None:
    field = drawn(page, "textbox", LINES)
    assert page.evaluate("get()") == {"value": "one"}
    field.fill("two")
    assert page.evaluate("get()") == {"value": "two"}
    assert events(page) == ["input", "change"]
    page.evaluate("set({ value: 'two' }); set({ loading_status: 'pending' })")
    assert events(page) == ["input", "change"]
    page.evaluate("set({ value: 'three' })")
    expect(field).to_have_value("three")
    assert events(page) == ["input", "change", "change"]
    page.evaluate("set({ value: null })")
    assert page.evaluate("get()") == {"value": ""}


def test_a_change_is_reported_once_all_values_of_the_answer_are_set(page: Page) -> None:
    drawn(page, "textbox", LINES)
    assert page.evaluate("set({ value: 'two' }) || calls.length") == 0
    assert events(page) == ["change"]


def test_enter_submits_a_line_and_begins_another_in_lines(page: Page) -> None:
    drawn(page, "textbox", LINE).press("Enter")
    assert events(page) == ["submit"]
    field = drawn(page, "textbox", LINES)
    field.press("End")
    field.press("Enter")
    expect(field).to_have_value("one\n")
    assert "submit" not in events(page)


WITHOUT = "CSS.supports = () => false"
"""A browser that cannot fit the height of a field to its text."""


@pytest.mark.parametrize("browser_is", ["true", WITHOUT], ids=["by CSS", "by script"])
def test_lines_grow_with_their_text_up_to_the_most(page: Page, browser_is: str) -> None:
    page.evaluate(browser_is)
    if browser_is == WITHOUT:
        page.add_style_tag(content="textarea { field-sizing: fixed !important }")
    page.add_style_tag(content=THEME)
    field = drawn(page, "textbox", LINES)

    def height() -> float:
        return float(field.evaluate("field => field.clientHeight"))

    two = height()
    field.fill("1\n2\n3")
    three = height()
    field.fill("\n" * 20)
    most = height()
    assert two < three < most
    line = three - two
    assert most - two == pytest.approx(2 * line, abs=1)


def test_a_number_is_a_number_or_null(page: Page) -> None:
    field = drawn(page, "number", NUMBER)
    assert page.evaluate("get()") == {"value": 3}
    assert [field.get_attribute(name) for name in ("min", "max", "step")] == ["1", "9", "2"]
    field.fill("5.5")
    assert page.evaluate("get()") == {"value": 5.5}
    field.fill("")
    assert page.evaluate("get()") == {"value": None}
    page.evaluate("set({ value: 7 })")
    expect(field).to_have_value("7")


def test_a_checkbox_is_true_or_false(page: Page) -> None:
    field = drawn(page, "checkbox", {"value": True})
    expect(field).to_be_checked()
    field.uncheck()
    assert page.evaluate("get()") == {"value": False}
    assert events(page) == ["input", "change"]
    page.evaluate("set({ value: true })")
    expect(field).to_be_checked()


def test_a_password_is_not_shown(page: Page) -> None:
    assert drawn(page, "textbox", {**LINE, "type": "password"}).get_attribute("type") == "password"


def test_a_field_that_cannot_be_edited_says_so_until_it_can(page: Page) -> None:
    field = drawn(page, "textbox", LINES, interactive=False)
    expect(field).to_be_disabled()
    page.evaluate("set({ interactive: true })")
    expect(field).to_be_enabled()


def test_a_hidden_field_leaves_the_page(page: Page) -> None:
    field = drawn(page, "textbox", LINES)
    page.evaluate("set({ visible: false })")
    expect(field).to_have_count(0)
