"""What a page, and its server, should not have said."""

import re
from typing import Final

from playwright.sync_api import ConsoleMessage, Page, Request

FAREWELLS: Final = (
    "AbortError: signal is aborted",
    "Connection errored out",
    "ERR_INCOMPLETE_CHUNKED_ENCODING",
)
"""What is said where a page is left, or its server killed, while it still listens; no fault of the page."""
LAST_WORDS: Final = ("Unexpected error 404: Not Found", "TypeError: network error")
"""What is said by a page that is being left, and by no other.

Gradio stops listening before the next page is there, and the server then forgets this one's events. If an event's
receipt comes after that, the page listens once more, for what is forgotten.
"""
SERVER_LAST_WORDS: Final = "RuntimeError: Caught handled exception, but response already started."
"""The server's side of them."""
_LEAVING: Final = "addEventListener('beforeunload', () => console.debug('this page is left'))"
_TRACEBACK: Final = re.compile(r"^Traceback \(most recent call last\):\n(?:[ \t].*\n)*(\S.*)", re.MULTILINE)
_CAUSE: Final = "\nThe above exception was the direct cause of the following exception:\n\n"


class Watch:
    """Collects what a page should not have said, asked or met."""

    def __init__(self, page: Page) -> None:
        self.troubles: list[str] = []
        self._is_left = False
        page.add_init_script(_LEAVING)
        page.on("console", self._on_console)
        page.on("domcontentloaded", self._on_document)
        page.on("request", self._on_request)
        page.on("pageerror", lambda error: self.troubles.append(f"error: {error}"))
        page.on(
            "dialog", lambda dialog: (self.troubles.append(f"dialog: {dialog.message}"), dialog.dismiss())
        )

    def _on_console(self, message: ConsoleMessage) -> None:
        if message.text == "this page is left":
            self._is_left = True
        pardoned = FAREWELLS + LAST_WORDS if self._is_left else FAREWELLS
        if message.type == "error" and not any(one in message.text for one in pardoned):
            self.troubles.append(f"console: {message.text}")

    def _on_document(self, _: Page) -> None:
        self._is_left = False

    def _on_request(self, request: Request) -> None:
        if not request.url.startswith(("http://127.0.0.1:", "data:", "blob:")):
            self.troubles.append(f"request to another host: {request.url}")


def unexpected_errors(log: str) -> list[str]:
    """The last line of each traceback that a server wrote, but for the last words of pages that were left."""
    told: list[str] = []
    for found in _TRACEBACK.finditer(log):
        is_cause = log.startswith(_CAUSE, found.end() + 1)
        if not is_cause and found[1] != SERVER_LAST_WORDS:
            told.append(found[1])
    return told
