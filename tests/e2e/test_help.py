"""The documentation beside the page, and the keys that open places and send messages."""

import re

import pytest
from playwright.sync_api import FrameLocator, Locator, Page, expect

from tests.e2e.play import OWN_CONTRACT, Play, expect_tab, open_tab

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def docs(page: Page) -> Locator:
    return page.get_by_role("complementary", name="Documentation")


def text_of(page: Page) -> FrameLocator:
    return docs(page).frame_locator("iframe")


def expect_paragraph(page: Page, text: str) -> None:
    """Wait until the documentation shows the paragraph of its address, whose heading has this text."""
    target = text_of(page).locator(":target")
    expect(target).to_have_text(text)
    expect(target).to_be_in_viewport()


def test_docs_open_beside_the_page_and_escape_closes_them(play: Play) -> None:
    page = play.page
    button = page.locator("#page-header").get_by_role("button", name="Docs")
    button.click()
    expect(text_of(page).locator("h1")).to_have_text("Play")
    expect(play.composer).to_be_visible()
    page.keyboard.press("Escape")
    expect(docs(page)).to_be_hidden()
    expect(button).to_be_focused()
    open_tab(page, "Contracts")
    button.click()
    expect(text_of(page).locator("h1")).to_have_text("Write a contract")
    # A key that is pressed in the documentation itself closes it as well.
    text_of(page).get_by_role("searchbox").press("Escape")
    expect(docs(page)).to_be_hidden()


def test_the_question_mark_of_a_section_opens_its_paragraph(play: Play) -> None:
    open_tab(play.page, "Contracts")
    play.page.get_by_role("link", name="Help: Problems").click()
    expect_paragraph(play.page, "Lint")


def test_the_code_of_a_lint_opens_its_paragraph(play: Play) -> None:
    play.edit("contract-text", OWN_CONTRACT.replace("Answer", "Write <toolcall> and answer"))
    play.part("contract-notice").get_by_role("link", name="near-miss-tag").click()
    expect_paragraph(play.page, "near-miss-tag")


def test_show_me_opens_the_place_with_its_example(play: Play) -> None:
    page = play.page
    open_tab(page, "Tools")
    page.locator("#page-header").get_by_role("button", name="Docs").click()
    text_of(page).get_by_role("link", name="Show me").click()
    expect(page.locator("[data-tool=get_weather]")).to_have_attribute("aria-current", "true")
    expect(docs(page)).to_be_visible()


def test_shift_enter_makes_a_line_and_a_setting_turns_enter_round(play: Play) -> None:
    page, sent = play.page, play.part("transcript").locator(".hw-entry.r-user")
    play.composer.fill("One")
    play.composer.press("Shift+Enter")
    page.keyboard.type("two")
    expect(play.composer).to_have_value("One\ntwo")
    play.composer.press("Enter")
    expect(sent).to_have_count(1)
    play.wait_until_idle()
    page.get_by_role("button", name="Keyboard shortcuts").click()
    page.get_by_role("checkbox", name=re.compile("Enter sends a message")).uncheck()
    page.keyboard.press("Escape")
    expect(play.part("keys-hint")).to_contain_text("Ctrl+Enter sends")
    play.reload()
    play.composer.fill("Three")
    play.composer.press("Enter")
    page.keyboard.type("four")
    expect(play.composer).to_have_value("Three\nfour")
    play.composer.press("Control+Enter")
    expect(sent).to_have_count(2)
    play.wait_until_idle()


def test_alt_and_a_digit_open_the_places_and_alt_n_a_new_session(play: Play) -> None:
    page = play.ask("Hello?").page
    for key, tab in (("2", "Compare"), ("3", "Contracts"), ("4", "Label"), ("1", "Play")):
        page.keyboard.press(f"Alt+{key}")
        expect_tab(page, tab)
    # A place opens at the tab that was open there last, also while somebody types.
    page.keyboard.press("Alt+3")
    open_tab(page, "Tools")
    page.keyboard.press("Alt+1")
    play.composer.focus()
    page.keyboard.press("Alt+3")
    expect_tab(page, "Tools")
    page.keyboard.press("Alt+n")
    expect_tab(page, "Play")
    expect(play.entries).to_have_count(0)
    expect(play.composer).to_be_visible()
