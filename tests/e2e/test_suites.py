"""The Suites tab in a browser: run, drill in, compare, send to the label queue."""

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import served
from tests.e2e.play import SLOW_MS

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture
def tab(page: Page, tmp_path):
    serving = served(tmp_path, "scripted:demo")
    server = next(serving)
    page.set_default_timeout(SLOW_MS)
    expect.set_options(timeout=SLOW_MS)
    page.goto(server.url)
    page.get_by_role("tab", name="Suites").click()
    expect(page.locator("#suites-run")).to_contain_text("A suite is a list of cases")
    yield page
    page.context.close()
    next(serving, None)


def test_a_suite_is_run_looked_into_and_compared(tab: Page):
    tab.get_by_role("button", name="Run", exact=True).click()
    run = tab.locator("#suites-run")
    expect(run).to_contain_text("5 of 5 plays · done")
    expect(run.locator(".hw-cell")).to_have_count(5)
    expect(tab.locator("#suites-bar")).to_contain_text("5 of 5")
    run.get_by_role("button", name="nonsense/zorbix-add: failed").click()
    expect(run.locator(".hw-play")).to_contain_text("wanted")
    run.get_by_role("button", name="To the label queue").click()
    expect(tab.locator("#suites-notice")).to_contain_text("in the label queue")
    rollout = run.get_by_role("link", name="Open the rollout").get_attribute("href")
    first = run.locator(".hw-note").first.inner_text()
    tab.get_by_role("button", name="Run", exact=True).click()
    expect(run.locator(".hw-note").first).not_to_have_text(first)
    expect(run).to_contain_text("5 of 5 plays · done")
    tab.get_by_label("Compare with").click()
    tab.get_by_role("option").nth(1).click()
    expect(run).to_contain_text("Against nonsense: minimal")
    tab.goto(tab.url.split("?")[0] + rollout)
    expect(tab.locator("#play-transcript")).to_contain_text("zorbix")
