"""What counts as a fault of a page, and of its server."""

import pytest
from playwright.sync_api import Browser

from tests.e2e.watch import LAST_WORDS, SERVER_LAST_WORDS, Watch, unexpected_errors

TRACEBACK = """Traceback (most recent call last):
  File "a.py", line 1, in one
    two()
    ^^^^^
{}
"""
CAUSE = "\nThe above exception was the direct cause of the following exception:\n\n"


@pytest.mark.browser
def test_last_words_are_pardoned_in_a_page_that_is_left_and_in_no_other(browser: Browser) -> None:
    page = browser.new_page()
    watch = Watch(page)
    page.goto("data:text/html,<p>one</p>")
    page.evaluate("text => console.error(text)", LAST_WORDS[0])
    assert watch.troubles == [f"console: {LAST_WORDS[0]}"]
    page.evaluate("dispatchEvent(new Event('beforeunload'))")
    for text in (*LAST_WORDS, "another"):
        page.evaluate("text => console.error(text)", text)
    assert watch.troubles[1:] == ["console: another"]
    page.goto("data:text/html,<p>two</p>")
    page.evaluate("text => console.error(text)", LAST_WORDS[1])
    page.close()
    assert watch.troubles[2:] == [f"console: {LAST_WORDS[1]}"]


def test_each_traceback_of_a_log_is_told_by_its_last_line() -> None:
    log = "It stands.\n" + TRACEBACK.format("ValueError: one") + "INFO\n" + TRACEBACK.format("a.B: two\nmore")
    assert unexpected_errors(log) == ["ValueError: one", "a.B: two"]


def test_of_a_chain_the_last_is_told_and_last_words_are_pardoned() -> None:
    cause = TRACEBACK.format("fastapi.exceptions.HTTPException: 404: Not Found")
    assert unexpected_errors(cause + CAUSE + TRACEBACK.format(SERVER_LAST_WORDS)) == []
    assert unexpected_errors(cause + CAUSE + TRACEBACK.format("ValueError: one")) == ["ValueError: one"]
    assert unexpected_errors("") == []
