"""One message over many rows: pasted, run, shown, saved as a suite, and run again as a suite."""

from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.play import OWN_CONTRACT, Play
from tests.served import Server, write_script

pytestmark = [pytest.mark.browser, pytest.mark.long]

ROWS = "city,tone\nRome,formal\nOslo,calm\nLima,loud\n"


def window(play: Play) -> Locator:
    return play.page.get_by_role("dialog", name="Run over rows")


def open_rows(play: Play) -> Locator:
    play.page.get_by_role("button", name="Run over rows").click()
    return window(play)


def test_rows_are_pasted_run_saved_as_a_suite_and_run_there(
    play: Play, tmp_path: Path, artifacts: Path
) -> None:
    play.use_script(write_script(tmp_path / "rows.yaml", {"text": "Sunny.", "seconds_per_token": 0.1}))
    play.edit("contract-text", OWN_CONTRACT)
    expect(play.part("variable-fields").get_by_label("tone", exact=True)).to_be_visible()
    rows = open_rows(play)
    start = rows.get_by_role("button", name="Run rows")
    rows.get_by_label("Message for each row").fill("What is the weather in {{ citty }}?")
    rows.get_by_label("Rows as CSV").fill("city,tone\nRome\n")
    expect(rows.get_by_role("alert")).to_contain_text("line 2 (row 1): 1 cell for 2 columns")
    expect(start).to_be_disabled()
    rows.get_by_label("Rows as CSV").fill(ROWS)
    expect(rows.get_by_role("alert")).to_contain_text("did you mean 'city'")
    rows.get_by_label("Message for each row").fill("What is the weather in {{ city }}?")
    expect(rows).to_contain_text("3 rows · city in the message · tone in the contract")
    start.click()
    lines = rows.locator("tbody tr")
    expect(lines).to_have_count(3)
    # The run goes on without the page.
    play.reload()
    rows = open_rows(play)
    expect(rows.get_by_label("Message for each row")).to_have_value("What is the weather in {{ city }}?")
    expect(rows).to_contain_text("3 of 3 rows · done")
    expect(lines.nth(2)).to_contain_text("Lima")
    expect(lines.nth(2)).to_contain_text("Sunny.")
    play.page.screenshot(path=artifacts / "rows.png")
    with play.page.expect_download() as download:
        rows.get_by_role("button", name="Download CSV").click()
    assert "Oslo,calm,What is the weather in Oslo?,Sunny." in Path(download.value.path()).read_text()
    session = lines.nth(1).get_by_role("link").get_attribute("href")
    name = f"cities {tmp_path.name}"[:80]
    rows.get_by_role("button", name="Save as suite").click()
    rows.get_by_label("Name of the suite").fill(name)
    play.page.keyboard.press("Enter")
    expect(rows).to_contain_text(f"Saved the suite '{name}'")
    rows.get_by_role("button", name="Close").click()
    play.tab("Suites")
    play.page.get_by_role("combobox", name="Suites").click()
    play.page.get_by_role("combobox", name="Suites").press("Backspace")
    play.page.get_by_role("option", name=name).click()
    play.page.keyboard.press("Escape")
    play.page.locator("#suites-start").click()
    expect(play.page.locator("#suites-run")).to_contain_text("3 of 3 results · done")
    play.open(str(session))
    expect(play.entries.first).to_contain_text("Answer in a calm tone.")


def test_columns_open_on_a_click_and_their_widths_are_remembered(fresh_page: Page, server: Server) -> None:
    fresh_page.add_init_script("localStorage.removeItem('hermes-workbench:columns')")
    play = Play(fresh_page, server).open()
    setup, inspector, sessions = play.part("setup"), play.part("inspector"), play.part("sessions")
    expect(inspector).to_be_hidden()
    expect(sessions).to_be_hidden()
    # 70 columns of text.
    assert setup.evaluate("part => part.offsetWidth") > 570
    splitter = fresh_page.get_by_role("separator", name="Width of the contract editor")
    width = setup.evaluate("part => part.offsetWidth")
    splitter.press("ArrowLeft")
    assert setup.evaluate("part => part.offsetWidth") == width - 24
    box = splitter.bounding_box()
    assert box
    fresh_page.mouse.move(box["x"] + 4, 300)
    fresh_page.mouse.down()
    fresh_page.mouse.move(box["x"] + 54, 300, steps=3)
    fresh_page.mouse.up()
    assert setup.evaluate("part => part.offsetWidth") == width + 26
    play.ask("Hello?").entries.last.click()
    expect(inspector).to_be_visible()
    play.reload()
    assert setup.evaluate("part => part.offsetWidth") == width + 26
    fresh_page.get_by_role("button", name="Sessions", exact=True).click()
    expect(sessions).to_be_visible()
