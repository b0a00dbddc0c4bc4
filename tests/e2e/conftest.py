"""A server in a process of its own, a browser, and a page that must stay clean."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest
from playwright.sync_api import Browser, Page

from tests.databases import FILE_NAME, put_database
from tests.e2e.play import TOUR_ENDED, Play, Server, write_script
from tests.e2e.watch import Watch, unexpected_errors
from workbench.engines.embedded import find_embedded

CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--no-first-run",
    "--disable-sync",
    "--disable-component-update",
)
ARTIFACTS = Path(__file__).parent.parent.parent / "artifacts"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--picture", help="Write the picture of the page there, for the README")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The browser's tests come last: its driver leaves a running event loop in the main thread."""
    items.sort(key=lambda item: item.get_closest_marker("browser") is not None)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The page on a scripted engine."""
    folder = tmp_path_factory.mktemp("scripted")
    script = write_script(folder / "script.yaml", "Hello.")
    yield from served(folder, f"scripted:{script}")


@pytest.fixture(scope="session")
def embedded_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The page on the embedded model."""
    if find_embedded() is None:
        pytest.skip("the embedded model is not installed (make test installs it)")
    pytest.importorskip("llama_cpp", reason="llama-cpp-python is not installed (make test installs it)")
    yield from served(tmp_path_factory.mktemp("embedded"), "embedded")


@pytest.fixture
def artifacts() -> Path:
    """Where screenshots go; kept after the run."""
    ARTIFACTS.mkdir(exist_ok=True)
    return ARTIFACTS


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A tab of somebody who was here before; it reports at its end what it should not have done."""
    with _watched(browser) as page:
        page.add_init_script(TOUR_ENDED)
        yield page


@pytest.fixture
def newcomer(browser: Browser) -> Iterator[Page]:
    """A tab of somebody who was never here, as watchful."""
    with _watched(browser) as page:
        yield page


@pytest.fixture
def other_page(browser: Browser) -> Iterator[Page]:
    """A tab of another browser, as watchful."""
    with _watched(browser) as page:
        page.add_init_script(TOUR_ENDED)
        yield page


@contextmanager
def _watched(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1440, "height": 900}, accept_downloads=True)
    page = context.new_page()
    watch = Watch(page)
    yield page
    if not page.is_closed():
        context.close()
    assert watch.troubles == []


@pytest.fixture
def play(page: Page, server: Server) -> Play:
    """The Play tab on a scripted engine, opened anew."""
    return Play(page, server).open()


def served(folder: Path, model: str, *options: str, **variables: str) -> Iterator[Server]:
    """The page in a process of its own, ended at the end; its log must tell of no unexpected error.

    `options` stand behind `serve`, and `variables` go into its environment.
    """
    if not (folder / "data" / FILE_NAME).exists():
        put_database(folder / "data")
    port = _free_port()
    environment = {name: value for name, value in os.environ.items() if not name.startswith("WORKBENCH_")}
    environment |= {
        "WORKBENCH_MODEL": model,
        "WORKBENCH_PORT": str(port),
        "WORKBENCH_DATA": str(folder / "data"),
        "PYTHONUNBUFFERED": "1",
        **variables,
    }
    log = folder / "server.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "workbench", "serve", *options],
            env=environment,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        server = Server(url=f"http://127.0.0.1:{port}", folder=folder, kill=process.kill)
        try:
            _wait(server.url, process, log)
            yield server
        finally:
            if process.poll() is None:
                process.terminate()
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
    assert unexpected_errors(log.read_text(errors="replace")) == []


def _wait(url: str, process: "subprocess.Popen[bytes]", log: Path) -> None:
    until = time.monotonic() + 240
    while time.monotonic() < until and process.poll() is None:
        try:
            with urlopen(url, timeout=2):
                return
        except (URLError, OSError):
            time.sleep(0.2)
    pytest.fail(f"the page did not come up:\n{log.read_text()[-3000:]}")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
