"""A message in every pane of the inspector, and the actions of its menu."""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.holding import Held
from tests.e2e.hostile import HOSTILE, expect_harmless
from tests.e2e.play import Play, expect_tab
from tests.served import Server, write_script

pytestmark = [pytest.mark.browser, pytest.mark.slow]

QUESTION = "What is the flumbuster reading for cairo?"
QUOTED = "<tool_call>\n{'name': 'get_flumbuster', 'arguments': {'flumb': 'cairo'}}\n</tool_call>"
CALL = '<tool_call>\n{"name": "get_flumbuster", "arguments": {"flumb": "%s"}}\n</tool_call>'

TWO_VARIABLES = """---
title: Two
family: hermes-lines
variables:
  city: ''
  tone: ''
---
{{ city }}, {{ tone }}
<tools>
{{ tools }}
</tools>
"""


def scripted(play: Play, folder: Path, *completions: str) -> Play:
    return play.use_script(write_script(folder / "script.yaml", *completions))


@pytest.fixture
def quoted(play: Play, tmp_path: Path) -> Play:
    """A conversation with a call that needs a fix, then an answer."""
    return scripted(play, tmp_path, "Let me look.\n" + QUOTED, "It is 31.").ask(QUESTION)


def test_a_selected_call_is_shown_in_every_pane(quoted: Play, artifacts: Path) -> None:
    page = quoted.page
    quoted.entries.nth(2).locator(".hw-call").click()
    picked = quoted.part("raw").locator(".is-picked")
    expect(picked.first).to_be_visible()
    assert "".join(picked.all_text_contents()) == QUOTED
    expect(quoted.entries.nth(2).locator(".hw-call.is-picked")).to_have_count(1)
    assert "message=" in page.url
    page.screenshot(path=artifacts / "inspector-raw.png")
    quoted.tab("Calls")
    expect(quoted.part("calls").locator(".is-selected")).to_contain_text("get_flumbuster")
    quoted.tab("Fixes")
    expect(quoted.part("fixes").locator(".is-selected")).to_contain_text("python-literal")
    quoted.reload()
    expect(quoted.part("raw").locator(".hw-section").last).to_contain_text("Let me look.")


def test_a_call_selected_in_the_calls_pane_is_highlighted_in_the_transcript(quoted: Play) -> None:
    quoted.entries.nth(2).locator(".hw-prose").click()
    quoted.tab("Calls")
    quoted.part("calls").get_by_role("button", name="get_flumbuster").click()
    expect(quoted.entries.nth(2).locator(".hw-call.is-picked")).to_have_count(1)


def test_the_parsers_pane_shows_what_other_parsers_read(quoted: Play) -> None:
    quoted.entries.nth(2).click()
    quoted.tab("Parsers")
    rows = quoted.part("differ").locator("tbody tr")
    expect(rows).to_have_count(6)
    expect(rows.filter(has_text="strict")).to_contain_text("0 of 1")
    expect(rows.filter(has_text="l3m-backend")).to_contain_text("1 of 1")


def test_unknown_tokens_are_not_made_up(quoted: Play) -> None:
    quoted.tab("Tokens")
    expect(quoted.part("tokens")).to_contain_text("No exact tokens")


def test_raw_text_is_folded_downloaded_and_compared(quoted: Play) -> None:
    page, raw = quoted.page, quoted.part("raw")
    quoted.entries.last.click()
    text = quoted.raw_text
    raw.get_by_role("button", name="Fold or unfold all").click()
    expect(raw.locator("section.is-folded")).to_have_count(raw.locator("section").count())
    assert quoted.raw_text == text
    raw.get_by_role("button", name="Show whitespace").click()
    expect(raw.locator(".hw-raw.shows-space")).to_have_count(1)
    with page.expect_download() as waiting:
        raw.get_by_role("button", name="Download the prompt and completion").click()
    assert Path(waiting.value.path()).read_text(encoding="utf-8") == text
    raw.get_by_label("Compare with").select_option(label="answer 1")
    diff = quoted.part("raw-diff")
    expect(diff.locator("ins")).not_to_have_count(0)
    expect(diff.locator("ins").filter(has_text="reading")).not_to_have_count(0)
    expect(raw.locator(".hw-raw")).to_be_hidden()
    raw.get_by_label("Compare with").select_option(label="minimal v1")
    expect(diff).to_contain_text("The texts are the same.")
    raw.get_by_label("Compare with").select_option(label="the model's own template")
    expect(quoted.part("raw-notice")).to_contain_text("its chat template is not known")
    raw.get_by_label("Compare with").select_option(index=0)
    expect(raw.locator(".hw-raw")).to_be_visible()


