"""Answers belong to the server: reloads, closed tabs, further tabs and restarts, in a browser."""

import json
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.comparing import Comparing
from tests.e2e.play import TURN_MS, Play
from tests.e2e.waiting import until
from tests.served import Server, served, write_script

pytestmark = [pytest.mark.browser, pytest.mark.long]

CALL = '<tool_call>\n{"name": "get_flumbuster", "arguments": {"flumb": "cairo"}}\n</tool_call>'
WORDS = "".join(f"word{number} " for number in range(120))
SLOW = {"text": WORDS, "seconds_per_token": 0.08}
"""Takes about 20 seconds."""
ENDLESS = {"text": "word " * 4000, "seconds_per_token": 0.1}


def writes(play: Play, tmp_path: Path, *completions: str | dict[str, object]) -> Play:
    """Choose a model that writes these completions."""
    return play.use_script(write_script(tmp_path / "script.yaml", *completions))


def other_tab(play: Play, query: str = "") -> Play:
    """Open another tab of the same browser."""
    other = Play(play.page.context.new_page(), play.server)
    other.page.goto(f"{play.server.url}/{query or '?session=' + play.session_id}")
    return other


def started(play: Play) -> Play:
    """Send a message, and wait until the model writes."""
    play.send("Go on and on")
    expect(play.part("live")).to_contain_text("word")
    return play


def stored_answer(play: Play, session_id: str) -> str:
    return play.server.path(session_id)[-1].message.text


def test_a_reload_in_mid_answer_shows_the_answer_from_where_it_is(play: Play, tmp_path: Path) -> None:
    started(writes(play, tmp_path, SLOW))
    for _ in range(2):
        play.page.reload()
        # The text so far comes back at once, then the stream goes on.
        expect(play.part("live")).to_contain_text("word0 word1")
        expect(play.part("stop")).to_be_enabled()
    length = len(play.part("live").inner_text())
    until(play.page, lambda: len(play.part("live").inner_text()) > length, "the answer did not grow")
    play.wait_until_idle()
    expect(play.entries).to_have_count(3)
    expect(play.entries.last).to_contain_text("word119")
    expect(play.part("transcript")).not_to_contain_text("stopped")
    assert stored_answer(play, play.session_id) == WORDS


def test_a_second_tab_sees_the_message_the_stream_and_the_end(play: Play, tmp_path: Path) -> None:
    writes(play, tmp_path, "First.", SLOW, "Third.").ask("Hi")
    second = other_tab(play)
    expect(second.entries).to_have_count(3)
    second.wait_until_open()
    started(play)
    # Both tabs share what is typed for the next message.
    second.composer.fill("typed in the second tab")
    expect(second.entries).to_have_count(4)
    expect(second.entries.nth(3)).to_contain_text("Go on and on")
    expect(second.part("live")).to_contain_text("word0 word1")
    second.composer.press("Control+Enter")
    # Nothing is sent while the model writes, which is to be seen for a moment.
    second.page.wait_for_timeout(500)
    expect(second.composer).to_have_value("typed in the second tab")
    for tab in (play, second):
        tab.wait_until_idle()
        expect(tab.entries).to_have_count(5)
        expect(tab.entries.last).to_contain_text("word119")
    expect(second.composer).to_have_value("typed in the second tab")
    second.composer.press("Control+Enter")
    expect(second.entries).to_have_count(7)
    expect(play.entries).to_have_count(7)
    expect(play.entries.last).to_contain_text("Third.")


def test_a_message_sent_from_a_second_tab_while_an_answer_runs_is_refused_and_kept(
    play: Play, tmp_path: Path
) -> None:
    started(writes(play, tmp_path, ENDLESS))
    second = other_tab(play)
    expect(second.part("live")).to_contain_text("word word")
    # The button is off while the answer runs, so that only a forged or late event gets this far.
    second.composer.fill("And now?")
    second.page.evaluate("document.querySelector('#play-send button, button#play-send').disabled = false")
    second.part("send").click()
    # An answer that is stopped before the message arrives would not refuse it.
    expect(second.part("notice")).to_contain_text("an answer is being written")
    expect(second.composer).to_have_value("And now?")
    second.page.keyboard.press("Escape")
    play.wait_until_idle()
    assert len(play.server.path(play.session_id)) == 3


def test_a_closed_tab_stops_nothing_and_the_answer_is_there_on_return(play: Play, tmp_path: Path) -> None:
    started(writes(play, tmp_path, SLOW))
    session_id, context, server = play.session_id, play.page.context, play.server
    play.page.close()
    back = Play(context.new_page(), server)
    back.page.goto(f"{server.url}/?session={session_id}")
    expect(back.part("live")).to_contain_text("word0 word1")
    back.page.close()
    watcher = context.new_page()
    until(watcher, lambda: server.path(session_id)[-1].message.text == WORDS, "not stored", TURN_MS / 1000)
    assert server.path(session_id)[-1].message.text == WORDS
    last = Play(watcher, server).open(f"?session={session_id}")
    expect(last.entries.last).to_contain_text("word119")
    expect(last.part("live")).to_be_hidden()
    expect(last.part("transcript")).not_to_contain_text("stopped")


def test_the_answer_is_stopped_from_a_second_tab(play: Play, tmp_path: Path) -> None:
    started(writes(play, tmp_path, ENDLESS))
    second = other_tab(play)
    expect(second.part("live")).to_contain_text("word word")
    second.page.keyboard.press("Escape")
    for tab in (play, second):
        tab.wait_until_idle()
        expect(tab.entries.last).to_contain_text("stopped by you")
        expect(tab.part("send")).to_be_enabled()


