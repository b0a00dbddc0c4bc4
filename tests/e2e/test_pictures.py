"""The pictures of the README, one for each place, with the embedded model and what it really answered."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.play import SLOW_MS, TURN_MS, Play, open_tab
from tests.e2e.waiting import settle
from tests.served import Server, served
from workbench.engines.embedded_model import find_embedded

pytestmark = [pytest.mark.browser, pytest.mark.model, pytest.mark.long, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def own_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server whose sessions and runs are those of these tests."""
    if find_embedded() is None:
        pytest.skip("the embedded model is not installed (make test installs it)")
    yield from served(tmp_path_factory.mktemp("pictures"), "embedded")


@pytest.fixture
def take(page: Page, artifacts: Path, request: pytest.FixtureRequest) -> Callable[[str], None]:
    """Take a picture of a place."""
    folders = [artifacts, request.config.getoption("--pictures", default=None)]

    def take(place: str) -> None:
        settle(page)
        for folder in filter(None, folders):
            page.screenshot(path=Path(folder) / f"{place}.png")

    return take


def test_play(page: Page, own_server: Server, take: Callable[[str], None]) -> None:
    play = Play(page, own_server).open()
    for fold in ("Sessions", "Edit as JSON", "More"):
        page.get_by_role("button", name=fold, exact=True).click()
    play.ask("What is the flumbuster reading for cairo?")
    call = play.entries.nth(2)
    expect(call).to_contain_text("get_flumbuster")
    call.click()
    expect(play.part("raw")).to_contain_text("<tool_call>")
    take("play")


def test_measure(page: Page, own_server: Server, take: Callable[[str], None]) -> None:
    Play(page, own_server).open()
    open_tab(page, "Suites")
    expect(page.locator("#suites-size")).to_contain_text("5 case runs")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#suites-run")).to_contain_text("5 of 5 results · done", timeout=4 * TURN_MS)
    take("measure")


def test_library(page: Page, own_server: Server, take: Callable[[str], None]) -> None:
    page.goto(f"{own_server.url}/?tab=tools&tool=get_flumbuster")
    expect(page.get_by_label("Answer of rule 3")).to_have_value("flumb must name a location")
    take("library")


def test_data(page: Page, own_server: Server, take: Callable[[str], None]) -> None:
    play = Play(page, own_server).open()
    play.part("demo").get_by_role("button").click()
    expect(play.part("demo")).to_contain_text("Added 12 sessions", timeout=3 * SLOW_MS)
    open_tab(page, "Explore")
    page.locator("#explore-sessions").click()
    expect(page.locator("#explore-picture svg").first).to_be_visible()
    take("data")
