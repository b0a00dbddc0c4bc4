"""Waits of the browser tests: each is for a condition, so a busy machine makes it longer instead of wrong."""

from collections.abc import Callable
from typing import Final

from playwright.sync_api import BrowserContext, Page

QUIET_MS: Final = 400
"""How long a page must send and get nothing to count as settled. Its own delays, such as after typing, are shorter."""
_COUNT_EVENTS: Final = """(() => {
  const send = window.fetch;
  const asked = new Set();
  const answered = new Set();
  const events = (window.eventsOfTest = { last: performance.now(), open: () => asked.size });
  const now = () => (events.last = performance.now());
  const watch = async (body) => {
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    for (;;) {
      const { value, done } = await reader.read().catch(() => ({ done: true }));
      now();
      if (done) return;
      const frames = (text + value).split("\\n\\n");
      text = frames.pop();
      for (const frame of frames) {
        const [, id] = /"msg":"process_completed".*"event_id":"([^"]+)"/.exec(frame) ||
          /"event_id":"([^"]+)".*"msg":"process_completed"/.exec(frame) || [];
        if (id && !asked.delete(id)) answered.add(id);
      }
    }
  };
  window.fetch = async (...request) => {
    now();
    const response = await send(...request);
    now();
    const path = new URL(response.url || "/", location.href).pathname;
    if (path.endsWith("/queue/join") && response.ok) {
      const { event_id: id } = await response.clone().json();
      if (!answered.delete(id)) asked.add(id);
    }
    if (!path.endsWith("/queue/data") || !response.ok) return response;
    const [ours, theirs] = response.body.tee();
    watch(ours);
    return new Response(theirs, { status: response.status, headers: response.headers });
  };
})();"""
_IS_SETTLED: Final = "quiet => !eventsOfTest.open() && performance.now() - eventsOfTest.last > quiet"


def count_events(context: BrowserContext) -> BrowserContext:
    """Let pages that are opened from now on count their events without an answer, for `settle`."""
    context.add_init_script(_COUNT_EVENTS)
    return context


def settle(page: Page, timeout_ms: float = 60_000) -> None:
    """Wait until the page has got the answers to all its events and sends no others.

    An event that a test holds back is not sent yet, so it is not waited for.
    """
    page.wait_for_function(_IS_SETTLED, arg=QUIET_MS, timeout=timeout_ms)


def until(page: Page, is_so: Callable[[], object], what: str, timeout_s: float = 60) -> None:
    """Wait for something that only the test can see, such as a file or a held event.

    Raises:
        AssertionError: It is not so after `timeout_s`. `what` says what was waited for.
    """
    for _ in range(int(timeout_s * 20)):
        if is_so():
            return
        # The driver handles the page's events only while it waits.
        page.wait_for_timeout(50)
    raise AssertionError(f"{what} after {timeout_s} s")
