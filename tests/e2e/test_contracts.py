"""The Contracts tab in a browser: write, check, save, compare, name and use a contract."""

import re
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.holding import Held, event_data, hold_first_opening, values
from tests.e2e.hostile import HOSTILE, expect_harmless
from tests.e2e.play import SLOW_MS, TURN_MS, Play, code_editor, expect_text, open_tab, save_button
from tests.e2e.sizes import every_size
from tests.e2e.waiting import settle
from tests.served import Server

pytestmark = pytest.mark.browser


@pytest.fixture
def tab(page: Page, server: Server) -> Page:
    """The tab, with a new contract in its editor."""
    page.set_default_timeout(SLOW_MS)
    expect.set_options(timeout=SLOW_MS)
    page.goto(server.url)
    expect(page.locator("#page-header")).to_contain_text("ready")
    open_tab(page, "Contracts")
    expect(page.locator("#contracts-text")).to_contain_text("title")
    page.get_by_label("Name of a new contract").fill(f"mine {uuid4().hex[:6]}")
    page.keyboard.press("Enter")
    expect(page.locator("#contracts-text")).to_contain_text("What it is for.")
    return page


def write(page: Page, text: str) -> None:
    page.get_by_role("textbox", name="Contract text").click()
    page.keyboard.press("Control+A")
    page.keyboard.insert_text(text)


def contract(body: str) -> str:
    return f"---\ntitle: T\nfamily: hermes-lines\nvariables:\n  who: you\n---\n<tools>\n{{{{ tools }}}}\n</tools>\n{body}\n"


@pytest.mark.slow
def test_a_contract_is_written_checked_saved_compared_named_and_used(tab: Page, artifacts: Path) -> None:
    write(tab, contract("Hello {{ who }}, write <toolcall>."))
    expect(tab.locator("#contracts-lint")).to_contain_text("near-miss-tag")
    expect(tab.locator("#contracts-lint")).to_contain_text("line 10")
    expect(tab.locator("#contracts-preview")).to_contain_text("Hello you")
    expect(tab.locator("#contracts-preview")).to_contain_text("tokens")
    expect(tab.locator("#contracts-preview")).to_contain_text("get_flumbuster")
    tab.locator("#contracts-variable-fields").get_by_label("who", exact=True).fill("Ann")
    expect(tab.locator("#contracts-preview")).to_contain_text("Hello Ann")
    line = tab.locator("#contracts-versions")
    save_button(line).click()
    tab.keyboard.type("first")
    tab.keyboard.press("Enter")
    expect(line).to_contain_text("v1")
    expect(line.get_by_text("changed")).to_be_hidden()
    write(tab, contract("Goodbye {{ who }}."))
    expect(tab.locator("#contracts-lint")).to_contain_text("No problems found.")
    line.locator("summary").click()
    line.get_by_role("button", name="Compare with v1").click()
    expect(tab.locator("#contracts-diff del .hw-side-text")).to_have_text(
        "Hello {{ who }}, write <toolcall>."
    )
    expect(tab.locator("#contracts-diff ins .hw-side-text")).to_have_text("Goodbye {{ who }}.")
    line.get_by_role("button", name="Mark v1 as candidate").click()
    expect(line.locator(".hw-tag").first).to_have_text("candidate")
    tab.screenshot(path=artifacts / "contracts.png")
    tab.locator("#contracts-use").click()
    expect_text(tab.locator("#play-contract-text"), "Goodbye {{ who }}.")
    # The variables come along.
    expect(tab.locator("#play-variable-fields").get_by_label("who", exact=True)).to_have_value("Ann")
    expect(tab.locator("#play-system-text")).to_contain_text("Goodbye Ann.")


@pytest.mark.slow
def test_a_saved_contract_can_be_chosen_in_play_and_survives_a_reload(tab: Page, server: Server) -> None:
    name, play = tab.get_by_label("Open contract").input_value(), Play(tab, server)
    save_button(tab.locator("#contracts-versions")).click()
    tab.keyboard.press("Enter")
    expect(tab.locator("#contracts-versions")).to_contain_text("v1")
    play.tab("Play").choose("Contract", name)
    expect_text(play.part("contract-text"), "What it is for.")
    play.ask("Hello?").reload()
    expect(tab.get_by_role("combobox", name="Contract", exact=True)).to_have_value(name)
    play.ask("And again?")
    expect(play.entries).to_have_count(5)


@pytest.mark.slow
def test_an_unsaved_contract_survives_a_reload(tab: Page) -> None:
    write(tab, contract("Half a sentence"))
    expect(tab.locator("#contracts-preview")).to_contain_text("Half a sentence")
    tab.reload()
    open_tab(tab, "Contracts")
    expect(tab.locator("#contracts-text")).to_contain_text("Half a sentence")
    expect(tab.locator("#contracts-list [aria-current=true]")).to_contain_text("not saved · draft")


