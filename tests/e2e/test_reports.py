"""Reports of suite runs in a browser: charts, downloads, a shared link, and the list of runs."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from tests.e2e.play import SLOW_MS, TOUR_ENDED, TURN_MS, open_tab, save_button
from tests.e2e.sizes import every_size
from tests.e2e.waiting import settle, until
from tests.served import Server, served, write_script
from workbench.app.passwords import hash_password

pytestmark = [pytest.mark.browser, pytest.mark.long]

CALL = '<tool_call>\n{"name": "get_flumbuster", "arguments": {"flumb": "cairo"}}\n</tool_call>'
FORMS = {"HTML": "html", "JSON": "json-out", "JUnit XML": "junit", "Markdown": "markdown"}
"""Label of each form on the page, and its option on the command line."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The page with a model that alternates between a call and a greeting."""
    folder = tmp_path_factory.mktemp("reports")
    script = write_script(folder / "script.yaml", CALL, "Hello there.", CALL)
    yield from served(folder, f"scripted:{script}")


@pytest.fixture(scope="module")
def locked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The page with two accounts."""
    folder = tmp_path_factory.mktemp("locked")
    script = write_script(folder / "script.yaml", CALL, "Hello there.", CALL)
    accounts = ",".join(f"{name}:{hash_password(name + '!', n=2**10)}" for name in ("ann", "bob"))
    yield from served(folder, f"scripted:{script}", WORKBENCH_AUTH=accounts)


def opened(page: Page, url: str) -> Page:
    page.set_default_timeout(SLOW_MS)
    expect.set_options(timeout=SLOW_MS)
    page.goto(url)
    return in_suites(page)


def in_suites(page: Page) -> Page:
    expect(page.locator("#page-header .hw-dot")).to_be_visible()
    open_tab(page, "Suites")
    expect(page.locator("#suites-size")).to_contain_text("5 case runs: 5 cases × 1 arm")
    return page


def run(page: Page) -> str:
    """Run the suite, and return the id of the run."""
    before = page.url
    page.locator("#suites-start").click()
    # Not the result of the run before, which is shown until this one starts.
    until(
        page,
        lambda: page.url != before and "run=" in page.url,
        "the address names no new run",
        TURN_MS / 1000,
    )
    expect(page.locator("#suites-run")).to_contain_text("5 of 5 results · done", timeout=TURN_MS)
    found = re.search(r"run=([0-9a-f]+)", page.url)
    assert found
    return found[1]


def choose(page: Page, menu: str, item: str) -> None:
    page.get_by_role("button", name=menu, exact=True).click()
    page.get_by_role("menuitem", name=item, exact=True).click()


def command(server: Server, *arguments: str | Path) -> None:
    """Run a command with the server's data."""
    port = server.url.rpartition(":")[2]
    variables = {"WORKBENCH_DATA": str(server.folder / "data"), "WORKBENCH_PORT": port}
    subprocess.run(
        [sys.executable, "-m", "workbench", *map(str, arguments)],
        env={**os.environ, **variables},
        check=True,
        capture_output=True,
    )


def test_a_report_is_shown_and_downloaded_as_the_command_writes_it(
    page: Page, server: Server, tmp_path: Path
) -> None:
    opened(page, server.url)
    run_id = run(page)
    shown = page.locator("#suites-run")
    expect(shown.locator(".hw-chart svg")).to_have_count(2)
    for heading in (
        "Score cards",
        "Pass rate by arm",
        "Tags",
        "Pass rate by tag",
        "Cases",
        "Failures and errors",
    ):
        expect(shown.get_by_role("heading", name=heading, exact=True)).to_be_visible()
    expect(shown.get_by_role("group", name="Failures and errors")).to_contain_text("zorbix-add")
    assert page.evaluate("typeof Plot") == "undefined"  # the library leaves no global names
    for label, option in FORMS.items():
        written = tmp_path / option
        command(server, "runs", "report", run_id, f"--{option}", written)
        with page.expect_download() as download:
            choose(page, "Download report", f"Download as {label}")
        text = Path(download.value.path()).read_text()
        assert text == written.read_text(), label
        assert download.value.suggested_filename.startswith("nonsense-minimal.")
    assert json.loads((tmp_path / "json-out").read_text())["run"] == run_id
    assert not list((server.folder / "data").rglob("*nonsense-minimal*"))


