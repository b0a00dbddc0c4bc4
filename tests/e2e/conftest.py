"""A server in its own process, a browser, and a page whose errors fail the test."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize
from playwright.sync_api import Error as PlaywrightError

from tests.e2e.play import TOUR_ENDED, Play
from tests.e2e.waiting import count_events
from tests.e2e.watch import Watch
from tests.served import Server, served, write_script
from workbench.engines.embedded_model import find_embedded

CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--no-first-run",
    "--disable-sync",
    "--disable-component-update",
)
VIEWPORT: ViewportSize = {"width": 1440, "height": 900}
ARTIFACTS = Path(__file__).parent.parent.parent / "artifacts"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--pictures", help="Write the pictures of the README into this folder")


@pytest.hookimpl(trylast=True)
@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The page with a scripted model."""
    folder = tmp_path_factory.mktemp("scripted")
    script = write_script(folder / "script.yaml", "Hello.")
    yield from served(folder, f"scripted:{script}")


@pytest.fixture(scope="session")
def embedded_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The page with the embedded model."""
    if find_embedded() is None:
        pytest.skip("the embedded model is not installed (make test installs it)")
    pytest.importorskip("llama_cpp", reason="llama-cpp-python is not installed (make test installs it)")
    yield from served(tmp_path_factory.mktemp("embedded"), "embedded")


@pytest.fixture
def artifacts() -> Path:
    """The folder of screenshots, which are kept after the test run."""
    ARTIFACTS.mkdir(exist_ok=True)
    return ARTIFACTS


@pytest.fixture(scope="module")
def window(browser: Browser) -> Iterator["Window"]:
    """The browser window that the tests of a file share, with empty storage for each."""
    window = Window(browser)
    yield window
    window.close()


@pytest.fixture
def page(window: "Window") -> Iterator[Page]:
    """A tab of a returning visitor. Console errors and foreign requests fail the test.

    The tests of a file share one tab, which saves a third of the time to open the page, since its scripts are compiled
    and cached. Nothing else is left of the previous test.
    """
    with window.turn() as page:
        yield page


@pytest.fixture
def fresh_page(browser: Browser) -> Iterator[Page]:
    """A tab like `page` that no other test uses, for tests whose changes cannot be undone."""
    with _watched(browser) as page:
        page.add_init_script(TOUR_ENDED)
        yield page


@pytest.fixture
def newcomer(browser: Browser) -> Iterator[Page]:
    """A tab of a first-time visitor, checked like `page`."""
    with _watched(browser) as page:
        yield page


@pytest.fixture
def other_page(browser: Browser) -> Iterator[Page]:
    """A tab of another browser, checked like `page`."""
    with _watched(browser) as page:
        page.add_init_script(TOUR_ENDED)
        yield page


class Window:
    """A tab that tests use one after the other. A new one is opened if a test closed it or its server."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._page: Page | None = None
        self._watch: Watch | None = None

    @contextmanager
    def turn(self) -> Iterator[Page]:
        """Give a test the tab, and reset it afterwards.

        Raises:
            AssertionError: The page had console errors or requested another host.
        """
        page, watch = self._open()
        yield page
        troubles = list(watch.troubles)
        self._empty(page)
        watch.troubles.clear()
        assert troubles == []

    def close(self) -> None:
        """Close the tab, which may be closed already."""
        if self._page is not None and not self._page.is_closed():
            self._page.context.close()
        self._page = self._watch = None

    def _open(self) -> tuple[Page, Watch]:
        if self._page is None or self._watch is None or self._page.is_closed():
            self._page = _new_context(self._browser).new_page()
            self._page.add_init_script(TOUR_ENDED)
            self._watch = Watch(self._page)
        return self._page, self._watch

    def _empty(self, page: Page) -> None:
        """Undo all changes of a test to the tab. If that fails, the next test gets a new tab."""
        try:
            for other in page.context.pages:
                if other is not page:
                    other.close()
            page.unroute_all(behavior="ignoreErrors")
            if page.url.startswith("http"):
                # A document of the same origin without scripts: nothing writes to the storage after it is cleared.
                page.goto(f"{'/'.join(page.url.split('/')[:3])}/manifest.json", timeout=5_000)
                page.evaluate("() => { localStorage.clear(); sessionStorage.clear(); }")
            page.goto("about:blank")
            page.context.clear_cookies()
            page.context.clear_permissions()
            page.emulate_media(color_scheme="light")
            page.set_viewport_size(VIEWPORT)
        except PlaywrightError:
            self.close()


def _new_context(browser: Browser) -> BrowserContext:
    return count_events(browser.new_context(viewport=VIEWPORT, accept_downloads=True))


@contextmanager
def _watched(browser: Browser) -> Iterator[Page]:
    page = _new_context(browser).new_page()
    watch = Watch(page)
    yield page
    if not page.is_closed():
        page.context.close()
    assert watch.troubles == []


@pytest.fixture
def play(page: Page, server: Server) -> Play:
    """The freshly opened Play tab with a scripted model."""
    return Play(page, server).open()