@pytest.mark.slow
def test_hostile_contracts_are_shown_as_text_in_every_pane(tab: Page) -> None:
    body = HOSTILE.replace("{{", "{ {")
    write(tab, contract(f"Hello {{{{ who }}}} {body}"))
    expect(tab.locator("#contracts-preview")).to_contain_text("window.hacked = 3")
    tab.locator("#contracts-variable-fields").get_by_label("who", exact=True).fill(HOSTILE)
    expect(tab.locator("#contracts-preview")).to_contain_text(f"Hello {HOSTILE}")
    line = tab.locator("#contracts-versions")
    save_button(line).click()
    tab.keyboard.insert_text(HOSTILE)
    tab.keyboard.press("Enter")
    expect(line).to_contain_text("v1")
    write(tab, contract(f"{'x' * 100_000}\n{body}"))
    expect(tab.locator("#contracts-preview")).to_contain_text("xxxx")
    line.locator("summary").click()
    expect(line).to_contain_text(HOSTILE)
    line.get_by_role("button", name="Compare with v1").click()
    expect(tab.locator("#contracts-diff ins").first).to_contain_text("xxxx")
    write(tab, HOSTILE)
    expect(tab.locator("#contracts-lint").get_by_role("alert")).to_contain_text("line 1")
    expect_harmless(tab, "#page-tab-contracts")


@pytest.mark.slow
def test_nothing_is_cut_off_at_any_window_size(tab: Page, artifacts: Path) -> None:
    expect(tab.locator("#contracts-preview")).to_contain_text("characters")
    for _ in every_size(tab, artifacts, "contracts"):
        expect(tab.locator("#contracts-preview")).to_be_visible()


@pytest.mark.slow
def test_the_value_of_each_paragraph_is_measured_and_shown_next_to_it(
    page: Page, server: Server, artifacts: Path
) -> None:
    page.set_default_timeout(SLOW_MS)
    expect.set_options(timeout=SLOW_MS)
    page.goto(server.url)
    expect(page.locator("#page-header")).to_contain_text("ready")
    open_tab(page, "Contracts")
    page.locator("[data-contract=minimal]").click()
    expect(page.locator("#contracts-text")).to_contain_text("name: minimal")
    page.locator("#contracts-measure").click()
    expect(page.get_by_label("contract without each paragraph")).to_be_checked()
    expect(page.locator("#suites-size")).to_contain_text("20 case runs: 5 cases × 4 arms")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#suites-run")).to_contain_text("20 of 20 results · done", timeout=TURN_MS)
    open_tab(page, "Contracts")
    page.get_by_role("tab", name="Measurements").click()
    measured = page.locator("#contracts-measured")
    expect(measured).to_contain_text(re.compile(r"v\d+ · nonsense · scripted:"))
    expect(measured.locator(".hw-part")).to_have_count(4)
    expect(measured.locator(".hw-part").nth(1)).to_contain_text("When a tool fits the request")
    expect(measured.locator(".hw-part").nth(1)).to_contain_text("costs")
    expect(measured.locator(".hw-chart").first).to_be_visible()
    measured.locator(".hw-chart svg").first.scroll_into_view_if_needed()
    page.screenshot(path=artifacts / "contracts-measured.png")


def test_an_error_is_never_beside_no_problems_and_marks_the_preview(tab: Page) -> None:
    write(tab, contract("Hello {{ who }}."))
    lint, preview = tab.locator("#contracts-lint"), tab.locator("#contracts-preview")
    expect(lint).to_contain_text("No problems found.")
    write(tab, contract("Hello {{ lang }}."))
    expect(lint).to_contain_text("lang")
    expect(lint).not_to_contain_text("No problems found.")
    expect(preview).to_contain_text("Out of date")
    expect(preview).to_contain_text("Hello you.")


@pytest.mark.slow
def test_an_unsaved_contract_is_measured_and_compared_as_a_draft(tab: Page) -> None:
    write(tab, contract("Be brief."))
    expect(tab.locator("#contracts-preview")).to_contain_text("Be brief.")
    name = tab.locator("#contracts-list [aria-current=true]").get_attribute("data-contract")
    tab.locator("#contracts-measure").click()
    expect(tab.locator("#suites-contracts")).to_contain_text(f"{name} · draft")
    expect(tab.locator("#suites-size")).to_contain_text("case runs")
    open_tab(tab, "Compare")
    tab.get_by_role("combobox", name="Contract A", exact=True).click()
    tab.get_by_role("option", name=f"{name} · draft").click()
    question = tab.get_by_role("textbox", name="Question")
    question.fill("Cairo?")
    question.press("Control+Enter")
    expect(tab.locator("#compare-board")).to_contain_text(re.compile(f"{name} · draft · [0-9a-f]{{4}}"))
    expect(tab.locator("#compare-board")).to_contain_text("Hello.")


@pytest.mark.slow
def test_a_late_response_does_not_replace_a_contract_opened_later(page: Page, server: Server) -> None:
    page.set_default_timeout(SLOW_MS)
    expect.set_options(timeout=SLOW_MS)
    page.goto(server.url)
    open_tab(page, "Contracts")
    page.locator("[data-contract=full]").click()
    expect(page.locator("#contracts-text")).to_contain_text("name: full")
    late = Held(page, lambda body: values(body) == [None, "full"])
    open_tab(page, "Play")
    open_tab(page, "Contracts")
    page.get_by_label("Name of a new contract").fill("later")
    page.keyboard.press("Enter")
    expect(page.locator("[data-contract=later]")).to_have_attribute("aria-current", "true")
    with page.expect_response("**/queue/join*"):
        late.let_go()
    settle(page)
    expect(page.locator("[data-contract=later]")).to_have_attribute("aria-current", "true")
    page.reload()
    open_tab(page, "Contracts")
    expect(page.locator("#contracts-text")).to_contain_text("title: later")


