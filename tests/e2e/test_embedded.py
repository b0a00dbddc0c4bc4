"""The page with the embedded model, as a first-time visitor sees it."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.comparing import Comparing
from tests.e2e.play import TURN_MS, Play, open_tab
from tests.e2e.waiting import settle
from tests.served import Server, write_script

pytestmark = [pytest.mark.browser, pytest.mark.model, pytest.mark.long, pytest.mark.timeout(900)]


def test_a_newcomer_gets_a_call_a_result_and_an_answer(
    page: Page, embedded_server: Server, artifacts: Path
) -> None:
    play = Play(page, embedded_server).open()
    expect(page.get_by_label("Tool choice")).to_have_value("auto")
    expect(play.part("model-notice")).to_be_empty()
    play.ask("What is the flumbuster reading for cairo?")

    call = play.entries.nth(2)
    for text in ("get_flumbuster", "flumb", "airo", '"reading": 31'):
        expect(call).to_contain_text(text)
    answer = play.entries.nth(3)
    expect(answer.locator(".hw-prose")).not_to_be_empty()

    call.click()
    expect(play.part("raw")).to_contain_text("<tool_call>")
    stored = embedded_server.path(play.session_id)[2]
    assert stored.generation is not None
    play.expect_raw(stored.generation.prompt_text + stored.message.text)
    assert stored.generation.prompt_text.startswith("<|im_start|>system\n")

    settle(page)
    page.screenshot(path=artifacts / "play-embedded.png")
    before, raw = play.part("transcript").inner_text(), play.raw_text
    play.reload()
    expect(play.entries).to_have_count(4)
    assert play.part("transcript").inner_text() == before
    play.entries.nth(2).click()
    expect(play.part("raw")).to_contain_text("</tool_call>")
    play.expect_raw(raw)

    with page.expect_download() as waiting:
        play.part("export-open").click()
    (row,) = map(json.loads, Path(waiting.value.path()).read_text(encoding="utf-8").splitlines())
    assert row["conversations"][1] == {"from": "human", "value": "What is the flumbuster reading for cairo?"}
    assert "get_flumbuster" in row["conversations"][2]["value"]
    assert "31" in row["conversations"][3]["value"]


def test_three_models_answer_at_once_while_a_suite_runs(
    page: Page, embedded_server: Server, tmp_path: Path
) -> None:
    """Compare, Play and a suite use a model, the same one without its adapter, and a script, without an eviction."""
    Play(page, embedded_server).open()
    open_tab(page, "Suites")
    expect(page.locator("#suites-size")).to_contain_text("5 case runs")
    page.get_by_label("Repetitions").fill("3")
    expect(page.locator("#suites-size")).to_contain_text("15 case runs")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#suites-bar")).to_contain_text("of 15", timeout=TURN_MS)

    second = page.context.new_page()
    tab = Comparing(second, embedded_server).open()
    second.locator("#compare-used").get_by_label("3", exact=True).check()
    # The other columns show how their answers differ from A.
    tab.choose("Model A", f"scripted:{write_script(tmp_path / 'script.yaml', 'From a script.')}")
    tab.choose("Model B", "embedded").choose("Model C", "embedded+bare")
    for letter in "ABC":
        second.get_by_label(f"Max tokens {letter}").fill("12")
    field = second.get_by_role("textbox", name="Question")
    field.fill("Name a city.")
    field.press("Control+Enter")
    expect(second.locator("#compare-live")).to_contain_text("of 3 answers", timeout=TURN_MS)

    third = page.context.new_page()
    play = Play(third, embedded_server).open()
    third.get_by_role("combobox", name="Model", exact=True).fill("embedded+bare")
    third.keyboard.press("Enter")
    third.get_by_label("Max tokens", exact=True).fill("12")
    play.ask("Name another city.")
    expect(play.entries).to_have_count(3)
    expect(play.part("notice")).to_have_text("")

    tab.wait_until_idle()
    expect(tab.board).to_contain_text("3 of 3 answers")
    expect(tab.board).not_to_contain_text("incomplete")
    expect(tab.cell("A")).to_contain_text("From a script.")
    run = page.locator("#suites-run")
    expect(run).to_contain_text("15 of 15 results · done", timeout=4 * TURN_MS)
    expect(run).not_to_contain_text("error")
