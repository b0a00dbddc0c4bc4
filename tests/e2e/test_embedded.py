"""The page with the embedded model, as a first-time visitor sees it."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.play import Play, Server

pytestmark = [pytest.mark.browser, pytest.mark.model, pytest.mark.long]


def test_a_newcomer_gets_a_call_a_result_and_an_answer(
    page: Page, embedded_server: Server, artifacts: Path, request: pytest.FixtureRequest
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

    _take_pictures(play, artifacts, request.config.getoption("--picture", default=None))
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


def _take_pictures(play: Play, artifacts: Path, picture: str | None) -> None:
    play.page.wait_for_timeout(300)
    for path in filter(None, (artifacts / "play-embedded.png", picture)):
        play.page.screenshot(path=path)
