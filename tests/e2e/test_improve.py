"""A search for a better contract in a browser: start, watch, stop, resume, take a candidate over."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.play import SLOW_MS
from tests.e2e.sizes import every_size
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
    choose(page, "suites", "nonsense", "everyday")
    page.get_by_role("button", name="Improve the contract").click()
    choose(page, "improve-mode", "Shorten without losing cases")
    page.get_by_role("button", name="Improve contract", exact=True).click()
    expect(page.locator("#suites-run")).to_contain_text("Steps of the search")
    expect(page.locator("#suites-run")).to_contain_text("leave out")
    page.get_by_role("button", name="Stop").click()
    expect(page.locator("#suites-run")).to_contain_text("stopped")
    page.get_by_role("button", name="Resume").click()
    expect(page.locator("#suites-run")).to_contain_text("The kept part was opened once.", timeout=4 * SLOW_MS)
    expect(page.get_by_role("button", name="Resume")).to_have_count(0)
    for _ in every_size(page, artifacts, "suites-improve"):
        expect(page.locator("#suites-run")).to_contain_text("Candidates")
    page.locator("#suites-improve-candidate input").click()
    page.get_by_role("option", name="minimal #").first.click()
    page.get_by_role("button", name="Save as version").click()
    expect(page.locator("#suites-notice")).to_contain_text("Saved as minimal@2")
