"""Nothing is overwritten or lost: two tabs, branches, renaming, deleting, a killed server."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.play import Play
from tests.served import Server, served, write_script

pytestmark = [pytest.mark.browser, pytest.mark.long]

QUESTION = "What is the flumbuster reading for cairo?"


def test_two_tabs_on_one_session_create_branches_and_both_texts_can_be_reached(
    play: Play, other_page: Page, artifacts: Path
) -> None:
    play.ask(QUESTION)
    session_id = play.session_id
    other = Play(other_page, play.server).open(f"?session={session_id}")
    expect(other.entries).to_have_count(3)
    play.ask("From the first tab")
    other.ask("From the second tab")
    expect(other.part("notice")).to_contain_text("Another tab continued from the same message")
    expect(other.entries).to_have_count(5)
    expect(other.entries.nth(3)).to_contain_text("From the second tab")
    expect(other.entries.nth(3)).to_contain_text("2/2")
    other.page.screenshot(path=artifacts / "branches.png")
    other.entries.nth(3).get_by_role("button", name="Previous branch").click()
    expect(other.entries.nth(3)).to_contain_text("From the first tab")
    expect(other.entries.nth(4)).to_contain_text("Hello.")
    play.ask("The first tab goes on")
    expect(play.entries).to_have_count(7)
    expect(play.entries.nth(3)).to_contain_text("From the first tab")
    expect(play.part("notice")).to_have_text("")
    play.reload()
    expect(play.entries).to_have_count(7)
    expect(play.entries.nth(3)).to_contain_text("1/2")


def test_a_session_is_renamed_in_its_bar(play: Play) -> None:
    play.ask(QUESTION)
    play.part("bar").get_by_role("button", name="Rename").click()
    field = play.part("bar").get_by_label("Title of the session")
    field.fill("Readings of Cairo")
    field.press("Enter")
    expect(play.part("session-list")).to_contain_text("Readings of Cairo")
    play.reload()
    expect(play.part("bar")).to_contain_text("Readings of Cairo")


def test_a_deleted_session_can_be_restored(play: Play) -> None:
    play.ask("To be deleted and undone")
    session_id = play.session_id
    row = play.page.locator(f".hw-session[data-id='{session_id}']")
    for way in ("Undo", "Restore"):
        row.hover()
        row.locator("xpath=..").get_by_role("button", name="Delete To").click()
        expect(row).to_have_count(0)
        expect(play.entries).to_have_count(0)
        if way == "Restore":
            play.open()
            play.part("session-list").get_by_text("Deleted", exact=True).click()
        play.part("session-list").get_by_role("button", name=f"{way} To be deleted and undone").first.click()
        expect(row).to_have_count(1)
    row.click()
    expect(play.entries).to_have_count(3)


def test_an_ephemeral_part_is_sent_and_never_exported(play: Play) -> None:
    play.page.get_by_label("Ephemeral part").fill("The user is Ada.")
    play.ask(QUESTION)
    expect(play.entries.first).to_contain_text("ephemeral system text of 16 characters")
    stored = play.server.path(play.session_id)
    assert stored[2].generation and "The user is Ada." in stored[2].generation.prompt_text
    with play.page.expect_download() as waiting:
        play.part("export-open").click()
    assert "Ada" not in Path(waiting.value.path()).read_text(encoding="utf-8")
    play.reload()
    expect(play.page.get_by_label("Ephemeral part")).to_have_value("The user is Ada.")


@pytest.fixture
def fragile(tmp_path: Path) -> Iterator[Server]:
    """A server that the test kills while its model writes."""
    slow = {"text": "wörd " * 2000, "seconds_per_token": 0.02}
    script = write_script(tmp_path / "slow.yaml", slow)
    yield from served(tmp_path, f"scripted:{script}")


def test_a_killed_server_loses_only_the_end_of_the_message(
    fragile: Server, page: Page, other_page: Page
) -> None:
    play = Play(other_page, fragile).open().send("Go on and on")
    expect(play.part("live")).to_contain_text("wörd wörd wörd")
    session_id = play.session_id
    # Unfinished text is saved every second. A look at the store would take the text for interrupted.
    play.page.wait_for_timeout(1500)
    fragile.kill()
    play.page.context.close()
    script = write_script(fragile.folder / "short.yaml", "Hello.")
    for server in served(fragile.folder, f"scripted:{script}"):
        again = Play(page, server).open(f"?session={session_id}")
        expect(again.entries).to_have_count(3)
        expect(again.entries.last).to_contain_text("wörd wörd wörd")
        expect(again.entries.last).to_contain_text("interrupted")
        again.part("export-open").click()
        expect(again.part("export-notice")).to_contain_text("interrupted")
        stored = server.path(session_id)[-1]
        assert stored.generation and stored.generation.finish_reason == "interrupted"
