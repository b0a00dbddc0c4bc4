"""The Play tab in a browser, with a scripted model."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.hostile import HOSTILE, expect_harmless
from tests.e2e.play import TURN_MS, Play, expect_no_text, expect_text, save_button
from tests.e2e.sizes import every_size
from tests.e2e.waiting import settle
from tests.served import Server, write_script

pytestmark = pytest.mark.browser

QUESTION = "What is the flumbuster reading for cairo?"
CALL = '<tool_call>\n{"name": "get_flumbuster", "arguments": {"flumb": "cairo"}}\n</tool_call>'
ANSWER = "The reading for Cairo is 31."


@pytest.fixture
def talk(play: Play, tmp_path: Path) -> Play:
    """A page whose model calls a tool, then answers."""
    return play.use_script(write_script(tmp_path / "call.yaml", CALL, ANSWER))


@pytest.mark.slow
def test_a_new_visitor_can_send_at_once(play: Play) -> None:
    expect(play.composer).to_have_value("")
    expect(play.part("transcript")).to_contain_text("See exactly what a tool-calling model reads and writes")
    assert play.session_id == ""


def test_a_call_its_arguments_its_result_and_the_answer_are_shown(talk: Play) -> None:
    talk.ask(QUESTION)
    expect(talk.entries).to_have_count(4)
    call = talk.entries.nth(2)
    for text in ("get_flumbuster", "ready", "flumb", '"cairo"', '"reading": 31', "rule"):
        expect(call).to_contain_text(text)
    expect(talk.entries.nth(3)).to_contain_text(ANSWER)
    expect(talk.part("session-list")).to_contain_text("What is the flumbuster")
    expect(talk.composer).to_have_value("")


@pytest.mark.slow
def test_the_raw_pane_shows_prompt_and_completion_byte_for_byte(talk: Play) -> None:
    talk.ask(QUESTION)
    talk.entries.nth(2).click()
    expect(talk.part("raw")).to_contain_text("</tool_call>")
    stored = talk.server.path(talk.session_id)[2]
    assert stored.generation is not None
    expect(talk.part("raw").locator(".r-completion")).to_contain_text("cairo")
    talk.expect_raw(stored.generation.prompt_text + stored.message.text)
    expect(talk.part("raw").locator(".hw-badge")).to_have_text("exact")


@pytest.mark.slow
def test_selecting_a_message_shows_it_in_every_pane(talk: Play) -> None:
    talk.ask(QUESTION)
    talk.tab("Calls")
    expect(talk.part("calls")).to_contain_text("This completion has no tool calls.")
    talk.entries.nth(2).focus()
    talk.entries.nth(2).press("Enter")
    expect(talk.part("calls")).to_contain_text("get_flumbuster")
    expect(talk.part("calls")).to_contain_text('"flumb": "cairo"')
    talk.tab("Fixes")
    expect(talk.part("fixes")).to_contain_text("No fixes were needed")
    talk.tab("Timing")
    expect(talk.part("timing").locator("tbody tr")).to_have_count(2)


@pytest.mark.slow
def test_messages_and_setup_survive_a_reload(talk: Play) -> None:
    talk.page.get_by_label("Seed").fill("7")
    talk.page.get_by_role("checkbox", name="calculate_zorbix").uncheck()
    talk.ask(QUESTION)
    before, raw = talk.part("transcript").inner_text(), talk.raw_text
    talk.reload()
    expect(talk.entries).to_have_count(4)
    assert talk.part("transcript").inner_text() == before
    talk.expect_raw(raw)
    expect(talk.page.get_by_label("Seed")).to_have_value("7")
    expect(talk.page.get_by_role("checkbox", name="calculate_zorbix")).not_to_be_checked()
    expect(talk.page.get_by_role("checkbox", name="get_flumbuster")).to_be_checked()


@pytest.mark.slow
def test_a_session_can_be_closed_and_opened_again(talk: Play) -> None:
    talk.ask(QUESTION)
    session_id = talk.session_id
    talk.part("new").click()
    expect(talk.entries).to_have_count(0)
    expect(talk.page).not_to_have_url(f"{talk.server.url}/?session={session_id}")
    talk.page.locator(f"[data-id='{session_id}']").first.click()
    expect(talk.entries).to_have_count(4)
    assert talk.session_id == session_id


@pytest.mark.slow
def test_model_output_is_shown_as_text_in_every_pane(play: Play, tmp_path: Path) -> None:
    call = "<tool_call>\n" + json.dumps({"name": HOSTILE, "arguments": {HOSTILE: HOSTILE}}) + "\n</tool_call>"
    play.use_script(write_script(tmp_path / "hostile.yaml", HOSTILE + call, HOSTILE))
    play.ask(HOSTILE)
    for name in ("Tokens", "Calls", "Fixes", "Decision", "Parsers", "Timing", "Raw"):
        play.tab(name)
        settle(play.page)
    play.entries.nth(1).click()
    play.reload()
    expect_harmless(play.page, "#play-columns")
    stored = play.server.path(play.session_id)[-1]
    assert stored.generation is not None
    play.expect_raw(stored.generation.prompt_text + stored.message.text)
    expect(play.entries.nth(1).locator(".hw-prose")).to_have_text(HOSTILE, use_inner_text=False)


def test_escape_stops_the_model_and_saves_the_text_so_far(play: Play, tmp_path: Path) -> None:
    slow = {"text": "word " * 400, "seconds_per_token": 0.05}
    play.use_script(write_script(tmp_path / "slow.yaml", slow)).send("Go on and on")
    expect(play.part("live")).to_contain_text("word word")
    play.page.keyboard.press("Escape")
    play.wait_until_idle()
    expect(play.entries.last).to_contain_text("stopped by you")
    stored = play.server.path(play.session_id)[-1]
    assert stored.generation is not None
    assert stored.generation.finish_reason == "cancelled"
    assert stored.message.text.startswith("word word")


@pytest.mark.slow
def test_tools_are_checked_as_they_are_typed_and_invalid_ones_are_not_sent(talk: Play) -> None:
    talk.edit("tools-text", '[\n  {"type": "function",\n   "function": {"name": }}\n]')
    notice = talk.part("tools-notice")
    expect(notice).to_contain_text("line 3")
    talk.composer.fill(QUESTION)
    talk.composer.press("Control+Enter")
    expect(talk.part("notice")).to_contain_text("line 3")
    expect(talk.composer).to_have_value(QUESTION)
    assert talk.session_id == ""
    listed = ", ".join(
        f'{{"name": "{name}", "inputSchema": {{"type": "object"}}}}' for name in ("walk", "run")
    )
    talk.edit("tools-text", f'{{"tools": [{listed}]}}')
    notice.get_by_role("button", name="Import these 2 tools").click()
    expect(talk.page.get_by_role("checkbox", name="walk")).to_be_checked()
    expect_text(talk.part("tools-text"), '"name": "run"')
    talk.edit("tools-text", f'{{"tools": [{listed}, {{"name": "", "inputSchema": {{"type": "object"}}}}]}}')
    notice.get_by_role("button", name="Import 2 of 3 tools").click()
    expect(talk.page.locator(".hw-note", has_text="Left out: tool 3: the tool has no name.")).to_be_visible()
    expect(notice).to_contain_text("Edited here")
    talk.edit("tools-text", '[{"name": "get_flumbuster", "parameters": {"type": "object"}}]')
    expect(notice).to_contain_text("Edited here")
    expect(talk.page.get_by_role("checkbox", name="calculate_zorbix")).to_have_count(0)
    talk.ask(QUESTION)
    expect(talk.entries).to_have_count(4)
    expect(talk.part("notice")).to_have_text("")


def test_an_unknown_variable_is_reported_next_to_the_contract(talk: Play) -> None:
    talk.edit("contract-text", "---\ntitle: T\nfamily: hermes-lines\n---\nHello {{ nobody }}")
    expect(talk.part("contract-notice")).to_contain_text("nobody")
    expect(talk.part("contract-notice")).to_contain_text("line 5")
    talk.edit("contract-text", "---\ntitle: T\nfamily: hermes-lines\n---\nHello\n{{ tools }}")
    expect(talk.part("versions")).to_contain_text("changed")
    talk.ask(QUESTION)
    assert talk.server.path(talk.session_id)[0].message.text.startswith("Hello\n")


@pytest.mark.slow
def test_a_prompt_that_is_too_long_is_reported_with_its_size_and_can_be_shortened(
    play: Play, tmp_path: Path
) -> None:
    play.use_script(write_script(tmp_path / "small.yaml", "Short.", context_tokens=600))
    long = "word " * 600
    play.send(long).wait_until_idle()
    expect(play.part("notice")).to_contain_text("tokens too long")
    expect(play.composer).to_have_value(long)
    play.ask("Hi")
    expect(play.part("notice")).to_have_text("")
    expect(play.entries).to_have_count(3)
    expect(play.entries.last).to_contain_text("Short.")


def test_a_missing_model_is_reported_and_the_message_is_not_lost(play: Play) -> None:
    field = play.page.get_by_role("combobox", name="Model", exact=True)
    field.fill("/nowhere/model.gguf")
    field.press("Enter")
    expect(play.part("model-notice")).to_contain_text("/nowhere/model.gguf")
    play.composer.fill(QUESTION)
    play.composer.press("Control+Enter")
    expect(play.part("notice")).to_contain_text("not found")
    expect(play.composer).to_have_value(QUESTION)


@pytest.mark.slow
def test_an_invalid_number_is_reported_with_its_field_and_the_message_is_not_lost(play: Play) -> None:
    for label, number, message in (
        (
            "Max tokens",
            "0",
            "field 'max tokens': 0 is less than 1 (write a whole number from 1 to 32,768)",
        ),
        ("Samples", "", "field 'samples': it is empty (write a whole number from 1 to 16)"),
    ):
        field = play.page.get_by_label(label, exact=True)
        previous = field.input_value()
        field.fill(number)
        play.composer.fill("Still here?")
        play.composer.press("Control+Enter")
        expect(play.part("notice")).to_contain_text(message)
        expect(play.composer).to_have_value("Still here?")
        play.wait_until_idle()
        field.fill(previous)
    play.composer.press("Control+Enter")
    expect(play.part("transcript")).to_contain_text("Still here?", timeout=TURN_MS)


def test_an_unknown_session_is_reported(page: Page, server: Server) -> None:
    play = Play(page, server).open("?session=nobody")
    expect(play.part("notice")).to_contain_text("there is no such session")
    expect(play.part("notice")).to_contain_text("there is no such session")
    expect(play.composer).to_be_enabled()


@pytest.mark.slow
def test_unsent_text_survives_a_reload(talk: Play) -> None:
    talk.composer.fill("half a thou")
    talk.edit("contract-text", "---\ntitle: T\nfamily: hermes-lines\n---\nMine {{ tools }}")
    expect(talk.part("versions")).to_contain_text("changed")
    talk.reload()
    expect(talk.composer).to_have_value("half a thou")
    expect_text(talk.part("contract-text"), "Mine {{ tools }}")
    # The draft is the contract's, whatever the session.
    talk.part("new").click()
    expect(talk.composer).to_have_value("half a thou")
    expect_text(talk.part("contract-text"), "Mine {{ tools }}")
    talk.part("setup").get_by_role("button", name="Discard draft").click()
    expect_no_text(talk.part("contract-text"), "Mine {{ tools }}")
    talk.part("setup").get_by_role("button", name="Undo").click()
    expect_text(talk.part("contract-text"), "Mine {{ tools }}")
    talk.part("setup").get_by_role("button", name="Discard draft").click()
    expect(talk.part("versions")).not_to_contain_text("changed")
    talk.reload()
    expect_no_text(talk.part("contract-text"), "Mine {{ tools }}")


def test_the_example_questions_match_the_tools(talk: Play) -> None:
    example = talk.part("transcript").get_by_role("button", name="Combine a zorb")
    expect(example).to_be_visible()
    talk.page.get_by_role("checkbox", name="calculate_zorbix").uncheck()
    expect(example).to_have_count(0)


def test_an_example_is_sent_by_a_click_with_its_tools(talk: Play) -> None:
    talk.composer.fill("Not sent yet")
    talk.part("transcript").get_by_role("button", name="What is the weather in Paris?").click()
    expect(talk.entries.nth(1)).to_contain_text("What is the weather in Paris?")
    expect(talk.page.get_by_role("checkbox", name="get_weather")).to_be_checked()
    expect(talk.page.get_by_role("checkbox", name="get_flumbuster")).to_have_count(0)
    expect(talk.composer).to_have_value("Not sent yet")


@pytest.mark.slow
def test_a_message_that_no_tool_fits_offers_a_toolset(talk: Play) -> None:
    talk.composer.fill("What is the weather in Berlin tomorrow?")
    talk.composer.press("Enter")
    talk.page.get_by_role("button", name="Add the toolset weather").click()
    expect(talk.page.get_by_role("checkbox", name="get_weather")).to_be_checked()
    expect(talk.page.get_by_role("checkbox", name="get_flumbuster")).to_be_checked()


@pytest.mark.slow
def test_pressing_the_send_key_twice_sends_once(play: Play, tmp_path: Path) -> None:
    slow = {"text": "word " * 40, "seconds_per_token": 0.05}
    play.use_script(write_script(tmp_path / "twice.yaml", slow))
    play.composer.fill(QUESTION)
    for _ in range(3):
        play.composer.press("Control+Enter")
    expect(play.part("live")).to_contain_text("word word")
    play.wait_until_idle()
    expect(play.entries).to_have_count(3)


def test_the_tool_choices_follow_the_enabled_tools(talk: Play) -> None:
    choice = talk.page.get_by_label("Tool choice")
    choice.click()
    names = ["auto", "required", "none", "get_flumbuster", "calculate_zorbix"]
    expect(talk.page.get_by_role("option")).to_contain_text(names)
    talk.page.get_by_role("option", name="calculate_zorbix").click()
    talk.page.get_by_role("checkbox", name="calculate_zorbix").uncheck()
    expect(choice).to_have_value("auto")


def test_sessions_are_exported_as_rows(talk: Play) -> None:
    talk.ask(QUESTION)
    with talk.page.expect_download() as waiting:
        talk.part("export-open").click()
    lines = Path(waiting.value.path()).read_text(encoding="utf-8").splitlines()
    assert waiting.value.suggested_filename.endswith(".jsonl")
    (row,) = map(json.loads, lines)
    assert [entry["from"] for entry in row["conversations"]] == ["system", "human", "gpt", "tool", "gpt"]
    assert row["conversations"][2]["value"] == CALL
    assert {tool["function"]["name"] for tool in json.loads(row["tools"])} >= {"get_flumbuster"}
    with talk.page.expect_download() as waiting:
        talk.part("export-all").click()
    assert len(Path(waiting.value.path()).read_text(encoding="utf-8").splitlines()) >= 1


@pytest.mark.slow
def test_the_page_fits_its_window(talk: Play, artifacts: Path) -> None:
    talk.ask(QUESTION)
    for _, height in every_size(talk.page, artifacts, "play"):
        expect(talk.entries).to_have_count(4)
        assert talk.page.evaluate("document.documentElement.scrollHeight") <= height
    # The last size is the narrow one. The page must open there, too.
    talk.reload()
    expect(talk.entries).to_have_count(4)
    assert talk.page.evaluate("document.documentElement.scrollWidth") <= 390
    assert talk.page.evaluate("document.documentElement.scrollHeight") <= height


def test_a_narrow_window_opens_its_columns_as_drawers(talk: Play) -> None:
    talk.page.set_viewport_size({"width": 390, "height": 844})
    for name in ("Sessions", "Setup", "Inspector"):
        button = talk.page.get_by_role("button", name=name, exact=True)
        button.click()
        expect(button).to_have_attribute("aria-expanded", "true")
        expect(talk.part(name.lower())).to_be_visible()
        talk.page.keyboard.press("Escape")
        expect(talk.part(name.lower())).to_be_hidden()


@pytest.mark.slow
def test_a_contract_version_is_saved_restored_and_marked(talk: Play) -> None:
    line, text = talk.part("versions"), talk.part("contract-text")
    expect(line).to_contain_text("v1")
    expect(save_button(line)).to_be_hidden()
    talk.edit("contract-text", "---\ntitle: T\nfamily: hermes-lines\n---\nSecond {{ tools }}")
    expect(line).to_contain_text("changed")
    save_button(line).click()
    line.get_by_label("What changed").fill("says it twice")
    talk.page.keyboard.press("Enter")
    expect(line.locator("summary")).to_have_text("v2")
    line.locator("summary").click()
    expect(line.locator("li")).to_have_count(2)
    expect(line.locator("[data-version=v2]")).to_contain_text("says it twice")
    line.get_by_role("button", name="Mark v2 as production").click()
    expect(line.locator("summary")).to_contain_text("production")
    line.get_by_role("button", name="Restore v1").click()
    expect(line.locator("li")).to_have_count(3)
    expect_no_text(text, "Second")
    expect(line.locator("summary")).to_have_text("v3")
    line.get_by_role("button", name="Restore v2").click()
    expect_text(text, "Second")
    talk.reload()
    expect_text(text, "Second")
    expect(line.locator("summary")).to_have_text("v4")
    line.locator("summary").click()
    line.get_by_role("button", name="Restore v1").click()
    expect_no_text(text, "Second")


def test_a_question_for_other_tools_is_sent_with_their_toolset(play: Play, artifacts: Path) -> None:
    page = play.page
    examples = page.locator(".hw-example")
    question = examples.filter(has_text="Turn on the light in the kitchen, please.")
    expect(question).to_contain_text("Uses the toolset home")
    page.screenshot(path=artifacts / "questions.png")
    question.click()
    expect(play.entries).to_have_count(3)
    expect(play.entries.nth(1)).to_contain_text("Turn on the light in the kitchen, please.")
    expect(play.part("toolset")).to_contain_text("home")
    expect(play.part("toolset")).not_to_contain_text("nonsense")
    expect_text(play.part("tools-text"), "set_light")
    # Now its tools are offered, so that it needs no other toolset.
    play.part("new").click()
    expect(question).not_to_contain_text("toolset")
    expect(examples.filter(has_text="What is the flumbuster reading")).to_contain_text("Made-up words")
    page.screenshot(path=artifacts / "questions-home.png")
