"""Drafts: unsaved text stays in the browser until it is saved or discarded."""

import json
from dataclasses import replace
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.ui.scripts.component import Component
from workbench.ui.present.call_form import FormField
from workbench.ui.present.message_pane import CodeTab, CodeView, DeletedView, EditView
from workbench.ui.present.sessions import AccountView, SessionBarView
from workbench.ui.present.tools import ToolGroup, ToolLine, ToolListView
from workbench.ui.present.versions import TextListView, TextRow

pytestmark = pytest.mark.browser

TEXT = EditView(
    message_id="m1", title="Edit text", text="It is 31.", go_on="Save and continue", can_continue=True
)
FIELDS = (
    FormField(name="city", kind="text", type="string", is_required=True, description="Where."),
    FormField(name="days", kind="json", type="integer", is_required=False, description=""),
    FormField(
        name="unit", kind="choice", type="string", is_required=False, description="", choices=('"C"', '"F"')
    ),
)
CALL = EditView(
    message_id="m1",
    title="Edit the call",
    call=0,
    tools={"get_weather": FIELDS, "get_time": ()},
    name="get_weather",
    values={"city": "Cairo", "odd": "1"},
)


def saved(component: Component) -> dict[str, Any]:
    """Return the data of the one `save_message` event, with its edit parsed."""
    [(name, data)] = component.events
    assert name == "save_message"
    return {**data, "edit": json.loads(data["edit"])}


def signed_in(component: Component, name: str = "") -> None:
    """Say who uses the page, which every draft needs to know."""
    component.mount("account", AccountView(name=name))


def opened(component: Component, view: EditView) -> None:
    signed_in(component)
    component.mount("editors")
    component.mount("message_pane")
    component.update(view)


# Editing a message


def test_a_draft_survives_a_reload_until_it_is_saved(component: Component) -> None:
    opened(component, TEXT)
    field = component.element.get_by_label("Edit text").get_by_role("textbox")
    expect(field).to_be_focused()
    field.fill("It is 13.")
    component.reload()
    opened(component, TEXT)
    expect(field).to_have_value("It is 13.")
    component.element.get_by_role("button", name="Save as branch").click()
    assert saved(component) == {"id": "m1", "call": None, "edit": {"text": "It is 13."}, "then": ""}
    component.update(None)
    expect(component.element).to_be_empty()
    opened(component, TEXT)
    expect(field).to_have_value("It is 31.")


def test_opening_another_session_keeps_the_draft(component: Component) -> None:
    opened(component, TEXT)
    field = component.element.get_by_label("Edit text").get_by_role("textbox")
    field.fill("It is 13.")
    component.update(None)
    expect(component.element).to_be_empty()
    component.update(TEXT)
    expect(field).to_have_value("It is 13.")


@pytest.mark.parametrize("way", ["Cancel", "Escape"])
def test_a_discarded_edit_can_be_brought_back(component: Component, way: str) -> None:
    opened(component, TEXT)
    field = component.element.get_by_label("Edit text").get_by_role("textbox")
    field.fill("It is 13.")
    if way == "Escape":
        component.press("Escape")
    else:
        component.element.get_by_role("button", name="Cancel").click()
    assert component.events == [("close_pane", {})]
    component.update(None)
    component.element.get_by_role("button", name="Undo").click()
    expect(field).to_have_value("It is 13.")
    component.press("Escape")
    component.update(TEXT)
    expect(field).to_have_value("It is 31.")


def test_an_unchanged_edit_closes_without_a_word(component: Component) -> None:
    opened(component, TEXT)
    component.press("Escape")
    component.update(None)
    expect(component.element).to_be_empty()


@pytest.mark.parametrize(
    ("button", "then"),
    [
        ("Save as branch", ""),
        ("Save and continue", "go_on"),
        ("Continue from here", "continue"),
        (None, "go_on"),
    ],
)
def test_each_way_to_save_names_the_next_step(component: Component, button: str | None, then: str) -> None:
    opened(component, TEXT)
    if button is None:
        component.press("Control+Enter")
    else:
        component.element.get_by_role("button", name=button).click()
    assert saved(component)["then"] == then


def test_line_endings_are_preserved(component: Component) -> None:
    opened(component, EditView(message_id="m1", title="Edit text", text="a\r\nb"))
    component.element.get_by_role("textbox").fill("a\nc\n")
    component.press("Control+Enter")
    assert saved(component)["edit"] == {"text": "a\r\nc\r\n"}


