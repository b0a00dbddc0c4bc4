"""Drafts and undo in the real editors: nothing typed is lost, or moved to another document."""

from uuid import uuid4

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.play import SLOW_MS, Play, code_editor, expect_no_text, expect_text, open_tab, save_button
from tests.e2e.waiting import settle
from tests.served import Server

pytestmark = [pytest.mark.browser, pytest.mark.long]


@pytest.fixture
def tabs(page: Page, server: Server) -> Page:
    """The page, fully opened."""
    Play(page, server).open()
    return page


def type_in(page: Page, place: str, text: str) -> None:
    code_editor(page.locator(f"#{place}")).click()
    page.keyboard.press("Control+End")
    page.keyboard.insert_text(text)


def undo(page: Page, place: str) -> None:
    code_editor(page.locator(f"#{place}")).focus()
    page.keyboard.press("Control+z")


def test_a_contract_that_was_never_saved_is_not_lost(tabs: Page) -> None:
    open_tab(tabs, "Contracts")
    name = f"Agenda {uuid4().hex[:4]}!"
    tabs.get_by_label("Name of a new contract").fill(name)
    tabs.keyboard.press("Enter")
    expect(tabs.locator("#contracts-text")).to_contain_text(f"title: {name}")
    type_in(tabs, "contracts-text", "My agenda")
    tabs.locator("[data-contract=minimal]").click()
    expect(tabs.locator("#contracts-text")).to_contain_text("name: minimal")
    item = tabs.locator(f"[data-contract='{name}']")
    expect(item).to_contain_text("not saved · draft")
    tabs.get_by_label("Name of a new contract").fill(name)
    tabs.keyboard.press("Enter")
    expect(tabs.locator("#contracts-text")).to_contain_text("My agenda")
    tabs.locator("[data-contract=minimal]").click()
    expect(tabs.locator("#contracts-text")).to_contain_text("name: minimal")
    item.click()
    expect(tabs.locator("#contracts-text")).to_contain_text("My agenda")
    expect(item).to_have_attribute("aria-current", "true")
    line = tabs.locator("#contracts-versions")
    save_button(line).click()
    tabs.keyboard.press("Enter")
    expect(item).to_contain_text("v1")
    expect(item).not_to_contain_text("draft")


def test_undo_stays_in_its_document(tabs: Page) -> None:
    open_tab(tabs, "Contracts")
    editor = tabs.locator("#contracts-text .cm-content")
    tabs.locator("[data-contract=full]").click()
    expect(editor).to_contain_text("name: full")
    type_in(tabs, "contracts-text", "only in full")
    tabs.locator("[data-contract=minimal]").click()
    expect(editor).to_contain_text("name: minimal")
    undo(tabs, "contracts-text")
    settle(tabs)
    expect(editor).to_contain_text("name: minimal")
    tabs.locator("[data-contract=full]").click()
    expect(editor).to_contain_text("only in full")
    undo(tabs, "contracts-text")
    expect(editor).not_to_contain_text("only in full")
    expect(editor).to_contain_text("name: full")
    # What the server checks is the text in the editor.
    expect(tabs.locator("#contracts-versions .hw-changed")).to_be_hidden()


def test_three_undos_after_one_edit_in_play_do_not_empty_the_contract(tabs: Page) -> None:
    type_in(tabs, "play-contract-text", "one edit")
    for _ in range(3):
        undo(tabs, "play-contract-text")
    expect_text(tabs.locator("#play-contract-text"), "family: hermes-lines")
    expect_no_text(tabs.locator("#play-contract-text"), "one edit")


def test_an_undone_edit_in_play_comes_back_with_redo(tabs: Page) -> None:
    editor = tabs.locator("#play-contract-text")
    type_in(tabs, "play-contract-text", "first edit")
    # Typing after a pause of half a second is a step of its own.
    tabs.wait_for_timeout(700)
    type_in(tabs, "play-contract-text", " second edit")
    undo(tabs, "play-contract-text")
    undo(tabs, "play-contract-text")
    expect_no_text(editor, "first edit")
    tabs.keyboard.press("Control+Shift+z")
    tabs.keyboard.press("Control+Shift+z")
    expect_text(editor, "first edit second edit")


def test_play_and_contracts_edit_the_same_draft(tabs: Page) -> None:
    name = tabs.get_by_role("combobox", name="Contract", exact=True).input_value()
    type_in(tabs, "play-contract-text", "typed in Play")
    open_tab(tabs, "Contracts")
    tabs.locator(f"[data-contract={name}]").click()
    expect(tabs.locator("#contracts-text")).to_contain_text("typed in Play")
    expect(tabs.locator("#contracts-preview")).to_contain_text("typed in Play")
    type_in(tabs, "contracts-text", " and in Contracts")
    open_tab(tabs, "Play")
    expect_text(tabs.locator("#play-contract-text"), "typed in Play and in Contracts")
    tabs.locator("#play-system-text summary").click()
    expect(tabs.locator("#play-system-text")).to_contain_text("typed in Play and in Contracts")


