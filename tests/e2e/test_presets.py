"""Presets of the whole setup: saved, applied, restored, shared; and the setup in use, which stays."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.play import OWN_CONTRACT, Play, expect_text
from tests.served import Server, served, write_script
from workbench.app.passwords import hash_password

pytestmark = [pytest.mark.browser, pytest.mark.long]


@pytest.fixture(scope="module")
def accounts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The page with two accounts."""
    folder = tmp_path_factory.mktemp("accounts")
    script = write_script(folder / "script.yaml", "Hello.")
    logins = ",".join(f"{name}:{hash_password(name + '!', n=2**10)}" for name in ("ann", "bob"))
    yield from served(folder, f"scripted:{script}", WORKBENCH_AUTH=logins)


def log_in(page: Page, server: Server, name: str) -> Play:
    page.goto(server.url)
    page.get_by_label("username").fill(name)
    page.get_by_label("password").fill(f"{name}!")
    page.get_by_role("button", name="Log in").click()
    return Play(page, server).wait_until_open()


def set_up(play: Play) -> None:
    """Change a part of every section of the setup."""
    play.edit("contract-text", OWN_CONTRACT)
    play.part("variable-fields").get_by_label("tone", exact=True).fill("formal")
    play.choose("Toolsets", "weather")
    play.page.keyboard.press("Escape")
    play.choose("Tool choice", "required")
    play.part("temperature").locator("input").fill("0.7")
    play.part("temperature").locator("input").press("Tab")
    expect(play.part("system-text")).to_contain_text("Answer in a formal tone.")
    expect(play.part("system-text")).to_contain_text("get_weather")


def expect_set_up(play: Play) -> None:
    expect_text(play.part("contract-text"), "Answer in a {{ tone }} tone.")
    expect(play.part("variable-fields").get_by_label("tone", exact=True)).to_have_value("formal")
    expect(play.part("toolset")).to_contain_text("weather")
    expect(play.page.get_by_label("Tool choice")).to_have_value("required")
    expect(play.part("temperature").locator("input")).to_have_value("0.7")


def expect_default(play: Play) -> None:
    expect_text(play.part("contract-text"), "title: Minimal")
    expect(play.part("toolset")).not_to_contain_text("weather")
    expect(play.part("temperature").locator("input")).to_have_value("0")


def chosen(play: Play) -> Locator:
    return play.part("presets").get_by_label("Preset", exact=True).locator("option:checked")


def act(play: Play, name: str) -> None:
    play.part("presets").get_by_role("button", name="Preset actions").click()
    play.part("presets").get_by_role("menuitem", name=name).click()


def save_as(play: Play, name: str, button: str = "Save preset") -> None:
    act(play, "Save as preset")
    play.page.get_by_label("Preset name").fill(name)
    play.part("presets").get_by_role("button", name=button).click()
    expect(chosen(play)).to_have_text(name)


def test_a_new_session_and_a_reload_keep_the_setup_and_it_can_be_reset(play: Play) -> None:
    set_up(play)
    play.ask("Hello")
    play.part("new").click()
    expect(play.entries).to_have_count(0)
    expect_set_up(play)
    play.reload()
    expect_set_up(play)
    act(play, "Reset to defaults")
    expect_default(play)
    play.part("presets").get_by_role("button", name="Undo").click()
    expect_set_up(play)
    act(play, "Reset to defaults")
    expect_default(play)
    play.reload()
    expect_default(play)


def test_a_preset_is_saved_applied_changed_renamed_deleted_and_found(play: Play) -> None:
    set_up(play)
    save_as(play, "formal")
    act(play, "Reset to defaults")
    expect_default(play)
    play.page.keyboard.press("Control+K")
    play.page.keyboard.type("preset formal")
    play.page.locator("#page-palette").get_by_role("option", name="formal").click()
    expect_set_up(play)
    play.part("temperature").locator("input").fill("0.2")
    play.part("temperature").locator("input").press("Tab")
    act(play, "Save changes to formal")
    note = play.part("presets").locator(".hw-preset-note")
    expect(note).to_contain_text("Replaced the preset 'formal'.")
    note.get_by_role("button", name="Undo").click()
    expect(note).to_be_hidden()
    act(play, "Apply formal again")
    expect_set_up(play)
    act(play, "Rename formal")
    play.page.get_by_label("Preset name").fill("calm")
    play.page.keyboard.press("Enter")
    expect(chosen(play)).to_have_text("calm")
    act(play, "Delete calm")
    expect(chosen(play)).to_have_text("No presets yet")
    play.part("presets").get_by_role("button", name="Undo").click()
    expect(chosen(play)).to_have_text("calm")
    act(play, "Reset to defaults")
    expect_default(play)
    play.open("?preset=calm")
    expect_set_up(play)
    expect(chosen(play)).to_have_text("calm")
    play.open("?preset=clam")
    expect(play.part("notice")).to_contain_text("did you mean 'calm'")


def test_another_account_opens_a_shared_preset_by_its_link(
    fresh_page: Page, other_page: Page, accounts: Server, tmp_path: Path
) -> None:
    ann, bob = log_in(fresh_page, accounts, "ann"), log_in(other_page, accounts, "bob")
    set_up(ann)
    ann.part("ephemeral").locator("textarea").fill("Only for Ann.")
    save_as(ann, "formal")
    bob.open("?preset=formal")
    expect(bob.part("notice")).to_contain_text("there is no such preset")
    expect_default(bob)
    act(ann, "Share formal by a link")
    link = ann.page.get_by_label("Link to this preset").input_value()
    bob.page.goto(link)
    bob.wait_until_open()
    expect_set_up(bob)
    expect(bob.part("notice")).to_contain_text("shared by a link")
    expect(bob.part("ephemeral").locator("textarea")).to_have_value("")
    save_as(bob, "from ann")
    ann.part("presets").get_by_role("button", name="Stop sharing").click()
    expect(ann.page.get_by_label("Link to this preset")).to_have_count(0)
    bob.page.goto(link)
    bob.wait_until_open()
    expect(bob.part("notice")).to_contain_text("does not show a preset")
