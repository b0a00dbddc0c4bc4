"""Every tab, light and dark: nothing that keeps someone out, no fault in the console, a picture of each.

The fixture `page` checks that nothing is written to the console and nothing is requested from another host.
"""

from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Frame, Page, expect

from tests.e2e.play import TOUR_ENDED, Play, open_tab
from tests.e2e.waiting import count_events, settle
from tests.served import Server, served, write_script
from workbench.ui.present.place import LABELS, NAMES

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.long]

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


AT_REST = """() => !document.querySelector('[aria-busy="true"]') && document.getAnimations().every(
    (animation) => animation.playState !== "running" || animation.effect.getComputedTiming().iterations === Infinity
)"""
"""What is dimmed while it loads, or fades in, has too little contrast for a moment."""


def findings(page: Page | Frame, where: str) -> list[str]:
    """Return the violations that axe-core finds on the page, or in a frame of it, at rest, one line per place.

    An event can dim a part while axe-core looks at it, so what is found once has to be found again.
    """
    return _violations(page, where) and _violations(page, where)


def _violations(page: Page | Frame, where: str) -> list[str]:
    page.wait_for_function(AT_REST)
    violations = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    return [
        f"{where}: {violation['id']} ({violation['impact']}): {place['target']} {place['failureSummary']}"
        for violation in violations
        for place in violation["nodes"]
    ]


def tabs_of(page: Page) -> list[str]:
    """Return the names of all tabs, in order."""
    return [name.title() for name in NAMES]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_tab_is_accessible(
    page: Page, server: Server, screenshots: Path, tmp_path: Path, theme: str
) -> None:
    play = Play(page, server).open(f"?__theme={theme}")
    script = write_script(tmp_path / "script.yaml", BROKEN, "The reading is **31**.")
    play.use_script(script).ask("What is the flumbuster reading for cairo?")
    found: list[str] = []
    for name in tabs_of(page):
        open_tab(page, name)
        pane = page.locator(f"#page-tab-{name.lower()}")
        expect(pane).to_be_visible()
        expect(pane).not_to_have_text("")
        settle(page)
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


def test_the_first_visit_is_accessible(browser, tmp_path: Path, screenshots: Path) -> None:
    script = write_script(tmp_path / "script.yaml", "Hello.")
    # A server of its own, because the tour only begins while there is no session.
    for server in served(tmp_path, f"scripted:{script}"):
        context = count_events(browser.new_context(viewport={"width": 1440, "height": 900}))
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
        label = LABELS.get(name.lower(), name)
        page.keyboard.press("Control+k")
        page.keyboard.type(f"tab {label}")
        page.get_by_role("option").filter(has_text=label).first.click()
        expect(page.locator(f"#page-tab-{name.lower()}")).to_be_visible()
        settle(page)
        page.screenshot(path=screenshots / f"{name.lower()}-{width}.png")
        assert findings(page, f"{name}, {width}") == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name


CUT = """() => {
  const cut = [];
  for (const element of document.querySelectorAll("button, label, legend, span, h1, h2, h3, th, summary, a")) {
    const style = getComputedStyle(element);
    const isClipped = style.overflowX !== "visible" && element.clientWidth > 2;
    const isExplained = style.textOverflow === "ellipsis" || element.closest("[title]");
    if (!element.offsetParent || !isClipped || isExplained) continue;
    if (element.scrollWidth > element.clientWidth + 1)
      cut.push(`${element.tagName} ${element.className} ${element.textContent.trim().slice(0, 40)}`);
  }
  // The arrow of a dropdown is at the right of its field.
  for (const arrow of document.querySelectorAll(".secondary-wrap > .icon-wrap")) {
    const field = arrow.parentElement.querySelector("input");
    if (!field?.offsetParent) continue;
    const end = field.getBoundingClientRect().right - parseFloat(getComputedStyle(field).paddingRight);
    if (end > arrow.getBoundingClientRect().left + 6) cut.push("arrow over " + field.getAttribute("aria-label"));
  }
  return cut;
}"""
"""Texts that are cut off without an ellipsis or a tooltip, and dropdowns whose arrow covers their text."""


@pytest.mark.parametrize("width", [1440, 1024, 390])
def test_no_label_is_cut_or_covered(page: Page, server: Server, width: int) -> None:
    play = Play(page, server).open()
    play.ask("Where is the longest question of all, whose title is not shown as a whole?")
    page.set_viewport_size({"width": width, "height": 844})
    for name in (
        "inspect",
        "compare",
        "contracts",
        "tools",
        "suites",
        "label",
        "explore",
        "data",
        "import",
        "models",
    ):
        page.goto(f"{server.url}/?tab={name}")
        expect(page.locator(f"#page-tab-{name}")).not_to_have_text("")
        settle(page)
        assert page.evaluate(CUT) == [], name


def test_an_open_drawer_covers_what_is_below_it(page: Page, server: Server) -> None:
    Play(page, server).open()
    page.set_viewport_size({"width": 390, "height": 844})
    for pane in ("sessions", "setup", "inspector"):
        page.locator(f"#play-panes .p-{pane}").click()
        covered = page.evaluate(
            """() => [...document.querySelectorAll("#play-composer textarea, #play-send")]
              .map((element) => element.getBoundingClientRect())
              .filter((box) => box.width > 0)
              .map((box) => document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2))
              .every((top) => !top?.closest("#play-composer, #play-send"))"""
        )
        assert covered, pane
        page.locator(f"#play-panes .p-{pane}").click()


def test_the_sticky_button_of_a_run_hides_what_scrolls_under_it(page: Page, server: Server) -> None:
    expect.set_options(timeout=60_000)
    page.set_viewport_size({"width": 1024, "height": 600})
    page.goto(f"{server.url}/?tab=suites")
    size, start = page.locator("#suites-size"), page.locator("#suites-start")
    expect(size).to_contain_text("case run")
    above, below = size.bounding_box(), start.bounding_box()
    assert above and below
    assert above["y"] + above["height"] <= below["y"] + 1, "the size of the run is below the button"
    for part in (size, start):
        assert part.evaluate("part => getComputedStyle(part).backgroundColor") not in ("", "rgba(0, 0, 0, 0)")


def test_the_page_opens_with_at_most_60_requests(page: Page, server: Server) -> None:
    """The model is loaded, and the browser has nothing of the page yet."""
    Play(page, server).open()
    assert page.context.browser is not None
    fresh = count_events(page.context.browser.new_context())
    fresh.add_init_script(TOUR_ENDED)
    try:
        opened, requests = fresh.new_page(), list[str]()
        opened.on("request", lambda request: requests.append(request.url))
        opened.goto(server.url)
        expect(opened.locator("#play-system-text")).to_contain_text("tokens")
        settle(opened)
        assert len(requests) <= 60, requests
    finally:
        fresh.close()
