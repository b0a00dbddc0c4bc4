"""Every tab, light and dark: nothing that keeps someone out, no fault in the console, a picture of each.

The fixture `page` checks that nothing is written to the console and nothing is requested from another host.
"""

from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.e2e.play import Play, Server, write_script

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.long]

GRAVE = ("serious", "critical")
"""Impacts that keep people from using the page."""
BROKEN = (
    "<think>\nA reading is wanted.\n</think>\n"
    '<tool_call>\n{"name": "get_flumbuster", "arguments": {"flumb": "cairo",}}\n</tool_call>'
)


@pytest.fixture
def screenshots(artifacts: Path) -> Path:
    """The folder of screenshots, which are kept after the test run."""
    folder = artifacts / "screenshots"
    folder.mkdir(exist_ok=True)
    return folder


def findings(page: Page, where: str) -> list[str]:
    """Return the violations that axe-core finds on the page, one line per place."""
    violations = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    return [
        f"{where}: {violation['id']} ({violation['impact']}): {place['target']} {place['failureSummary']}"
        for violation in violations
        if violation["impact"] in GRAVE
        for place in violation["nodes"]
    ]


def tabs_of(page: Page) -> list[str]:
    """Return the names of all tabs, in order."""
    return page.locator("#page-tabs > .tab-wrapper").get_by_role("tab").all_inner_texts()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_tab_is_accessible(
    page: Page, server: Server, screenshots: Path, tmp_path: Path, theme: str
) -> None:
    play = Play(page, server).open(f"?__theme={theme}")
    script = write_script(tmp_path / "script.yaml", BROKEN, "The reading is **31**.")
    play.use_script(script).ask("What is the flumbuster reading for cairo?")
    found: list[str] = []
    for name in tabs_of(page):
        page.get_by_role("tab", name=name, exact=True).first.click()
        pane = page.locator(f"#page-tab-{name.lower()}")
        expect(pane).to_be_visible()
        expect(pane).not_to_have_text("")
        page.wait_for_timeout(500)
        found += findings(page, f"{name}, {theme}")
        page.screenshot(path=screenshots / f"{name.lower()}-{theme}.png")
    play.tab("Play")
    for name in page.locator("#play-inspector-tabs").get_by_role("tab").all_inner_texts():
        page.locator("#play-inspector-tabs").get_by_role("tab", name=name, exact=True).click()
        found += findings(page, f"Play, {name}, {theme}")
    page.keyboard.press("Control+k")
    expect(page.get_by_role("combobox", name="Find anything")).to_be_visible()
    found += findings(page, f"palette, {theme}")
    page.screenshot(path=screenshots / f"palette-{theme}.png")
    assert found == [], "\n".join(found)


def test_the_first_visit_is_accessible(browser, server: Server, screenshots: Path) -> None:
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    page = context.new_page()
    page.goto(server.url)
    expect(page.locator(".hw-tour")).to_be_visible(timeout=60_000)
    page.screenshot(path=screenshots / "first-visit.png")
    assert findings(page, "tour") == []
    context.close()


@pytest.mark.parametrize("width", [390, 1024])
def test_every_tab_fits_a_narrow_window(page: Page, server: Server, screenshots: Path, width: int) -> None:
    Play(page, server).open()
    names = tabs_of(page)
    page.set_viewport_size({"width": width, "height": 844})
    for name in names:
        page.keyboard.press("Control+k")
        page.keyboard.type(f"tab {name}")
        page.get_by_role("option").filter(has_text=name).first.click()
        expect(page.locator(f"#page-tab-{name.lower()}")).to_be_visible()
        page.wait_for_timeout(500)
        page.screenshot(path=screenshots / f"{name.lower()}-{width}.png")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name
