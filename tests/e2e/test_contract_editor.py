"""The contract's editor in Play and in Contracts: its keys, and its problems beside the lines that have them."""

import re
from uuid import uuid4

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.play import OWN_CONTRACT, Play, code_editor, save_button
from tests.served import Server

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def write(play: Play, text: str) -> None:
    """Write a contract of its own name, of which no other test sees a version."""
    play.edit("contract-text", text)


def test_ctrl_s_saves_a_version_of_the_contract_in_play(play: Play) -> None:
    write(play, f"{OWN_CONTRACT}{uuid4().hex}\n")
    line = play.part("versions")
    expect(save_button(line)).to_be_visible()
    before = line.locator("summary .hw-mono").inner_text()
    play.page.keyboard.press("Control+s")
    expect(save_button(line)).to_be_hidden()
    expect(line.locator("summary .hw-mono")).not_to_have_text(before)
    expect(play.part("contract-text")).to_be_visible()
    assert play.page.evaluate("document.activeElement.matches('#play-contract-text .cm-content')")


def test_ctrl_s_saves_all_that_was_typed_just_before(play: Play) -> None:
    word = uuid4().hex
    code_editor(play.part("contract-text")).click()
    play.page.keyboard.press("Control+End")
    play.page.keyboard.type(f"{word[:16]}")
    play.page.keyboard.press("Control+s")
    expect(play.part("versions").locator("summary .hw-mono")).not_to_have_text("v1")
    expect(save_button(play.part("versions"))).to_be_hidden()
    play.reload()
    play.page.wait_for_function(
        "word => hermesWorkbench.documents.textOf('play-contract-text').includes(word)", arg=word[:16]
    )


def test_ctrl_s_saves_a_version_in_contracts_and_does_nothing_without_a_change(
    page: Page, server: Server
) -> None:
    play = Play(page, server).open("?tab=contracts&contract=shop")
    editor = page.get_by_role("textbox", name="Contract text")
    expect(editor).to_contain_text("name: shop")
    page.keyboard.press("Control+s")
    editor.click()
    page.keyboard.press("Control+End")
    page.keyboard.type(f" {uuid4().hex}")
    line = page.locator("#contracts-versions")
    expect(save_button(line)).to_be_visible()
    page.keyboard.press("Control+s")
    expect(line.locator("summary .hw-mono")).to_have_text("v2")
    expect(save_button(line)).to_be_hidden()
    play.tab("Tools")
    expect(page.locator("#tools-versions summary .hw-mono")).to_be_visible()
    page.keyboard.press("Control+s")
    expect(page.locator("#tools-versions .hw-save").first).to_be_hidden()
    expect(page.locator("#tools-versions summary .hw-mono")).to_have_text("v1")


def test_the_version_of_another_contract_with_the_same_text_is_shown(play: Play) -> None:
    write(play, f"{OWN_CONTRACT}{uuid4().hex}\n")
    text = play.page.evaluate("hermesWorkbench.documents.textOf('play-contract-text')")
    line = play.part("versions").locator("summary .hw-mono")
    expect(save_button(play.part("versions"))).to_be_visible()
    before = line.inner_text()
    play.page.keyboard.press("Control+s")
    expect(save_button(play.part("versions"))).to_be_hidden()
    expect(line).not_to_have_text(before)
    shown = line.inner_text()
    play.choose("Contract", "travel")
    expect(line).to_have_text("v1")
    write(play, text)
    expect(save_button(play.part("versions"))).to_be_visible()
    play.choose("Contract", "minimal")
    expect(line).to_have_text(shown)
    expect(save_button(play.part("versions"))).to_be_hidden()


def test_ctrl_enter_in_the_contract_asks_the_last_message_again(play: Play) -> None:
    play.ask("Which word?").ask("And the last one?")
    word = uuid4().hex
    play.composer.fill("not sent")
    write(play, f"{OWN_CONTRACT}{word}\n")
    play.page.keyboard.press("Control+Enter")
    # Another system text is another root of the session.
    expect(play.entries.first.get_by_role("group", name="Branches")).to_contain_text("2/2")
    play.wait_until_idle()
    users = play.part("transcript").locator(".hw-entry.r-user")
    expect(users).to_have_count(2)
    expect(play.composer).to_have_value("not sent")
    play.entries.last.click()
    expect(play.part("raw").locator(".hw-raw")).to_contain_text(word)


def test_ctrl_enter_in_the_contract_sends_the_message_of_a_new_session(play: Play) -> None:
    play.composer.fill("The first one?")
    code_editor(play.part("contract-text")).click()
    play.page.keyboard.press("Control+Enter")
    expect(play.part("transcript").locator(".hw-entry.r-user")).to_have_count(1)
    play.wait_until_idle()


BROKEN = OWN_CONTRACT.replace("Answer", "Write <toolcall>, {{ citty }} and answer")
"""A contract with an unknown variable and a tag that is almost right, both in line 7."""


def test_a_problem_marks_its_line_in_play_and_says_what_it_is(play: Play) -> None:
    page, editor = play.page, play.part("contract-text")
    marks = editor.locator(".hw-marks button")
    write(play, BROKEN)
    expect(play.part("contract-notice").get_by_role("alert")).to_contain_text("citty")
    expect(marks).to_have_count(1)
    expect(marks).to_have_accessible_name(re.compile("Line 7: .*citty"))
    number = editor.locator(".cm-lineNumbers .cm-gutterElement").get_by_text("7", exact=True)
    at, line = marks.bounding_box(), number.bounding_box()
    assert at and line and abs(at["y"] - line["y"]) < 4
    write(play, BROKEN.replace("{{ citty }}", ""))
    expect(marks).to_have_accessible_name(re.compile("Line 7: near-miss-tag"))
    expect(play.part("contract-notice")).to_contain_text("near-miss-tag")
    # A line before it moves the mark.
    write(play, BROKEN.replace("{{ citty }}", "").replace("---\nWrite", "---\nFirst.\n\nWrite"))
    expect(marks).to_have_accessible_name(re.compile("Line 9: near-miss-tag"))
    marks.hover()
    shown = "mark => getComputedStyle(mark, '::after').content"
    assert "near-miss-tag" in str(marks.evaluate(shown))
    page.mouse.move(0, 0)
    marks.focus()
    page.keyboard.press("Enter")
    page.keyboard.type("X")
    assert "\nXWrite" in str(page.evaluate("hermesWorkbench.documents.textOf('play-contract-text')"))
    write(play, OWN_CONTRACT)
    expect(marks).to_have_count(0)


def test_a_problem_marks_its_line_in_contracts_and_notes_are_no_problems(page: Page, server: Server) -> None:
    Play(page, server).open("?tab=contracts&contract=full")
    editor, lint = page.get_by_role("textbox", name="Contract text"), page.locator("#contracts-lint")
    expect(editor).to_contain_text("name: full")
    # Its example calls a tool of another toolset.
    expect(lint).to_contain_text("No problems found.")
    expect(lint).to_contain_text("example-unknown-tool")
    marks = page.locator("#contracts-text .hw-marks button")
    expect(marks).to_have_count(0)
    editor.click()
    page.keyboard.press("Control+End")
    page.keyboard.type("{{ oops }}")
    expect(marks).to_have_accessible_name(re.compile("oops"))
    expect(lint).not_to_contain_text("No problems found.")
    page.locator("[data-contract=travel]").click()
    expect(editor).to_contain_text("name: travel")
    expect(marks).to_have_count(0)
