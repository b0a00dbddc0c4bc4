"""What a person does before the answer to what was opened arrives, as on a slow line, is not lost and comes last."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.holding import Held, event_data, values
from tests.e2e.play import Play, expect_tab
from tests.e2e.waiting import settle
from tests.served import Server
from workbench.ui.present.setup import SETUP_FIELDS

pytestmark = [pytest.mark.browser, pytest.mark.slow]

OPENING_INPUTS = 3
"""How many values the page sends to be filled: the browser's secret, its setup and its address."""


def is_opening(body: dict[str, Any]) -> bool:
    """Whether an event asks for what the page shows first."""
    return (
        body.get("trigger_id") == 0
        and len(values(body)) == OPENING_INPUTS
        and isinstance(values(body)[-1], str)
    )


def is_navigation(body: dict[str, Any]) -> bool:
    """Whether an event opens a session or an empty page."""
    return "session" in event_data(body) and "request" in event_data(body)


def is_of_texts(body: dict[str, Any]) -> bool:
    """Whether an event asks for what follows from the contract and the tools."""
    return len(values(body)) == len(SETUP_FIELDS) + 3


@pytest.fixture
def empty(page: Page, server: Server) -> tuple[Play, Held]:
    """The page whose first answer is held back, so that nothing is filled yet."""
    play = Play(page, server)
    held = Held(page, is_opening, most=1)
    page.goto(server.url)
    held.wait()
    expect(play.composer).to_be_visible()
    return play, held


def test_a_message_typed_before_the_page_is_filled_stays(empty: tuple[Play, Held]) -> None:
    play, held = empty
    play.composer.fill("typed at once")
    held.let_go()
    play.wait_until_open()
    expect(play.composer).to_have_value("typed at once")
    play.reload()
    expect(play.composer).to_have_value("typed at once")


def test_a_message_sent_before_the_page_is_filled_is_sent_then(empty: tuple[Play, Held]) -> None:
    play, held = empty
    play.composer.fill("sent at once")
    for _ in range(2):
        play.composer.press("Control+Enter")
    settle(play.page)
    held.let_go()
    play.wait_until_open()
    expect(play.entries.nth(1)).to_contain_text("sent at once")
    play.wait_until_idle()
    expect(play.composer).to_have_value("")
    path = play.server.path(play.session_id)
    assert [stored.message.text for stored in path if stored.message.role == "user"] == ["sent at once"]


def test_a_message_typed_before_its_session_is_open_follows_the_draft(play: Play) -> None:
    play.ask("Hello?").composer.fill("a draft")
    held = Held(play.page, is_opening, most=1)
    play.page.reload()
    held.wait()
    play.composer.fill("typed at once")
    held.let_go()
    expect(play.composer).to_have_value("a draft\n\ntyped at once")


def test_what_follows_from_the_texts_is_asked_for_once(page: Page, server: Server) -> None:
    sent: list[dict[str, Any]] = []
    page.on(
        "request",
        lambda request: sent.append(request.post_data_json or {}) if "/queue/join" in request.url else None,
    )
    play = Play(page, server).open()
    settle(page)
    assert [is_of_texts(body) for body in sent].count(True) == 1
    play.edit("contract-text", "Hello.")
    settle(page)
    assert values([body for body in sent if is_of_texts(body)][-1])[2] == "Hello."


CLICK_AT_ONCE = """
const click = () => {
  const place = document.querySelector('#page-places [data-tab="contracts"]');
  if (!place) return setTimeout(click, 1);
  place.click();
};
click();
"""
"""Opens a place as soon as the page shows its name; Gradio adds the tabs later."""


def test_a_place_that_is_clicked_before_there_are_tabs_opens(fresh_page: Page, server: Server) -> None:
    fresh_page.add_init_script(CLICK_AT_ONCE)
    fresh_page.goto(server.url)
    expect_tab(fresh_page, "Contracts")
    expect(fresh_page).to_have_url(re.compile(r"\?tab=contracts"))


def test_the_setup_is_changed_only_once_it_is_filled(empty: tuple[Play, Held]) -> None:
    play, held = empty
    seed = play.page.get_by_label("Seed")
    with pytest.raises(AssertionError):
        expect(seed).to_be_focused(timeout=500)
    seed.evaluate("field => field.focus()")
    expect(seed).not_to_be_focused()
    held.let_go()
    play.wait_until_open()
    seed.fill("7")
    expect(seed).to_have_value("7")


def test_a_new_session_that_is_asked_for_last_is_shown(play: Play) -> None:
    first = play.ask("Hello?").session_id
    play.part("new").click()
    expect(play.entries).to_have_count(0)
    held = Held(play.page, is_navigation, most=1)
    play.page.locator(f"#play-session-list [data-id='{first}']").click()
    held.wait()
    play.part("new").click()
    settle(play.page)
    held.let_go()
    # Until then the page shows the session for a moment, and what is typed is a draft of it.
    play.wait_until_answered()
    expect(play.entries).to_have_count(0)
    assert play.session_id == ""
    play.composer.fill("again, please")
    play.composer.press("Control+Enter")
    expect(play.entries).to_have_count(3)
    play.wait_until_idle()
    assert play.session_id not in ("", first)


def test_what_is_typed_and_sent_while_a_new_session_opens_is_in_it(play: Play) -> None:
    first = play.ask("Hello?").session_id
    play.composer.fill("a draft")
    held = Held(play.page, is_navigation, most=1)
    play.part("new").click()
    held.wait()
    play.composer.fill("for the new one")
    play.composer.press("Control+Enter")
    settle(play.page)
    held.let_go()
    expect(play.entries.nth(1)).to_contain_text("for the new one")
    play.wait_until_idle()
    assert play.session_id not in ("", first)
    assert len(play.server.path(first)) == 3
    play.page.locator(f"#play-session-list [data-id='{first}']").click()
    expect(play.composer).to_have_value("a draft")
