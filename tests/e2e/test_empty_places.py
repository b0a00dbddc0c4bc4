"""A place without content says what it is for, and one button opens its example."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.play import SLOW_MS
from tests.served import Server, served, write_script
from workbench.ui.present.empty_places import EMPTY_PLACES

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture(scope="module")
def own_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server without any session."""
    folder = tmp_path_factory.mktemp("empty")
    script = write_script(folder / "script.yaml", *["It is warmer in Rome."] * 20)
    yield from served(folder, f"scripted:{script}")


@pytest.fixture
def show(page: Page, own_server: Server) -> Callable[[str], None]:
    """Open a place and press the button of its empty state."""
    expect.set_options(timeout=SLOW_MS)

    def show(name: str) -> None:
        page.goto(f"{own_server.url}/?tab={name}")
        place = page.locator(f"#page-tab-{name} .hw-empty")
        expect(place).to_contain_text(EMPTY_PLACES[name].text)
        place.get_by_role("button", name=EMPTY_PLACES[name].button).click()

    return show


def test_an_example_is_compared(page: Page, show: Callable[[str], None]) -> None:
    show("compare")
    expect(page.locator("#compare-board")).to_contain_text("2 of 2 answers")
    expect(page.locator("#compare-board")).to_contain_text(EMPTY_PLACES["compare"].example)


def test_the_suite_of_the_example_is_opened(page: Page, show: Callable[[str], None]) -> None:
    show("suites")
    expect(page.locator("#suites-text")).to_contain_text("everyday")


def test_a_completion_is_read(page: Page, show: Callable[[str], None]) -> None:
    show("inspect")
    expect(page.locator("#inspect-calls")).to_contain_text("get_flumbuster")


def test_a_row_is_put_into_the_field_of_the_import(page: Page, show: Callable[[str], None]) -> None:
    show("import")
    expect(page.locator("#import-file")).to_contain_text("example")
    page.locator("#import-start").click()
    expect(page.locator("#import-job")).to_contain_text("1 session created")


@pytest.mark.parametrize("place", ["explore", "label"])
def test_the_demo_dataset_is_loaded_and_shown(tmp_path: Path, page: Page, place: str) -> None:
    script = write_script(tmp_path / "script.yaml", "Hello.")
    for server in served(tmp_path, f"scripted:{script}"):
        expect.set_options(timeout=SLOW_MS)
        page.goto(f"{server.url}/?tab={place}")
        page.locator(f"#page-tab-{place} .hw-empty").get_by_role("button").click()
        shown = "#explore-picture svg" if place == "explore" else ".hw-label-conversation .hw-entry"
        expect(page.locator(shown).first).to_be_visible()
        page.goto("about:blank")