def test_a_comparison_stays_when_its_message_is_selected_again(quoted: Play) -> None:
    raw, diff = quoted.part("raw"), quoted.part("raw-diff")
    chosen = raw.get_by_label("Compare with")
    quoted.entries.nth(2).locator(".hw-role").click()
    expect(raw.locator(".hw-section").last).to_contain_text("Let me look.")
    chosen.select_option(label="minimal v1")
    expect(diff).to_contain_text("The texts are the same.")
    quoted.entries.nth(2).locator(".hw-call").click()
    expect(raw.locator(".is-picked")).not_to_have_count(0)
    expect(diff).to_contain_text("The texts are the same.")
    expect(chosen.locator("option:checked")).to_have_text("minimal v1")
    quoted.entries.last.locator(".hw-role").click()
    expect(raw.locator(".hw-raw")).to_be_visible()


def test_a_menu_works_with_keys(quoted: Play) -> None:
    entry = quoted.entries.nth(2)
    entry.get_by_role("button", name="Actions").focus()
    quoted.page.keyboard.press("Enter")
    items = entry.get_by_role("menuitem")
    expect(items.first).to_be_focused()
    quoted.page.keyboard.press("ArrowUp")
    expect(items.last).to_be_focused()
    quoted.page.keyboard.press("Escape")
    expect(items).to_have_count(0)
    expect(entry.get_by_role("button", name="Actions")).to_be_focused()


def test_a_call_is_edited_in_a_form_that_survives_a_reload_and_its_branch_is_run(
    play: Play, tmp_path: Path, artifacts: Path
) -> None:
    scripted(play, tmp_path, CALL % "cairo", "It is 31.", "It is 27.").ask(QUESTION)
    play.menu(play.entries.nth(2), "Edit call to get_flumbuster")
    pane = play.entries.nth(2).locator(".hw-message-pane")
    pane.get_by_label("flumb", exact=True).fill("london")
    play.page.screenshot(path=artifacts / "edit-call.png")
    play.reload()
    expect(pane.get_by_label("flumb", exact=True)).to_have_value("london")
    pane.get_by_role("button", name="Save and run its calls").click()
    expect(play.entries.nth(2)).to_contain_text("london")
    expect(play.entries.nth(2)).to_contain_text("written by hand")
    expect(play.entries.last).to_contain_text("It is 27.")
    play.wait_until_idle()
    expect(pane.get_by_label("flumb", exact=True)).to_have_count(0)
    play.entries.nth(2).get_by_role("button", name="Previous branch").click()
    expect(play.entries.last).to_contain_text("It is 31.")


def test_an_edited_user_message_becomes_a_branch(play: Play, tmp_path: Path) -> None:
    scripted(play, tmp_path, "One.", "Two.").ask("first words")
    play.menu(play.entries.nth(1), "Edit and resend")
    pane = play.entries.nth(1).locator(".hw-message-pane")
    pane.get_by_role("textbox").fill("other words")
    # The text is edited where the message is, with one main button.
    expect(play.entries.nth(1).locator(".hw-prose")).to_be_hidden()
    expect(pane.locator(".is-primary")).to_have_text("Save and answer")
    pane.get_by_role("textbox").focus()
    play.page.keyboard.press("Control+Enter")
    expect(play.entries.nth(1)).to_contain_text("other words")
    expect(play.entries.last).to_contain_text("Two.")
    expect(play.entries.nth(1)).to_contain_text("2/2")


def test_an_answer_is_regenerated_and_continued(play: Play, tmp_path: Path) -> None:
    scripted(play, tmp_path, "The read", "A second try", "The reading is 31.").ask(QUESTION)
    play.menu(play.entries.nth(2), "Regenerate from here")
    expect(play.entries.nth(2)).to_contain_text("A second try")
    play.wait_until_idle()
    play.entries.nth(2).get_by_role("button", name="Previous branch").click()
    expect(play.entries.nth(2)).to_contain_text("The read")
    play.menu(play.entries.nth(2), "Continue this message")
    expect(play.entries.nth(2)).to_contain_text("The reading is 31.")
    expect(play.entries.nth(2)).to_contain_text("3/3")


def test_a_branch_starts_at_the_chosen_message(play: Play, tmp_path: Path) -> None:
    scripted(play, tmp_path, "One.", "Two.", "Three.").ask("first").ask("second")
    play.menu(play.entries.nth(2), "Branch from here")
    expect(play.entries).to_have_count(3)
    play.ask("elsewhere")
    expect(play.entries.nth(3)).to_contain_text("2/2")
    expect(play.entries.last).to_contain_text("Three.")