def test_an_edit_goes_on_when_its_session_is_opened_again(component: Component) -> None:
    opened(component, TEXT)
    session = 'hermesWorkbench.documents.show("play-composer", "composer:one", "")'
    component.page.evaluate(session)
    component.update(TEXT)
    component.element.get_by_role("textbox").fill("It is 13.")
    component.page.evaluate(session.replace("one", "two"))
    component.update(None)
    expect(component.element).to_be_empty()
    assert component.events == []
    component.page.evaluate(session)
    assert component.events == [("edit_again", {"id": "m1", "call": None})]
    component.reload()
    opened(component, TEXT)
    component.update(None)
    component.page.evaluate(session)
    assert component.events == [("edit_again", {"id": "m1", "call": None})]


# Editing a call


def test_a_call_is_edited_in_a_form_of_its_tools_schema(component: Component) -> None:
    opened(component, CALL)
    part = component.element
    expect(part.get_by_label("city", exact=True)).to_be_focused()
    part.get_by_label("city", exact=True).fill("London")
    part.get_by_label("days", exact=True).fill("3")
    part.get_by_label("unit", exact=True).select_option('"C"')
    part.get_by_label("Set odd").uncheck()
    component.reload()
    opened(component, CALL)
    expect(part.get_by_label("days", exact=True)).to_have_value("3")
    expect(part.get_by_label("odd", exact=True)).to_have_count(0)
    component.press("Control+Enter")
    texts = {"city": "London", "days": "3", "unit": '"C"'}
    assert saved(component)["edit"] == {"name": "get_weather", "texts": texts}


def test_an_empty_text_is_a_value_and_an_empty_number_is_not(component: Component) -> None:
    opened(component, CALL)
    part = component.element
    part.get_by_label("city", exact=True).fill("")
    part.get_by_label("days", exact=True).fill("3")
    part.get_by_label("days", exact=True).fill("")
    expect(part.get_by_label("Set city")).to_be_checked()
    expect(part.get_by_label("Set days")).not_to_be_checked()
    component.press("Control+Enter")
    assert saved(component)["edit"]["texts"] == {"city": "", "odd": "1"}


def test_choosing_another_tool_keeps_the_values(component: Component) -> None:
    opened(component, CALL)
    component.element.get_by_label("Tool", exact=True).fill("time")
    component.press("Enter")
    expect(component.element.get_by_label("city", exact=True)).to_have_value("Cairo")
    expect(component.element.locator(".hw-form-row").first).to_contain_text("not in the schema")
    component.element.get_by_role("button", name="Save as branch").click()
    assert saved(component)["edit"]["name"] == "get_time"


# Code and deletions


def test_code_has_tabs_and_closes_with_escape(component: Component) -> None:
    component.mount("message_pane")
    tabs = (CodeTab(name="curl", text="curl <x>"), CodeTab(name="Python", text="import x"))
    component.update(CodeView(title="As code", tabs=tabs, note=""))
    code = component.element.locator("pre")
    expect(code).to_have_text("curl <x>")
    component.element.get_by_role("button", name="Python").click()
    expect(code).to_have_text("import x")
    component.press("Escape")
    assert component.events == [("close_pane", {})]


def test_a_deletion_can_be_undone_for_ten_seconds(component: Component) -> None:
    component.page.clock.install()
    component.mount("message_pane")
    view = DeletedView(message_id="m1", title="Deleted: It is 31.")
    component.update(view)
    component.element.get_by_role("button", name="Undo").click()
    assert component.events == [("restore_message", {"id": "m1"})]
    component.page.clock.run_for(10_001)
    expect(component.element).to_be_empty()


# Texts and tools that have drafts


def texts(open_name: str, *, is_look: bool = False) -> TextListView:
    rows = tuple(TextRow(name=name, note="v1") for name in ("full", "minimal"))
    return TextListView(kind="contract", rows=rows, open_name=open_name, serial=1.0, is_look=is_look)


def keep(component: Component, name: str, value: object) -> None:
    component.page.evaluate("([name, text]) => localStorage.setItem(name, text)", [name, json.dumps(value)])


def keep_draft(component: Component, document: str, text: str) -> None:
    record = {"text": text, "revision": "other:1", "root": None, "at": 1}
    keep(component, f"hermes-workbench:draft::{document}", record)


def test_a_text_that_was_never_saved_stays_in_the_list(component: Component) -> None:
    keep_draft(component, "contract:Agenda!", "typed")
    keep_draft(component, "contract:minimal", "typed")
    keep_draft(component, "suite:other", "typed")
    signed_in(component)
    component.mount("text_list", texts("full"))
    rows = component.element.get_by_role("listitem")
    expect(rows).to_have_text(["Agenda!not saved · draft", "fullv1", "minimalv1 · draft"])
    rows.first.get_by_role("button").click()
    rows.nth(1).get_by_role("button").click()
    assert component.events == [
        (
            "open_text",
            {"name": "Agenda!", "is_draft": True, "is_new": False, "tag": "", "version": None, "draft": ""},
        ),
        (
            "open_text",
            {"name": "full", "is_draft": False, "is_new": False, "tag": "", "version": None, "draft": ""},
        ),
    ]


