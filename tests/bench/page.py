"""What a visitor of the page waits for: its first look, long sessions, an answer, others who are there too."""

import re
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.bench import page_weight
from tests.e2e.conftest import CHROMIUM, FLAGS
from tests.e2e.play import TOUR_ENDED
from tests.served import Server, served, write_script
from workbench.chat.message import Message, Role
from workbench.records.sessions import MessageOrigin, NewMessage
from workbench.settings import read_settings
from workbench.wiring import open_services

VISITORS = 20
ANSWER_TOKENS = 300
TOKENS_PER_SECOND = 50
CHARS_PER_TOKEN = 4
"""Of the scripted engine."""
CALL = '<tool_call>\n{{"name": "get_flumbuster", "arguments": {{"flumb": "city {place}"}}}}\n</tool_call>'
WAIT_MS = 180_000
ENTRIES = "(count) => document.querySelectorAll('#play-transcript li.hw-entry').length >= count"
"""True once the transcript shows that many entries."""


class Kept(NamedTuple):
    """A session of the store."""

    id: str
    entries: int
    """What the transcript shows of it: results stand with their calls."""


class Opened(NamedTuple):
    """A look at the page."""

    painted_s: float
    """From the request to the first thing that is to be seen."""
    ready_s: float
    """From the request to the last message of the session."""


def measure() -> Iterator[str]:
    """First paint, opening of long sessions, the last step of a stream, many visitors at once."""
    found = next(filter(None, map(shutil.which, CHROMIUM)), None)
    if found is None:
        yield "skipped: no browser (Debian: apt-get install chromium)"
        return
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        script = _script(Path(folder))
        for server in served(Path(folder), f"scripted:{script}"):
            browser = playwright.chromium.launch(executable_path=found, args=list(FLAGS))
            try:
                yield from page_weight.measure(browser, server.url, Path(folder))
                yield from _measured(browser, server)
            finally:
                browser.close()


def _script(folder: Path) -> Path:
    text = "".join(f"{number:03} " for number in range(ANSWER_TOKENS))
    return write_script(folder / "script.yaml", {"text": text, "seconds_per_token": 1 / TOKENS_PER_SECOND})


def _measured(browser: Browser, server: Server) -> Iterator[str]:
    with new_page(browser) as page:
        open_address(page, server.url)
        again = open_address(page, server.url)
        yield f"first contentful paint after {again.painted_s:.2f} s (aim 3 s)"
    short, long = _session(server, 100), _session(server, 500)
    with new_page(browser) as page:
        opened = open_address(page, f"{server.url}/?session={long.id}", entries=long.entries)
    with new_page(browser) as page:
        open_address(page, server.url)
        chosen_s = _chosen(page, long)
        yield (
            f"a session of 500 messages is open {chosen_s:.2f} s behind the click (aim 3 s), by its address "
            f"{opened.ready_s:.2f} s behind the request, where the empty page takes {again.ready_s:.2f} s"
        )
    with new_page(browser) as page:
        open_address(page, f"{server.url}/?session={short.id}", entries=short.entries)
        behind_s = _answered(page, server, short.id)
        yield (
            f"with 100 messages, {ANSWER_TOKENS} tokens at {TOKENS_PER_SECOND} a second are on screen "
            f"{behind_s:.2f} s behind the engine (aim 1.5 s)"
        )
    yield _crowd(browser, server)


@contextmanager
def new_page(browser: Browser) -> Iterator[Page]:
    """Yield a page of a new visitor, which is closed at the end."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    page = context.new_page()
    page.set_default_timeout(WAIT_MS)
    page.add_init_script(TOUR_ENDED)
    expect.set_options(timeout=WAIT_MS)
    yield page
    context.close()


def open_address(page: Page, address: str, *, entries: int = 0) -> Opened:
    """Open an address, and wait for the page or for a number of entries of its transcript."""
    began_s = time.perf_counter()
    page.goto(address, wait_until="commit")
    # Not at each frame: the page ends chains of frames that began before it was there (`frames.js`).
    if entries:
        page.wait_for_function(ENTRIES, arg=entries, polling=10)
    else:
        page.wait_for_function(
            "document.querySelector('#play-system-text')?.textContent.includes('tokens')", polling=10
        )
    ready_s = time.perf_counter() - began_s
    painted_ms = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
    expect(page.locator("#page-header")).to_contain_text("ready")
    return Opened(painted_ms / 1000, ready_s)


def _chosen(page: Page, kept: Kept) -> float:
    """Seconds from the click in the list to the last message."""
    row = page.locator(f"[data-id='{kept.id}']")
    expect(row).to_be_visible()
    began_s = time.perf_counter()
    row.click()
    page.wait_for_function(ENTRIES, arg=kept.entries)
    return time.perf_counter() - began_s


def _answered(page: Page, server: Server, session_id: str) -> float:
    """Seconds from the engine's last token to the whole answer on screen, both counted from the first token."""
    page.get_by_role("textbox", name="Message").fill("Count.")
    page.evaluate(WATCH, [f"{ANSWER_TOKENS - 1:03}"])
    page.get_by_role("textbox", name="Message").press("Control+Enter")
    page.wait_for_function("window.hw_bench.last_ms !== undefined")
    seen = page.evaluate("window.hw_bench")
    generation = server.path(session_id)[-1].generation
    assert generation is not None
    streamed_s = generation.timing.seconds - generation.timing.time_to_first_token_s
    return (seen["last_ms"] - seen["first_ms"]) / 1000 - streamed_s


