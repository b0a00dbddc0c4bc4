"""What was chosen last is shown, even if the answer to an earlier choice arrives last."""

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.holding import Held, event_data, values
from tests.e2e.play import SLOW_MS, Play, expect_text, open_tab
from tests.e2e.waiting import settle
from tests.served import Server

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def let_go(page: Page, held: Held) -> None:
    """Let the answer to the first choice arrive after the others."""
    settle(page)
    held.let_go()
    settle(page)


def test_the_contract_that_was_chosen_last_is_open(play: Play) -> None:
    held = Held(play.page, lambda body: values(body) == [None, "full"], most=1)
    play.choose("Contract", "full")
    play.choose("Contract", "hermes-3")
    let_go(play.page, held)
    expect_text(play.part("contract-text"), "title: Hermes 3")
    expect(play.page.get_by_role("combobox", name="Contract", exact=True)).to_have_value("hermes-3")


def test_all_toolsets_that_were_chosen_are_used(play: Play) -> None:
    play.page.get_by_role("combobox", name="Toolsets").click()
    held = Held(play.page, lambda body: len(values(body)) == 2 and "weather" in values(body)[1], most=1)
    for name in ("weather", "office"):
        play.page.get_by_role("option", name=name, exact=True).click()
    let_go(play.page, held)
    expect_text(play.part("tools-text"), "get_weather")
    expect_text(play.part("tools-text"), "send_mail")


def test_tools_that_were_switched_off_stay_off(play: Play) -> None:
    names = ["get_flumbuster", "calculate_zorbix"]
    first_off = {"names": names, "disabled": names[:1]}
    held = Held(play.page, lambda body: first_off in values(body), most=1)
    for name in names:
        play.page.get_by_role("checkbox", name=name).uncheck()
    let_go(play.page, held)
    for name in names:
        expect(play.page.get_by_role("checkbox", name=name)).not_to_be_checked()
        expect(play.part("system-text")).not_to_contain_text(name)


def test_the_case_that_was_opened_last_is_shown(page: Page, server: Server) -> None:
    page.set_default_timeout(SLOW_MS)
    expect.set_options(timeout=SLOW_MS)
    page.goto(server.url)
    expect(page.locator("#page-header .hw-dot")).to_be_visible()
    open_tab(page, "Suites")
    expect(page.locator("#suites-size")).to_contain_text("5 case runs: 5 cases × 1 arm")
    page.keyboard.press("Control+Enter")
    cells = page.locator("#suites-run .hw-cell")
    expect(page.locator("#suites-run")).to_contain_text("5 of 5 results · done")
    held = Held(page, lambda body: "case" in event_data(body), most=1)
    cells.nth(0).click()
    last = str(cells.nth(1).get_attribute("data-case"))
    cells.nth(1).click()
    let_go(page, held)
    expect(page.locator("#suites-plays h2")).to_have_text(last)
