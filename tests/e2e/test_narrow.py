"""What a narrow window could hide: actions of wide tables, and pages of a place that do not fit into their row."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.play import SLOW_MS, Play
from tests.e2e.waiting import settle, until
from tests.served import Server, served, write_script
from workbench.ui.present.place import PLACES

pytestmark = [pytest.mark.browser, pytest.mark.slow]

IS_ON_TOP = """element => {
  const box = element.getBoundingClientRect();
  const isInside = box.left >= -1 && box.right <= innerWidth + 1 && box.top >= -1 && box.bottom <= innerHeight + 1;
  return isInside && [box.left + 2, (box.left + box.right) / 2, box.right - 2].every((x) =>
    element.contains(document.elementFromPoint(x, (box.top + box.bottom) / 2)));
}"""
"""Whether an element is in the window, but for a part of a pixel, and nothing cuts it or lies over it."""


@pytest.fixture(scope="module")
def own_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server without runs."""
    folder = tmp_path_factory.mktemp("narrow")
    script = write_script(folder / "script.yaml", "Hello.")
    yield from served(folder, f"scripted:{script}")


def wait_until_on_top(part: Locator) -> None:
    until(part.page, lambda: part.evaluate(IS_ON_TOP), f"{part} is cut or covered", SLOW_MS / 1000)


def test_actions_of_runs_are_in_the_window_without_scrolling(page: Page, own_server: Server) -> None:
    page.set_default_timeout(SLOW_MS)
    expect.set_options(timeout=SLOW_MS)
    page.goto(f"{own_server.url}/?tab=suites")
    expect(page.locator("#suites-size")).to_contain_text("5 case runs: 5 cases × 1 arm")
    shown, head = page.locator("#suites-run"), page.locator("#suites-run .hw-runs thead th").last
    for runs in (1, 2):
        page.locator("#suites-start").click()
        expect(shown).to_contain_text("5 of 5 results · done")
        page.get_by_role("button", name="All runs").click()
        expect(shown.locator(".hw-runs tbody tr")).to_have_count(runs)
    page.set_viewport_size({"width": 1024, "height": 768})
    settle(page)
    expect(head).to_have_text("actions")
    wait_until_on_top(head)
    menus = shown.get_by_role("button", name="Menu of")
    expect(menus).to_have_count(2)
    for at in range(2):
        wait_until_on_top(menus.nth(at))
    # The menu of the first row lies over the second row.
    menus.first.click()
    items = page.get_by_role("menuitem")
    expect(items.filter(has_text="Rename")).to_be_visible()
    for at in range(items.count()):
        wait_until_on_top(items.nth(at))


TEXT_SIZE = """px => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`#page-places nav + nav a { font-size: ${px}px !important; }`);
  document.adoptedStyleSheets.push(sheet);
}"""
"""Set the size of the names of pages. At 40 px, no row fits into a phone."""


@pytest.mark.parametrize("size_px", [13, 40])
def test_each_page_of_a_place_is_reached_on_a_phone(page: Page, own_server: Server, size_px: int) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    Play(page, own_server).open()
    page.evaluate(TEXT_SIZE, size_px)
    for place, tabs in PLACES.items():
        if len(tabs) == 1:
            continue
        page.get_by_role("navigation", name="Places").get_by_role("link", name=place).click()
        row = page.get_by_role("navigation", name=place, exact=True)
        links = row.get_by_role("link")
        expect(links).to_have_count(len(tabs))
        settle(page)
        assert size_px == 13 or row.evaluate("row => row.scrollWidth > row.clientWidth"), place
        # From the last page to the first, so that the row is scrolled both ways.
        for tab in reversed(tabs):
            link = row.locator(f'[data-tab="{tab}"]')
            row.hover()
            page.mouse.wheel(link.evaluate("link => link.getBoundingClientRect().left - 16"), 0)
            wait_until_on_top(link)
            link.click()
            expect(page.locator(f"#page-tab-{tab}")).to_be_visible()
            settle(page)
            # A row that is drawn again shows the page that is open.
            wait_until_on_top(row.locator("[aria-current=page]"))
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), tab
            assert page.evaluate("scrollX") == 0, tab
