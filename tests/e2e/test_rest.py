"""A page at rest leaves the browser alone."""

import pytest
from playwright.sync_api import Page

from tests.e2e.play import Play
from tests.served import Server

pytestmark = pytest.mark.browser

COUNT_FRAMES = """
  window.frames_asked = 0;
  const ask = requestAnimationFrame.bind(window);
  window.requestAnimationFrame = (callback) => {
    window.frames_asked += 1;
    return ask(callback);
  };
"""
IS_AT_REST = """
  async () => {
    if (performance.now() < hermesWorkbench.mountedAt + 2500) return false;
    const before = frames_asked;
    await new Promise((resolve) => setTimeout(resolve, 500));
    return before > 0 && frames_asked === before;
  }
"""


def test_a_page_at_rest_asks_for_no_frames(fresh_page: Page, server: Server) -> None:
    fresh_page.add_init_script(COUNT_FRAMES)
    Play(fresh_page, server).open()
    fresh_page.wait_for_function(IS_AT_REST, timeout=20_000)