@pytest.mark.parametrize(
    ("last_open", "expected"), [("minimal", "minimal"), ("gone", "full"), ("new", "new"), (None, "full")]
)
def test_the_tab_opens_the_text_that_was_open_last(
    component: Component, last_open: str | None, expected: str
) -> None:
    keep_draft(component, "contract:new", "typed")
    if last_open:
        component.page.evaluate(
            "name => localStorage.setItem('hermes-workbench:contract:open', name)", last_open
        )
    signed_in(component)
    component.mount("text_list")
    component.update(texts("", is_look=True))
    component.update(texts("", is_look=True))
    event = {
        "name": expected,
        "is_draft": expected == "new",
        "is_new": False,
        "tag": "",
        "version": None,
        "draft": "",
    }
    assert component.events == [("open_text", event)]


def test_a_new_text_is_created_by_its_name(component: Component) -> None:
    signed_in(component)
    component.mount("text_list", texts("full"))
    field = component.element.get_by_label("Name of a new contract")
    field.fill("  short ")
    component.press("Enter", "Enter")
    event = {"name": "short", "is_draft": False, "is_new": True, "tag": "", "version": None, "draft": ""}
    assert component.events == [("open_text", event)]
    expect(field).to_have_value("")


def test_a_new_suite_from_sessions_is_opened_by_the_same_event(component: Component) -> None:
    signed_in(component)
    component.mount("text_list", replace(texts("full"), kind="suite"))
    component.element.get_by_label("Tag of the sessions for a new suite").fill(" agent ")
    component.element.get_by_role("button", name="From sessions").click()
    event = {"name": "agent", "is_draft": False, "is_new": True, "tag": "agent", "version": None, "draft": ""}
    assert component.events == [("open_text", event)]


def tools(*, wants_open: bool) -> ToolListView:
    lines = tuple(ToolLine(name=name, title="", reason="", is_open=False) for name in ("alpha", "beta"))
    groups = (ToolGroup(name="demo", tools=lines),)
    return ToolListView(groups=groups, open_name="alpha", wants_open=wants_open)


@pytest.mark.parametrize(("last_open", "expected"), [("beta", "beta"), ("gone", "alpha"), (None, "alpha")])
def test_the_tab_opens_the_tool_that_was_open_last(
    component: Component, last_open: str | None, expected: str
) -> None:
    if last_open:
        keep(component, "hermes-workbench:tool:open", last_open)
    signed_in(component)
    component.mount("tool_list")
    component.update(tools(wants_open=True))
    [(name, event)] = component.events
    assert (name, event["name"], event["version"]) == ("open_tool", expected, None)


def test_tools_with_drafts_are_marked_and_unknown_ones_are_listed(component: Component) -> None:
    keep_draft(component, "mocks:demo/beta", "- result: 1")
    keep_draft(component, "tool:mine/gone", "{}")
    signed_in(component)
    component.mount("tool_list", tools(wants_open=False))
    expect(component.element.get_by_role("listitem")).to_have_text(["gonedraft", "alpha", "betadraft"])
    component.element.get_by_role("button", name="gone").click()
    [(name, event)] = component.events
    assert (name, event["name"], event["toolset"]) == ("open_tool", "gone", "mine")


def test_saving_works_without_browser_storage(component: Component) -> None:
    component.page.evaluate(
        """() => {
          for (const name of ["getItem", "setItem", "removeItem"])
            Storage.prototype[name] = () => { throw new Error("forbidden"); };
        }"""
    )
    opened(component, TEXT)
    component.element.get_by_role("textbox").fill("It is 13.")
    component.press("Control+Enter")
    assert saved(component)["edit"] == {"text": "It is 13."}


# Fields that are redrawn while somebody types


def test_the_same_value_does_not_interrupt_the_editing_of_a_title(component: Component) -> None:
    view = SessionBarView(is_open=True, title="Weather")
    component.mount("session_bar", view)
    component.element.get_by_role("button", name="Rename Weather").click()
    component.page.keyboard.type("Cairo")
    component.update(view)
    expect(component.element.get_by_label("Title of the session")).to_have_value("Cairo")
    component.press("Enter")
    assert component.events == [("rename_session", {"title": "Cairo"})]


def test_escape_and_an_unchanged_title_do_not_rename(component: Component) -> None:
    component.mount("session_bar", SessionBarView(is_open=True, title="Weather"))
    for keys in (["C", "Escape"], ["Enter"]):
        component.element.get_by_role("button", name="Rename Weather").click()
        component.press(*keys)
    assert component.events == []
