"""Searching the session list while typing."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.e2e.play import Play
from tests.served import write_script

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_the_session_list_follows_the_search(play: Play, tmp_path: Path, artifacts: Path) -> None:
    play.open("?__theme=dark")
    script = write_script(tmp_path / "script.yaml", "The striped zebra runs.")
    play.use_script(script).ask("Which animal runs? striped")
    play.page.get_by_role("button", name="New session").click()
    expect(play.entries).to_have_count(0)
    play.use_script(script).ask("Which one swims? striped")
    rows = play.part("session-list").locator("ul.hw-sessions").first.locator(".hw-session")
    field = play.page.get_by_label("Search sessions")
    before = rows.count()
    assert before >= 2
    field.press_sequentially("runs striped zeb", delay=20)
    expect(rows.locator(".k-found").first).to_have_text("striped")
    expect(play.part("session-list")).to_contain_text("zebra runs.")
    play.page.screenshot(path=artifacts / "search.png")
    field.fill('swims striped "')
    expect(rows).to_have_count(1)
    rows.first.click()
    expect(play.entries.nth(1)).to_contain_text("Which one swims?")
    expect(rows).to_have_count(1)
    field.fill("nothing like this")
    expect(play.part("session-list")).to_contain_text("No session has all these words")
    field.fill("")
    expect(rows).to_have_count(before)


def test_a_session_is_tagged_and_found_by_its_tag(play: Play, tmp_path: Path) -> None:
    play.use_script(write_script(tmp_path / "tagged.yaml", "Noted.")).ask("Tag me")
    bar = play.part("bar")
    bar.get_by_role("button", name="Edit tags").click()
    bar.get_by_label("Tags, separated by commas").fill("night owl, later")
    play.page.keyboard.press("Enter")
    expect(bar.locator(".hw-tag")).to_have_text(["night owl", "later"])
    listed = play.part("session-list")
    expect(listed.locator(".hw-tag").first).to_have_text("night owl")
    listed.get_by_text("Filter", exact=True).click()
    listed.get_by_label("Tag", exact=True).fill("night owl")
    expect(listed.locator("ul.hw-sessions").first.locator(".hw-session")).to_have_count(1)
    listed.get_by_label("Fixes").select_option("yes")
    expect(listed).to_contain_text("No session matches the filter")
