"""A page at rest leaves the browser alone."""

import pytest
from playwright.sync_api import Page

from tests.e2e.play import Play
from tests.served import Server

pytestmark = pytest.mark.browser

COUNT_CLOCKS = """
  window.clocks = 0;
  const ask = requestAnimationFrame.bind(window);
  window.requestAnimationFrame = (callback) => {
    if (String(callback).includes("/1e3")) window.clocks += 1;
    return ask(callback);
  };
"""


def test_the_clock_of_the_first_loader_does_not_go_on(fresh_page: Page, server: Server) -> None:
    fresh_page.add_init_script(COUNT_CLOCKS)
    Play(fresh_page, server).open()
    assert fresh_page.evaluate("typeof clocks") == "number"
    assert fresh_page.evaluate("clocks") == 0