def test_a_call_is_answered_from_another_tab_in_step_mode(play: Play, tmp_path: Path) -> None:
    writes(play, tmp_path, CALL, CALL, "It is 7.").choose("Tool calls", "Ask first").send("Cairo?")
    expect(play.part("waiting")).to_contain_text("Paused before this call")
    second = other_tab(play)
    expect(second.part("waiting")).to_contain_text("get_flumbuster")
    second.part("step-result").locator("textarea").fill('{"reading": 7}')
    second.part("step-give").click()
    expect(second.part("step-result").locator("textarea")).to_have_value("")
    # Both tabs now show the second call. The first one answers it after a reload.
    for tab in (play, second):
        expect(tab.entries).to_have_count(4)
    play.page.reload()
    expect(play.part("waiting")).to_contain_text("get_flumbuster")
    play.part("step-use").click()
    for tab in (play, second):
        tab.wait_until_idle()
        expect(tab.part("waiting")).to_be_empty()
        expect(tab.entries.last).to_contain_text("It is 7.")
    results = [
        json.loads(stored.message.text) for stored in play.server.path(play.session_id) if stored.tool_run
    ]
    assert [result["reading"] for result in results] == [7, 31]


def test_another_session_can_be_used_while_an_answer_runs(play: Play, tmp_path: Path) -> None:
    started(writes(play, tmp_path, ENDLESS))
    first = play.session_id
    play.part("new").click()
    expect(play.entries).to_have_count(0)
    expect(play.part("live")).to_be_hidden()
    # The answer goes on elsewhere, and nothing of it may be drawn here for a while.
    play.page.wait_for_timeout(1000)
    expect(play.entries).to_have_count(0)
    play.use_script(write_script(tmp_path / "other.yaml", "Quick.")).ask("Another question")
    expect(play.entries.last).to_contain_text("Quick.")
    second = play.session_id
    assert second != first
    play.page.locator(f"[data-id='{first}']").first.click()
    expect(play.part("live")).to_contain_text("word word")
    play.page.locator(f"[data-id='{second}']").first.click()
    expect(play.entries.last).to_contain_text("Quick.")
    # The other answer goes on, and nothing of it may be drawn here for a while.
    play.page.wait_for_timeout(700)
    expect(play.entries.last).to_contain_text("Quick.")
    play.page.locator(f"[data-id='{first}']").first.click()
    expect(play.part("live")).to_contain_text("word word")
    play.page.keyboard.press("Escape")
    play.wait_until_idle()
    expect(play.entries.last).to_contain_text("stopped by you")


def test_a_message_to_a_model_that_is_missing_survives_a_reload(play: Play) -> None:
    field = play.page.get_by_role("combobox", name="Model", exact=True)
    field.fill("/nowhere/model.gguf")
    field.press("Enter")
    expect(play.part("model-notice")).to_contain_text("/nowhere/model.gguf")
    play.composer.fill("Keep this text")
    play.composer.press("Control+Enter")
    expect(play.part("notice")).to_contain_text("not found")
    expect(play.composer).to_have_value("Keep this text")
    play.page.reload()
    expect(play.composer).to_have_value("Keep this text")


@pytest.mark.parametrize("way", ["killed", "asked to end"])
def test_a_server_that_ends_in_mid_answer_says_so_and_the_answer_can_be_continued(
    tmp_path: Path, page: Page, other_page: Page, way: str
) -> None:
    script = write_script(tmp_path / "slow.yaml", ENDLESS)
    with closing(served(tmp_path, f"scripted:{script}")) as servers:
        server = next(iter(servers))
        play = started(Play(other_page, server).open())
        session_id = play.session_id
        # Unfinished text is saved every second. A look at the store would take the text for interrupted.
        play.page.wait_for_timeout(1500)
        play.page.context.close()
        if way == "killed":
            server.kill()
    script = write_script(tmp_path / "short.yaml", "and the rest.")
    for restarted in served(tmp_path, f"scripted:{script}"):
        again = Play(page, restarted).open(f"?session={session_id}")
        expect(again.entries).to_have_count(3)
        expect(again.entries.last).to_contain_text("word word word")
        expect(again.entries.last).to_contain_text("interrupted")
        expect(again.entries.last).not_to_contain_text("stopped by you")
        again.use_script(script)
        again.menu(again.entries.last, "Continue this message").wait_until_idle()
        expect(again.entries.last).to_contain_text("and the rest.")
        assert restarted.path(session_id)[-1].message.text.startswith("word word word")


def test_a_reload_stops_no_comparison(page: Page, server: Server, tmp_path: Path) -> None:
    tab = Comparing(page, server).open()
    tab.models(write_script(tmp_path / "a.yaml", "Quick."), write_script(tmp_path / "b.yaml", SLOW))
    field = tab.page.get_by_role("textbox", name="Question")
    field.fill("Cairo?")
    field.press("Control+Enter")
    live = tab.page.locator("#compare-live")
    expect(live).to_contain_text("word0 word1")
    tab.page.reload()
    expect(live).to_contain_text("word0 word1")
    expect(live).to_contain_text("1 of 2 answers")
    tab.wait_until_idle()
    expect(tab.cell("A")).to_contain_text("Quick.")
    expect(tab.cell("B")).to_contain_text("word119")
    expect(tab.board).not_to_contain_text("incomplete")
