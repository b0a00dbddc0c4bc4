"""The event stream: no response is lost, even if the browser is slow."""

import time
from collections.abc import Iterator
from pathlib import Path

import gradio as gr
import pytest
from playwright.sync_api import Page, Route, expect

from tests.e2e.play import SLOW_MS, Play, open_tab
from tests.served import Server, write_script
from workbench.records.owner import Permission, UserRole
from workbench.ui.gradio_parts.listen import listen
from workbench.ui.gradio_parts.page_blocks import PageBlocks
from workbench.ui.gradio_parts.update import SAME
from workbench.ui.page_checks import PageChecks
from workbench.ui.permissions import needs

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.long]

HELD_S = 4.0

# The word that closes the stream is heard a second late, as in a browser that is busy.
_LATE = """(() => {
  const send = window.fetch;
  window.fetch = async (what, options) => {
    const response = await send(what, options);
    if (!new URL(what.url ?? what, location.href).pathname.endsWith("/queue/data")) return response;
    const late = new TransformStream({
      async transform(piece, heard) {
        const place = piece.indexOf('data: {"msg":"close_stream"');
        heard.enqueue(place < 0 ? piece : piece.slice(0, place));
        if (place < 0) return;
        await new Promise((done) => setTimeout(done, 1000));
        heard.enqueue(piece.slice(place));
      },
    });
    const shown = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(late);
    return new Response(shown.pipeThrough(new TextEncoderStream()), { headers: response.headers });
  };
})()"""

# A browser that is busy hears all steps of an answer before it knows which answer they are of.
_UNKNOWN = """(() => {
  const send = window.fetch;
  window.fetch = async (what, options) => {
    const response = await send(what, options);
    if (location.hash === "#busy" && new URL(what.url ?? what, location.href).pathname.endsWith("/queue/join"))
      await new Promise((done) => setTimeout(done, 1500));
    return response;
  };
})()"""


def test_a_request_is_answered_although_the_stream_was_closed(fresh_page: Page, server: Server) -> None:
    page = fresh_page
    page.add_init_script(_LATE)
    page.set_default_timeout(SLOW_MS)
    page.goto(server.url)
    expect(page.locator("#page-header .hw-dot")).to_be_visible()
    open_tab(page, "Suites")
    size = page.locator("#suites-size")
    expect(size).to_contain_text("5 case runs", timeout=SLOW_MS)
    page.get_by_text("Cases and limits").click()
    for cases in (1, 2, 3, 4):
        page.get_by_label("Max cases").fill(str(cases))
        expect(size).to_contain_text(f"{cases} case run{'s' * (cases > 1)}: {cases} case", timeout=SLOW_MS)
        # The stream closes while the page does nothing, at another moment each time.
        page.wait_for_timeout(200 * cases)


def test_a_page_that_unloads_slowly_is_left(play: Play, tmp_path: Path) -> None:
    slow = {"text": "word " * 2000, "seconds_per_token": 0.05}
    play.use_script(write_script(tmp_path / "slow.yaml", slow)).send("Go on and on")
    expect(play.part("live")).to_contain_text("word word")
    routes: list[Route] = []
    navigations: list[str] = []
    play.page.route("**/?later", lambda route: routes.append(route))
    play.page.on(
        "request",
        lambda request: navigations.append(request.url) if request.is_navigation_request() else None,
    )
    play.page.evaluate("setTimeout(() => { location.search = '?later'; })")
    # Longer than Gradio waits before it loads a page again whose connection it takes for lost.
    play.page.wait_for_timeout(6000)
    assert navigations == [f"{play.server.url}/?later"]
    routes[0].continue_()
    play.page.wait_for_url("**/?later")
    play.wait_until_open()


def test_a_page_that_stays_open_after_all_is_reloaded(play: Play, tmp_path: Path) -> None:
    slow = {"text": "word " * 2000, "seconds_per_token": 0.05}
    play.use_script(write_script(tmp_path / "slow.yaml", slow)).send("Go on and on")
    expect(play.part("live")).to_contain_text("word word")
    play.page.evaluate("dispatchEvent(new Event('beforeunload'))")
    with play.page.expect_navigation():
        play.page.keyboard.press("Shift")
    play.wait_until_open()
    expect(play.part("transcript")).to_contain_text("Go on and on")


def _steps() -> Iterator[tuple[object, str]]:
    yield gr.update(value="a", label="one"), "started"
    yield gr.update(value="b"), "under way"
    yield SAME, "over"


@pytest.fixture(scope="module")
def steps_url() -> Iterator[str]:
    """A page with a button whose handler answers in steps, and one that keeps the stream open."""
    with PageBlocks(PageChecks(lambda _: UserRole.LOCAL), analytics_enabled=False) as blocks:
        texts = [gr.Textbox(elem_id="shown"), gr.Textbox(elem_id="state")]
        listen(gr.Button("Begin").click, needs(Permission.WORK)(_steps), outputs=texts)
        listen(gr.Button("Hold").click, needs(Permission.WORK)(lambda: time.sleep(HELD_S)))
    _, url, _ = blocks.launch(prevent_thread_lock=True, quiet=True, server_name="127.0.0.1", ssr_mode=False)
    yield url
    blocks.close(verbose=False)


def test_steps_that_arrive_together_are_all_shown(fresh_page: Page, steps_url: str) -> None:
    page = fresh_page
    page.add_init_script(_UNKNOWN)
    page.set_default_timeout(SLOW_MS)
    page.goto(steps_url)
    with page.expect_request("**/queue/data*"):
        page.get_by_role("button", name="Hold").click()
    page.evaluate("location.hash = 'busy'")
    page.get_by_role("button", name="Begin").click()
    expect(page.locator("#state textarea")).to_have_value("over", timeout=SLOW_MS)
    expect(page.locator("#shown textarea")).to_have_value("b")
    expect(page.locator("#shown")).to_contain_text("one")