def test_a_deleted_message_can_be_restored_immediately_or_later(play: Play, tmp_path: Path) -> None:
    scripted(play, tmp_path, "One.", "Two.").ask("first").ask("second")
    play.menu(play.entries.nth(3), "Delete from here")
    expect(play.entries).to_have_count(3)
    expect(play.part("message-pane")).to_contain_text("Deleted 2 messages.")
    play.part("message-pane").get_by_role("button", name="Undo").click()
    expect(play.entries).to_have_count(5)
    play.menu(play.entries.nth(4), "Delete from here")
    expect(play.part("message-pane")).to_contain_text("Deleted 1 message.")
    play.reload()
    expect(play.entries).to_have_count(4)
    play.part("branches").get_by_text("1 message deleted").click()
    play.part("branches").get_by_role("button", name="Restore").click()
    expect(play.entries.last).to_contain_text("Two.")


def test_samples_of_a_turn_become_branches_with_their_agreement(
    play: Play, tmp_path: Path, artifacts: Path
) -> None:
    script = (CALL % "cairo", "31.", CALL % "london", "27.", CALL % "cairo", "It is 31.")
    scripted(play, tmp_path, *script)
    play.page.get_by_label("Samples").fill("3")
    play.ask(QUESTION)
    expect(play.part("notice")).to_contain_text("2 of 3 answers agree (67 %)")
    expect(play.entries.nth(2)).to_contain_text("3/3")
    play.part("branches").get_by_text("3 branches").click()
    rows = play.part("branches").locator(".hw-branch-row")
    expect(rows).to_have_count(3)
    expect(play.part("branches")).to_contain_text("2 of 3 answers agree")
    play.page.screenshot(path=artifacts / "samples.png")
    rows.nth(1).click()
    expect(play.entries.nth(2)).to_contain_text("london")
    expect(play.entries.last).to_contain_text("27.")


def test_a_turn_stops_at_the_first_call_until_its_calls_are_run(play: Play, tmp_path: Path) -> None:
    scripted(play, tmp_path, CALL % "cairo", "It is 31.")
    play.choose("Tool calls", "Don't run").ask(QUESTION)
    expect(play.entries).to_have_count(3)
    expect(play.entries.last.locator(".hw-result")).to_have_count(0)
    play.menu(play.entries.last, "Run the calls and continue")
    expect(play.entries.last).to_contain_text("It is 31.")
    expect(play.entries.nth(2)).to_contain_text('"reading": 31')


def test_a_round_is_copied_as_code(quoted: Play) -> None:
    quoted.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    quoted.menu(quoted.entries.nth(2), "Copy as code …")
    pane = quoted.part("message-pane")
    expect(pane.locator("pre")).to_contain_text("curl -sS")
    pane.get_by_role("button", name="Python").click()
    pane.get_by_role("button", name="Copy code").click()
    expect(pane.locator("pre")).to_contain_text("client.completions.create")
    assert quoted.page.evaluate("navigator.clipboard.readText()") == pane.locator("pre").text_content()
    quoted.page.keyboard.press("Escape")
    expect(pane.locator("pre")).to_have_count(0)
    quoted.menu(quoted.entries.nth(2), "Copy text")
    expect(quoted.part("copied")).to_contain_text("Copied.")
    assert quoted.page.evaluate("navigator.clipboard.readText()") == "Let me look.\n" + QUOTED


def test_a_message_is_labelled_and_becomes_a_case(quoted: Play) -> None:
    quoted.menu(quoted.entries.nth(1), "Create a case from this turn")
    expect(quoted.part("notice")).to_contain_text("Added the case")
    session_id = quoted.session_id
    quoted.menu(quoted.entries.nth(2), "Label")
    expect(quoted.page.locator("#label-desk")).to_contain_text("Let me look.")
    expect_tab(quoted.page, "Label")
    assert f"item={session_id}" in quoted.page.url


def test_the_variables_of_a_contract_are_filled_and_saved(play: Play) -> None:
    play.choose("Contract", "full")
    field = play.part("variable-fields").get_by_role("textbox").first
    field.fill("zebra crossing")
    expect(play.part("system-text")).to_contain_text("zebra crossing")
    play.ask("Hi")
    play.reload()
    expect(field).to_have_value("zebra crossing")


