"""What lies over the page, light and dark: the picker of models, the documentation, the tour.

Each is accessible, and nothing of the page lies over it.
"""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Frame, Page, expect

from tests.e2e.play import Play, open_tab
from tests.e2e.test_every_tab import findings
from tests.e2e.waiting import settle
from tests.served import Server, served, write_script
from workbench.ui.present.guide import STEPS

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SEEN_THROUGH = """part => {
  const { left, right, top, bottom } = part.getBoundingClientRect();
  const found = new Set();
  for (let y = top + 4; y < bottom; y += 4)
    for (let x = left + 4; x < right; x += 4) {
      const shown = document.elementFromPoint(x, y);
      if (!part.contains(shown)) found.add(shown?.outerHTML.slice(0, 120));
    }
  return [...found];
}"""
"""What of the page lies over a part, found at points that are 4 px apart."""


@pytest.fixture(scope="module")
def own_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that no other test uses, since the tour opens its example."""
    folder = tmp_path_factory.mktemp("overlays")
    script = write_script(folder / "script.yaml", "Hello.")
    yield from served(folder, f"scripted:{script}")


@pytest.fixture(params=["light", "dark"])
def play(request: pytest.FixtureRequest, page: Page, own_server: Server) -> Play:
    """Play in the colours that the system asks for."""
    page.emulate_media(color_scheme=request.param)
    play = Play(page, own_server).open()
    assert page.evaluate("document.body.classList.contains('dark')") is (request.param == "dark")
    settle(page)
    return play


def docs_of(page: Page) -> Frame:
    """Return the frame of the documentation, which has its own document."""
    frame = page.locator(".hw-help iframe").element_handle().content_frame()
    assert frame is not None
    return frame


def test_the_picker_of_models_is_accessible(play: Play) -> None:
    page = play.page
    page.locator("#page-header .hw-model").click()
    picker = page.get_by_role("dialog", name="Choose a model")
    expect(picker.locator(".hw-pick").first).to_be_visible()
    settle(page)
    assert findings(page, "picker") == []
    picker.get_by_label("Find a model").fill("no model has this name")
    expect(picker.locator(".hw-pick")).to_have_count(0)
    assert findings(page, "picker without a model") == []


def test_the_documentation_beside_the_page_is_accessible(play: Play) -> None:
    page = play.page
    open_tab(page, "Contracts")
    page.get_by_role("link", name="Help: Problems").click()
    docs = page.get_by_role("complementary", name="Documentation")
    expect(docs.frame_locator("iframe").locator(":target")).to_have_text("Lint")
    settle(page)
    assert docs.evaluate(SEEN_THROUGH) == []
    assert findings(page, "documentation") == []
    assert findings(docs_of(page), "text of the documentation") == []


def test_the_documentation_is_dark_if_the_page_is_dark(play: Play) -> None:
    page = play.page
    ground = "() => getComputedStyle(document.querySelector('.hw-help') || document.body).backgroundColor"
    page.locator("#page-header").get_by_role("button", name="Docs").click()
    expect(page.frame_locator(".hw-help iframe").locator("h1")).to_have_text("Play")
    grounds = set[str]()
    for _ in range(2):
        page.evaluate("document.body.classList.toggle('dark')")
        grounds.add(page.evaluate(ground))
        docs_of(page).wait_for_function(f"color => ({ground})() === color", arg=page.evaluate(ground))
    assert len(grounds) == 2
    # A page of the documentation that is opened later has the same colours.
    page.evaluate("document.body.classList.toggle('dark')")
    page.frame_locator(".hw-help iframe").get_by_role("link", name="Documentation").click()
    expect(page.frame_locator(".hw-help iframe").locator("h1")).not_to_have_text("Play")
    docs_of(page).wait_for_function(f"color => ({ground})() === color", arg=page.evaluate(ground))


def test_the_tour_is_accessible_at_each_step(play: Play) -> None:
    page = play.page
    page.locator("#page-header").get_by_role("button", name="Tour").click()
    card = page.locator(".hw-tour")
    for number in range(1, len(STEPS) + 1):
        expect(card).to_contain_text(f"{number} of {len(STEPS)}")
        settle(page)
        assert card.evaluate(SEEN_THROUGH) == []
        assert findings(page, f"tour, step {number}") == []
        page.keyboard.press("ArrowRight")
