"""What a browser must do to open the page and its tabs, beside an empty Gradio page on the same server settings."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import NamedTuple
from urllib.request import urlopen

from playwright.sync_api import Browser, CDPSession, Page, expect

from tests.e2e.play import TOUR_ENDED

REPETITIONS = 5
"""Each page is opened so often, in turn; the median counts."""
TABS = ("inspect", "compare", "contracts", "tools", "suites", "label", "explore", "data", "import", "models")
QUIET_MS = 800
"""A page is open once the browser's main thread did next to nothing for so long."""
IDLE_SHARE = 0.06
"""A main thread is idle below this share: an empty Gradio page asks for each animation frame, which takes some 3 %."""
READY = "document.querySelector('#page-header')?.textContent.includes('ready')"
"""Whether the model is ready, which our page shows last."""
EMPTY_PAGE = """
import sys
import gradio as gr
with gr.Blocks(analytics_enabled=False) as blocks:
    text = gr.Textbox()
    gr.Button()
blocks.launch(server_port=int(sys.argv[1]), share=False, quiet=True, footer_links=[], _frontend=False)
"""


class Weight(NamedTuple):
    """What opening a page took."""

    task_s: float
    """Processor time of the browser's main thread."""
    requests: int
    config_kb: float
    """Size of Gradio's configuration, which is part of the page."""


def measure(browser: Browser, url: str, folder: Path) -> Iterator[str]:
    """The page against an empty one, then each tab's first opening against Play's."""
    with _empty_page(folder) as empty_url:
        ours, empty = [], []
        for _ in range(REPETITIONS):
            ours.append(_opened(browser, url, is_ours=True))
            empty.append(_opened(browser, empty_url, is_ours=False))
    play_s, empty_s = median(one.task_s for one in ours), median(one.task_s for one in empty)
    yield (
        f"opening Play takes {play_s:.2f} s of the browser's main thread, an empty Gradio page {empty_s:.2f} s: "
        f"{play_s / empty_s:.1f} times (aim 2)"
    )
    yield (
        f"{ours[-1].requests} requests (aim 60, empty page {empty[-1].requests}), "
        f"{_received_kb(browser, url):.0f} KB received (aim 400), of it "
        f"configuration {ours[-1].config_kb:.0f} KB before compression (empty page {empty[-1].config_kb:.0f})"
    )
    shares = {tab: _tab_opened_s(browser, url, tab) / play_s for tab in TABS}
    slowest = max(shares, key=shares.__getitem__)
    yield (
        "first opening of each tab, as a share of Play's: "
        + ", ".join(f"{tab} {share:.2f}" for tab, share in shares.items())
        + f"; at most {shares[slowest]:.2f} ({slowest}; aim 1.5)"
    )


@contextmanager
def _empty_page(folder: Path) -> Iterator[str]:
    script = folder / "empty_page.py"
    script.write_text(EMPTY_PAGE, encoding="utf-8")
    port = 20_000 + os.getpid() % 20_000
    environment = {**os.environ, "GRADIO_ANALYTICS_ENABLED": "False"}
    process = subprocess.Popen([sys.executable, str(script), str(port)], env=environment)
    try:
        url = f"http://127.0.0.1:{port}"
        _wait_for(url)
        yield url
    finally:
        process.terminate()
        process.wait(timeout=20)


def _wait_for(url: str) -> None:
    for _ in range(300):
        try:
            with urlopen(url, timeout=5):
                return
        except OSError:
            time.sleep(0.2)
    raise TimeoutError(url)


def _opened(browser: Browser, url: str, *, is_ours: bool) -> Weight:
    with _page(browser) as (page, session):
        requests: list[str] = []
        page.on("request", lambda request: requests.append(request.url))
        page.goto(url)
        # `expect` describes the whole page again and again while it waits, which would count as work of the page.
        page.wait_for_function(READY if is_ours else "document.querySelector('textarea')", polling=200)
        _settle(page, session)
        return Weight(_task_s(session), len(requests), _config_kb(url))


def _received_kb(browser: Browser, url: str) -> float:
    """Size of all answers while the page opens, as they are sent: compressed, with their headers."""
    with _page(browser) as (page, session):
        received: list[float] = []
        session.on("Network.loadingFinished", lambda event: received.append(event["encodedDataLength"]))
        session.send("Network.enable")
        page.goto(url)
        page.wait_for_function(READY, polling=200)
        _settle(page, session)
        return sum(received) / 1000


def _config_kb(url: str) -> float:
    """Size of the configuration as the server writes it into the page."""
    with urlopen(url, timeout=30) as response:
        text = response.read().decode()
    config = re.search(r"window\.gradio_config = (.*?);</script>", text, re.DOTALL)
    assert config, "the page has no configuration"
    return len(config[1].encode()) / 1000


def _tab_opened_s(browser: Browser, url: str, tab: str) -> float:
    """Processor time of a tab's first opening; the median of some fresh pages."""
    samples: list[float] = []
    for _ in range(3):
        with _page(browser) as (page, session):
            page.goto(url)
            expect(page.locator("#page-header")).to_contain_text("ready")
            _settle(page, session)
            before_s = _task_s(session)
            page.evaluate("tab => hermesWorkbench.router.choose(tab)", tab)
            expect(page.locator(f"#page-tab-{tab}")).to_be_visible()
            _settle(page, session)
            samples.append(_task_s(session) - before_s)
    return median(samples)


@contextmanager
def _page(browser: Browser) -> Iterator[tuple[Page, CDPSession]]:
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    page = context.new_page()
    page.set_default_timeout(60_000)
    page.add_init_script(TOUR_ENDED)
    session = context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    yield page, session
    context.close()


def _task_s(session: CDPSession) -> float:
    metrics = session.send("Performance.getMetrics")["metrics"]
    return {metric["name"]: metric["value"] for metric in metrics}["TaskDuration"]


def _settle(page: Page, session: CDPSession) -> None:
    """Waits until the main thread was idle for a while; an open stream keeps the network busy for ever."""
    last = _task_s(session)
    for _ in range(60):
        page.wait_for_timeout(QUIET_MS)  # the time in which it must be idle
        now = _task_s(session)
        if now - last < IDLE_SHARE * QUIET_MS / 1000:
            return
        last = now
    raise TimeoutError("the page did not come to rest")
