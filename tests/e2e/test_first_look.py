"""A page that is still loading, and what it shows at every width."""

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.holding import Held
from tests.e2e.play import Play, code_editor, open_tab
from tests.served import Server

pytestmark = pytest.mark.browser


def test_a_page_says_that_it_loads(page: Page, server: Server) -> None:
    play = Play(page, server)
    is_held = [True]
    held = Held(page, lambda _: is_held[0])
    page.goto(f"{server.url}/")
    held.wait()
    expect(play.part("transcript").get_by_role("heading")).to_have_text("Loading …")
    is_held[0] = False
    held.let_go()
    play.wait_until_open()
    expect(play.part("transcript").get_by_role("heading")).not_to_have_text("Loading …")


def test_light_and_dark_are_switched_by_mouse_and_stay(play: Play) -> None:
    body = play.page.locator("body")
    play.page.locator("#page-header").get_by_role("button", name="Keyboard shortcuts").click()
    switch = play.page.get_by_role("dialog").get_by_role("button", name="Switch light and dark")
    was_dark = "dark" in (body.get_attribute("class") or "").split()
    switch.click()
    is_dark = "() => document.body.classList.contains('dark')"
    assert play.page.evaluate(is_dark) is not was_dark
    play.page.goto(play.server.url)
    play.wait_until_open()
    assert play.page.evaluate(is_dark) is not was_dark


@pytest.mark.parametrize("width", [1440, 1024, 860, 700, 390])
def test_the_model_is_named_in_the_header_at_every_width(page: Page, server: Server, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    Play(page, server).open()
    model = page.locator("#page-header .hw-model")
    expect(model).to_be_visible()
    name, links = (
        model.bounding_box(),
        page.locator("#page-places nav").first.locator("a").last.bounding_box(),
    )
    assert name and links
    assert name["width"] >= 60
    assert links["x"] + links["width"] <= name["x"], "it lies over the places"
    assert name["x"] + name["width"] <= width
    model.click()
    expect(page.get_by_role("dialog", name="Choose a model")).to_be_visible()
    page.keyboard.press("Escape")


def test_contracts_opens_the_contract_of_play_at_first(page: Page, server: Server) -> None:
    play = Play(page, server).open()
    play.choose("Contract", "hermes-3")
    code_editor(play.part("contract-text"))
    open_tab(page, "Contracts")
    expect(page.get_by_role("textbox", name="Contract text").last).to_contain_text("name: hermes-3")
    expect(page.locator("[data-contract=hermes-3]")).to_have_attribute("aria-current", "true")


def test_parameters_of_a_tool_are_readable_on_a_phone(page: Page, server: Server) -> None:
    page.set_viewport_size({"width": 390, "height": 900})
    Play(page, server).open("?tab=tools&tool=get_flumbuster")
    name = page.get_by_label("Name of parameter 1")
    expect(name).to_have_value("flumb")
    box = name.bounding_box()
    assert box and box["width"] >= 120
    assert page.evaluate("document.documentElement.scrollWidth <= 390")


def test_each_menu_of_a_message_has_its_own_name(play: Play) -> None:
    play.ask("What is it?")
    menus = play.part("transcript").get_by_role("button", name="Actions")
    names = menus.evaluate_all("all => all.map(one => one.ariaLabel)")
    assert names == [f"Actions of the {role} message" for role in ("system", "user", "model")]