def test_drafts_of_two_sessions_do_not_mix(tabs: Page, server: Server) -> None:
    play = Play(tabs, server)
    play.ask("First")
    first = play.session_id
    play.composer.fill("for the first")
    play.part("new").click()
    expect(play.composer).not_to_have_value("for the first")
    play.ask("Second")
    play.composer.fill("for the second")
    tabs.locator(f"#play-session-list [data-id='{first}']").click()
    expect(play.composer).to_have_value("for the first")
    play.composer.press("Control+z")
    expect(play.composer).to_have_value("")
    play.composer.press("Control+y")
    expect(play.composer).to_have_value("for the first")
    play.reload()
    expect(play.composer).to_have_value("for the first")


def test_new_tool_opens_an_empty_tool_after_one_was_saved(tabs: Page) -> None:
    open_tab(tabs, "Tools")
    expect(tabs.locator("#tools-spec")).to_contain_text("get_flumbuster")
    tabs.get_by_role("button", name="New tool").click()
    expect(tabs.locator("#tools-spec")).to_contain_text("my_tool")
    name = f"tool_{uuid4().hex[:6]}"
    tabs.locator("#tools-spec .cm-content").click()
    tabs.keyboard.press("Control+A")
    tabs.keyboard.insert_text(
        f'{{"name": "{name}", "description": "D.", "parameters": {{"type": "object", "properties": {{}}}}}}'
    )
    tabs.locator("#tools-rules .cm-content").click()
    tabs.keyboard.insert_text("- result: {mine: 7}")
    tabs.get_by_label("Toolset", exact=True).locator("visible=true").fill(f"set {name}")
    line = tabs.locator("#tools-versions")
    save_button(line).click()
    tabs.keyboard.press("Enter")
    expect(tabs.locator(f"[data-tool={name}]")).to_have_attribute("aria-current", "true")
    expect(tabs.locator("#tools-spec + .hw-draft")).to_be_hidden()
    tabs.get_by_role("button", name="New tool").click()
    expect(tabs.locator("#tools-spec")).to_contain_text("my_tool")
    expect(tabs.locator("#tools-rules .cm-content")).to_have_text("")


def test_restoring_closes_the_comparison_and_its_draft_can_be_brought_back(tabs: Page) -> None:
    open_tab(tabs, "Contracts")
    tabs.get_by_label("Name of a new contract").fill(f"mine {uuid4().hex[:6]}")
    tabs.keyboard.press("Enter")
    expect(tabs.locator("#contracts-text")).to_contain_text("What it is for.")
    line = tabs.locator("#contracts-versions")
    for text in ("", "second"):
        type_in(tabs, "contracts-text", text)
        save_button(line).click()
        tabs.keyboard.press("Enter")
        expect(line.locator(".hw-mono").first).to_have_text("v2" if text else "v1")
    type_in(tabs, "contracts-text", " draft")
    line.locator("summary").click()
    line.get_by_role("button", name="Compare with v1").click()
    expect(tabs.locator("#contracts-diff ins")).to_contain_text("second draft")
    line.get_by_role("button", name="Restore v1").click()
    expect(tabs.locator("#contracts-text")).not_to_contain_text("second")
    expect(tabs.locator("#contracts-diff ins")).to_have_count(0)
    tabs.locator("#contracts-text + .hw-draft").get_by_role("button", name="Undo").click()
    expect(tabs.locator("#contracts-text")).to_contain_text("second draft")


def test_the_palette_finds_drafts(tabs: Page) -> None:
    open_tab(tabs, "Suites")
    open_tab(tabs, "Edit suites")
    tabs.get_by_label("Name of a new suite").fill("half")
    tabs.keyboard.press("Enter")
    expect(tabs.locator("#suites-text")).to_contain_text("half")
    open_tab(tabs, "Play")
    tabs.keyboard.press("Control+k")
    tabs.keyboard.type("draft half")
    tabs.get_by_role("option", name="half").first.click()
    expect(tabs.locator("#suites-text")).to_be_visible(timeout=SLOW_MS)
    expect(tabs.locator("#suites-list [aria-current=true]")).to_contain_text("half")


LEAVE_WHILE_OPENING = """() => {
  const { keepSetup, setupInUse } = hermesWorkbench;
  const half = { ...setupInUse(), contract_name: "minimal", contract_text: "" };
  keepSetup(Object.keys(half), Object.values(half));
  window.dispatchEvent(new Event("pagehide"));
}"""
"""Gradio sets the fields one after the other; the page is left when only some have their values."""


def test_a_page_that_is_left_while_it_opens_does_not_change_the_stored_setup(
    tabs: Page, server: Server
) -> None:
    play = Play(tabs, server).choose("Contract", "full")
    expect_text(play.part("contract-text"), "name: full")
    settle(tabs)
    tabs.evaluate(LEAVE_WHILE_OPENING)
    tabs.reload()
    expect_text(play.part("contract-text"), "name: full")
