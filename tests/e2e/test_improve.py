"""A search for a better contract in a browser: start, watch, stop, resume, compare two candidates, take one over."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.play import SLOW_MS, open_tab
from tests.e2e.sizes import every_size
from tests.e2e.test_every_tab import findings
from tests.e2e.test_suites import choose, opened
from tests.served import Server, served, write_script

pytestmark = [pytest.mark.browser, pytest.mark.slow]

CALL = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Rome"}}\n</tool_call>'


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The page with a model that takes a moment for each answer."""
    folder = tmp_path_factory.mktemp("improve")
    script = write_script(folder / "script.yaml", {"text": CALL, "seconds_per_token": 0.004}, "It is sunny.")
    yield from served(folder, f"scripted:{script}")


def test_a_search_is_watched_stopped_and_resumed_and_a_candidate_becomes_a_version(
    page: Page, server: Server, artifacts: Path
) -> None:
    opened(page, server.url)
    open_tab(page, "Contracts")
    page.locator("[data-contract=minimal]").click()
    expect(page.locator("#contracts-text")).to_contain_text("name: minimal")
    page.get_by_role("button", name="Improve in Suites").click()
    expect(page.get_by_role("button", name="Improve contract", exact=True)).to_be_visible()
    choose(page, "suites", "nonsense", "everyday")
    choose(page, "improve-mode", "Shorten without losing cases")
    start = page.get_by_role("button", name="Improve contract", exact=True)
    minutes = page.get_by_label("Max minutes (0 for no limit)")
    minutes.fill("-1")
    start.click()
    expect(page.locator("#suites-notice")).to_contain_text("-1 is less than 0")
    minutes.fill("60")
    page.get_by_label("Max tokens (0 for no limit)").fill("100000000")
    for _ in every_size(page, artifacts, "suites-improve-form"):
        start.scroll_into_view_if_needed()
    start.click()
    run = page.locator("#suites-run")
    expect(run).to_contain_text("Tree of candidates")
    expect(run.locator(".hw-candidates li").nth(1)).to_contain_text("leave out")
    page.get_by_role("button", name="Stop").click()
    expect(run).to_contain_text("stopped")
    page.get_by_role("button", name="Resume").click()
    expect(run).to_contain_text("The kept part was opened once.", timeout=4 * SLOW_MS)
    expect(page.get_by_role("button", name="Resume")).to_have_count(0)
    expect(run.locator(".hw-candidates del").first).to_be_visible()
    expect(run.get_by_role("heading", name="Front of the choosing part")).to_be_visible()
    expect(run.locator(".hw-chart svg").first).to_be_visible()

    compare = page.get_by_role("button", name="Compare two candidates")
    expect(compare).to_be_disabled()
    boxes = run.get_by_role("checkbox", name="Compare minimal")
    boxes.nth(0).check()
    boxes.nth(1).check()
    compare.click()
    comparison = page.locator("#suites-comparison")
    expect(comparison).to_contain_text("Compared with")
    expect(comparison.locator(".hw-words del").first).to_be_visible()
    assert findings(page, "light") == []
    for _ in every_size(page, artifacts, "suites-improve"):
        run.get_by_role("heading", name="Tree of candidates").scroll_into_view_if_needed()

    assert findings(page, "dark") == []
    run.get_by_role("button", name="as version").first.click()
    expect(page.locator("#suites-notice")).to_contain_text("Saved as minimal@2: run ")
