"""The menu of a message and the palette, with pointer and keyboard."""

import pytest
from playwright.sync_api import Locator, expect

from tests.ui.scripts.component import Component
from workbench.ui.present.blocks import Argument, CallCard, ProseBlock, ResultRow
from workbench.ui.present.guide import PaletteItem, PaletteView
from workbench.ui.present.transcript import BranchView, TranscriptEntry, TranscriptView

pytestmark = pytest.mark.browser

CALL = CallCard(
    index=0,
    name="get_weather",
    status="done",
    tone="clean",
    arguments=(Argument(name="city", value='"Zurich"'),),
    notes=(),
    result=ResultRow(id="r1", text="31", is_error=False, note=""),
)
TALK = TranscriptView(
    entries=(
        TranscriptEntry(id="s", role="system", blocks=(ProseBlock(text="Be brief."),)),
        TranscriptEntry(id="u", role="user", blocks=(ProseBlock(text="How warm is it?"),)),
        TranscriptEntry(id="m", role="model", blocks=(ProseBlock(text="Let me look."), CALL)),
    ),
    selected=None,
    heading="",
    hint="",
    examples=(),
)
# Menu items by message. Those of a read-only session are in `test_a_shared_session_has_no_action_that_changes_it`.
ITEMS = {
    "s": ["Copy text"],
    "u": [
        "Edit and resend",
        "Answer again",
        "Write a different message here",
        "Create a case from this turn",
        "Create a case from this conversation …",
        "Compare answers to this turn",
        "Copy text",
        "Label",
        "Delete from here",
    ],
    "m": [
        "Edit text",
        "Edit call to get_weather",
        "Edit result of get_weather",
        "Regenerate from here",
        "Continue this message",
        "Branch from here",
        "Create a case from this conversation …",
        "Copy text",
        "Copy as code …",
        "Label",
        "Delete from here",
    ],
}


def entry(component: Component, message: str) -> Locator:
    return component.element.locator(f"[data-id={message}]")


def open_menu(component: Component, message: str) -> Locator:
    entry(component, message).get_by_role("button", name="Actions").click()
    return entry(component, message).get_by_role("menu")


@pytest.mark.parametrize("message", ITEMS)
def test_each_role_has_its_menu_items(component: Component, message: str) -> None:
    component.mount("transcript", TALK)
    assert open_menu(component, message).get_by_role("menuitem").all_text_contents() == ITEMS[message]


def test_a_shared_session_has_no_action_that_changes_it(component: Component) -> None:
    component.mount(
        "transcript",
        TranscriptView(entries=TALK.entries, selected=None, heading="", hint="", examples=(), can_edit=False),
    )
    items = open_menu(component, "m").get_by_role("menuitem").all_text_contents()
    assert items == ["Copy text", "Copy as code …"]


@pytest.mark.parametrize(
    ("message", "item", "event"),
    [
        ("u", "Edit and resend", ("message_act", {"act": "edit", "id": "u", "call": None})),
        ("m", "Edit call to get_weather", ("message_act", {"act": "edit", "id": "m", "call": 0})),
        ("m", "Edit result of get_weather", ("message_act", {"act": "edit", "id": "r1", "call": None})),
        ("m", "Regenerate from here", ("play_on", {"act": "regenerate", "id": "m"})),
        ("u", "Create a case from this turn", ("make_case", {"id": "u", "suite": ""})),
        (
            "m",
            "Create a case from this conversation …",
            ("message_act", {"act": "case", "id": "m", "call": None}),
        ),
        ("u", "Compare answers to this turn", ("compare_turn", {"id": "u"})),
    ],
)
def test_an_action_is_triggered_once_and_closes_the_menu(
    component: Component, message: str, item: str, event: tuple[str, object]
) -> None:
    component.mount("transcript", TALK)
    menu = open_menu(component, message)
    menu.get_by_role("menuitem", name=item, exact=True).click()
    assert component.events == [event]
    expect(menu).to_be_hidden()
    assert component.focused.startswith("Actions of the ")


def test_a_message_is_labelled_in_the_label_tab(component: Component) -> None:
    component.at("?session=s1")
    component.mount("transcript", TALK)
    open_menu(component, "m").get_by_role("menuitem", name="Label", exact=True).click()
    component.page.wait_for_url("**/?tab=label&item=s1")
    assert component.page.evaluate("sessionStorage.getItem('hermes-workbench:label:at:s1')") == "m"


def test_arrows_wrap_around_and_home_and_end_go_to_the_ends(component: Component) -> None:
    component.mount("transcript", TALK)
    open_menu(component, "u")
    first, last = ITEMS["u"][0], ITEMS["u"][-1]
    assert component.focused == first
    component.press("ArrowUp")
    assert component.focused == last
    component.press("ArrowDown")
    assert component.focused == first
    component.press("End")
    assert component.focused == last
    component.press("Home", "ArrowDown")
    assert component.focused == ITEMS["u"][1]