def test_a_run_is_renamed_tagged_filtered_deleted_and_restored(
    page: Page, server: Server, artifacts: Path
) -> None:
    opened(page, server.url)
    run_id = run(page)
    choose(page, "Menu of the run", "Rename")
    page.keyboard.type("before the fix")
    page.keyboard.press("Enter")
    shown = page.locator("#suites-run")
    expect(shown.get_by_role("heading", name="before the fix")).to_be_visible()
    choose(page, "Menu of the run", "Edit tags")
    page.keyboard.type("nightly, v2")
    page.keyboard.press("Enter")
    expect(shown.locator(".hw-run-title .hw-tag")).to_have_text(["nightly", "v2"])
    run(page)
    page.get_by_role("button", name="All runs").click()
    expect(page).not_to_have_url(re.compile("run="))
    rows = shown.locator(".hw-runs tbody tr")
    expect(rows.nth(1)).to_be_visible()
    expect(rows.filter(has_text="before the fix")).to_contain_text("minimal")
    for _ in every_size(page, artifacts, "runs"):
        expect(shown.get_by_role("heading", name="Recent runs")).to_be_visible()
    page.emulate_media(color_scheme="light")
    page.evaluate("document.body.classList.remove('dark')")
    page.set_viewport_size({"width": 1440, "height": 900})
    page.get_by_label("Runs with tag").select_option("nightly")
    expect(rows).to_have_count(1)
    choose(page, "Menu of before the fix", "Delete")
    expect(shown).to_contain_text("Deleted: before the fix")
    expect(shown.locator(f'[data-run="{run_id}"]')).to_have_count(0)
    shown.get_by_role("button", name="Undo before the fix").click()
    shown.locator(f'[data-run="{run_id}"]').click()
    expect(shown).to_contain_text("5 of 5 results · done")
    for _ in every_size(page, artifacts, "report"):
        expect(shown.locator(".hw-chart svg").first).to_be_visible()


def test_a_report_is_shared_by_a_link_until_it_is_revoked(locked: Server, browser: Browser) -> None:
    ann = logged_in(browser, locked, "ann")
    in_suites(ann)
    run(ann)
    choose(ann, "Menu of the run", "Share report by link")
    link = ann.get_by_label("Link to this report").input_value()
    assert re.fullmatch(rf"{locked.url}/report/[0-9a-f]{{32}}", link)
    guest = browser.new_context().new_page()
    guest.goto(link)
    # With accounts, somebody who is not logged in gets the login form, which leads back to the report.
    guest.get_by_label("Name").or_(guest.locator('[name="username"]')).first.fill("bob")
    guest.locator('[name="password"]').fill("bob!")
    guest.keyboard.press("Enter")
    expect(guest.get_by_role("heading", level=1)).to_have_text("nonsense: minimal")
    assert guest.url == link
    expect(guest.locator(".chart svg").first).to_be_visible()
    assert guest.locator('a[href*="session="]').count() == 0
    for scheme in ("light", "dark"):
        guest.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        assert [found["id"] for found in Axe().run(guest).response["violations"]] == []
    ann.get_by_role("button", name="Stop sharing").click()
    expect(ann.get_by_label("Link to this report")).to_have_count(0)
    guest.reload()
    expect(guest.locator("body")).to_contain_text("This link is no longer valid.")
    guest.context.close()
    ann.context.close()


def logged_in(browser: Browser, server: Server, name: str) -> Page:
    page = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
    page.add_init_script(TOUR_ENDED)
    page.set_default_timeout(SLOW_MS)
    expect.set_options(timeout=SLOW_MS)
    page.goto(server.url)
    page.locator('[name="username"]').fill(name)
    page.locator('[name="password"]').fill(f"{name}!")
    page.keyboard.press("Enter")
    return page


