"""An empty page with the page's own styles and scripts, from a small server that lets the browser cache them."""

from collections.abc import Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Browser, BrowserContext, CDPSession, Page

from tests.e2e.watch import Watch
from tests.ui.scripts.component import STUBS, Component
from tests.ui.scripts.label_desk import Desk
from workbench.ui.page import HEAD_SCRIPTS
from workbench.ui.script_files import charts_address, charts_script, joined_scripts, scripts_address
from workbench.ui.style_files import joined_styles

_NO_SCRIPTS = "no-scripts"


class WatchedPage(NamedTuple):
    page: Page
    watch: Watch
    devtools: CDPSession


def _document() -> str:
    scripts = "".join(f"<script>{text}</script>" for text in (*HEAD_SCRIPTS, STUBS))
    body = '<div id="around"></div><div id="component" class="hw"></div>'
    return f"<!doctype html><html lang=en><title>component</title><style>{joined_styles()}</style>{scripts}<body>{body}"


class _Files(BaseHTTPRequestHandler):
    """Serve the empty page and the scripts."""

    protocol_version = "HTTP/1.1"

    def __init__(self, files: dict[str, tuple[str, bytes]], *rest: Any) -> None:
        self.files = files
        super().__init__(*rest)

    def do_GET(self) -> None:
        kind, content = self.files.get(self.path.partition("?")[0], ("", b""))
        self.send_response(200 if kind else 204)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        if kind == "text/javascript":
            self.send_header("Cache-Control", "max-age=31536000, immutable")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *_: object) -> None:
        pass


@pytest.fixture(scope="session")
def empty_page_url() -> Iterator[str]:
    files = {
        "/": ("text/html; charset=utf-8", _document().encode()),
        "/" + _NO_SCRIPTS: ("text/plain", b"-"),
        "/" + scripts_address(): ("text/javascript", joined_scripts().encode()),
        "/" + charts_address(): ("text/javascript", charts_script().encode()),
    }
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Files, files))
    server.daemon_threads = True
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture(scope="session")
def components_context(browser: Browser) -> Iterator[BrowserContext]:
    """One context for all components, so that the browser loads each script once."""
    context = browser.new_context(viewport={"width": 1000, "height": 700}, accept_downloads=True)
    context.set_default_timeout(5000)
    yield context
    context.close()


@pytest.fixture(scope="session")
def watched_page(components_context: BrowserContext) -> WatchedPage:
    page = components_context.new_page()
    # A page whose drafts could not be stored asks before it is left.
    return WatchedPage(page, Watch(page, may_ask_to_leave=True), components_context.new_cdp_session(page))


@pytest.fixture
def component(watched_page: WatchedPage, empty_page_url: str) -> Iterator[Component]:
    """A component on an empty page with empty storage. Errors on the page fail the test."""
    page, watch, devtools = watched_page
    # The process of a new page can read the storage before it hears that another page cleared it, so it is read again.
    while page.goto(empty_page_url + _NO_SCRIPTS) and page.evaluate(
        "localStorage.length + sessionStorage.length"
    ):
        page.evaluate("localStorage.clear(); sessionStorage.clear()")
    page.goto(empty_page_url)
    # A history with 50 pages grows no longer, and some tests count its pages.
    devtools.send("Page.resetNavigationHistory")
    yield Component(page)
    errors = watch.troubles[:]
    watch.troubles.clear()
    assert errors == []


@pytest.fixture
def desk(component: Component) -> Desk:
    """The Label tab with its first conversation open."""
    return Desk(component).begin()