def test_enter_triggers_the_action_and_selects_no_message(component: Component) -> None:
    component.mount("transcript", TALK)
    open_menu(component, "u")
    component.press("ArrowDown", "Enter")
    assert component.events == [("play_on", {"act": "answer", "id": "u"})]


@pytest.mark.parametrize("way", ["Escape", "Tab", "outside", "button", "scrolled away"])
def test_a_menu_closes(component: Component, way: str) -> None:
    component.mount("transcript", TALK, around='<div style="height: 300px"></div>')
    menu = open_menu(component, "u")
    expect(menu).to_be_visible()
    button = entry(component, "u").get_by_role("button", name="Actions")
    if way == "outside":
        component.page.mouse.click(5, 5)
    elif way == "button":
        button.click()
    elif way == "scrolled away":
        component.page.evaluate("document.body.style.height = '3000px'; window.scrollBy(0, 40)")
    else:
        component.press(way)
    expect(menu).to_be_hidden()
    expect(button).to_have_attribute("aria-expanded", "false")
    assert component.events == []
    if way == "Escape":
        assert component.focused.startswith("Actions of the ")


def test_a_menu_near_the_edge_stays_inside_the_window(component: Component) -> None:
    component.mount("transcript", TALK, around='<div style="height: 560px"></div>')
    box = open_menu(component, "u").bounding_box()
    assert box
    assert 0 <= box["x"] <= 1000 - box["width"]
    assert 0 <= box["y"] <= 700 - box["height"]


def test_a_click_selects_the_message_or_the_call(component: Component) -> None:
    component.mount("transcript", TALK)
    entry(component, "u").get_by_text("How warm is it?").click()
    entry(component, "m").locator(".hw-call-head").click()
    assert component.events == [("pick", {"id": "u", "call": None}), ("pick", {"id": "m", "call": 0})]
    expect(entry(component, "m").locator(".hw-call")).to_have_class("hw-call is-picked")


def test_the_first_branch_has_no_previous_one(component: Component) -> None:
    entry_with_branch = TranscriptEntry(
        id="u", role="user", blocks=(), branch=BranchView(place=1, count=2, before=None, after="u2")
    )
    component.mount(
        "transcript",
        TranscriptView(entries=(entry_with_branch,), selected=None, heading="", hint="", examples=()),
    )
    expect(component.element.get_by_role("button", name="Previous branch")).to_be_disabled()
    component.element.get_by_role("button", name="Next branch").click()
    assert component.events == [("branch", {"id": "u2"})]


# The palette


FOUND = PaletteView(
    items=(
        PaletteItem(kind="session", name="Weather in Zurich", note="today", id="s1"),
        PaletteItem(kind="suite", name="smoke", note="5 cases", id="smoke"),
    )
)


def test_the_palette_searches_while_typing_and_opens_the_selection(component: Component) -> None:
    component.mount("palette", PaletteView())
    component.press("Control+k")
    page = component.page
    field = page.get_by_role("combobox", name="Find anything")
    expect(field).to_be_focused()
    field.fill("weather")
    expect(page.get_by_role("status")).to_have_text("Searching…")
    page.wait_for_function("stubs.events.length === 2")
    assert component.events[-1] == ("find_any", {"query": "weather"})
    component.update(PaletteView(query="weather", items=FOUND.items[:1]))
    expect(page.get_by_role("option")).to_have_text(["sessionWeather in Zurichtoday"])
    component.press("Enter")
    page.wait_for_url("**/?tab=play&session=s1")
    expect(page.get_by_role("dialog")).to_be_hidden()


def test_later_results_do_not_move_the_selection(component: Component) -> None:
    component.mount("palette", PaletteView())
    component.press("Control+k", "ArrowDown", "ArrowDown")
    selected = component.page.locator("[role=option][aria-selected=true]")
    before = selected.text_content()
    component.update(FOUND)
    expect(selected).to_have_text(str(before))
    component.press("ArrowUp", "ArrowUp", "ArrowUp")
    expect(selected).to_contain_text("smoke")
    component.press("Enter")
    component.page.wait_for_url("**/?tab=suites&suite=smoke")


def test_no_other_shortcut_works_while_the_palette_is_open(component: Component) -> None:
    component.mount("palette", PaletteView())
    component.page.evaluate(
        "window.keys = []; document.addEventListener('keydown', (event) => window.keys.push(event.key))"
    )
    component.press("Control+k", "j", "Escape", "j")
    assert component.page.evaluate("window.keys") == ["Control", "j"]
    expect(component.page.get_by_role("dialog")).to_be_hidden()