def test_a_run_that_is_opened_while_it_runs_becomes_its_report(
    page: Page, other_page: Page, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("slow")
    answer: dict[str, object] = {"text": "Hello there, friend. " * 3, "seconds_per_token": 0.15}
    script = write_script(folder / "script.yaml", answer)
    for slow in served(folder, f"scripted:{script}"):
        opened(page, slow.url)
        page.locator("#suites-start").click()
        expect(page.locator("#suites-run")).to_contain_text("of 5 results · running")
        opened(other_page, slow.url)
        other_page.get_by_role("button", name="All runs").click()
        row = other_page.locator("#suites-run .hw-runs tbody tr").first
        row.locator(".hw-run-name").click()
        expect(other_page.locator("#suites-run")).to_contain_text("of 5 results · running")
        expect(other_page.locator("#suites-bar progress")).to_be_visible()
        expect(other_page.locator("#suites-run")).to_contain_text("5 of 5 results · done", timeout=TURN_MS)
        expect(other_page.locator("#suites-run .hw-chart svg").first).to_be_visible()


def test_two_versions_are_compared_and_a_contract_is_duplicated_renamed_deleted_and_restored(
    page: Page, server: Server, artifacts: Path
) -> None:
    page.set_default_timeout(SLOW_MS)
    expect.set_options(timeout=SLOW_MS)
    page.goto(server.url)
    expect(page.locator("#page-header")).to_contain_text("ready")
    open_tab(page, "Contracts")
    expect(page.locator("#contracts-text")).to_contain_text("title")
    page.locator('[data-contract="minimal"]').click()
    line = page.locator("#contracts-versions")
    expect(line).to_contain_text("v1")
    choose(page, "Menu of the open text", "Duplicate")
    page.get_by_label("Name of the copy").fill("short")
    page.keyboard.press("Enter")
    expect(page.locator('[data-contract="short"]')).to_have_attribute("aria-current", "true")
    expect(page.locator("#contracts-text")).to_contain_text("name: short")
    page.get_by_role("textbox", name="Contract text").click()
    page.keyboard.press("Control+End")
    page.keyboard.insert_text("\nAnswer in one short sentence.\n")
    save_button(line).click()
    page.keyboard.type("one more rule")
    page.keyboard.press("Enter")
    expect(line).to_contain_text("v2")
    line.locator("summary").first.click()
    line.get_by_role("button", name="Compare with v1").click()
    diff = page.locator("#contracts-diff")
    expect(diff.locator("ins").first).to_contain_text("Answer in one short sentence.")
    for width, _ in every_size(page, artifacts, "versions"):
        columns = diff.locator(".hw-side-row").first.evaluate(
            "row => getComputedStyle(row).gridTemplateColumns.split(' ').length"
        )
        assert columns == (1 if width == 390 else 2)
    page.emulate_media(color_scheme="light")
    page.evaluate("document.body.classList.remove('dark')")
    page.set_viewport_size({"width": 1440, "height": 900})
    diff.get_by_label("Compare to").select_option("v1")
    expect(diff).to_contain_text("The texts are the same.")
    diff.get_by_label("Compare from").select_option("v2")
    expect(diff.locator("del").first).to_contain_text("Answer in one short sentence.")
    choose(page, "Menu of the open text", "Rename")
    page.get_by_label("New name").fill("brief")
    page.keyboard.press("Enter")
    expect(page.locator('[data-contract="brief"]')).to_have_attribute("aria-current", "true")
    expect(page.locator('[data-contract="short"]')).to_have_count(0)
    expect(line).to_contain_text("v3")
    # The list is drawn again when the text of the new version has been checked, which closes its menus.
    settle(page)
    with page.expect_download() as download:
        choose(page, "Menu of v1", "Download")
    assert download.value.suggested_filename == "brief@1.md"
    assert "name: short" in Path(download.value.path()).read_text()
    choose(page, "Menu of the open text", "Delete")
    expect(page.locator('[data-contract="brief"]')).to_have_count(0)
    line.get_by_role("button", name="Undo brief").click()
    expect(page.locator('[data-contract="brief"]')).to_have_attribute("aria-current", "true")
    expect(line).to_contain_text("v3")
    page.locator('[data-contract="minimal"]').click()
    expect(page.locator("#contracts-text")).to_contain_text("name: minimal")
    choose(page, "Menu of the open text", "Delete")
    expect(page.locator("#contracts-notice")).to_contain_text("defines it")
    expect(page.locator('[data-contract="minimal"]')).to_be_visible()