def test_a_variable_keeps_its_value_while_the_next_one_is_typed_on_a_slow_line(play: Play) -> None:
    """The answer to the first key of one variable comes while the next variable is being typed."""
    play.edit("contract-text", TWO_VARIABLES)
    city, tone = (play.part("variable-fields").get_by_label(name, exact=True) for name in ("city", "tone"))
    expect(tone).to_be_visible()
    held = Held(play.page, lambda body: "city = P" in str(body) and "formal" not in str(body))
    city.press_sequentially("P")
    held.wait()
    city.press_sequentially("aris")
    tone.click()
    held.let_go()
    held.wait()
    tone.press_sequentially("formal")
    held.let_go()
    expect(play.part("system-text")).to_contain_text("Paris, formal")
    expect(city).to_have_value("Paris")


def look_through(play: Play, entry: int) -> None:
    """Select an entry, and open each pane."""
    play.entries.nth(entry).locator(".hw-role").click()
    for name in ("Tokens", "Calls", "Fixes", "Decision", "Parsers", "Timing", "Raw"):
        play.tab(name)
    expect(play.part("raw").locator(".hw-section").last).not_to_be_empty()


def test_hostile_text_and_a_very_long_line_are_shown_as_text_in_every_pane(
    play: Play, tmp_path: Path
) -> None:
    arguments = {"name": "get_flumbuster", "arguments": {HOSTILE: HOSTILE, "flumb": HOSTILE}}
    call = f"<tool_call>\n{json.dumps(arguments)}\n</tool_call>"
    scripted(play, tmp_path, call, HOSTILE, HOSTILE)
    play.page.get_by_label("Samples").fill("2")
    play.page.get_by_label("Max tokens").fill("2048")
    play.ask(HOSTILE)
    play.part("branches").locator("summary").click()
    expect(play.part("branches").locator(".hw-branch-row")).to_have_count(2)
    play.part("branches").locator(".hw-branch-row").first.click()
    expect(play.entries.nth(2)).to_contain_text("invalid arguments")
    look_through(play, 2)
    play.tab("Parsers")
    expect(play.part("differ").locator("tbody tr")).to_have_count(6)
    play.menu(play.entries.nth(2), "Copy as code …")
    expect(play.part("message-pane").locator("pre")).to_be_visible()
    play.page.keyboard.press("Escape")
    play.menu(play.entries.nth(2), "Edit text")
    line = HOSTILE + "x" * 1_000_000
    pane = play.entries.nth(2).locator(".hw-message-pane")
    pane.get_by_role("textbox").fill(line)
    pane.get_by_role("button", name="Save as branch").click()
    expect(play.entries.nth(2)).to_contain_text("3/3")
    look_through(play, 2)
    assert play.server.path(play.session_id)[2].message.text == line
    expect_harmless(play.page, ":is(#play-talk, #play-inspector)")


@pytest.mark.long
@pytest.mark.model
def test_tokens_of_the_embedded_model_are_exact_and_have_logprobs(
    page: Page, embedded_server: Server, artifacts: Path
) -> None:
    play = Play(page, embedded_server).open().ask(QUESTION)
    play.entries.nth(2).locator(".hw-call").click()
    expect(play.part("raw").locator(".is-picked")).not_to_have_count(0)
    expect(play.part("raw").locator(".hw-section[data-note$='tokens']")).not_to_have_count(0)
    play.part("raw").get_by_label("Compare with").select_option(label="the model's own template")
    expect(play.part("raw-diff").locator("ins")).not_to_have_count(0)
    play.tab("Tokens")
    tokens = play.part("tokens")
    expect(tokens).to_contain_text("Exact: the vocabulary is that of 'embedded'")
    expect(tokens).to_contain_text("left")
    stored = embedded_server.path(play.session_id)[2]
    expect(tokens.locator(".r-completion pre")).to_have_text(stored.message.text, use_inner_text=False)
    assert "".join(tokens.locator(".r-completion pre .hw-token").all_text_contents()) == stored.message.text
    tokens.get_by_role("button", name="Compute logprobs").click()
    expect(tokens.get_by_role("button", name=re.compile("[Cc]omput"))).to_have_count(0)
    tokens.locator(".r-completion pre").focus()
    page.keyboard.press("ArrowRight")
    expect(tokens.get_by_role("status")).to_contain_text("logprob")
    page.screenshot(path=artifacts / "tokens.png")
    system = tokens.locator("details.r-system")
    system.locator("summary").click()
    assert stored.generation and system.locator("pre").text_content() in stored.generation.prompt_text
    play.tab("Decision")
    expect(play.part("decision").locator(".hw-odds.is-chosen")).to_contain_text("get_flumbuster")
    play.entries.nth(3).click()
    play.entries.nth(2).locator(".hw-call").click()
    expect(play.part("decision").locator(".hw-odds.is-selected")).to_contain_text("get_flumbuster")
