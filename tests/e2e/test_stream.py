"""The stream that answers come by: nothing that is asked for gets lost on it, however slow the browser is."""

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.play import SLOW_MS, Server

pytestmark = [pytest.mark.browser, pytest.mark.slow]

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
    const told = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(late);
    return new Response(told.pipeThrough(new TextEncoderStream()), { headers: response.headers });
  };
})()"""


def test_what_is_asked_for_while_the_stream_is_closed_is_answered(page: Page, server: Server) -> None:
    page.add_init_script(_LATE)
    page.set_default_timeout(SLOW_MS)
    page.goto(server.url)
    expect(page.locator("#page-header .hw-dot")).to_be_visible()
    page.get_by_role("tab", name="Suites").click()
    size = page.locator("#suites-size")
    expect(size).to_contain_text("5 plays", timeout=SLOW_MS)
    page.get_by_text("Cases and limits").click()
    for plays in (1, 2, 3, 4):
        page.get_by_label("Cases at most").fill(str(plays))
        expect(size).to_contain_text(f"{plays} play{'s' * (plays > 1)}: {plays} case", timeout=SLOW_MS)
        page.wait_for_timeout(200 * plays)
