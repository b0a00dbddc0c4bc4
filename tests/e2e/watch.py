"""Errors of a page and its server that must not occur."""

from typing import Final

from playwright.sync_api import ConsoleMessage, Dialog, Page, Request

FAREWELLS: Final = (
    "AbortError: signal is aborted",
    "Connection errored out",
    "ERR_INCOMPLETE_CHUNKED_ENCODING",
)
"""Messages when a server is killed while the page listens, which are not errors of the page."""


class Watch:
    """Collects console errors, foreign requests, exceptions and dialogs of a page, and answers its dialogs.

    With `may_ask_to_leave`, the page's question before it is left is answered with yes and is not an error.
    """

    def __init__(self, page: Page, *, may_ask_to_leave: bool = False) -> None:
        self.troubles: list[str] = []
        self._may_ask_to_leave = may_ask_to_leave
        page.on("console", self._on_console)
        page.on("request", self._on_request)
        page.on("pageerror", lambda error: self.troubles.append(f"error: {error}"))
        page.on("dialog", self._on_dialog)

    def _on_console(self, message: ConsoleMessage) -> None:
        if message.type == "error" and not any(farewell in message.text for farewell in FAREWELLS):
            self.troubles.append(f"console: {message.text}")

    def _on_dialog(self, dialog: Dialog) -> None:
        if self._may_ask_to_leave and dialog.type == "beforeunload":
            dialog.accept()
        else:
            self.troubles.append(f"dialog: {dialog.message}")
            dialog.dismiss()

    def _on_request(self, request: Request) -> None:
        if not request.url.startswith(("http://127.0.0.1:", "data:", "blob:")):
            self.troubles.append(f"request to another host: {request.url}")