@pytest.mark.slow
def test_a_late_answer_to_a_save_does_not_leave_the_contract_opened_later(tab: Page) -> None:
    saved = tab.get_by_label("Open contract").input_value()
    held = Held(tab, lambda body: "message" in event_data(body))
    line, item = tab.locator("#contracts-versions"), tab.locator("[data-contract=full]")
    save_button(line).click()
    tab.keyboard.press("Enter")
    item.click()
    expect(tab.locator("#contracts-text")).to_contain_text("name: full")
    expect(line.locator("[data-name]")).to_have_attribute("data-name", "full")
    held.let_go()
    expect(tab.locator(f"[data-contract='{saved}']")).not_to_contain_text("not saved")
    expect(item).to_have_attribute("aria-current", "true")
    expect(line.locator("[data-name]")).to_have_attribute("data-name", "full")
    item.click()
    expect(tab.locator("#contracts-list [aria-current=true]")).to_have_count(1)


def test_the_findings_of_a_text_are_not_replaced_by_late_findings_of_an_older_one(
    page: Page, server: Server
) -> None:
    page.set_default_timeout(SLOW_MS)
    expect.set_options(timeout=SLOW_MS)
    name = f"late {uuid4().hex[:6]}"

    def is_check(body: dict[str, Any]) -> bool:
        sent = values(body)
        return len(sent) == 5 and sent[1] == name and "What it is for." in sent[2]

    page.goto(server.url)
    expect(page.locator("#page-header")).to_contain_text("ready")
    open_tab(page, "Contracts")
    late = Held(page, is_check, most=1)
    page.get_by_label("Name of a new contract").fill(name)
    page.keyboard.press("Enter")
    expect(page.locator("#contracts-text")).to_contain_text("What it is for.")
    late.wait()
    write(page, contract("Write <toolcall>."))
    settle(page)
    late.let_go()
    expect(page.locator("#contracts-lint")).to_contain_text("near-miss-tag")
    settle(page)
    expect(page.locator("#contracts-lint")).to_contain_text("near-miss-tag")


@pytest.mark.long
def test_a_text_that_opens_late_does_not_replace_a_new_one(page: Page, server: Server) -> None:
    page.set_default_timeout(SLOW_MS)
    expect.set_options(timeout=SLOW_MS)
    held = hold_first_opening(page, unless="agenda")
    page.goto(server.url)
    expect(page.locator("#page-header")).to_contain_text("ready")
    open_tab(page, "Contracts")
    name = f"agenda {uuid4().hex[:6]}"
    page.get_by_label("Name of a new contract").fill(name)
    page.keyboard.press("Enter")
    settle(page)
    held.let_go()
    settle(page)
    expect(page.locator("#contracts-text")).to_contain_text(f"title: {name}")
    expect(page.locator("#contracts-list [aria-current=true]")).to_contain_text(name)


def test_tab_leaves_an_editor_and_indents_only_selected_text(tab: Page) -> None:
    editor = code_editor(tab.locator("#contracts-text"))
    editor.click()
    before = editor.inner_text()
    tab.keyboard.press("Tab")
    expect(editor).not_to_be_focused()
    assert editor.inner_text() == before
    editor.click()
    tab.keyboard.press("Control+A")
    tab.keyboard.press("Tab")
    expect(editor).to_be_focused()
    assert editor.inner_text() != before
    tab.keyboard.press("Shift+Tab")
    assert editor.inner_text() == before
    tab.keyboard.press("Escape")
    tab.keyboard.press("Tab")
    expect(editor).not_to_be_focused()
    assert editor.inner_text() == before


def test_a_menu_lies_above_the_labels_of_fields(tab: Page) -> None:
    tab.locator("#contracts-versions .hw-menu-at > button").first.click()
    covered = """() => [...document.querySelectorAll('.hw-menu:not([hidden]) button')].filter((item) => {
      const { left, right, top, bottom } = item.getBoundingClientRect();
      return !item.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2));
    }).map((item) => item.textContent)"""
    expect(tab.locator(".hw-menu:not([hidden])")).to_be_visible()
    assert tab.evaluate(covered) == []


def test_the_first_tab_stop_skips_to_the_content(play: Play) -> None:
    skip = play.page.get_by_role("button", name="Skip to content")
    first = "() => document.querySelector('button, a[href], input, textarea, select, [tabindex]').textContent"
    assert play.page.evaluate(first) == "Skip to content"
    skip.focus()
    assert skip.bounding_box()["height"] > 20  # pyright: ignore[reportOptionalSubscript]
    skip.press("Enter")
    expect(play.composer).to_be_focused()