WATCH = """([last]) => {
  const seen = window.hw_bench = {};
  const look = () => {
    const live = document.querySelector("#play-live")?.textContent || "";
    const entries = document.querySelector("#play-transcript li.hw-entry:last-of-type .hw-body")?.textContent || "";
    if (seen.first_ms === undefined && live.includes("000 ")) seen.first_ms = performance.now();
    if (seen.first_ms !== undefined && entries.includes("298 " + last)) { seen.last_ms = performance.now(); return; }
    requestAnimationFrame(look);
  };
  look();
}"""


def _session(server: Server, count: int) -> Kept:
    """Create a session of `count` messages in the store. Every other answer of the model is a call."""
    variables = {
        "WORKBENCH_DATA": str(server.folder / "data"),
        "WORKBENCH_MODEL": f"scripted:{server.folder}/script.yaml",
    }
    with open_services(read_settings(variables)) as services:
        setup = services.setup_for()
        setup = replace(setup, sampling=replace(setup.sampling, max_tokens=2 * ANSWER_TOKENS))
        session_id = services.sessions.create_session(setup).id
        messages = [Message(role=Role.SYSTEM, text=setup.parsed().system_text(date=services.today()))]
        while len(messages) < count - 1:
            place = len(messages)
            messages += [
                Message(role=Role.USER, text=f"What is the reading of city {place}?"),
                Message(role=Role.ASSISTANT, text=CALL.format(place=place)),
                Message(role=Role.TOOL, text='{"reading": 31}', name="get_flumbuster"),
                Message(role=Role.ASSISTANT, text=f"The reading of city {place} is 31 usters."),
            ]
        kept = [NewMessage(message=one, origin=MessageOrigin.IMPORT) for one in messages[:count]]
        services.sessions.append_all(session_id, kept, parent_id=None)
        return Kept(session_id, sum(one.message.role is not Role.TOOL for one in kept))


def _crowd(browser: Browser, server: Server) -> str:
    """Open many browsers on a Space at once, each with its own session."""
    folder = server.folder / "space"
    folder.mkdir()
    script = write_script(folder / "script.yaml", {"text": "Noted. " * 20, "seconds_per_token": 0.02})
    variables = {"SPACE_ID": "someone/workbench", "WORKBENCH_HOST": "127.0.0.1"}
    for space in served(folder, f"scripted:{script}", **variables):
        with ExitStack() as open_pages:
            pages = [open_pages.enter_context(new_page(browser)) for _ in range(VISITORS)]
            faults: list[object] = []
            for page in pages:
                _collect_faults(page, faults)
            began_s = time.perf_counter()
            for page in pages:
                page.goto(space.url, wait_until="commit")
            for page in pages:
                expect(page.locator("#play-system-text")).to_contain_text("tokens")
            opened_s = time.perf_counter() - began_s
            began_s = time.perf_counter()
            for number, page in enumerate(pages):
                page.get_by_role("textbox", name="Message").fill(f"I am visitor {number:03}.")
                page.get_by_role("textbox", name="Message").press("Control+Enter")
            for page in pages:
                expect(page.locator("#play-transcript li.hw-entry")).to_have_count(3)
            answered_s = time.perf_counter() - began_s
            mixed = sum(_has_others(page, number) for number, page in enumerate(pages))
            faults += [
                notices
                for page in pages
                if (notices := page.locator("#play-notice .t-error").all_inner_texts())
            ]
        return (
            f"{VISITORS} browsers at once: open after {opened_s:.1f} s, all answered {answered_s:.1f} s after the "
            f"first question; {mixed} see what is another's (aim 0), {len(faults)} faults (aim 0)"
        )
    return ""


def _collect_faults(page: Page, faults: list[object]) -> None:
    page.on("pageerror", lambda error: faults.append(str(error)))


def _has_others(page: Page, number: int) -> bool:
    """Whether a page shows what another visitor said. Fails if it lists another session, or none."""
    # The list is drawn a moment after the conversation.
    expect(page.locator("#play-session-list .hw-session")).to_have_count(1)
    shown = page.locator("#play-columns").inner_text()
    return set(re.findall(r"visitor (\d{3})", shown)) != {f"{number:03}"}
